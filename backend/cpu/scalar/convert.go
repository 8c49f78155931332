package scalar

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// relation is the instructions of a comparison by class; swap says that the operands change places.
type relation struct {
	s, u, f, d Op
	swap       bool
}

var relations = [...]relation{
	hlo.Eq: {EqS, EqS, EqF, EqD, false},
	hlo.Ne: {NeS, NeS, NeF, NeD, false},
	hlo.Ge: {LeS, LeU, LeF, LeD, true},
	hlo.Gt: {LtS, LtU, LtF, LtD, true},
	hlo.Le: {LeS, LeU, LeF, LeD, false},
	hlo.Lt: {LtS, LtU, LtF, LtD, false},
}

func (c *compiler) compare(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	a, t := in.Attrs.(*hlo.CompareAttrs), in.Operands[0].Shape.Type
	r, p, q := relations[a.Direction], x[0], x[1]
	if t.IsComplex() {
		return c.compareComplex(a.Direction, t.Component(), p, q), true
	}
	if r.swap {
		p, q = q, p
	}
	switch {
	case t.IsFloat() && a.Type == hlo.TotalOrder:
		return c.op(r.s, 0, c.orderKey(p, t), c.orderKey(q, t)), true
	case t == shape.F32:
		return c.op(r.f, 0, p, q), true
	case t.IsFloat():
		return c.op(r.d, 0, p, q), true
	case t.IsUnsigned():
		return c.op(r.u, 0, p, q), true
	}
	return c.op(r.s, 0, p, q), true
}

// orderKey returns an integer in the total order of the floats of type t.
func (c *compiler) orderKey(r uint16, t shape.ElementType) uint16 {
	switch {
	case t == shape.F32:
		return c.op(KeyF, 0, r, 0)
	case t == shape.F64:
		return c.op(KeyD, 0, r, 0)
	}
	bits := c.op(Bits, int32(t), r, 0)
	if t == shape.F8E8M0FNU { // has no sign
		return bits
	}
	return c.op(KeyD, 0, c.op(Extend, int32(t.Bits()), bits, 0), 0)
}

// compareComplex knows only equal and unequal.
func (c *compiler) compareComplex(dir hlo.Direction, t shape.ElementType, p, q uint16) uint16 {
	eq := EqD
	if t == shape.F32 {
		eq = EqF
	}
	both := c.op(And, 0, c.op(eq, 0, p, q), c.op(eq, 0, p+1, q+1))
	if dir == hlo.Eq {
		return both
	}
	return c.op(Xor, 0, both, c.constant(1))
}

func (c *compiler) convert(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	from, to, r := in.Operands[0].Shape.Type, in.Shape.Type, x[0]
	switch {
	case from == to:
		return r, true
	case from.IsComplex() && to.IsComplex():
		return c.pair(c.convertFloat(r, from.Component(), to.Component()),
			c.convertFloat(r+1, from.Component(), to.Component())), true
	case from.IsComplex(): // the real part
		return c.convertReal(r, from.Component(), to), true
	case to.IsComplex():
		return c.pair(c.convertReal(r, from, to.Component()), c.constant(0)), true
	}
	return c.convertReal(r, from, to), true
}

// convertReal converts between types that are not complex.
func (c *compiler) convertReal(r uint16, from, to shape.ElementType) uint16 {
	switch {
	case from.IsFloat() && to.IsFloat():
		return c.convertFloat(r, from, to)
	case from.IsFloat():
		return c.fromFloat(r, from, to)
	case to.IsFloat():
		return c.toFloat(r, from, to)
	case to == shape.Pred:
		return c.op(NotZero, 0, r, 0)
	}
	return c.cut(r, to)
}

func (c *compiler) convertFloat(r uint16, from, to shape.ElementType) uint16 {
	if from == to {
		return r
	}
	return c.fromDouble(c.double(r, from), to)
}

// fromFloat converts a float to an integer or predicate.
func (c *compiler) fromFloat(r uint16, from, to shape.ElementType) uint16 {
	r = c.double(r, from)
	switch {
	case to == shape.Pred:
		return c.op(NotZeroD, 0, r, 0)
	case to.IsSigned():
		return c.op(DToS, int32(to.Bits()), r, 0)
	}
	return c.op(DToU, int32(to.Bits()), r, 0)
}

// toFloat converts an integer or predicate to a float, rounding once.
func (c *compiler) toFloat(r uint16, from, to shape.ElementType) uint16 {
	ops := [3]Op{SToF, SToD, OddS}
	if from.IsUnsigned() {
		ops = [3]Op{UToF, UToD, OddU}
	}
	switch to {
	case shape.F32:
		return c.op(ops[0], 0, r, 0)
	case shape.F64:
		return c.op(ops[1], 0, r, 0)
	}
	return c.rounded(c.op(ops[2], 0, r, 0), to)
}

// bitcast is bitcast-convert between types of one width.
func (c *compiler) bitcast(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	from, to, r := in.Operands[0].Shape.Type, in.Shape.Type, x[0]
	switch {
	case from == to:
		return r, true
	case from.Bits() != to.Bits() || from.IsComplex() || to.IsComplex() || to == shape.Pred || from == shape.Pred:
		return 0, false
	}
	if narrow(from) {
		r = c.op(Bits, int32(from), r, 0)
	}
	switch {
	case narrow(to):
		return c.op(OfBits, int32(to), r, 0), true
	case to.IsInteger():
		return c.cut(r, to), true
	case to == shape.F32:
		return c.op(Cut, 32, r, 0), true
	}
	return r, true
}

// partwise are the ops on complex numbers that work on each part.
var partwise = map[hlo.Opcode][2]Op{hlo.Add: {AddF, AddD}, hlo.Subtract: {SubF, SubD}, hlo.Negate: {NegF, NegD}}

func (c *compiler) complexOp(op hlo.Opcode, t shape.ElementType, x [3]uint16) (uint16, bool) {
	k := 0
	if t == shape.C128 {
		k = 1
	}
	if ops, ok := partwise[op]; ok {
		d := c.reserve(2)
		for part := range uint16(2) {
			c.emit(Instr{Op: ops[k], D: d + part, A: x[0] + part, B: x[1] + part})
		}
		return d, true
	}
	in := Instr{Op: [2]Op{CallC64, CallC128}[k], A: x[0], B: x[1], Imm: callOf(op)}
	if op == hlo.Multiply && t == shape.C64 {
		in.Op, in.Imm = MulC64, 0
	}
	if op == hlo.Multiply && t == shape.C128 {
		return c.multiplyC128(x[0], x[1]), true
	}
	if in.Imm < 0 || op.Info().Scalar.Complex == nil {
		return 0, false
	}
	in.D = c.reserve(2)
	c.emit(in)
	return in.D, true
}

func (c *compiler) multiplyC128(p, q uint16) uint16 {
	re := c.op(SubD, 0, c.op(MulD, 0, p, q), c.op(MulD, 0, p+1, q+1))
	im := c.op(AddD, 0, c.op(MulD, 0, p, q+1), c.op(MulD, 0, p+1, q))
	return c.pair(re, im)
}
