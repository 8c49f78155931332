package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Special is an instruction made static for the values of its operands.
type Special struct {
	// In has static shapes; its operands stand for Args alone.
	In   *Instruction
	Args []*literal.Literal
	// Sizes are those at run time of a result that is whole beyond them; nil: it is an array of its real sizes.
	Sizes []int64
}

// Specialize returns the static instruction that does for args what in, which has dynamic dimensions or takes sizes as
// operands, does. It returns nil if there is none: the op does not look at sizes, or its meaning is its own.
func Specialize(in *Instruction, args []*literal.Literal) (*Special, error) {
	f := specials[in.Op]
	if f == nil && ownSizes[in.Op] {
		return nil, nil
	}
	s := &Special{Sizes: wholeSizes(in, args)}
	for _, a := range args {
		if s.Sizes == nil {
			s.Args = append(s.Args, cropped(a))
		} else {
			s.Args = append(s.Args, unsized(a))
		}
	}
	var err error
	if s.In, s.Args, err = concrete(in, s.Args); err != nil || f == nil {
		return s, err
	}
	return s, s.special(in, f)
}

// special makes s.In static by f, in being what it was.
func (s *Special) special(in *Instruction, f func(s *Special) error) (err error) {
	if err = f(s); err != nil {
		return err
	}
	s.In.Operands = s.In.Operands[:len(s.Args)]
	if s.In.Shape, err = Infer(s.In); err != nil {
		return err
	}
	_, err = realShape(in, s.In.Shape.Dims)
	return err
}

// Refine is Specialize for operands of static shapes that have not been computed: it returns the static instruction on
// them that does what in does. sizes returns the value of operand i, an array of integers, or fails if that is not
// known. It returns nil for ops whose sizes are their own matter.
func Refine(in *Instruction, operands []*Instruction,
	sizes func(i int) (*literal.Literal, error)) (*Instruction, error) {
	f := specials[in.Op]
	if f == nil && ownSizes[in.Op] {
		return nil, nil
	}
	c := *in
	c.Operands = slices.Clone(operands)
	if f == nil {
		return &c, c.settle(in)
	}
	s := &Special{In: &c, Args: make([]*literal.Literal, len(operands))}
	for i := range operands {
		if !takesSizes(in.Op, i) {
			continue
		}
		var err error
		if s.Args[i], err = sizes(i); err != nil {
			return nil, err
		}
	}
	if err := s.special(in, f); err != nil {
		return nil, err
	}
	return &c, nil
}

// firstSize is the first operand of the ops of specials that holds sizes; all after it do, too.
var firstSize = [NumOps]int{DynamicBroadcastInDim: 1, DynamicConvolution: 2, DynamicGather: 2, DynamicIota: 0,
	DynamicPad: 2, DynamicReshape: 1, RealDynamicSlice: 1}

func takesSizes(op Opcode, operand int) bool { return specials[op] != nil && operand >= firstSize[op] }

// specials make a static op of each that takes sizes as operands: they set op and attributes, drop those operands, and
// set the shape where it is not inferred.
var specials = [NumOps]func(s *Special) error{
	DynamicBroadcastInDim: specialBroadcast,
	DynamicConvolution:    specialConvolution,
	DynamicGather:         specialGather,
	DynamicIota:           specialIota,
	DynamicPad:            specialPad,
	DynamicReshape:        specialReshape,
	RealDynamicSlice:      specialSlice,
}

// IsUnbounded reports whether s is an array with dimensions of any size.
func IsUnbounded(s shape.Shape) bool { return slices.Contains(s.Dims, shape.Unbounded) }

// TakesSizes reports whether op takes the sizes of its result from operands, whatever its shape.
func TakesSizes(op Opcode) bool { return specials[op] != nil }

// sized makes the shape of a result that is told it.
func (s *Special) sized(dims []int64) (err error) {
	s.In.Shape, err = realShape(s.In, dims)
	return err
}

func specialBroadcast(s *Special) error {
	a := s.In.Attrs.(*DynamicBroadcastAttrs)
	if err := s.sized(indices(s.Args[1])); err != nil {
		return err
	}
	s.In.Op, s.In.Attrs, s.Args = Broadcast, &BroadcastAttrs{Dimensions: a.Dimensions}, s.Args[:1]
	return checkBroadcastDims(s.In.Operands[0].Shape, s.In.Shape, a.Dimensions)
}

