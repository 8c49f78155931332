package kernel

import "github.com/halo-xla/halo/xla/shape"

// Convolution is the shape of one: sizes, which dimension is what, and how the window moves.
type Convolution struct {
	// LHS, RHS and Out are the sizes of the arrays.
	LHS, RHS, Out []int64
	// Input, Kernel and Output say which dimension is what.
	Input, Kernel, Output ConvolutionLabels
	// Window has an element for each spatial dimension.
	Window []ConvolutionWindow
	// FeatureGroups and BatchGroups are 1 or more; one of them is 1.
	FeatureGroups, BatchGroups int
}

// ConvolutionLabels name the dimensions of an array: batch and feature, which in a kernel are the output and the input
// feature, and the spatial ones in the order of the window.
type ConvolutionLabels struct {
	Batch, Feature int64
	Spatial        []int64
}

// ConvolutionWindow is the window along one dimension; none of its numbers but PadLow may be less than 1.
type ConvolutionWindow struct {
	Size, Stride, PadLow, BaseDilation, WindowDilation int
	Reversal                                           bool
}

// Padding is how an array is spread out before its convolution: element i of dimension d of the result is element
// (i - Low[d]) / Dilation[d] of the array where that is whole and in range, and zero elsewhere.
type Padding struct {
	From, To      []int64 // sizes
	Low, Dilation []int
}

// extent is how many elements of a padded dimension the window touches at n places.
func (w ConvolutionWindow) extent(n int) int { return (n-1)*w.Stride + (w.Size-1)*w.WindowDilation + 1 }

// Contraction returns the contraction that a convolution is: its rows are places of the window, its columns the
// window's elements. If the padding is not nil, lhs is the padded array. The result must not be empty.
func (c *Convolution) Contraction() (Contraction, *Padding) {
	pad, inside := c.padding()
	if inside {
		pad = nil
	}
	return c.contraction(pad), pad
}

// Apart is Contraction with an lhs that is padded in any case, by so many features, too, which nothing reads.
func (c *Convolution) Apart(features int64) (Contraction, *Padding) {
	pad, _ := c.padding()
	pad.To[c.Input.Feature] += features
	return c.contraction(pad), pad
}

func (c *Convolution) contraction(pad *Padding) Contraction {
	dims, first := c.LHS, 0
	if pad != nil {
		dims = pad.To
	}
	ls, rs, os := shape.Strides(dims), shape.Strides(c.RHS), shape.Strides(c.Out)
	if pad == nil {
		for i, w := range c.Window {
			first -= w.PadLow * int(ls[c.Input.Spatial[i]])
		}
	}
	outputs := int(c.Out[c.Output.Feature])
	groups := c.FeatureGroups * c.BatchGroups
	each := outputs / groups
	l := Operand{First: first, Rows: Walk{}.Then(Step{int(c.Out[c.Output.Batch]), int(ls[c.Input.Batch])})}
	r := Operand{Batch: Walk{}.Then(Step{groups, each * int(rs[c.Kernel.Batch])}),
		Rows: Walk{}.Then(Step{each, int(rs[c.Kernel.Batch])})}
	o := Operand{Batch: Walk{}.Then(Step{groups, each * int(os[c.Output.Feature])}),
		Rows:    Walk{}.Then(Step{int(c.Out[c.Output.Batch]), int(os[c.Output.Batch])}),
		Columns: Walk{}.Then(Step{each, int(os[c.Output.Feature])})}
	features := int(c.RHS[c.Kernel.Feature])
	switch {
	case c.BatchGroups > 1:
		l.Batch = l.Batch.Then(Step{groups, int(c.Out[c.Output.Batch] * ls[c.Input.Batch])})
	case groups > 1:
		l.Batch = l.Batch.Then(Step{groups, features * int(ls[c.Input.Feature])})
	}
	for i, w := range c.Window {
		d, e := c.Input.Spatial[i], c.Output.Spatial[i]
		n, step := int(c.Out[e]), int(rs[c.Kernel.Spatial[i]])
		if w.Reversal {
			r.First += (w.Size - 1) * step
			step = -step
		}
		l.Rows, o.Rows = l.Rows.Then(Step{n, w.Stride * int(ls[d])}), o.Rows.Then(Step{n, int(os[e])})
		l.Columns = l.Columns.Then(Step{w.Size, w.WindowDilation * int(ls[d])})
		r.Columns = r.Columns.Then(Step{w.Size, step})
	}
	l.Columns = l.Columns.Then(Step{features, int(ls[c.Input.Feature])})
	r.Columns = r.Columns.Then(Step{features, int(rs[c.Kernel.Feature])})
	return Contraction{l, r, o}
}

// Images is the contraction of a convolution whose window is one element with a batch of the weights by each image, if
// the places of images that follow each other are no rows of one matrix.
func (c *Convolution) Images() Contraction {
	d, _ := c.Contraction()
	l, o := &d.LHS, &d.Out
	images := int(c.Out[c.Output.Batch])
	if len(d.RHS.Batch) > 0 || len(l.Rows) < 2 || len(o.Rows) < 2 || l.Rows[0].N != images || o.Rows[0].N != images {
		return d
	}
	l.Batch, l.Rows = l.Rows[:1], l.Rows[1:]
	o.Batch, o.Rows = o.Rows[:1], o.Rows[1:]
	d.RHS.Batch = Walk{{N: images}}
	return d
}

// Points is how many elements the window has.
func (c *Convolution) Points() int {
	n := 1
	for _, w := range c.Window {
		n *= w.Size
	}
	return n
}

// padding returns how lhs is padded, and whether every place of the window lies inside it without.
func (c *Convolution) padding() (*Padding, bool) {
	p := &Padding{From: c.LHS, To: append([]int64(nil), c.LHS...), Low: make([]int, len(c.LHS)),
		Dilation: make([]int, len(c.LHS))}
	inside := true
	for d := range p.Dilation {
		p.Dilation[d] = 1
	}
	for i, w := range c.Window {
		d := c.Input.Spatial[i]
		n := w.extent(int(c.Out[c.Output.Spatial[i]]))
		p.To[d], p.Low[d], p.Dilation[d] = int64(n), w.PadLow, w.BaseDilation
		inside = inside && w.PadLow <= 0 && n-w.PadLow <= int(c.LHS[d]) && (w.BaseDilation == 1 || n == 1 && w.PadLow == 0)
	}
	return p, inside
}

// Bytes is the size of the padded array, of elements of width bytes.
func (p *Padding) Bytes(width int64) int64 { return shape.Product(p.To) * width }

// Moves plans the copies that pad, of elements of width bytes: fills are of a zero, inner is of the array.
func (p *Padding) Moves(width int64) (fills []Move, inner Move) {
	dims := make([]PadDim, len(p.From))
	for d := range dims {
		dims[d] = PadDim{Low: int64(p.Low[d]), Interior: int64(p.Dilation[d] - 1)}
	}
	return Pad(width, p.From, p.To, dims)
}
