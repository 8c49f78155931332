package hlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalConvolution(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return e.convolve(in, in.Attrs.(*ConvolutionAttrs), args[0], args[1])
}

func evalDynamicConvolution(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := *in.Attrs.(*ConvolutionAttrs)
	a.Window = slices.Clone(a.Window)
	p := wideAs(args[2], shape.S64)
	for d := range a.Window {
		a.Window[d].Size = 0 // the kernel's real one
		a.Window[d].PadLow, a.Window[d].PadHigh = p.I[2*d], p.I[2*d+1]
	}
	return e.convolve(in, &a, args[0], args[1])
}

func (e *Evaluator) convolve(in *Instruction, a *ConvolutionAttrs,
	lhs, rhs *literal.Literal) (*literal.Literal, error) {
	real := &Instruction{Op: Convolution, Attrs: a, Operands: []*Instruction{{Shape: lhs.Shape()}, {Shape: rhs.Shape()}}}
	real.Shape.Type = in.Shape.Type
	s, err := inferConvolution(real)
	if err != nil {
		return nil, err
	}
	if err := e.room(s); err != nil {
		return nil, err
	}
	w, err := a.kernelWindow(rhs.Shape())
	if err != nil {
		return nil, err
	}
	l, r := summands(lhs, s.Type), summands(rhs, s.Type)
	c, out := newConvSizes(a, w, lhs.Shape(), rhs.Shape(), s), literal.Wide{Class: l.Class}
	switch l.Class {
	case shape.SignedClass:
		out.I, err = convolve(e, c, l.I, r.I)
	case shape.UnsignedClass:
		out.U, err = convolve(e, c, l.U, r.U)
	case shape.FloatClass:
		out.F, err = convolveFloats(e, c, s.Type, l.F, r.F)
	default:
		out.C, err = convolve(e, c, l.C, r.C)
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s, sums(out, s.Type)), nil
}

// convSizes is a convolution of lhs, batch by space by input features, with rhs, into batch by space by output
// features. Output features come in groups; each sees its own part of the input features or of the batch.
type convSizes struct {
	batch, outputs, groups  int // batch of the result
	features                int // input features that one output feature sees
	lhsBatch, lhsFeature    int // how far apart groups are in lhs
	batchStride, space      int // of lhs between batch entries; places of the result
	lhsDims, rhsDims        []int64
	lhsOrder                []int64
	rhsByOutput, rhsByInput []int64 // the orders O K C and K C O
	outDims, outOrder       []int64 // of the packed result, and the result's dimensions in it
	window                  Window  // along spatial dimensions
	spatial, kernel         []int64 // sizes
	kernelSpace             int     // elements of the window
	lhsChannels             int     // all input features
}

func newConvSizes(a *ConvolutionAttrs, w Window, lhs, rhs, out shape.Shape) *convSizes {
	l := &a.DimLabels
	c := &convSizes{
		batch: int(out.Dims[l.OutputBatch]), outputs: int(out.Dims[l.OutputFeature]),
		groups: int(a.FeatureGroupCount * a.BatchGroupCount), features: int(rhs.Dims[l.KernelInput]),
		lhsChannels: int(lhs.Dims[l.InputFeature]), space: product(out, l.OutputSpatial),
		lhsDims: lhs.Dims, rhsDims: rhs.Dims, window: w,
		lhsOrder:    slices.Concat([]int64{l.InputBatch}, l.InputSpatial, []int64{l.InputFeature}),
		rhsByOutput: slices.Concat([]int64{l.KernelOutput}, l.KernelSpatial, []int64{l.KernelInput}),
		rhsByInput:  slices.Concat(l.KernelSpatial, []int64{l.KernelInput, l.KernelOutput}),
		kernelSpace: product(rhs, l.KernelSpatial),
	}
	c.batchStride = product(lhs, l.InputSpatial) * c.lhsChannels
	if a.FeatureGroupCount > 1 {
		c.lhsFeature = c.features
	}
	if a.BatchGroupCount > 1 {
		c.lhsBatch = c.batch * c.batchStride
	}
	for i := range w {
		c.spatial = append(c.spatial, lhs.Dims[l.InputSpatial[i]])
		c.kernel = append(c.kernel, rhs.Dims[l.KernelSpatial[i]])
	}
	packed := slices.Concat([]int64{l.OutputBatch}, l.OutputSpatial, []int64{l.OutputFeature})
	c.outOrder = make([]int64, len(packed))
	for i, d := range packed {
		c.outDims = append(c.outDims, out.Dims[d])
		c.outOrder[d] = int64(i)
	}
	return c
}

