package scalar

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// rule is the instructions of an elementwise op by class of numbers; 0 where it has none of its own.
type rule struct{ pred, s, u, f, d Op }

// rules are the ops whose operands and result are of one type and that take one instruction an element; that of a
// narrow float, column d, is followed by a Round, that of a narrow integer cuts by itself.
var rules = [hlo.NumOps]rule{
	hlo.Add:                  {Or, AddS, AddU, AddF, AddD},
	hlo.Subtract:             {0, SubS, SubU, SubF, SubD},
	hlo.Multiply:             {And, MulS, MulU, MulF, MulD},
	hlo.Mulhi:                {0, MulhiS, MulhiU, 0, 0},
	hlo.Divide:               {0, DivS, DivU, DivF, DivD},
	hlo.Remainder:            {0, RemS, RemU, RemF, RemD},
	hlo.Power:                {0, PowS, PowU, 0, 0},
	hlo.Maximum:              {Or, MaxS, MaxU, MaxF, MaxD},
	hlo.Minimum:              {And, MinS, MinU, MinF, MinD},
	hlo.And:                  {And, And, And, 0, 0},
	hlo.Or:                   {Or, Or, Or, 0, 0},
	hlo.Xor:                  {Xor, Xor, Xor, 0, 0},
	hlo.Not:                  {0, NotS, NotU, 0, 0},
	hlo.Negate:               {0, NegS, NegU, NegF, NegD},
	hlo.Abs:                  {0, AbsS, 0, AbsF, AbsD},
	hlo.Sign:                 {0, SignS, 0, SignF, SignD},
	hlo.PopulationCount:      {0, PopCount, PopCount, 0, 0},
	hlo.Clz:                  {0, LeadingZeros, LeadingZeros, 0, 0},
	hlo.ShiftLeft:            {0, ShiftLeftS, ShiftLeftU, 0, 0},
	hlo.ShiftRightArithmetic: {0, ShiftRightS, ShiftRightU, 0, 0},
	hlo.ShiftRightLogical:    {0, ShiftLogicalS, ShiftLogicalU, 0, 0},
	hlo.Sqrt:                 {0, 0, 0, SqrtF, SqrtD},
	hlo.Floor:                {0, 0, 0, FloorF, FloorD},
	hlo.Ceil:                 {0, 0, 0, CeilF, CeilD},
	hlo.RoundNearestAfz:      {0, 0, 0, RoundF, RoundD},
	hlo.RoundNearestEven:     {0, 0, 0, RoundEvenF, RoundEvenD},
}

// of returns the instruction for elements of type t.
func (r rule) of(t shape.ElementType) Op {
	switch t.Class() {
	case shape.PredClass:
		return r.pred
	case shape.SignedClass:
		return r.s
	case shape.UnsignedClass:
		return r.u
	case shape.FloatClass:
		if t == shape.F32 {
			return r.f
		}
		return r.d
	}
	return 0
}

// narrow reports whether t is a float that registers hold as an F64 that it is rounded from.
func narrow(t shape.ElementType) bool { return t.IsFloat() && t != shape.F32 && t != shape.F64 }

// rounded returns r rounded to t.
func (c *compiler) rounded(r uint16, t shape.ElementType) uint16 {
	if !narrow(t) {
		return r
	}
	return c.op(Round, int32(t), r, 0)
}

// elementwise compiles an op that makes each element of those at the same place; operands of one element go with all.
func (c *compiler) elementwise(in *hlo.Instruction, args []value, n int) (value, error) {
	if len(args) == 0 || len(args) > 3 || !perElement(in) {
		return nil, unsupported("%s", in.Op)
	}
	f := elements[in.Op]
	if f == nil {
		f = plain
	}
	out := make(value, n)
	for i := range out {
		var x [3]uint16
		for k, a := range args {
			x[k] = a[min(i, len(a)-1)]
		}
		r, ok := f(c, in, x)
		if !ok {
			return nil, unsupported("%s of %v", in.Op, in.Operands[0].Shape)
		}
		out[i] = r
	}
	return out, nil
}

// perElement says whether in gives each element from those at the same place.
func perElement(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Clamp:
		return true
	case hlo.BitcastConvert:
		return in.Operands[0].Shape.Type.Bits() == in.Shape.Type.Bits()
	}
	return in.Op.Info().Traits&hlo.Elementwise != 0
}

