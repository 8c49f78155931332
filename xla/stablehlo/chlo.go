package stablehlo

import (
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// chloImports are the ops of CHLO that are no row of HLO's op table, or whose meaning there is another formula's.
var chloImports = merge(map[string]importFunc{
	"chlo._asin_acos_kernel": importAsinAcosKernel,
	"chlo.asin_acos_kernel":  importAsinAcosKernel,
	"chlo.bessel_i1e":        chloFloats(besselI1e),
	"chlo.conj":              importConj,
	"chlo.constant_like":     importConstantLike,
	"chlo.cosh":              chloFormula(cosh),
	"chlo.digamma":           chloFloats(digamma),
	"chlo.erf_inv":           chloFloats(erfInv),
	"chlo.erfc":              chloFloats(erfc),
	"chlo.is_inf":            importIsInf(0),
	"chlo.is_neg_inf":        importIsInf(-1),
	"chlo.is_pos_inf":        importIsInf(1),
	"chlo.lgamma":            chloFloats(lgamma),
	"chlo.next_after":        importNextAfter,
	"chlo.polygamma":         chloFloats(polygamma),
	"chlo.sinh":              chloFormula(sinh),
	"chlo.square":            chloFormula(square),
	"chlo.tan":               importTan,
	"chlo.zeta":              chloFloats(zeta),
}, broadcastImports())

// chloFloats is chloFormula for functions of real floats.
func chloFloats(f func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction) importFunc {
	formula := chloFormula(f)
	return func(c *ctx, op *Op) error {
		for _, v := range op.Operands {
			if s, err := shapeOf(v.Type); err != nil || !s.Type.IsFloat() {
				return op.Errorf("operand is %s, want floating point", v.Type)
			}
		}
		return formula(c, op)
	}
}

// cosh is exp(x+log(1/2)) + exp(log(1/2)-x), which overflows no sooner than cosh. Like sinh it is what XLA's front
// ends made of the op for years: its rounding shows in f32.
func cosh(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	return m.add(m.halfExps(args[0]))
}

// halfExps returns exp(x)/2 and exp(-x)/2.
func (m *mathOps) halfExps(x *hlo.Instruction) (up, down *hlo.Instruction) {
	logHalf := m.log(m.num(0.5, x))
	return m.exp(m.add(x, logHalf)), m.exp(m.sub(logHalf, x))
}

// sinh is the difference of the same, but below 1, where it would cancel, (e + e/(e+1))/2 for e = exp(x)-1.
func sinh(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	x := args[0]
	large := m.sub(m.halfExps(x))
	e, one := m.do(hlo.Expm1, nil, x), m.num(1, x)
	small := m.mul(m.num(0.5, x), m.add(e, m.div(e, m.add(e, one))))
	abs := m.abs(x)
	return m.choose(m.compare(abs, hlo.Lt, m.num(1, abs)), small, large)
}

// square is x*x; of complex numbers (x-y)(x+y) and 2xy, which does not overflow when the parts are nearly equal.
func square(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	z := args[0]
	if !z.Shape.Type.IsComplex() {
		return m.mul(z, z)
	}
	x, y := m.realPart(z), m.imagPart(z)
	re := m.mul(m.sub(x, y), m.add(x, y))
	same := m.and(m.compare(m.abs(x), hlo.Eq, m.abs(y)), m.do(hlo.IsFinite, nil, x))
	re = m.choose(same, m.num(0, x), re) // not 0 times an infinite sum
	xy := m.mul(x, y)
	return m.do(hlo.Complex, nil, re, m.add(xy, xy))
}

// importTan gives old producers' tan its row.
func importTan(c *ctx, op *Op) error { return c.simple(op, hlo.Tan, nil) }

// importConj is the complex conjugate, of floats themselves.
func importConj(c *ctx, op *Op) error {
	return chloFormula(func(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
		z := args[0]
		if !z.Shape.Type.IsComplex() {
			return z
		}
		return m.do(hlo.Complex, nil, m.realPart(z), m.neg(m.imagPart(z)))
	})(c, op)
}

// importAsinAcosKernel makes w from which the inverse functions follow: asin(z) is atan2(re z, re w) and im w with the
// sign of im z.
func importAsinAcosKernel(c *ctx, op *Op) error {
	return chloFormula(func(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
		z := args[0]
		one := m.num(1, z)
		roots := m.mul(m.sqrt(m.sub(one, z)), m.sqrt(m.add(one, z)))
		im := m.abs(m.imagPart(m.do(hlo.Asin, nil, z)))
		return m.do(hlo.Complex, nil, m.realPart(roots), im)
	})(c, op)
}

// operand1 returns the only operand of an op and a maker of instructions like it.
func operand1(c *ctx, op *Op) (*hlo.Instruction, *mathOps, error) {
	x, err := c.operands(op)
	if err != nil {
		return nil, nil, err
	}
	if len(x) != 1 {
		return nil, nil, op.Errorf("has %d operands, want one", len(x))
	}
	return x[0], &mathOps{c: c, op: op, like: x[0], consts: map[constKey]*hlo.Instruction{}}, nil
}

// importIsInf tells infinities of one sign, or of both for 0, from all else.
func importIsInf(sign int) importFunc {
	return func(c *ctx, op *Op) error {
		x, m, err := operand1(c, op)
		if err != nil {
			return err
		}
		if !x.Shape.Type.IsFloat() {
			return op.Errorf("operand is %v, want floating point", x.Shape)
		}
		if sign == 0 {
			x = m.abs(x)
		}
		t := x.Shape.Type
		inf := math.Copysign(math.Inf(1), float64(sign))
		result := m.compare(x, hlo.Eq, m.num(inf, x))
		if !math.IsInf(t.MaxFloat64(), 1) { // a type without infinities
			result = m.compare(x, hlo.Ne, x)
			result = m.and(result, m.do(hlo.Not, nil, result))
		}
		if m.err != nil {
			return m.err
		}
		return c.declare(op, result)
	}
}

// importConstantLike spreads a number over the dimensions of the operand.
func importConstantLike(c *ctx, op *Op) error {
	x, m, err := operand1(c, op)
	if err != nil {
		return err
	}
	told, err := declared(op)
	if err != nil {
		return err
	}
	l, err := scalarAttr(op, "value", told.Type)
	if err != nil {
		return err
	}
	if !refines(x.Shape.WithType(told.Type), told) {
		return op.Errorf("operand is %v, the result %v, want the same sizes", x.Shape, told)
	}
	out := m.fill(l, constKey{t: told.Type})
	if m.err != nil {
		return m.err
	}
	return c.declare(op, out)
}

// importNextAfter is the next value after the first operand towards the second, found by counting in the bits.
func importNextAfter(c *ctx, op *Op) error {
	x, told, err := c.sameOperands(op)
	if err != nil {
		return err
	}
	unsigned, ok := bitsTypeOf(told.Type)
	if !ok || len(x) != 2 {
		return op.Errorf("has %d operands of %v, want two of f64, f32, f16 or bf16", len(x), told.Type)
	}
	m := &mathOps{c: c, op: op, like: x[0], consts: map[constKey]*hlo.Instruction{}}
	out := m.nextAfter(x[0], x[1], unsigned)
	if m.err != nil {
		return m.err
	}
	return c.declare(op, out)
}

func bitsTypeOf(t shape.ElementType) (shape.ElementType, bool) {
	switch t {
	case shape.F64:
		return shape.U64, true
	case shape.F32:
		return shape.U32, true
	case shape.F16, shape.BF16:
		return shape.U16, true
	}
	return 0, false
}

func (m *mathOps) nextAfter(x, y *hlo.Instruction, unsigned shape.ElementType) *hlo.Instruction {
	bitsOf := func(v *hlo.Instruction) *hlo.Instruction {
		return m.told(hlo.BitcastConvert, nil, v.Shape.WithType(unsigned), v)
	}
	xb, yb := bitsOf(x), bitsOf(y)
	one, zero := m.bits(1, xb), m.bits(0, xb)
	signBit := m.bits(math.MinInt64>>(64-unsigned.Bits()), xb)
	sign := func(v *hlo.Instruction) *hlo.Instruction { return m.and(v, signBit) }
	size := func(v *hlo.Instruction) *hlo.Instruction { return m.do(hlo.Xor, nil, v, sign(v)) }
	inward := m.or(m.compare(size(xb), hlo.Gt, size(yb)), m.compare(sign(xb), hlo.Ne, sign(yb)))
	next := m.choose(inward, m.sub(xb, one), m.add(xb, one))
	fromZero := m.or(sign(yb), one) // the smallest number on y's side
	next = m.choose(m.compare(size(xb), hlo.Eq, zero), fromZero, next)
	next = m.choose(m.compare(x, hlo.Eq, y), yb, next)
	out := m.told(hlo.BitcastConvert, nil, x.Shape, next)
	unordered := m.or(m.compare(x, hlo.Ne, x), m.compare(y, hlo.Ne, y))
	return m.choose(unordered, m.num(math.NaN(), x), out)
}

// scalarAttr reads an attribute that is one number of type t.
func scalarAttr(op *Op, name string, t shape.ElementType) (*literal.Literal, error) {
	var text string
	var written Type
	switch v := op.Attr(name).(type) {
	case FloatAttr:
		text, written = v.Text, v.Type
	case IntAttr:
		text, written = v.Text, v.Type
	case BoolAttr:
		text, written = AttrString(v), IntType{Width: 1}
	default:
		return nil, op.wrong(name, "a number of "+t.MLIR())
	}
	if e, ok := elementType(written); !ok || e != t {
		return nil, op.wrong(name, "a number of "+t.MLIR())
	}
	data, wrong := appendElement(nil, t, text)
	if wrong != "" {
		return nil, op.Errorf("attribute %s: %s", name, wrong)
	}
	return literal.FromBytes(shape.Array(t), data)
}
