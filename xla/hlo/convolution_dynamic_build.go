package hlo

import "github.com/halo-xla/halo/xla/shape"

// DynamicConvForward is ConvGeneralDilated for lhs of sizes known at run time only: with SamePadding the padding of
// dynamic spatial dimensions follows the real sizes; padding is that of all others, and of all with ValidPadding.
//
//	lhs T[N, C, D...]   rhs T[O, C, K...]   result T[N, O, E...], E unbounded where the padding follows
//
// It fails as ConvGeneralDilated does. Law: XLA's DynamicConvolutionForward; rows 93 and 94.
func (b *Builder) DynamicConvForward(lhs, rhs *Instruction, windowStrides []int64, padding [][2]int64,
	lhsDilation, rhsDilation []int64, dimensionNumbers DimLabels, paddingType PaddingKind,
	opts ...ConvOptions) *Instruction {
	b.present(DynamicConvolution, &lhs, &rhs)
	same := paddingType == SamePadding && dynamicSpatial(lhs, dimensionNumbers.InputSpatial)
	if !same {
		return b.ConvGeneralDilated(lhs, rhs, windowStrides, padding, lhsDilation, rhsDilation, dimensionNumbers,
			opts...)
	}
	c := dynamicConv{b, lhs, rhs, dimensionNumbers, opts, nil}
	return c.build(windowStrides, padding, lhsDilation, rhsDilation, func(i int, w WindowDim) (low, high *Instruction) {
		if !lhs.Shape.IsDynamicDim(int(c.l.InputSpatial[i])) {
			return c.number(w.PadLow), c.number(w.PadHigh)
		}
		n := c.dilated(lhs, c.l.InputSpatial[i], w.BaseDilation)
		kernel := c.dilated(rhs, c.l.KernelSpatial[i], w.WindowDilation)
		total := c.samePadding(n, kernel, w.Stride)
		low = b.Div(total, c.number(2))
		return low, b.Sub(total, low)
	})
}

// DynamicConvInputGrad is the convolution that gives the gradient of a forward one's input: lhs is the gradient of its
// result, rhs its kernel with input and output features exchanged and reversed as the caller says, lhsDilation its
// strides. inputSizes are all sizes of the result, known at run time only; padding is replaced by what makes the result
// of these sizes if the forward one was padded by paddingType.
//
//	inputSizes integer[R]   lhs T[N, C, D...]   rhs T[O, C, K...]   result T[N, O, ?...]
//
// It fails if inputSizes is no vector of lhs's rank, or as ConvGeneralDilated does. Law: XLA's
// DynamicConvolutionInputGrad.
func (b *Builder) DynamicConvInputGrad(inputSizes, lhs, rhs *Instruction, windowStrides []int64, padding [][2]int64,
	lhsDilation, rhsDilation []int64, dimensionNumbers DimLabels, paddingType PaddingKind,
	opts ...ConvOptions) *Instruction {
	b.present(DynamicConvolution, &inputSizes, &lhs)
	if b.err == nil && (!inputSizes.Shape.Type.IsInteger() || inputSizes.Shape.Rank() != 1 ||
		inputSizes.Shape.Dims[0] != int64(lhs.Shape.Rank())) {
		return b.fail(DynamicConvolution, "input sizes: got %v, want integers of size [%d]", inputSizes.Shape,
			lhs.Shape.Rank())
	}
	c := dynamicConv{b, lhs, rhs, dimensionNumbers, opts, nil}
	return c.build(windowStrides, padding, lhsDilation, rhsDilation, func(i int, w WindowDim) (low, high *Instruction) {
		d := c.l.OutputSpatial[i]
		n := b.ConvertElementType(b.Reshape(b.SliceInDim(inputSizes, d, d+1, 1, 0), nil), shape.S64)
		kernel := c.dilated(rhs, c.l.KernelSpatial[i], w.WindowDilation)
		low = b.Sub(kernel, c.number(1))
		if paddingType == SamePadding {
			low = b.Sub(low, b.Div(c.samePadding(n, kernel, w.BaseDilation), c.number(2)))
		}
		given := b.Add(low, c.dilated(lhs, c.l.InputSpatial[i], w.BaseDilation))
		return low, b.Sub(b.Add(b.Sub(n, c.number(1)), kernel), given)
	})
}