// elements are the elementwise ops that take more than a row of rules says.
var elements = [hlo.NumOps]func(c *compiler, in *hlo.Instruction, x [3]uint16) (uint16, bool){
	hlo.Compare:         (*compiler).compare,
	hlo.Select:          (*compiler).choose,
	hlo.Clamp:           (*compiler).clamp,
	hlo.Convert:         (*compiler).convert,
	hlo.BitcastConvert:  (*compiler).bitcast,
	hlo.ReducePrecision: (*compiler).reducePrecision,
	hlo.Abs:             (*compiler).abs,
	hlo.Not:             (*compiler).not,
	hlo.Sign:            plain,
	hlo.Real:            func(_ *compiler, _ *hlo.Instruction, x [3]uint16) (uint16, bool) { return x[0], true },
	hlo.Imag:            (*compiler).imag,
	hlo.Complex:         (*compiler).complex,
	hlo.IsFinite:        (*compiler).isFinite,
	hlo.PopulationCount: (*compiler).countBits,
	hlo.Clz:             (*compiler).countBits,
}

// plain compiles an op of rules, of calls or on complex numbers.
func plain(c *compiler, in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	t := in.Shape.Type
	if in.Operands[0].Shape.Type != t {
		return 0, false
	}
	if t.IsComplex() {
		return c.complexOp(in.Op, t, x)
	}
	if op := rules[in.Op].of(t); op != 0 {
		return c.rounded(c.op(op, int32(t.Bits()), x[0], x[1]), t), true
	}
	f := callOf(in.Op)
	if f < 0 || !t.IsFloat() || in.Op.Info().Scalar.Float == nil {
		return 0, false
	}
	a := c.double(x[0], t)
	b := a
	if len(in.Operands) == 2 {
		b = c.double(x[1], t)
	}
	return c.fromDouble(c.op(Call, f, a, b), t), true
}

// double returns an F64 register of r, a float of type t.
func (c *compiler) double(r uint16, t shape.ElementType) uint16 {
	if t == shape.F32 {
		return c.op(FToD, 0, r, 0)
	}
	return r
}

// fromDouble rounds an F64 to t.
func (c *compiler) fromDouble(r uint16, t shape.ElementType) uint16 {
	if t == shape.F32 {
		return c.op(DToF, 0, r, 0)
	}
	return c.rounded(r, t)
}

func (c *compiler) countBits(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	r, ok := plain(c, in, x)
	return c.cut(r, in.Shape.Type), ok
}

// cut returns the integer r cut to type t.
func (c *compiler) cut(r uint16, t shape.ElementType) uint16 {
	switch {
	case t.Bits() == 64:
		return r
	case t.IsSigned():
		return c.op(Extend, int32(t.Bits()), r, 0)
	}
	return c.op(Cut, int32(t.Bits()), r, 0)
}

func (c *compiler) not(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	if in.Shape.Type == shape.Pred {
		return c.op(Xor, 0, x[0], c.constant(1)), true
	}
	return plain(c, in, x)
}

func (c *compiler) abs(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	switch t := in.Operands[0].Shape.Type; {
	case t.IsComplex():
		p := t.Component()
		f := c.op(Call, callOf(hlo.Abs), c.double(x[0], p), c.double(x[0]+1, p))
		return c.fromDouble(f, p), true
	case t.IsUnsigned() || t == shape.Pred:
		return x[0], true
	}
	return plain(c, in, x)
}

func (c *compiler) isFinite(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	if in.Operands[0].Shape.Type == shape.F32 {
		return c.op(FiniteF, 0, x[0], 0), true
	}
	return c.op(FiniteD, 0, x[0], 0), true
}

func (c *compiler) imag(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	if in.Operands[0].Shape.Type.IsComplex() {
		return x[0] + 1, true
	}
	return c.constant(0), true
}

func (c *compiler) complex(_ *hlo.Instruction, x [3]uint16) (uint16, bool) {
	return c.pair(x[0], x[1]), true
}

// pair returns two registers with the contents of re and im.
func (c *compiler) pair(re, im uint16) uint16 {
	d := c.reserve(2)
	c.emit(Instr{Op: Move, D: d, A: re})
	c.emit(Instr{Op: Move, D: d + 1, A: im})
	return d
}

// choose is select.
func (c *compiler) choose(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	if width(in.Shape.Type) == 1 {
		return c.chosen(x[0], x[1], x[2]), true
	}
	d := c.reserve(2)
	for k := range uint16(2) {
		c.emit(Instr{Op: Select, D: d + k, A: x[0], B: x[1] + k, C: x[2] + k})
	}
	return d, true
}

func (c *compiler) clamp(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	t := in.Shape.Type
	lo, hi := rules[hlo.Maximum].of(t), rules[hlo.Minimum].of(t)
	if lo == 0 || hi == 0 {
		return 0, false
	}
	return c.rounded(c.op(hi, 0, c.op(lo, 0, x[1], x[0]), x[2]), t), true
}

func (c *compiler) reducePrecision(in *hlo.Instruction, x [3]uint16) (uint16, bool) {
	t, a := in.Shape.Type, in.Attrs.(*hlo.ReducePrecisionAttrs)
	imm := int32(min(a.ExponentBits, 64)<<8 | min(a.MantissaBits, 64))
	return c.fromDouble(c.op(ReducePrecision, imm, c.double(x[0], t), uint16(t)), t), true
}
