package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

func inferSlice(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, slice := in.Operands[0].Shape, in.Attrs.(*SliceAttrs).Slice
	if len(slice) != len(operand.Dims) { // C2
		return poison, fmt.Errorf("got a slice of %d dimensions, want %d, the rank of %v", len(slice), len(operand.Dims),
			operand)
	}
	out := newDimList(operand.Type, len(slice))
	for d, s := range slice {
		if err := s.check(operand.Dims[d]); err != nil {
			return poison, fmt.Errorf("dimension %d of %v: %w", d, operand, err)
		}
		n := s.size()
		bounded := operand.IsDynamicDim(d) && !isUnknown(operand, d)
		out.add(n, bounded && n != 1) // row 61: one element out of a dynamic dimension is static
	}
	return out.shape(), nil
}

// check fails if s does not lie in a dimension of n elements.
func (s SliceDim) check(n int64) error {
	switch {
	case s.Stride < 1: // C4
		return fmt.Errorf("stride: got %d, want 1 or more", s.Stride)
	case s.Start < 0: // C3
		return fmt.Errorf("start index: got %d, want 0 or more", s.Start)
	case s.Start > s.Limit: // C3
		return fmt.Errorf("start index %d is beyond the limit index %d", s.Start, s.Limit)
	case n != shape.Unbounded && s.Limit > n: // C3
		return fmt.Errorf("limit index: got %d, want at most %d", s.Limit, n)
	}
	return nil
}

// size returns the number of elements that s takes.
func (s SliceDim) size() int64 { return ceilDiv(s.Limit-s.Start, s.Stride) } // C5

func inferDynamicSlice(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, sizes := in.Operands[0].Shape, in.Attrs.(*DynamicSliceAttrs).Sizes
	if err := checkStarts(in.Operands[1:], operand); err != nil {
		return poison, err
	}
	return slicedShape(operand, sizes)
}

// slicedShape returns the shape of a slice of the given sizes, which must fit operand. A dynamic dimension taken whole
// stays dynamic.
func slicedShape(operand shape.Shape, sizes []int64) (shape.Shape, error) {
	if len(sizes) != len(operand.Dims) { // C2
		return poison, fmt.Errorf("got %d slice sizes %s, want %d, the rank of %v", len(sizes), list(sizes),
			len(operand.Dims), operand)
	}
	out := newDimList(operand.Type, len(sizes))
	for d, n := range sizes {
		bound := operand.Dims[d]
		if n < 0 || n > bound && bound != shape.Unbounded { // C4
			return poison, fmt.Errorf("slice size of dimension %d: got %d, want 0 to %d", d, n, bound)
		}
		out.add(n, operand.IsDynamicDim(d) && n == bound)
	}
	return out.shape(), nil
}

// checkStarts checks the start indices of a dynamic slice of operand: scalars of one integer type, one a dimension, or
// the old form, one vector.
func checkStarts(starts []*Instruction, operand shape.Shape) error {
	rank := len(operand.Dims)
	if len(starts) == 1 && starts[0].Shape.Rank() == 1 {
		s := starts[0].Shape
		if !s.Type.IsInteger() || s.Dims[0] != int64(rank) && !isUnknown(s, 0) {
			return fmt.Errorf("start indices: got %v, want %d integers", s, rank)
		}
		return nil
	}
	if len(starts) != rank { // C2
		return fmt.Errorf("got %d start indices, want %d, the rank of %v", len(starts), rank, operand)
	}
	for i, s := range starts { // C3
		switch t := starts[0].Shape.Type; {
		case !s.Shape.IsScalar() || !s.Shape.Type.IsInteger():
			return fmt.Errorf("start index %d: got %v, want an integer scalar", i, s.Shape)
		case s.Shape.Type != t:
			return fmt.Errorf("types of the start indices differ: 0 is %v, %d is %v", t, i, s.Shape.Type)
		}
	}
	return nil
}

func inferDynamicUpdateSlice(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, update := in.Operands[0].Shape.WithoutLayout(), in.Operands[1].Shape
	switch {
	case operand.Type != update.Type: // C2
		return poison, fmt.Errorf("element types differ: operand is %v, update is %v", operand.Type, update.Type)
	case len(operand.Dims) != len(update.Dims): // C3
		return poison, fmt.Errorf("ranks differ: operand is %v, update is %v", operand, update)
	}
	if err := checkStarts(in.Operands[2:], operand); err != nil { // C4, C5
		return poison, err
	}
	for d, n := range update.Dims {
		if n > operand.Dims[d] && operand.Dims[d] != shape.Unbounded { // C6
			return poison, fmt.Errorf("update is larger than operand: dimension %d is %d, operand's is %d", d, n,
				operand.Dims[d])
		}
	}
	return operand, nil // C1
}
