package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ScaledDot is DotGeneral of operands whose elements share scales by blocks: an element is multiplied by the scale at
// its index divided by the block's size, which is the operand's size divided by the scale's in each dimension.
//
//	lhs T[D...]   lhsScale S[D/block...] or S[]   and the same for rhs
//
// It fails as DotGeneral does, or if a type is no float or a scale's sizes do not divide the operand's. Law: section
// 5.1, line 12.
func (b *Builder) ScaledDot(lhs, rhs, lhsScale, rhsScale *Instruction, a DotAttrs,
	preferred shape.ElementType) *Instruction {
	return b.add(ScaledDot, &a, shape.Shape{Type: preferred}, lhs, rhs, lhsScale, rhsScale)
}

func inferScaledDot(in *Instruction) (shape.Shape, error) {
	s, err := inferDot(in)
	if err != nil {
		return poison, err
	}
	for i, o := range in.Operands[:2] {
		scale := in.Operands[i+2].Shape
		if !o.Shape.Type.IsFloat() || !scale.Type.IsFloat() {
			return poison, fmt.Errorf("%s is %v with scale %v, want floating point", operandName(in, i), o.Shape, scale)
		}
		if scale.Rank() == 0 {
			continue
		}
		if scale.Rank() != o.Shape.Rank() {
			return poison, fmt.Errorf("%s is %v, want the rank of %v or a scalar", operandName(in, i+2), scale, o.Shape)
		}
		for d, n := range scale.Dims {
			m := o.Shape.Dims[d]
			if n == shape.Unbounded || m == shape.Unbounded || n == m {
				continue
			}
			if n <= 0 || m%n != 0 {
				return poison, fmt.Errorf("%s is %v: dim %d is %d, want a divisor of %d", operandName(in, i+2), scale, d, n, m)
			}
		}
	}
	return s, nil
}

func evalScaledDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a, t := in.Attrs.(*DotAttrs), in.Shape.Type
	s, err := dotDims(args[0].Shape(), args[1].Shape(), a)
	if err != nil {
		return nil, err
	}
	if err := e.room(s); err != nil {
		return nil, err
	}
	lhs, rhs := scaleBlocks(args[0], args[2]), scaleBlocks(args[1], args[3])
	w, err := contract(e, shape.F64, a, args[0].Shape(), args[1].Shape(), lhs, rhs)
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s.WithType(t), literal.ConvertWide(w, shape.F64, t)), nil
}

// scaleBlocks returns the elements of l times their blocks' scales.
func scaleBlocks(l, scale *literal.Literal) literal.Wide {
	x, f := wideAs(l, shape.F64), wideAs(scale, shape.F64)
	dims, blocks := l.Shape().Dims, scale.Shape().Dims
	if len(blocks) == 0 {
		for i := range x.F {
			x.F[i] *= f.F[0]
		}
		return x
	}
	strides, at, index := shape.Strides(blocks), 0, make([]int64, len(dims))
	for i := range x.F {
		x.F[i] *= f.F[at]
		for d := len(dims) - 1; d >= 0; d-- {
			block := dims[d] / blocks[d]
			at -= int(index[d] / block * strides[d])
			if index[d]++; index[d] < dims[d] {
				at += int(index[d] / block * strides[d])
				break
			}
			index[d] = 0
		}
	}
	return x
}
