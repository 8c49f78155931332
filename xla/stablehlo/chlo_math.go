package stablehlo

import (
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// mathOps makes the instructions of a formula. It keeps the first error, after which calls are harmless; all arrays
// have the same dimensions.
type mathOps struct {
	c      *ctx
	op     *Op
	err    error
	like   *hlo.Instruction // has those dimensions
	sizes  *hlo.Instruction // the sizes of a dynamic like, as a vector
	consts map[constKey]*hlo.Instruction
}

type constKey struct {
	t    shape.ElementType
	bits uint64
}

// chloFormula imports an op of floats by a formula on its operands. Types narrower than f32 are computed in f32.
func chloFormula(f func(m *mathOps, x []*hlo.Instruction) *hlo.Instruction) importFunc {
	return func(c *ctx, op *Op) error {
		x, told, err := c.sameOperands(op)
		if err != nil {
			return err
		}
		m := &mathOps{c: c, op: op, like: x[0], consts: map[constKey]*hlo.Instruction{}}
		narrow := told.Type.IsFloat() && told.Type.Bits() < 32
		if narrow {
			for i := range x {
				x[i] = m.convert(x[i], shape.F32)
			}
		}
		out := f(m, x)
		if narrow {
			out = m.convert(out, told.Type)
		}
		if m.err != nil {
			return m.err
		}
		return c.declare(op, out)
	}
}

// sameOperands returns op's operands and declared result, which must have one type and compatible dimensions.
func (c *ctx) sameOperands(op *Op) (x []*hlo.Instruction, told shape.Shape, err error) {
	if x, err = c.operands(op); err != nil {
		return nil, told, err
	}
	if told, err = declared(op); err != nil {
		return nil, told, err
	}
	return x, told, checkSame(op, x, told)
}

func checkSame(op *Op, x []*hlo.Instruction, told shape.Shape) error {
	if len(x) == 0 || !told.IsArray() {
		return op.Errorf("has %d operands and the result %v, want arrays", len(x), told)
	}
	for i, o := range x {
		if o.Shape.Type != told.Type || !refines(o.Shape, told) {
			return op.Errorf("operand %d is %v, the result %v, want the same", i, o.Shape, told)
		}
	}
	return nil
}

// do makes an instruction whose shape follows from its operands.
func (m *mathOps) do(code hlo.Opcode, a hlo.Attrs, operands ...*hlo.Instruction) *hlo.Instruction {
	return m.told(code, a, shape.Shape{}, operands...)
}

func (m *mathOps) told(code hlo.Opcode, a hlo.Attrs, s shape.Shape, operands ...*hlo.Instruction) *hlo.Instruction {
	if m.err != nil {
		return m.like
	}
	in, err := m.c.add(m.op, code, a, s, operands...)
	if err != nil {
		m.err = err
		return m.like
	}
	return in
}

func (m *mathOps) convert(x *hlo.Instruction, t shape.ElementType) *hlo.Instruction {
	return m.told(hlo.Convert, nil, x.Shape.WithType(t), x)
}

func (m *mathOps) add(x, y *hlo.Instruction) *hlo.Instruction   { return m.do(hlo.Add, nil, x, y) }
func (m *mathOps) sub(x, y *hlo.Instruction) *hlo.Instruction   { return m.do(hlo.Subtract, nil, x, y) }
func (m *mathOps) mul(x, y *hlo.Instruction) *hlo.Instruction   { return m.do(hlo.Multiply, nil, x, y) }
func (m *mathOps) div(x, y *hlo.Instruction) *hlo.Instruction   { return m.do(hlo.Divide, nil, x, y) }
func (m *mathOps) and(x, y *hlo.Instruction) *hlo.Instruction   { return m.do(hlo.And, nil, x, y) }
func (m *mathOps) or(x, y *hlo.Instruction) *hlo.Instruction    { return m.do(hlo.Or, nil, x, y) }
func (m *mathOps) neg(x *hlo.Instruction) *hlo.Instruction      { return m.do(hlo.Negate, nil, x) }
func (m *mathOps) abs(x *hlo.Instruction) *hlo.Instruction      { return m.do(hlo.Abs, nil, x) }
func (m *mathOps) floor(x *hlo.Instruction) *hlo.Instruction    { return m.do(hlo.Floor, nil, x) }
func (m *mathOps) exp(x *hlo.Instruction) *hlo.Instruction      { return m.do(hlo.Exp, nil, x) }
func (m *mathOps) log(x *hlo.Instruction) *hlo.Instruction      { return m.do(hlo.Log, nil, x) }
func (m *mathOps) log1p(x *hlo.Instruction) *hlo.Instruction    { return m.do(hlo.Log1p, nil, x) }
func (m *mathOps) sqrt(x *hlo.Instruction) *hlo.Instruction     { return m.do(hlo.Sqrt, nil, x) }
func (m *mathOps) realPart(x *hlo.Instruction) *hlo.Instruction { return m.do(hlo.Real, nil, x) }
func (m *mathOps) imagPart(x *hlo.Instruction) *hlo.Instruction { return m.do(hlo.Imag, nil, x) }

func (m *mathOps) compare(x *hlo.Instruction, d hlo.Direction, y *hlo.Instruction) *hlo.Instruction {
	return m.do(hlo.Compare, &hlo.CompareAttrs{Direction: d}, x, y)
}

// choose is x where p is true, else y.
func (m *mathOps) choose(p, x, y *hlo.Instruction) *hlo.Instruction {
	return m.do(hlo.Select, nil, p, x, y)
}

// isWhole says which elements have no fraction.
func (m *mathOps) isWhole(x *hlo.Instruction) *hlo.Instruction {
	return m.compare(x, hlo.Eq, m.floor(x))
}

// num is the number v everywhere, of x's element type.
func (m *mathOps) num(v float64, x *hlo.Instruction) *hlo.Instruction {
	t := x.Shape.Type
	return m.fill(literal.ScalarOf(t, v), constKey{t, math.Float64bits(v)})
}

// bits is the integer v everywhere, of x's element type.
func (m *mathOps) bits(v int64, x *hlo.Instruction) *hlo.Instruction {
	t := x.Shape.Type
	return m.fill(literal.ScalarOfInt(t, v), constKey{t, uint64(v)})
}

// fill spreads a scalar over the dimensions.
func (m *mathOps) fill(l *literal.Literal, key constKey) *hlo.Instruction {
	if in := m.consts[key]; in != nil {
		return in
	}
	if m.err != nil {
		return m.like
	}
	in, err := m.c.constant(m.op, l)
	if err != nil {
		m.err = err
		return m.like
	}
	s := m.like.Shape.WithType(key.t)
	switch {
	case s.Rank() == 0:
	case s.IsDynamic():
		in = m.told(hlo.DynamicBroadcastInDim, &hlo.DynamicBroadcastAttrs{}, s, in, m.dynamicSizes())
	default:
		in = m.told(hlo.Broadcast, &hlo.BroadcastAttrs{}, s, in)
	}
	m.consts[key] = in
	return in
}

// dynamicSizes is the vector of like's sizes.
func (m *mathOps) dynamicSizes() *hlo.Instruction {
	if m.sizes == nil {
		m.sizes = m.vector(m.sizesOf(m.like))
	}
	return m.sizes
}

// sizesOf returns the sizes of x as s32 scalars.
func (m *mathOps) sizesOf(x *hlo.Instruction) []*hlo.Instruction {
	sizes := make([]*hlo.Instruction, x.Shape.Rank())
	for d := range sizes {
		sizes[d] = m.do(hlo.GetDimensionSize, &hlo.DimensionAttrs{Dimension: hlo.OneDim(d)}, x)
	}
	return sizes
}

// vector joins scalars.
func (m *mathOps) vector(scalars []*hlo.Instruction) *hlo.Instruction {
	one := make([]*hlo.Instruction, len(scalars))
	for i, s := range scalars {
		one[i] = m.told(hlo.Reshape, &hlo.ReshapeAttrs{}, shape.Array(s.Shape.Type, 1), s)
	}
	return m.do(hlo.Concatenate, &hlo.ConcatenateAttrs{}, one...)
}

// horner evaluates the polynomial with the given coefficients, the highest power first.
func (m *mathOps) horner(x *hlo.Instruction, coefficients []float64) *hlo.Instruction {
	p := m.num(coefficients[0], x)
	for _, c := range coefficients[1:] {
		p = m.add(m.mul(p, x), m.num(c, x))
	}
	return p
}

// chebyshev sums a Chebyshev series by Clenshaw's rule, the highest term first, halved as Cephes has them.
func (m *mathOps) chebyshev(x *hlo.Instruction, coefficients []float64) *hlo.Instruction {
	zero := m.num(0, x)
	b0, b1, b2 := zero, zero, zero
	for _, c := range coefficients {
		b2, b1 = b1, b0
		b0 = m.add(m.sub(m.mul(x, b1), b2), m.num(c, x))
	}
	return m.mul(m.sub(b0, b2), m.num(0.5, x))
}