func specialConvolution(s *Special) error {
	a := *s.In.Attrs.(*ConvolutionAttrs)
	p, kernel := indices(s.Args[2]), s.In.Operands[1].Shape
	w, err := a.kernelWindow(kernel)
	if err != nil {
		return err
	}
	a.Window = append(Window(nil), w...)
	for d := range a.Window {
		a.Window[d].PadLow, a.Window[d].PadHigh = p[2*d], p[2*d+1]
	}
	s.In.Op, s.In.Attrs, s.Args = Convolution, &a, s.Args[:2]
	s.In.Shape = shape.Shape{Type: s.In.Shape.Type}
	return nil
}

func specialGather(s *Special) error {
	a := s.In.Attrs.(*DynamicGatherAttrs)
	s.In.Op, s.In.Attrs = Gather, &GatherAttrs{
		OffsetDims: a.OffsetDims, CollapsedSliceDims: a.CollapsedSliceDims, StartIndexMap: a.StartIndexMap,
		IndexVectorDim: a.IndexVectorDim, OperandBatchingDims: a.OperandBatchingDims,
		StartIndicesBatchingDims: a.StartIndicesBatchingDims, SliceSizes: indices(s.Args[2]),
		IndicesAreSorted: a.IndicesAreSorted,
	}
	s.Args = s.Args[:2]
	return nil
}

func specialIota(s *Special) error {
	err := s.sized(indices(s.Args[0]))
	s.In.Op, s.Args = Iota, nil
	return err
}

func specialPad(s *Special) error {
	low, high, interior := indices(s.Args[2]), indices(s.Args[3]), indices(s.Args[4])
	s.In.Op, s.In.Attrs, s.Args = Pad, &PadAttrs{Padding: paddingOf(low, high, interior)}, s.Args[:2]
	return nil
}

func specialReshape(s *Special) error {
	var dims []int64
	for _, a := range s.Args[1:] {
		dims = append(dims, indices(a)...)
	}
	s.In.Op, s.In.Attrs, s.Args = Reshape, &ReshapeAttrs{}, s.Args[:1]
	return s.sized(dims)
}

func specialSlice(s *Special) error {
	start, limit, stride := indices(s.Args[1]), indices(s.Args[2]), indices(s.Args[3])
	dims := make(SliceDims, len(start))
	for d := range dims {
		dims[d] = SliceDim{start[d], limit[d], stride[d]}
		if err := dims[d].check(s.In.Operands[0].Shape.Dims[d]); err != nil {
			return fmt.Errorf("dimension %d of %v: %w", d, s.In.Operands[0].Shape, err)
		}
	}
	s.In.Op, s.In.Attrs, s.Args = Slice, &SliceAttrs{Slice: dims}, s.Args[:1]
	return nil
}

// Key is the same for two of one instruction that are the same program: the text of s.In, but for what the instruction
// says of itself, and the shapes of s.Args.
func (s *Special) Key() string {
	bare := *s.In
	bare.Name, bare.Operands, bare.Common = "", nil, nil
	p := &printer{}
	p.instruction(&bare)
	for _, a := range s.Args {
		p.b = a.Shape().WithoutLayout().Append(append(p.b, ' '), false)
	}
	return string(p.b)
}

// Module returns the program that is s.In alone: its arguments are s.Args.
func (s *Special) Module() (*Module, error) {
	in := *s.In
	in.Operands = nil
	var list []*Instruction
	for i, a := range s.Args {
		p := &Instruction{Name: fmt.Sprintf("operand%d", i), Op: Parameter, Shape: a.Shape().WithoutLayout(),
			Attrs: &ParameterAttrs{Number: int64(i)}, Pos: in.Pos}
		list, in.Operands = append(list, p), append(in.Operands, p)
	}
	c, err := NewComputation(in.Name, append(list, &in), &in)
	if err != nil {
		return nil, err
	}
	return NewModule(in.Name, c), nil
}

// Integers returns the elements of l, an array of integers, row-major; those that an int64 does not hold are its
// greatest number.
func Integers(l *literal.Literal) []int64 { return indices(l) }
