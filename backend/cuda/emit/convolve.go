package emit

import (
	"bytes"
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
	Sum     shape.ElementType // of sums
	TF32    bool              // operands of f32 may be rounded to TF32
	// Added is an array like Y that is added to it, and Bias is added then, a number of Sum for each feature; nil for
	// none. With Added there is a bias always: libraries know no other graph.
	Added, Bias *Buffer
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
	e     *Emission
	in    *hlo.Instruction
	a     *hlo.ConvolutionAttrs
	whole *hlo.Instruction // in, or a fusion of in and what is added
	added *Buffer          // an array like the result, nil for none
	bias  *Buffer          // nil for none
	from  [2]Buffer        // where the operands lie
	c     Conv
	flip  []bool // W along space
	split int64  // W's groups follow each other in its input features and not in its output features; 1 for none
	last  bool   // features are neighbours in memory, else those in space
	// finite says that weights are known to be.
	finite bool
}

// LowerConvolution returns in, a convolution or one and a bias or an array that is added, by a library, which says what
// workspace one takes, or fails with errors.ErrUnsupported. Arrays in an order that libraries do not take are put into
// one by kernels, and so is a padding that the library does not take. Weights are looked at when the program runs,
// unless finite says that an operand of in is known to be that. It returns nil if in is nothing for libraries, or the
// library takes none of it.
func LowerConvolution(in *hlo.Instruction, finite func(operand int) bool,
	library func(*Conv) (int64, error)) (*Emission, error) {
	conv, from, added, bias := convolutionIn(in)
	if conv == nil || !convolvable(conv) {
		return nil, nil
	}
	for _, kind := range convKinds(conv) {
		for way := range 4 {
			fused, padded := way < 2, way%2 == 1
			p := &convolving{e: &Emission{}, in: conv, a: conv.Attrs.(*hlo.ConvolutionAttrs), whole: in, added: added,
				bias: bias, from: from, finite: finite(from[1].Index)}
			p.c.Sum = sumType(conv.Operands[0].Shape.Type)
			if fused && bias == nil && added == nil || !kind(p) {
				continue
			}
			p.order()
			if padded && !p.cut() || fused && !p.fuse() || !p.valid() {
				continue
			}
			if e, err := p.lower(library); !errors.Is(err, errors.ErrUnsupported) {
				return e, err
			}
		}
	}
	return nil, nil
}

// BiasedConvolution reports whether in, which reads the convolution c, does nothing but add a bias to each of its
// features, or another array to all of it, and a library may do both: in f32, as for dots.
func BiasedConvolution(c, in *hlo.Instruction) bool {
	if !convolvable(c) || c.Shape.Type != shape.F32 || c.Operands[0].Shape.Type != shape.F32 {
		return false
	}
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok {
		return in.Op == hlo.Add && in.Operands[0] != in.Operands[1]
	}
	i, feature := slices.Index(in.Operands, c), c.Attrs.(*hlo.ConvolutionAttrs).DimLabels.OutputFeature
	return i >= 0 && biasIn(a.Calls, a.Calls.Parameters[i], int(feature)) != nil
}

// convolutionIn returns the convolution that in is or that in, a fusion, adds an array or a bias to, where its operands
// lie and where these do; nil if in is neither.
func convolutionIn(in *hlo.Instruction) (c *hlo.Instruction, from [2]Buffer, added, bias *Buffer) {
	from = [2]Buffer{{Operand, 0}, {Operand, 1}}
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok {
		return in, from, nil, nil
	}
	i := slices.IndexFunc(a.Calls.Instructions, func(x *hlo.Instruction) bool { return x.Op == hlo.Convolution })
	if i < 0 {
		return nil, from, nil, nil
	}
	c = a.Calls.Instructions[i]
	if c.Operands[0].Op != hlo.Parameter || c.Operands[1].Op != hlo.Parameter || in.Shape.Type != shape.F32 {
		return nil, from, nil, nil
	}
	from = [2]Buffer{parameterBuffer(c.Operands[0]), parameterBuffer(c.Operands[1])}
	if b := biasIn(a.Calls, c, int(c.Attrs.(*hlo.ConvolutionAttrs).DimLabels.OutputFeature)); b != nil {
		at := parameterBuffer(b)
		return c, from, nil, &at
	}
	if b := addedIn(a.Calls, c); b != nil {
		at := parameterBuffer(b)
		return c, from, &at, nil
	}
	return nil, from, nil, nil
}

