package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	maxTaps   = 64      // of a convolution that becomes a sum
	minFilter = 1 << 11 // elements that its result has at least
)

// convolutionOfOne: one feature of which one becomes, as filters of signals and stencils of images have it, is a sum of
// slices, each by one weight. What libraries have is for many features. Where a window reaches beyond the array, which
// it leaves out, the array is padded with zeros if weights are known to be finite; else a signal's ends stay
// convolutions.
func convolutionOfOne(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	f, ok := filterOf(in)
	if !ok {
		return nil
	}
	x, w := in.Operands[0], in.Operands[1]
	switch {
	case !f.padded():
		return s.filter(x, w, f, in.Shape)
	case isFinite(w):
		return s.filter(s.padded(x, f), w, f, in.Shape)
	case len(f.window) == 1 && f.ends(x):
		return s.filterWithEnds(in, f)
	}
	return nil
}

// filtering is a convolution of one feature: batch, space, feature.
type filtering struct {
	window hlo.Window // of positive strides and dilations
	taps   int64
}

// filterOf reports whether in is one that convolutionOfOne takes.
func filterOf(in *hlo.Instruction) (filtering, bool) {
	a, x, w := in.Attrs.(*hlo.ConvolutionAttrs), in.Operands[0].Shape, in.Operands[1].Shape
	n := len(a.Window)
	f := filtering{slices.Clone(a.Window), 1}
	if n == 0 || in.Shape.Type != shape.F32 && in.Shape.Type != shape.F64 || x.Type != in.Shape.Type || w.Type != x.Type ||
		x.Rank() != n+2 || !sameLabels(a.DimLabels, lastLabels(n)) || x.Dims[n+1]*w.Dims[n]*w.Dims[n+1] != 1 ||
		max(a.FeatureGroupCount, 1) != 1 || max(a.BatchGroupCount, 1) != 1 || in.Shape.Size() < minFilter {
		return f, false
	}
	for i := range f.window {
		d := &f.window[i]
		d.WindowDilation = max(d.WindowDilation, 1)
		f.taps *= max(d.Size, 1)
		if d.Size < 1 || max(d.Stride, 1) != 1 || max(d.BaseDilation, 1) != 1 || min(d.PadLow, d.PadHigh) < 0 ||
			f.taps > maxTaps {
			return f, false
		}
	}
	return f, true
}

func sameLabels(a, b hlo.DimLabels) bool {
	return a.InputBatch == b.InputBatch && a.InputFeature == b.InputFeature && a.KernelInput == b.KernelInput &&
		a.KernelOutput == b.KernelOutput && a.OutputBatch == b.OutputBatch && a.OutputFeature == b.OutputFeature &&
		slices.Equal(a.InputSpatial, b.InputSpatial) && slices.Equal(a.KernelSpatial, b.KernelSpatial) &&
		slices.Equal(a.OutputSpatial, b.OutputSpatial) && len(a.InputUnknown)+len(a.KernelUnknown)+len(a.OutputUnknown) == 0
}

func (f *filtering) padded() bool {
	return slices.ContainsFunc(f.window, func(w hlo.WindowDim) bool { return w.PadLow > 0 || w.PadHigh > 0 })
}

// reach is how many elements a window of w goes beyond its first.
func reach(w hlo.WindowDim) int64 { return (w.Size - 1) * w.WindowDilation }

// ends reports whether the ends of a signal, where the window reaches beyond it, are apart.
func (f *filtering) ends(x *hlo.Instruction) bool {
	r := reach(f.window[0])
	return r <= x.Shape.Dims[1]/16 && f.window[0].PadLow <= r && f.window[0].PadHigh <= r
}

// padded is x with zeros around its spatial dimensions.
func (s *simplifier) padded(x *hlo.Instruction, f filtering) *hlo.Instruction {
	a := &hlo.PadAttrs{Padding: make(hlo.Padding, x.Shape.Rank())}
	dims := slices.Clone(x.Shape.Dims)
	for i, w := range f.window {
		a.Padding[i+1] = hlo.PadDim{Low: w.PadLow, High: w.PadHigh}
		dims[i+1] += w.PadLow + w.PadHigh
	}
	zero := s.constant(literal.Zeros(shape.Array(x.Shape.Type)))
	return s.op(hlo.Pad, a, shape.Array(x.Shape.Type, dims...), x, zero)
}

// filter is the sum of the slices of x by each weight, for a window that stays within x. It begins at zero, as the law
// has it: products that are all -0 sum up to 0.
func (s *simplifier) filter(x, w *hlo.Instruction, f filtering, out shape.Shape) *hlo.Instruction {
	n := len(f.window)
	dims := out.Dims[:n+1]
	x = s.reshape(x, x.Shape.Dims[:n+1])
	sum := s.filled(literal.Zero(out.Type), shape.Array(out.Type, dims...))
	for t := range f.taps {
		from, of := make(hlo.SliceDims, n+1), make(hlo.SliceDims, n+2)
		from[0] = hlo.SliceDim{Limit: dims[0], Stride: 1}
		of[n], of[n+1] = hlo.SliceDim{Limit: 1, Stride: 1}, hlo.SliceDim{Limit: 1, Stride: 1}
		for i := n - 1; i >= 0; i-- {
			d := f.window[i]
			k := t % d.Size
			t /= d.Size
			first := k * d.WindowDilation
			from[i+1] = hlo.SliceDim{Start: first, Limit: first + dims[i+1], Stride: 1}
			if d.Reversal {
				k = d.Size - 1 - k
			}
			of[i] = hlo.SliceDim{Start: k, Limit: k + 1, Stride: 1}
		}
		weight := s.broadcast(s.reshape(s.slice(w, of), []int64{}), dims, []int64{})
		sum = s.plainOp(hlo.Add, sum, s.plainOp(hlo.Multiply, s.slice(x, from), weight))
	}
	return s.reshape(sum, out.Dims)
}

// filterWithEnds is the filter of what windows see that stay within the signal, between convolutions of its ends.
func (s *simplifier) filterWithEnds(in *hlo.Instruction, f filtering) *hlo.Instruction {
	x, w, d := in.Operands[0], in.Operands[1], f.window[0]
	n, r := x.Shape.Dims[1], reach(d)
	end := func(first, low, high int64) *hlo.Instruction {
		a := *in.Attrs.(*hlo.ConvolutionAttrs)
		a.Window = slices.Clone(a.Window)
		a.Window[0].PadLow, a.Window[0].PadHigh = low, high
		part := s.slice(x, hlo.SliceDims{{Limit: x.Shape.Dims[0], Stride: 1}, {Start: first, Limit: first + r, Stride: 1},
			{Limit: 1, Stride: 1}})
		return s.op(hlo.Convolution, &a, shape.Array(in.Shape.Type, x.Shape.Dims[0], low+high, 1), part, w)
	}
	middle := s.filter(x, w, f, shape.Array(in.Shape.Type, x.Shape.Dims[0], n-r, 1))
	var list []*hlo.Instruction
	if d.PadLow > 0 {
		list = append(list, end(0, d.PadLow, 0))
	}
	list = append(list, middle)
	if d.PadHigh > 0 {
		list = append(list, end(n-r, 0, d.PadHigh))
	}
	return s.concatenate(1, list...)
}