// DynamicConvKernelGrad is the convolution that gives the gradient of a forward one's kernel: activations is its input,
// gradients that of its result, rhsDilation its strides and windowStrides its kernel dilation. The padding of dynamic
// spatial dimensions follows the real sizes, as the forward convolution's of paddingType, so that the result has the
// size that padding gives the bounds; padding is that of all others.
//
//	activations T[N, C, D...]   gradients T[O, C, K...]   result T[N, O, E...]
//
// It fails as ConvGeneralDilated does. Law: XLA's DynamicConvolutionKernelGrad.
func (b *Builder) DynamicConvKernelGrad(activations, gradients *Instruction, windowStrides []int64, padding [][2]int64,
	lhsDilation, rhsDilation []int64, dimensionNumbers DimLabels, paddingType PaddingKind,
	opts ...ConvOptions) *Instruction {
	b.present(DynamicConvolution, &activations, &gradients)
	c := dynamicConv{b, activations, gradients, dimensionNumbers, opts, make(map[int]int64)}
	return c.build(windowStrides, padding, lhsDilation, rhsDilation, func(i int, w WindowDim) (low, high *Instruction) {
		in, kernelDim := c.l.InputSpatial[i], c.l.KernelSpatial[i]
		size, err := w.slide(activations.Shape.Dims[in]) // of the bounds
		if err != nil || size == shape.Unbounded {
			b.fail(DynamicConvolution, "dimension %d of %v has no bound", in, activations.Shape)
		}
		c.told[i] = size
		if !activations.Shape.IsDynamicDim(int(in)) && !gradients.Shape.IsDynamicDim(int(kernelDim)) {
			return c.number(w.PadLow), c.number(w.PadHigh)
		}
		n := c.dilated(activations, in, w.BaseDilation)
		kernel := c.number(dilated(size, w.Stride))
		low = c.number(0)
		if paddingType == SamePadding {
			low = b.Div(c.samePadding(n, kernel, w.WindowDilation), c.number(2))
		}
		reach := b.Add(c.dilated(gradients, kernelDim, w.WindowDilation), c.number((size-1)*w.Stride))
		return low, b.Sub(b.Sub(reach, n), low)
	})
}

// dynamicSpatial reports whether one of the spatial dimensions is dynamic.
func dynamicSpatial(in *Instruction, spatial []int64) bool {
	for _, d := range spatial {
		if d >= 0 && d < int64(in.Shape.Rank()) && in.Shape.IsDynamicDim(int(d)) {
			return true
		}
	}
	return false
}

// dynamicConv builds one convolution whose padding is computed at run time.
type dynamicConv struct {
	b        *Builder
	lhs, rhs *Instruction
	l        DimLabels
	opts     []ConvOptions
	told     map[int]int64 // sizes of the result's spatial dimensions that are known
}

func (c dynamicConv) number(n int64) *Instruction { return c.b.scalarOf(shape.S64, n) }

// dilated is the real size of dimension d of in with holes between its elements.
func (c dynamicConv) dilated(in *Instruction, d, dilation int64) *Instruction {
	n := c.b.ConvertElementType(c.b.GetDimensionSize(in, d), shape.S64)
	if dilation == 1 {
		return n
	}
	holes := c.b.Mul(c.b.Sub(n, c.number(1)), c.number(dilation))
	return c.b.Max(c.b.Add(holes, c.number(1)), c.number(0))
}

// samePadding is the padding of both ends together with which a window slides to ceil(n/stride) places.
func (c dynamicConv) samePadding(n, window *Instruction, stride int64) *Instruction {
	s := c.number(stride)
	places := c.b.Div(c.b.Sub(c.b.Add(n, s), c.number(1)), s)
	reach := c.b.Add(c.b.Mul(c.b.Sub(places, c.number(1)), s), window)
	return c.b.Max(c.b.Sub(reach, n), c.number(0))
}

// failed keeps err, which has its place, if it is the first.
func (b *Builder) failed(err error) *Instruction {
	if b.err == nil {
		b.err = err
	}
	return b.fail(DynamicConvolution, "%w", err)
}

// build adds the convolution; pad makes the padding of spatial dimension i.
func (c dynamicConv) build(strides []int64, padding [][2]int64, lhsDilation, rhsDilation []int64,
	pad func(i int, w WindowDim) (low, high *Instruction)) *Instruction {
	b, spatial := c.b, len(c.l.InputSpatial)
	w, in := b.convWindow(DynamicConvolution, c.rhs, strides, lhsDilation, rhsDilation, padding, c.l, c.opts)
	if in != nil {
		return in
	}
	if b.err != nil {
		return b.fail(DynamicConvolution, "%w", b.err)
	}
	// Checked before its numbers are used: a convolution that does not fit with fixed padding does not with any.
	a := &ConvolutionAttrs{Window: w, DimLabels: c.l}
	for _, o := range c.opts {
		a.FeatureGroupCount, a.BatchGroupCount, a.Precision = o.FeatureGroupCount, o.BatchGroupCount, o.Precision
	}
	setDefaults(Convolution, a)
	conv := &Instruction{Op: Convolution, Attrs: a, Operands: []*Instruction{c.lhs, c.rhs}, Pos: callerPos()}
	for _, o := range c.opts {
		conv.Shape.Type = o.PreferredElementType
	}
	given, err := Infer(conv)
	if err != nil {
		return b.failed(err)
	}
	var rows []*Instruction
	for i := range spatial {
		low, high := pad(i, w[i])
		rows = append(rows, b.Reshape(low, []int64{1, 1}), b.Reshape(high, []int64{1, 1}))
	}
	all := ConstantFromArray(b, []int64{}, 0, 2)
	if spatial > 0 {
		all = b.Reshape(b.ConcatInDim(rows, 0), []int64{int64(spatial), 2})
	}
	given.Dynamic = make([]bool, len(given.Dims))
	for i, d := range c.l.OutputSpatial {
		given.Dynamic[d] = true
		if n, ok := c.told[i]; ok {
			given.Dims[d], given.Dynamic[d] = n, false
		}
	}
	return b.add(DynamicConvolution, a, given, c.lhs, c.rhs, all)
}
