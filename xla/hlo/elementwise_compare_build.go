package hlo

import "github.com/halo-xla/halo/xla/shape"

// Eq is whether lhs = rhs; NaN equals nothing.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says. Law: row 43.
func (b *Builder) Eq(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Compare, &CompareAttrs{Direction: Eq}, lhs, rhs, broadcastDimensions)
}

// Ne is whether lhs differs from rhs; NaN differs from all.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says. Law: row 44.
func (b *Builder) Ne(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Compare, &CompareAttrs{Direction: Ne}, lhs, rhs, broadcastDimensions)
}

// Ge is whether lhs >= rhs; false for NaN.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 45.
func (b *Builder) Ge(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Compare, &CompareAttrs{Direction: Ge}, lhs, rhs, broadcastDimensions)
}

// Gt is whether lhs > rhs; false for NaN.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 46.
func (b *Builder) Gt(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Compare, &CompareAttrs{Direction: Gt}, lhs, rhs, broadcastDimensions)
}

// Le is whether lhs <= rhs; false for NaN.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 47.
func (b *Builder) Le(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Compare, &CompareAttrs{Direction: Le}, lhs, rhs, broadcastDimensions)
}

// Lt is whether lhs < rhs; false for NaN.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 48.
func (b *Builder) Lt(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.binary(Compare, &CompareAttrs{Direction: Lt}, lhs, rhs, broadcastDimensions)
}

// EqTotalOrder is Eq by the total order of floats, in which -NaN comes first, NaN last and -0 before +0.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 49.
func (b *Builder) EqTotalOrder(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.totalOrder(lhs, rhs, Eq, broadcastDimensions)
}

// NeTotalOrder is Ne by the total order of floats, in which -NaN comes first, NaN last and -0 before +0.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 50.
func (b *Builder) NeTotalOrder(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.totalOrder(lhs, rhs, Ne, broadcastDimensions)
}

// GeTotalOrder is Ge by the total order of floats, in which -NaN comes first, NaN last and -0 before +0.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 51.
func (b *Builder) GeTotalOrder(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.totalOrder(lhs, rhs, Ge, broadcastDimensions)
}

// GtTotalOrder is Gt by the total order of floats, in which -NaN comes first, NaN last and -0 before +0.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 52.
func (b *Builder) GtTotalOrder(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.totalOrder(lhs, rhs, Gt, broadcastDimensions)
}

// LeTotalOrder is Le by the total order of floats, in which -NaN comes first, NaN last and -0 before +0.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 53.
func (b *Builder) LeTotalOrder(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.totalOrder(lhs, rhs, Le, broadcastDimensions)
}

// LtTotalOrder is Lt by the total order of floats, in which -NaN comes first, NaN last and -0 before +0.
//
//	lhs T[D...]   rhs T[D...]   result pred[D...]
//
// Operands spread and it fails as Add says, or for complex numbers. Law: row 54.
func (b *Builder) LtTotalOrder(lhs, rhs *Instruction, broadcastDimensions ...int64) *Instruction {
	return b.totalOrder(lhs, rhs, Lt, broadcastDimensions)
}

// Select takes each element of onTrue where pred is true, else of onFalse. A scalar pred decides for all; with it the
// branches may be tuples.
//
//	pred pred[D...] or pred[]   onTrue T[D...]   onFalse T[D...]   result T[D...]
//
// It fails if pred has other elements or sizes, or if the branches differ in type or sizes. Law: row 66.
func (b *Builder) Select(pred, onTrue, onFalse *Instruction) *Instruction {
	b.present(Select, &pred, &onTrue, &onFalse)
	if onTrue.Shape.IsTuple() && onFalse.Shape.IsTuple() {
		return b.selectTuple(pred, onTrue, onFalse)
	}
	if pred.Shape.IsScalar() && onTrue.Shape.IsArray() && !onTrue.Shape.IsDynamic() {
		pred = b.BroadcastInDim(pred, onTrue.Shape.Dims, nil)
	}
	return b.add(Select, nil, shape.Shape{}, pred, onTrue, onFalse)
}

// selectTuple is a conditional whose branches hand their operand on.
func (b *Builder) selectTuple(pred, onTrue, onFalse *Instruction) *Instruction {
	if !pred.Shape.IsScalar() {
		return b.fail(Select, "pred is %v, want a scalar for branches that are tuples", pred.Shape)
	}
	branch := func(name string, s shape.Shape) *Computation {
		c := NewBuilder(name)
		comp, err := c.Build(c.Parameter(0, s, "x"))
		if err != nil {
			b.fail(Select, "%v", err)
		}
		return comp
	}
	t, f := branch("on_true", onTrue.Shape), branch("on_false", onFalse.Shape)
	if b.err != nil {
		return b.fail(Select, "no branches")
	}
	return b.Conditional(pred, onTrue, t, onFalse, f)
}

// Clamp is min(max(operand, min), max); the bounds may be scalars. If min is above max, the result is max; NaN wins.
//
//	min T[D...] or T[]   operand T[D...]   max T[D...] or T[]   result T[D...]
//
// It fails if types differ, a bound has other sizes, or for complex numbers. Law: row 67.
func (b *Builder) Clamp(min, operand, max *Instruction) *Instruction {
	return b.add(Clamp, nil, shape.Shape{}, min, operand, max)
}
