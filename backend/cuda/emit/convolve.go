package emit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Conv is a convolution for a library, or one of its gradients: of X with W to Y along Space dimensions.
type Conv struct {
	Kind    ConvKind
	X, W, Y ConvArray
	// Sum is the type of sums.
	Sum shape.ElementType
	// Stride and Dilation are of the window, Pre and Post are paddings, none below 0.
	Stride, Dilation, Pre, Post []int64
	// Work is the workspace.
	Work Buffer
}

// ConvKind says which array is computed.
type ConvKind uint8

// The kinds: Y, and the gradients by X and by W.
const (
	ConvForward ConvKind = iota
	ConvBackwardData
	ConvBackwardFilter
)

// ConvArray is an array of a convolution: where it lies, its type, its sizes and the distances of neighbours. Its
// dimensions are the batch, features and space; of W the output features, the input features of a group, and space.
type ConvArray struct {
	Buffer
	Type          shape.ElementType
	Dims, Strides []int64
}

// convTypes are the types of elements that libraries take.
var convTypes = map[shape.ElementType]bool{shape.F32: true, shape.F64: true, shape.F16: true, shape.BF16: true}

// convolving is a convolution by a library that is being lowered.
type convolving struct {
	e    *Emission
	in   *hlo.Instruction
	a    *hlo.ConvolutionAttrs
	c    Conv
	flip []bool // W along space
	last bool   // features are neighbours in memory, else those in space
	// finite says that weights are known to be.
	finite bool
}

// LowerConvolution returns in, a convolution, by a library, which says what workspace one takes, or fails with
// errors.ErrUnsupported. Arrays in an order that libraries do not take are put into one by kernels, and so is a padding
// that the library does not take. Weights that are not known to be finite are looked at when the program runs. It
// returns nil if in is nothing for libraries, or the library takes none of it.
func LowerConvolution(in *hlo.Instruction, finite bool, library func(*Conv) (int64, error)) (*Emission, error) {
	if !convolvable(in) {
		return nil, nil
	}
	for _, kind := range convKinds(in) {
		for _, padded := range []bool{false, true} {
			p := &convolving{e: &Emission{}, in: in, a: in.Attrs.(*hlo.ConvolutionAttrs), finite: finite}
			p.c.Sum = sumType(in.Operands[0].Shape.Type)
			if !kind(p) {
				continue
			}
			p.order()
			if padded && !p.cut() || !p.valid() {
				continue
			}
			if e, err := p.lower(library); !errors.Is(err, errors.ErrUnsupported) {
				return e, err
			}
		}
	}
	return nil, nil
}

// convolvable reports whether in is a convolution of arrays that libraries may take.
func convolvable(in *hlo.Instruction) bool {
	a, ok := in.Attrs.(*hlo.ConvolutionAttrs)
	if !ok || in.Op != hlo.Convolution || in.IsDynamic() || len(a.Window) == 0 || len(a.Window) > 3 ||
		a.BatchGroupCount > 1 || len(a.DimLabels.InputUnknown) > 0 {
		return false
	}
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	return lhs.Type == rhs.Type && convTypes[lhs.Type] && (in.Shape.Type == lhs.Type || in.Shape.Type == shape.F32) &&
		lhs.Size() > 0 && rhs.Size() > 0 && in.Shape.Size() > 0
}

// convKinds lists what of a convolution and its gradients in may be, the best first: what is spread out is the gradient
// by data of one with a stride, and one whose window has more places than its result, and whose batch is where features
// are elsewhere, that by weights.
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
	case spread:
		return []func(*convolving) bool{(*convolving).backwardData}
	case window > results && n.InputFeature < n.InputBatch && n.KernelInput < n.KernelOutput:
		return []func(*convolving) bool{(*convolving).backwardFilter, forward}
	}
	return []func(*convolving) bool{forward}
}

