package emit

import (
	"bytes"
	"errors"
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