// addedIn returns the parameter of a computation that is added to x, which is none; nil if it does anything else.
func addedIn(c *hlo.Computation, x *hlo.Instruction) *hlo.Instruction {
	r := c.Root
	if r.Op != hlo.Add || len(c.Instructions) != len(c.Parameters)+2 {
		return nil
	}
	for i, o := range r.Operands {
		if other := r.Operands[1-i]; o == x && other.Op == hlo.Parameter {
			return other
		}
	}
	return nil
}

// fuse has the library add what is added. It reports whether that can be: to what it writes where it is to be. An array
// alone has a bias of -0 beside it, with which every sum is what it was.
func (p *convolving) fuse() bool {
	p.c.Added, p.c.Bias, p.added, p.bias = p.added, p.bias, nil, nil
	if p.c.Kind != ConvForward || !p.c.Y.packed(p.last) {
		return false
	}
	if p.c.Added != nil {
		nothing := p.e.table(bytes.Repeat([]byte{0, 0, 0, 0x80}, int(p.c.Y.Dims[1])))
		p.c.Bias = &nothing
	}
	return true
}

// addBias appends a kernel that adds what the library has not.
func (p *convolving) addBias() {
	if p.bias == nil && p.added == nil {
		return
	}
	s := p.in.Shape
	b := newBody(p.e, s.Size())
	b.threads(s.Size())
	ix := index{flat: "t", of: s.Dims}
	sum, v := b.load(theResult, s.Type, ix), value{}
	if p.added != nil {
		v = b.load(*p.added, s.Type, ix)
	} else {
		v = b.load(*p.bias, s.Type, index{flat: b.coordinates(ix)[p.a.DimLabels.OutputFeature]})
	}
	b.store(theResult, "t", b.element(s.Type, sum.text+" + "+v.text))
	p.e.add(b.kernel("bias", ceil(s.Size(), blockSize), blockSize))
}

// convolvable reports whether in is a convolution of arrays that libraries may take.
func convolvable(in *hlo.Instruction) bool {
	a, ok := in.Attrs.(*hlo.ConvolutionAttrs)
	if !ok || in.Op != hlo.Convolution || in.IsDynamic() || len(a.Window) == 0 || len(a.Window) > 3 ||
		len(a.DimLabels.InputUnknown) > 0 {
		return false
	}
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	return lhs.Type == rhs.Type && convTypes[lhs.Type] && (in.Shape.Type == lhs.Type || in.Shape.Type == shape.F32) &&
		lhs.Size() > 0 && rhs.Size() > 0 && in.Shape.Size() > 0
}

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
	p.arrange(c.X, x, moving{low: low})
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
	result := c.Result()
	var after *ConvArray
	for _, a := range []*ConvArray{&c.X, &c.W, &c.Y} {
		how := moving{}
		if a == &c.W {
			how = moving{flip: p.flip, split: p.split}
		}
		if a.packed(p.last) && how.split <= 1 && !slices.Contains(how.flip, true) {
			p.pack(a)
			continue
		}
		n := p.arranged(a.Type, a.Dims)
		if a == result {
			was := *a
			after = &was
		} else {
			p.arrange(*a, n, how)
		}
		*a = n
	}
	work, err := library(c)
	if err != nil {
		return nil, err
	}
	c.Work = p.e.scratch(work)
	p.e.Steps = append(p.e.Steps, Step{Conv: c})
	if after != nil {
		p.arrange(*result, *after, moving{})
	}
	p.addBias()
	p.careful()
	return p.e, nil
}

// Result is the array that is computed.
func (c *Conv) Result() *ConvArray {
	return map[ConvKind]*ConvArray{ConvForward: &c.Y, ConvBackwardData: &c.X, ConvBackwardFilter: &c.W}[c.Kind]
}

// moving is what is done to an array besides: it is moved by low along space where that is set, with zeros beside it,
// read the other way along the dimensions of space where flip is, and has its groups where split of convolving says.
type moving struct {
	low   []int64
	flip  []bool
	split int64
}

// arrange appends a kernel that brings an array into another order.
func (p *convolving) arrange(from, to ConvArray, how moving) {
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
		if d == 0 && how.split > 1 {
			each := to.Dims[0] / how.split
			at = plus(at, times(b.integer(over(x, each)), to.Dims[1]*from.Strides[1]))
			x = b.integer(modulo(x, each))
		}
		if d >= 2 && how.flip != nil && how.flip[d-2] {
			x = b.integer(differ(num(to.Dims[d]-1), x))
		}
		if d >= 2 && how.low != nil {
			x = b.integer(plus(x, num(-how.low[d-2])))
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