// arrayOf is an array with its dimensions in another order.
func arrayOf(b Buffer, s shape.Shape, first, second int64, spatial []int64) ConvArray {
	a := ConvArray{Buffer: b, Type: s.Type}
	all := strides(s.Dims)
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
	c.X = arrayOf(Buffer{Operand, 0}, p.in.Operands[0].Shape, n.InputBatch, n.InputFeature, n.InputSpatial)
	c.W = arrayOf(Buffer{Operand, 1}, p.in.Operands[1].Shape, n.KernelOutput, n.KernelInput, n.KernelSpatial)
	c.Y = arrayOf(theResult, p.in.Shape, n.OutputBatch, n.OutputFeature, n.OutputSpatial)
	for _, w := range p.windows() {
		p.along(w.Stride, w.WindowDilation, w.PadLow, w.PadHigh, w.Reversal)
	}
	return true
}

// backwardData: W is read the other way.
func (p *convolving) backwardData() bool {
	n, c := &p.a.DimLabels, &p.c
	c.Kind = ConvBackwardData
	c.X = arrayOf(theResult, p.in.Shape, n.OutputBatch, n.OutputFeature, n.OutputSpatial)
	c.W = arrayOf(Buffer{Operand, 1}, p.in.Operands[1].Shape, n.KernelInput, n.KernelOutput, n.KernelSpatial)
	c.Y = arrayOf(Buffer{Operand, 0}, p.in.Operands[0].Shape, n.InputBatch, n.InputFeature, n.InputSpatial)
	ok := p.a.FeatureGroupCount <= 1
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
	c.X = arrayOf(Buffer{Operand, 0}, p.in.Operands[0].Shape, n.InputFeature, n.InputBatch, n.InputSpatial)
	c.W = arrayOf(theResult, p.in.Shape, n.OutputFeature, n.OutputBatch, n.OutputSpatial)
	c.Y = arrayOf(Buffer{Operand, 1}, p.in.Operands[1].Shape, n.KernelInput, n.KernelOutput, n.KernelSpatial)
	ok := p.a.FeatureGroupCount <= 1
	for i, w := range p.windows() {
		p.along(w.WindowDilation, w.Stride, w.PadLow, w.PadHigh, false)
		p.even(i)
		ok = ok && (!w.Reversal || w.Size == 1)
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

// cut makes paddings the same on both sides, by an X that is padded by a kernel. It reports whether there is such a
// one.
func (p *convolving) cut() bool {
	c := &p.c
	if c.Kind != ConvForward || slices.Equal(c.Pre, c.Post) && slices.Min(c.Pre) >= 0 {
		return false
	}
	x := p.arranged(c.X.Type, slices.Clone(c.X.Dims))
	low := make([]int64, len(c.Pre))
	for i := range c.Pre {
		n := max(0, min(c.Pre[i], c.Post[i]))
		low[i] = c.Pre[i] - n
		x.Dims[2+i] += low[i] + c.Post[i] - n
		if x.Dims[2+i] < 1 {
			return false
		}
		c.Pre[i], c.Post[i] = n, n
	}
	p.pack(&x)
	p.arrange(c.X, x, low, nil)
	c.X = x
	return true
}

// order chooses the order of dimensions in memory: that of the array that is not W, if it is one that libraries take.
func (p *convolving) order() {
	a := p.c.X
	if p.c.Kind == ConvBackwardData {
		a = p.c.Y
	}
	p.last = a.packed(true) || !a.packed(false)
}

// memoryOrder lists dimensions, the outermost first: features last, or space.
func memoryOrder(rank int, last bool) []int {
	order := make([]int, rank)
	for d := range order {
		order[d] = d
	}
	if last {
		order = append(slices.Delete(order, 1, 2), 1)
	}
	return order
}

// packed reports whether a lies without gaps in memory, with features last or space.
func (a *ConvArray) packed(last bool) bool {
	step := int64(1)
	for _, d := range slices.Backward(memoryOrder(len(a.Dims), last)) {
		if a.Dims[d] != 1 && a.Strides[d] != step {
			return false
		}
		step *= a.Dims[d]
	}
	return true
}

// pack gives a the distances that it has in the order chosen.
func (p *convolving) pack(a *ConvArray) {
	a.Strides = make([]int64, len(a.Dims))
	step := int64(1)
	for _, d := range slices.Backward(memoryOrder(len(a.Dims), p.last)) {
		a.Strides[d] = step
		step *= a.Dims[d]
	}
	if a.Kind == Scratch {
		p.e.Scratch[a.Index] = step * int64(a.Type.Bytes())
	}
}

// arranged is a new array in the order chosen.
func (p *convolving) arranged(t shape.ElementType, dims []int64) ConvArray {
	a := ConvArray{Buffer: p.e.scratch(0), Type: t, Dims: dims}
	p.pack(&a)
	return a
}

// lower appends the library's step, with kernels before and after it.
func (p *convolving) lower(library func(*Conv) (int64, error)) (*Emission, error) {
	c := &p.c
	result := c.result()
	var after *ConvArray
	for _, a := range []*ConvArray{&c.X, &c.W, &c.Y} {
		flip := a == &c.W && slices.Contains(p.flip, true)
		if a.packed(p.last) && !flip {
			p.pack(a)
			continue
		}
		n := p.arranged(a.Type, a.Dims)
		if a == result {
			was := *a
			after = &was
		} else if flip {
			p.arrange(*a, n, nil, p.flip)
		} else {
			p.arrange(*a, n, nil, nil)
		}
		*a = n
	}
	bytes, err := library(c)
	if err != nil {
		return nil, err
	}
	c.Work = p.e.scratch(bytes)
	p.e.Steps = append(p.e.Steps, Step{Conv: c})
	if after != nil {
		p.arrange(*result, *after, nil, nil)
	}
	p.careful()
	return p.e, nil
}

// result is the array that is computed.
func (c *Conv) result() *ConvArray {
	return map[ConvKind]*ConvArray{ConvForward: &c.Y, ConvBackwardData: &c.X, ConvBackwardFilter: &c.W}[c.Kind]
}

// arrange appends a kernel that brings an array into another order, moved by low along space where that is set, with
// zeros beside it, and read the other way along the dimensions of space where flip is.
func (p *convolving) arrange(from, to ConvArray, low []int64, flip []bool) {
	order := make([]int, len(to.Dims)) // of memory
	for d := range order {
		order[d] = d
	}
	slices.SortStableFunc(order, func(x, y int) int { return int(min(max(to.Strides[y]-to.Strides[x], -1), 1)) })
	of := make([]int64, len(order))
	for i, d := range order {
		of[i] = to.Dims[d]
	}
	b := newBody(p.e, product(from.Dims), product(of))
	b.threads(product(of))
	at, inside := "0", []string(nil)
	for i, x := range b.coordinates(index{flat: "t", of: of}) {
		d := order[i]
		if d >= 2 && flip != nil && flip[d-2] {
			x = b.integer(differ(num(to.Dims[d]-1), x))
		}
		if d >= 2 && low != nil {
			x = b.integer(plus(x, num(-low[d-2])))
			inside = append(inside, fmt.Sprintf("%s >= 0 && %s < %d", x, x, from.Dims[d]))
		}
		at = plus(at, times(x, from.Strides[d]))
	}
	p.e.add(b.moved(from, to, at, inside, product(of)))
}

// moved ends a kernel that writes element t of an array, what lies at a place of another, or zero if that is not there.
func (b *body) moved(from, to ConvArray, at string, inside []string, n int64) *Kernel {
	w := value{text: "w", t: from.Type, raw: narrow(from.Type)}
	b.need(ctypes[w.t].uses)
	b.line("%s w = 0;", carrier(w))
	b.open("if (%s) {", joined(append(inside, "true")))
	v := b.load(from.Buffer, from.Type, index{flat: b.integer(at)})
	b.line("w = %s;", v.text)
	b.close("}")
	b.store(to.Buffer, "t", w)
	return b.kernel("arrange", ceil(n, blockSize), blockSize)
}