// convolveFloats makes short sums in single precision, as dot does; the products are rounded too, since what XLA calls
// for convolutions fuses them in no fixed order.
func convolveFloats(e *Evaluator, c *convSizes, t shape.ElementType, lhs, rhs []float64) ([]float64, error) {
	if t != shape.F32 || c.features*c.kernelSpace > shortSum {
		return convolve(e, c, lhs, rhs)
	}
	v, err := convolve(e, c, floats32(lhs), floats32(rhs))
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out, err
}

func floats32(v []float64) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x)
	}
	return out
}

// fewOutputs is how many output features of a group make rows of them worth while.
const fewOutputs = 4

func convolve[T number](e *Evaluator, c *convSizes, lhs, rhs []T) ([]T, error) {
	out := make([]T, c.batch*c.space*c.outputs)
	if len(out) == 0 || c.features == 0 {
		return out, nil
	}
	sum, order, kernelStride := convRows[T], c.rhsByInput, c.features*c.outputs
	if c.outputs/c.groups < fewOutputs {
		sum, order, kernelStride = convDots[T], c.rhsByOutput, c.features
	}
	lhs, rhs = permute(lhs, c.lhsDims, c.lhsOrder), permute(rhs, c.rhsDims, order)
	runs := c.window.taps(c.spatial, timesEach(shape.Strides(c.kernel), kernelStride),
		timesEach(shape.Strides(c.spatial), c.lhsChannels))
	var taps []tap
	done := 0
	for at := newPlaces(runs, -1); at.more; at.next() {
		taps = appendTaps(taps[:0], tap{}, at.here)
		for n := range c.batch {
			sum(c, taps, out[(n*c.space+at.at)*c.outputs:][:c.outputs], lhs[n*c.batchStride:], rhs)
		}
		if done += c.batch * c.outputs * (len(taps)*c.features + 1); done >= pollRun {
			done = 0
			if err := e.tick(); err != nil {
				return nil, err
			}
		}
	}
	return permute(out, c.outDims, c.outOrder), nil
}

// timesEach returns v times n.
func timesEach(v []int64, n int) []int64 {
	for i := range v {
		v[i] *= int64(n)
	}
	return v
}

// convRows adds to out, all output features at one place, the products with rows of output features of rhs, K C O.
func convRows[T number](c *convSizes, taps []tap, out, lhs, rhs []T) {
	size := c.outputs / c.groups
	for g := range c.groups {
		row, first := out[g*size:(g+1)*size], g*(c.lhsBatch+c.lhsFeature)
		for _, t := range taps {
			x := lhs[first+t.operand:][:c.features]
			axpyStrided(row, x, rhs[t.window+g*size:], c.outputs)
		}
	}
}

// convDots adds to out, all output features at one place, the products with rows of input features of rhs, O K C.
func convDots[T number](c *convSizes, taps []tap, out, lhs, rhs []T) {
	size, n := c.outputs/c.groups, c.features
	if n == 1 {
		convDepthwise(c, taps, out, lhs, rhs)
		return
	}
	for o := range out {
		first, kernel := o/size*(c.lhsBatch+c.lhsFeature), rhs[o*c.kernelSpace*n:][:c.kernelSpace*n]
		var s T
		for _, t := range taps {
			s = dotSum(s, lhs[first+t.operand:][:n], kernel[t.window:][:n])
		}
		out[o] = s
	}
}

// convDepthwise is convDots for one input feature.
func convDepthwise[T number](c *convSizes, taps []tap, out, lhs, rhs []T) {
	size := c.outputs / c.groups
	for o := range out {
		first, kernel := o/size*(c.lhsBatch+c.lhsFeature), rhs[o*c.kernelSpace:][:c.kernelSpace]
		var s T
		for _, t := range taps {
			s += T(lhs[first+t.operand] * kernel[t.window])
		}
		out[o] = s
	}
}
