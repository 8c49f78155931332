package hlo

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

func inferSort(in *Instruction) (shape.Shape, error) {
	if len(in.Operands) == 0 { // C1
		return poison, fmt.Errorf("got no operands, want at least one")
	}
	dims, err := sameDims(in) // C2
	if err != nil {
		return poison, err
	}
	a := in.Attrs.(*SortAttrs)
	if _, err := a.dim(len(dims.Dims)); err != nil { // C4
		return poison, err
	}
	var shapes, params []shape.Shape
	for _, o := range in.Operands {
		s := dims
		s.Type = o.Shape.Type
		shapes = append(shapes, s)
		params = append(params, shape.Array(s.Type), shape.Array(s.Type))
	}
	if err := checkScalarComputation(a.ToApply, params, shape.Array(shape.Pred)); err != nil { // C5
		return poison, err
	}
	if len(shapes) == 1 {
		return shapes[0], nil
	}
	return shape.TupleOf(shapes...), nil // C3
}

// dim returns the sorted dimension of an array of the given rank; negative numbers count from the end. Scalars have
// none: it is 0.
func (a *SortAttrs) dim(rank int) (int, error) {
	d := int64(a.Dimension)
	low, high := -int64(rank), int64(rank)-1
	if rank == 0 {
		low, high = -1, 0
	}
	if d < low || d > high {
		return 0, fmt.Errorf("sorted dimension: got %d, want %d to %d", d, low, high)
	}
	if d < 0 {
		d += int64(rank)
	}
	return int(max(d, 0)), nil
}

func inferTopK(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, k := in.Operands[0].Shape.WithoutLayout(), in.Attrs.(*TopKAttrs).K
	switch last := len(operand.Dims) - 1; {
	case last < 0: // row 106
		return poison, fmt.Errorf("operand: got the scalar %v, want rank 1 or more", operand)
	case operand.Type.IsComplex():
		return poison, fmt.Errorf("operand: got %v, want elements that have an order", operand)
	case k < 0 || operand.Dims[last] != shape.Unbounded && k > operand.Dims[last]: // row 106
		return poison, fmt.Errorf("k: got %d, want 0 to %d", k, operand.Dims[last])
	case operand.Dims[last] > math.MaxInt32:
		return poison, fmt.Errorf("operand %v has more elements in a row than an s32 counts", operand)
	}
	out := newDimList(operand.Type, len(operand.Dims))
	for d := range operand.Dims[1:] {
		out.addOf(operand, int64(d))
	}
	out.add(k, false)
	s := out.shape()
	return shape.TupleOf(s, s.WithType(shape.S32)), nil
}
