package pass

import (
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Convolutions gives every convolution the order of dimensions in which CPUs are fastest, batch, space, features for
// arrays and space, input, output features for weights, by transposes around it. Transposes move through elementwise
// ops, windows, paddings and concatenations towards the results, so that those between convolutions meet and cancel.
// Padding and reversals become part of the convolution's window, padding also of a reduction's. All of Simplify's rules
// apply besides. Convolutions that are products of images whose features come first stay so where nothing around them
// is better otherwise. Programs without convolutions are left alone.
func Convolutions() Pass {
	t := simplifications()
	for _, family := range []map[hlo.Opcode][]rule{windowRules, sinkRules} {
		for op, rules := range family {
			t[op] = append(slices.Clone(rules), t[op]...)
		}
	}
	for op := range t {
		if hlo.Opcode(op).Info().Traits&hlo.Elementwise != 0 {
			t[op] = append(t[op], sinkTranspose)
		}
	}
	return Pass{Name: "convolution", Run: func(m *hlo.Module) (*hlo.Module, error) {
		if !slices.ContainsFunc(m.Computations, hasConvolution) {
			return m, nil
		}
		own := *t
		own[hlo.Convolution] = append(slices.Clone(t[hlo.Convolution]), channelsLast(featuresFirst(m)), convolutionOfOne)
		return rewritePass("convolution", &own).Run(m)
	}}
}

func hasConvolution(c *hlo.Computation) bool {
	return slices.ContainsFunc(c.Instructions, func(in *hlo.Instruction) bool { return in.Op == hlo.Convolution })
}

// windowRules make windows of what stands before them.
var windowRules = map[hlo.Opcode][]rule{
	hlo.Convolution:  {convolutionOfReverse, convolutionOfPad},
	hlo.ReduceWindow: {windowOfTranspose},
}

// sinkRules move transposes towards the results.
var sinkRules = map[hlo.Opcode][]rule{
	hlo.Pad:         {padOfTranspose},
	hlo.Slice:       {sliceOfTranspose},
	hlo.Concatenate: {concatenateTransposes},
}

// channelsLast orders the dimensions of convolutions, but of those whose features are to stay first.
func channelsLast(first map[*hlo.Computation]map[string]bool) rule {
	return func(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
		if first[s.old][in.Name] {
			return nil
		}
		return orderFeatures(s, in)
	}
}

func orderFeatures(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a := *in.Attrs.(*hlo.ConvolutionAttrs)
	l := &a.DimLabels
	if len(l.InputUnknown)+len(l.KernelUnknown)+len(l.OutputUnknown) > 0 {
		return nil
	}
	lhs := slices.Concat([]int64{l.InputBatch}, l.InputSpatial, []int64{l.InputFeature})
	rhs := slices.Concat(l.KernelSpatial, []int64{l.KernelInput, l.KernelOutput})
	out := slices.Concat([]int64{l.OutputBatch}, l.OutputSpatial, []int64{l.OutputFeature})
	labels := lastLabels(len(l.InputSpatial))
	if isGradient(in) {
		lhs = slices.Concat([]int64{l.InputFeature}, l.InputSpatial, []int64{l.InputBatch})
		rhs = slices.Concat([]int64{l.KernelInput}, l.KernelSpatial, []int64{l.KernelOutput})
		out = slices.Concat(l.OutputSpatial, []int64{l.OutputBatch, l.OutputFeature})
		labels = gradientLabels(len(l.InputSpatial))
	}
	if isIdentity(lhs) && isIdentity(rhs) && isIdentity(out) {
		return nil
	}
	a.DimLabels = labels
	c := s.op(hlo.Convolution, &a, shape.Array(in.Shape.Type, pick(in.Shape.Dims, out)...),
		s.transpose(in.Operands[0], lhs), s.transpose(in.Operands[1], rhs))
	return s.transpose(c, inverse(out))
}

// lastLabels are the labels b01f_01io->b01f of n spatial dimensions.
func lastLabels(n int) hlo.DimLabels {
	var array, kernel []int64
	for d := range int64(n) {
		array, kernel = append(array, d+1), append(kernel, d)
	}
	last := int64(n)
	return hlo.DimLabels{InputFeature: last + 1, InputSpatial: array, KernelInput: last, KernelOutput: last + 1,
		KernelSpatial: kernel, OutputFeature: last + 1, OutputSpatial: array}
}

// isGradient reports whether a convolution is the gradient of another by its weights: its batch is where features are,
// and its window has more places than its result. Its operands are then best as activations are, batch first.
func isGradient(in *hlo.Instruction) bool {
	a := in.Attrs.(*hlo.ConvolutionAttrs)
	l, window, results := &a.DimLabels, int64(1), int64(1)
	for i, w := range a.Window {
		window *= in.Operands[1].Shape.Dims[l.KernelSpatial[i]]
		results *= in.Shape.Dims[l.OutputSpatial[i]]
		if max(w.BaseDilation, 1) > 1 || w.Reversal {
			return false
		}
	}
	return in.Shape.Type == shape.F32 && in.Operands[0].Shape.Type == shape.F32 && window > results &&
		max(a.FeatureGroupCount, 1) == 1 && max(a.BatchGroupCount, 1) == 1 && l.InputFeature < l.InputBatch &&
		l.KernelInput < l.KernelOutput
}

// gradientLabels are the labels f01b_i01o->01bf of n spatial dimensions.
func gradientLabels(n int) hlo.DimLabels {
	var array, kernel []int64
	for d := range int64(n) {
		array, kernel = append(array, d+1), append(kernel, d)
	}
	last := int64(n)
	return hlo.DimLabels{InputBatch: last + 1, InputSpatial: array, KernelSpatial: array, KernelOutput: last + 1,
		OutputBatch: last, OutputFeature: last + 1, OutputSpatial: kernel}
}

// convolutionOfReverse: weights reversed along their spatial dimensions are read the other way.
func convolutionOfReverse(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[1]
	r, ok := o.Attrs.(*hlo.ReverseAttrs)
	if !ok {
		return nil
	}
	a := *in.Attrs.(*hlo.ConvolutionAttrs)
	a.Window = slices.Clone(a.Window)
	for _, d := range r.Dimensions {
		i := slices.Index(a.DimLabels.KernelSpatial, d)
		if i < 0 {
			return nil
		}
		a.Window[i].Reversal = !a.Window[i].Reversal
	}
	return s.op(hlo.Convolution, &a, shape.Array(in.Shape.Type, in.Shape.Dims...), in.Operands[0], o.Operands[0])
}

// convolutionOfPad: zeros around and between the elements of the spatial dimensions are the window's. Windows leave
// padding out, where a product with it would be NaN for infinite weights: those must be known to be finite.
func convolutionOfPad(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Pad || !isNumber(o.Operands[1], 0) || !isFinite(in.Operands[1]) {
		return nil
	}
	a := *in.Attrs.(*hlo.ConvolutionAttrs)
	a.Window = slices.Clone(a.Window)
	for d, p := range padding(o) {
		i := slices.Index(a.DimLabels.InputSpatial, int64(d))
		switch {
		case p == (hlo.PadDim{}):
		case i < 0 || p.Low < 0 || p.High < 0 || max(a.Window[i].BaseDilation, 1) != 1:
			return nil
		default:
			a.Window[i].PadLow += p.Low
			a.Window[i].PadHigh += p.High
			a.Window[i].BaseDilation = p.Interior + 1
		}
	}
	return s.op(hlo.Convolution, &a, shape.Array(in.Shape.Type, in.Shape.Dims...), o.Operands[0], in.Operands[1])
}

// isFinite reports whether in is known to have neither infinities nor NaN.
func isFinite(in *hlo.Instruction) bool {
	for in.Op == hlo.Transpose || in.Op == hlo.Reverse || in.Op == hlo.Reshape || in.Op == hlo.Broadcast {
		in = in.Operands[0]
	}
	l := literalOf(in)
	switch {
	case isIntegral(in):
		return true
	case l == nil || !in.Shape.Type.IsFloat():
		return false
	}
	if v, err := literal.View[float32](l); err == nil {
		return !slices.ContainsFunc(v, func(x float32) bool { return x-x != 0 })
	}
	return !slices.ContainsFunc(l.Wide().F, func(x float64) bool { return math.IsInf(x, 0) || math.IsNaN(x) })
}

// windowOfPad: padding with a value that the reduction does not see is the window's padding, which is left out, and
// between elements they are that far apart.
func windowOfPad(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	a := *in.Attrs.(*hlo.ReduceWindowAttrs)
	op, ok := reducerOp(a.ToApply)
	if o.Op != hlo.Pad || len(in.Operands) != 2 || !ok || !isUnseen(op, o.Operands[1], in.Operands[1]) {
		return nil
	}
	a.Window = slices.Clone(a.Window)
	for d, p := range padding(o) {
		w := &a.Window[d]
		if p.Low < 0 || p.High < 0 || max(w.BaseDilation, 1) != 1 && p != (hlo.PadDim{}) {
			return nil
		}
		w.PadLow, w.PadHigh = w.PadLow+p.Low, w.PadHigh+p.High
		if p.Interior > 0 {
			w.BaseDilation = p.Interior + 1
		}
	}
	return s.op(hlo.ReduceWindow, &a, shape.Array(in.Shape.Type, in.Shape.Dims...), o.Operands[0], in.Operands[1])
}

// isUnseen reports whether op(x, v) is x for all x that begin with init: sums that begin with 0 are never -0.
func isUnseen(op hlo.Opcode, v, init *hlo.Instruction) bool {
	l := splatOf(v)
	if l == nil || l.Shape().Type.IsComplex() {
		return false
	}
	t := l.Shape().Type
	switch x, _ := number(l); op {
	case hlo.Add:
		return x == 0 && (isIntegral(v) || isNumber(init, 0))
	case hlo.Maximum:
		return math.IsInf(x, -1) || isIntegral(v) && sameLiteral(l, literal.MinValue(t))
	case hlo.Minimum:
		return math.IsInf(x, 1) || isIntegral(v) && sameLiteral(l, literal.MaxValue(t))
	}
	return false
}

// windowOfTranspose: the windows are those of the transpose's operand, and the result is transposed.
func windowOfTranspose(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Transpose || len(in.Operands) != 2 {
		return nil
	}
	perm, a := permutation(o), *in.Attrs.(*hlo.ReduceWindowAttrs)
	w := make(hlo.Window, len(perm))
	dims := make([]int64, len(perm))
	for i, d := range perm {
		w[d], dims[d] = a.Window[i], in.Shape.Dims[i]
	}
	a.Window = w
	r := s.op(hlo.ReduceWindow, &a, shape.Array(in.Shape.Type, dims...), o.Operands[0], in.Operands[1])
	return s.transpose(r, perm)
}

func padOfTranspose(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Transpose {
		return nil
	}
	p := make(hlo.Padding, len(permutation(o)))
	for i, d := range permutation(o) {
		p[d] = padding(in)[i]
	}
	padded := s.op(hlo.Pad, &hlo.PadAttrs{Padding: p}, shape.Shape{}, o.Operands[0], in.Operands[1])
	return s.transpose(padded, permutation(o))
}

func sliceOfTranspose(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Transpose {
		return nil
	}
	dims := make(hlo.SliceDims, len(permutation(o)))
	for i, d := range permutation(o) {
		dims[d] = sliceDims(in)[i]
	}
	return s.transpose(s.slice(o.Operands[0], dims), permutation(o))
}

// concatenateTransposes: pieces that are transposed alike.
func concatenateTransposes(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	perm, list := alikeTransposes(in.Operands)
	if perm == nil {
		return nil
	}
	return s.transpose(s.concatenate(perm[joinedDim(in)], list...), perm)
}

// alikeTransposes returns the one permutation of all of list, and their operands.
func alikeTransposes(list []*hlo.Instruction) (perm []int64, from []*hlo.Instruction) {
	for _, o := range list {
		if o.Op != hlo.Transpose || perm != nil && !slices.Equal(perm, permutation(o)) {
			return nil, nil
		}
		perm, from = permutation(o), append(from, o.Operands[0])
	}
	return perm, from
}

// sinkTranspose: an elementwise op on arrays that are transposed alike, and on broadcasts, whose dimensions can be
// renamed, comes before the transpose.
func sinkTranspose(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	var arrays []*hlo.Instruction
	for _, o := range in.Operands {
		if o.Op != hlo.Broadcast && !o.Shape.IsScalar() {
			arrays = append(arrays, o)
		}
	}
	perm, _ := alikeTransposes(arrays)
	if perm == nil || in.Shape.Rank() != len(perm) || in.Op == hlo.BitcastConvert {
		return nil
	}
	back := inverse(perm)
	list := make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		switch {
		case o.Shape.IsScalar():
			list[i] = o
		case o.Op == hlo.Transpose:
			list[i] = o.Operands[0]
		default:
			list[i] = s.transpose(o, back)
		}
	}
	told := shape.Shape{}
	if in.Op == hlo.Convert || in.Op == hlo.StochasticConvert {
		told = shape.Array(in.Shape.Type, pick(in.Shape.Dims, back)...)
	}
	return s.transpose(s.op(in.Op, in.Attrs, told, list...), perm)
}
