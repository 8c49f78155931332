package emit

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// convKinds lists what of a convolution and its gradients in may be, the best first: what is spread out is the gradient
// by data of one with a stride, and one whose window has more places than its result, and whose batch is where features
// are elsewhere, that by weights. Groups of the batch are those of a gradient by weights.
func convKinds(in *hlo.Instruction) []func(*convolving) bool {
	a := in.Attrs.(*hlo.ConvolutionAttrs)
	n, spread, window, results := &a.DimLabels, false, int64(1), int64(1)
	for i, w := range a.Window {
		spread = spread || w.BaseDilation > 1
		window *= in.Operands[1].Shape.Dims[n.KernelSpatial[i]]
		results *= in.Shape.Dims[n.OutputSpatial[i]]
	}
	forward := (*convolving).forward
	switch {
	case a.BatchGroupCount > 1:
		return []func(*convolving) bool{(*convolving).backwardFilter}
	case spread:
		return []func(*convolving) bool{(*convolving).backwardData}
	case window > results && a.FeatureGroupCount <= 1 && n.InputFeature < n.InputBatch && n.KernelInput < n.KernelOutput:
		return []func(*convolving) bool{(*convolving).backwardFilter, forward}
	}
	return []func(*convolving) bool{forward}
}

// arrayOf is an array with its dimensions in another order.
func arrayOf(b Buffer, s shape.Shape, first, second int64, spatial []int64) ConvArray {
	a := ConvArray{Buffer: b, Type: s.Type}
	all := shape.Strides(s.Dims)
	for _, d := range append([]int64{first, second}, spatial...) {
		a.Dims, a.Strides = append(a.Dims, s.Dims[d]), append(a.Strides, all[d])
	}
	if len(spatial) == 1 { // libraries want two dimensions of space or three
		a.Dims = slices.Insert(a.Dims, 2, 1)
		a.Strides = slices.Insert(a.Strides, 2, a.Dims[3]*a.Strides[2])
	}
	return a
}

// windows returns the window along space, with the kernel's sizes.
func (p *convolving) windows() []hlo.WindowDim {
	list := slices.Clone(p.a.Window)
	for i := range list {
		w := &list[i]
		w.Size = p.in.Operands[1].Shape.Dims[p.a.DimLabels.KernelSpatial[i]]
		w.Stride, w.BaseDilation, w.WindowDilation = max(w.Stride, 1), max(w.BaseDilation, 1), max(w.WindowDilation, 1)
	}
	if len(list) == 1 {
		one := hlo.WindowDim{Size: 1, Stride: 1, BaseDilation: 1, WindowDilation: 1}
		list = []hlo.WindowDim{one, list[0]}
	}
	return list
}

// along appends what there is to know of a dimension of space.
func (p *convolving) along(stride, dilation, pre, post int64, flip bool) {
	c := &p.c
	c.Stride, c.Dilation = append(c.Stride, stride), append(c.Dilation, dilation)
	c.Pre, c.Post, p.flip = append(c.Pre, pre), append(c.Post, post), append(p.flip, flip)
}

func (p *convolving) forward() bool {
	n, c := &p.a.DimLabels, &p.c
	c.Kind = ConvForward
	c.X = arrayOf(p.from[0], p.in.Operands[0].Shape, n.InputBatch, n.InputFeature, n.InputSpatial)
	c.W = arrayOf(p.from[1], p.in.Operands[1].Shape, n.KernelOutput, n.KernelInput, n.KernelSpatial)
	c.Y = arrayOf(theResult, p.in.Shape, n.OutputBatch, n.OutputFeature, n.OutputSpatial)
	for _, w := range p.windows() {
		p.along(w.Stride, w.WindowDilation, w.PadLow, w.PadHigh, w.Reversal)
	}
	return true
}

// backwardData: W is read the other way. HLO's groups follow each other in output features, which are X's here.
func (p *convolving) backwardData() bool {
	n, c := &p.a.DimLabels, &p.c
	c.Kind = ConvBackwardData
	c.X = arrayOf(theResult, p.in.Shape, n.OutputBatch, n.OutputFeature, n.OutputSpatial)
	c.W = arrayOf(p.from[1], p.in.Operands[1].Shape, n.KernelInput, n.KernelOutput, n.KernelSpatial)
	c.Y = arrayOf(p.from[0], p.in.Operands[0].Shape, n.InputBatch, n.InputFeature, n.InputSpatial)
	p.split = max(p.a.FeatureGroupCount, 1)
	c.W.Dims[0], c.W.Dims[1] = c.W.Dims[0]*p.split, c.W.Dims[1]/p.split
	ok := true
	for i, w := range p.windows() {
		reach := (w.Size - 1) * w.WindowDilation
		p.along(w.BaseDilation, w.WindowDilation, reach-w.PadLow, reach-w.PadHigh, !w.Reversal)
		p.even(i)
		ok = ok && w.Stride == 1
	}
	return ok
}

// backwardFilter: the result of what this is the gradient of is as the window.
func (p *convolving) backwardFilter() bool {
	n, c := &p.a.DimLabels, &p.c
	c.Kind = ConvBackwardFilter
	c.X = arrayOf(p.from[0], p.in.Operands[0].Shape, n.InputFeature, n.InputBatch, n.InputSpatial)
	c.W = arrayOf(theResult, p.in.Shape, n.OutputFeature, n.OutputBatch, n.OutputSpatial)
	c.Y = arrayOf(p.from[1], p.in.Operands[1].Shape, n.KernelInput, n.KernelOutput, n.KernelSpatial)
	ok := true
	for i, w := range p.windows() {
		p.along(w.WindowDilation, w.Stride, w.PadLow, w.PadHigh, false)
		p.even(i)
		ok = ok && (!w.Reversal || w.Size == 1) && w.BaseDilation == 1
	}
	return ok
}

// even makes the padding after dimension i of space that before it, if that gives the same sizes.
func (p *convolving) even(i int) {
	c := &p.c
	if c.fits(i, c.Pre[i]) {
		c.Post[i] = c.Pre[i]
	}
}

// fits reports whether the sizes along dimension i of space are those of a convolution with such a padding after it.
func (c *Conv) fits(i int, post int64) bool {
	room := c.X.Dims[2+i] + c.Pre[i] + post - c.Dilation[i]*(c.W.Dims[2+i]-1) - 1
	return room >= 0 && c.Y.Dims[2+i] == room/c.Stride[i]+1
}

// valid reports whether libraries can be told of all sizes and paddings.
func (p *convolving) valid() bool {
	for i := range p.c.Pre {
		if p.c.Pre[i] < 0 || p.c.Post[i] < 0 || !p.c.fits(i, p.c.Post[i]) {
			return false
		}
	}
	return true
}
