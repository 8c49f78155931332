package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

var logicRules = map[hlo.Opcode][]rule{
	hlo.And:             {sameTwice, absorbed(isAllOnes, isZero), joinConstants},
	hlo.Or:              {sameTwice, absorbed(isZero, isAllOnes), joinConstants},
	hlo.Xor:             {xorSelf, absorbed(isZero, nil), joinConstants},
	hlo.Not:             {undo(hlo.Not), notCompare},
	hlo.Compare:         {compareSelf, comparePredicate, compareUnsigned},
	hlo.Select:          {selectKnown, selectNot, selectPredicate},
	hlo.Clamp:           {clampKnown},
	hlo.GetTupleElement: {elementOfTuple},
}

func isZero(in *hlo.Instruction) bool { return isNumber(in, 0) }

// absorbed: x op neutral = x, x op absorbing = absorbing, for integers and predicates.
func absorbed(neutral, absorbing func(*hlo.Instruction) bool) rule {
	return func(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
		if !isIntegral(in) {
			return nil
		}
		return either(in, func(x, y *hlo.Instruction) *hlo.Instruction {
			switch {
			case neutral(y):
				return x
			case absorbing != nil && absorbing(y):
				return y
			}
			return nil
		})
	}
}

func xorSelf(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Operands[0] == in.Operands[1] && isIntegral(in) {
		return s.zeros(in)
	}
	return nil
}

// opposite are the directions that say no where another says yes, of values that are ordered.
var opposite = map[hlo.Direction]hlo.Direction{
	hlo.Eq: hlo.Ne, hlo.Ne: hlo.Eq, hlo.Lt: hlo.Ge, hlo.Ge: hlo.Lt, hlo.Gt: hlo.Le, hlo.Le: hlo.Gt,
}

// isOrdered reports whether of any two values that a compares one is less or they are equal: NaN is not.
func isOrdered(a *hlo.CompareAttrs, t shape.ElementType) bool {
	return t.IsInteger() || t == shape.Pred || a.Type == hlo.TotalOrder
}

// notCompare: not (x < y) is x >= y, of floats only for equality.
func notCompare(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	a, ok := o.Attrs.(*hlo.CompareAttrs)
	if !ok || !isOrdered(a, o.Operands[0].Shape.Type) && a.Direction != hlo.Eq && a.Direction != hlo.Ne {
		return nil
	}
	return s.op(hlo.Compare, &hlo.CompareAttrs{Direction: opposite[a.Direction], Type: a.Type}, shape.Shape{},
		o.Operands...)
}

// compareSelf: x compared with x is known unless x can be NaN; x < x is false even then.
func compareSelf(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Operands[0] != in.Operands[1] {
		return nil
	}
	a := in.Attrs.(*hlo.CompareAttrs)
	switch {
	case a.Direction == hlo.Lt || a.Direction == hlo.Gt:
		return s.zeros(in)
	case !isOrdered(a, in.Operands[0].Shape.Type):
		return nil
	case a.Direction == hlo.Ne:
		return s.zeros(in)
	}
	return s.ones(in)
}

// comparePredicate: p == true is p, p == false is not p, false > p is false, and so on.
func comparePredicate(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, y, holds := in.Operands[0], in.Operands[1], truths[in.Attrs.(*hlo.CompareAttrs).Direction]
	if x.Shape.Type != shape.Pred || holds == nil {
		return nil
	}
	p, of := x, func(v bool) bool { return holds(v, splatOf(y).Wide().B[0]) }
	switch {
	case splatOf(y) != nil:
	case splatOf(x) != nil:
		p, of = y, func(v bool) bool { return holds(splatOf(x).Wide().B[0], v) }
	default:
		return nil
	}
	switch yes, no := of(true), of(false); {
	case yes && no:
		return s.ones(in)
	case yes:
		return p
	case no:
		return s.plainOp(hlo.Not, p)
	}
	return s.zeros(in)
}

// truths are the comparisons of predicates.
var truths = map[hlo.Direction]func(a, b bool) bool{
	hlo.Eq: func(a, b bool) bool { return a == b }, hlo.Ne: func(a, b bool) bool { return a != b },
	hlo.Lt: func(a, b bool) bool { return !a && b }, hlo.Gt: func(a, b bool) bool { return a && !b },
	hlo.Le: func(a, b bool) bool { return !a || b }, hlo.Ge: func(a, b bool) bool { return a || !b },
}

// compareUnsigned: nothing unsigned is below 0.
func compareUnsigned(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !in.Operands[0].Shape.Type.IsUnsigned() || !isZero(in.Operands[1]) {
		return nil
	}
	switch in.Attrs.(*hlo.CompareAttrs).Direction {
	case hlo.Lt:
		return s.zeros(in)
	case hlo.Ge:
		return s.ones(in)
	}
	return nil
}

// selectKnown: a known choice, or one of two equal values.
func selectKnown(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	yes, no := in.Operands[1], in.Operands[2]
	if yes == no {
		return yes
	}
	l := splatOf(in.Operands[0])
	switch {
	case l == nil || !sameSizes(yes, in) || !sameSizes(no, in):
		return nil
	case l.Wide().B[0]:
		return yes
	}
	return no
}

// selectNot: a choice by not p is the other choice by p.
func selectNot(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if p := in.Operands[0]; p.Op == hlo.Not {
		return s.plainOp(hlo.Select, p.Operands[0], in.Operands[2], in.Operands[1])
	}
	return nil
}

// selectPredicate: a choice of true or false by p is p or not p.
func selectPredicate(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	p := in.Operands[0]
	if in.Shape.Type != shape.Pred || !sameSizes(p, in) {
		return nil
	}
	yes, no := splatOf(in.Operands[1]), splatOf(in.Operands[2])
	switch {
	case yes == nil || no == nil || yes.Wide().B[0] == no.Wide().B[0]:
		return nil
	case yes.Wide().B[0]:
		return p
	}
	return s.plainOp(hlo.Not, p)
}

// clampKnown: integers between the extremes of their type are what they are.
func clampKnown(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	lo, hi := splatOf(in.Operands[0]), splatOf(in.Operands[2])
	t := in.Shape.Type
	if lo != nil && hi != nil && t.IsInteger() && sameLiteral(lo, literal.MinValue(t)) &&
		sameLiteral(hi, literal.MaxValue(t)) {
		return in.Operands[1]
	}
	return nil
}

func elementOfTuple(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if o := in.Operands[0]; o.Op == hlo.Tuple {
		return o.Operands[in.Attrs.(*hlo.GetTupleElementAttrs).Index]
	}
	return nil
}
