package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// CreateScalarComputation makes the computation op(x, y) on scalars of type t, as reductions want it: XLA's
// CreateScalarAddComputation is that of Add.
//
//	(T, T) -> T
//
// It fails unless op takes two operands of type t. Law: XLA's arithmetic library.
func CreateScalarComputation(op Opcode, t shape.ElementType) (*Computation, error) {
	if n, variadic := op.Info().Arity(); n != 2 || variadic || op.Info().Traits&Elementwise == 0 {
		return nil, fmt.Errorf("hlo: %s has no computation on two scalars", op)
	}
	b := NewBuilder(op.String())
	x, y := b.Parameter(0, shape.Array(t), "x"), b.Parameter(1, shape.Array(t), "y")
	return b.Build(b.add(op, nil, shape.Shape{}, x, y))
}

// CreateScalarLtComputation makes the comparator of an ascending Sort by the first of several operands of the given
// types; floats are in total order.
//
//	(T_0, T_0, T_1, T_1, ...) -> pred
//
// It fails if there are no types or the first has no order. Law: XLA's comparators; row 105.
func CreateScalarLtComputation(types ...shape.ElementType) (*Computation, error) {
	return sortComparator("less_than", Lt, types)
}

// CreateScalarGtComputation is CreateScalarLtComputation for a descending Sort.
//
//	(T_0, T_0, T_1, T_1, ...) -> pred
//
// It fails as CreateScalarLtComputation does. Law: XLA's comparators; row 105.
func CreateScalarGtComputation(types ...shape.ElementType) (*Computation, error) {
	return sortComparator("greater_than", Gt, types)
}

func sortComparator(name string, d Direction, types []shape.ElementType) (*Computation, error) {
	if len(types) == 0 {
		return nil, fmt.Errorf("hlo: computation %s: got no types, want at least one", name)
	}
	b := NewBuilder(name)
	var p []*Instruction
	for i, t := range types {
		for k := range 2 {
			p = append(p, b.Parameter(int64(2*i+k), shape.Array(t), ""))
		}
	}
	a := &CompareAttrs{Direction: d}
	if types[0].IsFloat() {
		a.Type = TotalOrder
	}
	return b.Build(b.add(Compare, a, shape.Shape{}, p[0], p[1]))
}

// IsInf says of each float whether it is infinite.
//
//	operand T[D...]   result pred[D...]
//
// It fails unless operand is an array of floats. Law: XLA's math library.
func (b *Builder) IsInf(operand *Instruction) *Instruction {
	return b.Not(b.Or(b.IsFinite(operand), b.IsNan(operand)))
}

// IsPosInf says of each float whether it is +infinity.
//
//	operand T[D...]   result pred[D...]
//
// It fails unless operand is an array of floats. Law: XLA's math library.
func (b *Builder) IsPosInf(operand *Instruction) *Instruction {
	return b.And(b.IsInf(operand), b.Eq(b.Sign(operand), b.like(operand, 1)))
}

// IsNegInf says of each float whether it is -infinity.
//
//	operand T[D...]   result pred[D...]
//
// It fails unless operand is an array of floats. Law: XLA's math library.
func (b *Builder) IsNegInf(operand *Instruction) *Instruction {
	return b.And(b.IsInf(operand), b.Eq(b.Sign(operand), b.like(operand, -1)))
}

// IsNan says of each float whether it is NaN.
//
//	operand T[D...]   result pred[D...]
//
// It fails unless operand is an array of floats. Law: XLA's math library.
func (b *Builder) IsNan(operand *Instruction) *Instruction {
	return b.And(b.Not(b.IsFinite(operand)), b.Ne(operand, operand))
}

// IsNegZero says of each float whether it is -0.
//
//	operand T[D...]   result pred[D...]
//
// It fails unless operand is an array of floats. Law: XLA's math library.
func (b *Builder) IsNegZero(operand *Instruction) *Instruction {
	zero := b.like(operand, 0)
	return b.And(b.Eq(operand, zero), b.And(b.Not(b.IsNan(operand)), b.LtTotalOrder(operand, zero)))
}

// like is the scalar v of operand's type.
func (b *Builder) like(operand *Instruction, v int64) *Instruction {
	b.present(Constant, &operand)
	if !operand.Shape.Type.IsFloat() {
		return b.fail(Constant, "got %v, want an array of floats", operand.Shape)
	}
	return b.scalarOf(operand.Shape.Type, v)
}

// Any is whether one of the predicates is true; of none it is false.
//
//	predicates pred[D...]   result pred[]
//
// It fails unless predicates is an array of predicates. Law: XLA's arithmetic library.
func (b *Builder) Any(predicates *Instruction) *Instruction {
	b.present(Reduce, &predicates)
	if predicates.Shape.Type != shape.Pred {
		return b.fail(Reduce, "got %v, want an array of predicates", predicates.Shape)
	}
	return b.ReduceAll(predicates, ConstantR0(b, false), scalarComputation(Or, shape.Pred))
}

// ArgMax is the place of the greatest element along dimension axis, as an integer of type t: of equal ones the first,
// and NaN is greater than all.
//
//	input T[A..., N, B...]   result t[A..., B...]
//
// It fails if axis is out of range, t is no integer type or T has no order. Law: XLA's arithmetic library.
func (b *Builder) ArgMax(input *Instruction, t shape.ElementType, axis int64) *Instruction {
	return b.argExtreme(input, t, axis, Gt)
}

// ArgMin is the place of the smallest element along dimension axis, as an integer of type t: of equal ones the first,
// and NaN is smaller than all.
//
//	input T[A..., N, B...]   result t[A..., B...]
//
// It fails as ArgMax does. Law: XLA's arithmetic library.
func (b *Builder) ArgMin(input *Instruction, t shape.ElementType, axis int64) *Instruction {
	return b.argExtreme(input, t, axis, Lt)
}

// argExtreme reduces pairs of element and place to the one whose element is before all others in direction d.
func (b *Builder) argExtreme(input *Instruction, t shape.ElementType, axis int64, d Direction) *Instruction {
	b.present(Reduce, &input)
	if err := checkDim("axis", axis, input.Shape); err != nil {
		return b.fail(Reduce, "%w", err)
	}
	x := input.Shape.Type
	if !t.IsInteger() || x.IsComplex() {
		return b.fail(Reduce, "got elements %v and places %v, want elements with an order and integers", x, t)
	}
	c := NewBuilder("extreme")
	left, place := c.Parameter(0, shape.Array(x), ""), c.Parameter(1, shape.Array(t), "")
	right, other := c.Parameter(2, shape.Array(x), ""), c.Parameter(3, shape.Array(t), "")
	better := c.Or(c.Compare(left, right, CompareAttrs{Direction: d}), c.Ne(left, left))
	better = c.Or(better, c.And(c.Eq(left, right), c.Lt(place, other)))
	comp, err := c.Build(c.Tuple(c.Select(better, left, right), c.Select(better, place, other)))
	if err != nil {
		return b.fail(Reduce, "%w", err)
	}
	worst := literal.MinValue(x)
	if d == Lt {
		worst = literal.MaxValue(x)
	}
	places := b.Iota(input.Shape.WithType(t), axis)
	init := []*Instruction{b.ConstantLiteral(worst), b.scalarOf(t, 0)}
	return b.GetTupleElement(b.Reduce([]*Instruction{input, places}, init, comp, axis), 1)
}
