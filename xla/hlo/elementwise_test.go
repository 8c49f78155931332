package hlo

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// evalOp evaluates one instruction on constants. told is the result shape of ops that are told theirs.
func evalOp(t *testing.T, op Opcode, a Attrs, told shape.Shape, args ...*literal.Literal) *literal.Literal {
	t.Helper()
	b := NewBuilder("test")
	operands := make([]*Instruction, len(args))
	for i, l := range args {
		operands[i] = b.ConstantLiteral(l)
	}
	c, err := b.Build(b.add(op, a, told, operands...))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Evaluate(context.Background(), NewModule("m", c), nil, EvalOptions{})
	if err != nil {
		t.Fatalf("%v: %v", op, err)
	}
	if !out.Shape().Compatible(c.Root.Shape) {
		t.Fatalf("%v: result of shape %v, inferred %v", op, out.Shape(), c.Root.Shape)
	}
	return out
}

// floatsOf makes a vector of type t of values rounded to it.
func floatsOf(t shape.ElementType, v ...float64) *literal.Literal {
	return literal.FromWide(shape.Array(t, int64(len(v))), literal.Wide{Class: shape.FloatClass, F: v})
}

func intsOf(t shape.ElementType, v ...int64) *literal.Literal {
	w := literal.MakeWide(t.Class(), len(v))
	for i, n := range v {
		setCell(w, i, Cell{I: n})
	}
	return literal.FromWide(shape.Array(t, int64(len(v))), w)
}

func complexOf(t shape.ElementType, v ...complex128) *literal.Literal {
	return literal.FromWide(shape.Array(t, int64(len(v))), literal.Wide{Class: shape.ComplexClass, C: v})
}

var inf, nan, negZero = math.Inf(1), math.NaN(), math.Copysign(0, -1)

func sameFloat(a, b float64) bool {
	return a != a && b != b || math.Float64bits(a) == math.Float64bits(b)
}

// The integer rules of rows 1 to 40: wrapping, division by zero, shifts past the width, counts over the width.
func TestIntegerOps(t *testing.T) {
	const min32, min64 = math.MinInt32, math.MinInt64
	for _, c := range []struct {
		op         Opcode
		t          shape.ElementType
		x, y, want []int64
	}{
		{Add, shape.S8, []int64{127, -128}, []int64{1, -1}, []int64{-128, 127}},
		{Add, shape.Pred, []int64{0, 0, 1, 1}, []int64{0, 1, 0, 1}, []int64{0, 1, 1, 1}},
		{Add, shape.S4, []int64{7}, []int64{1}, []int64{-8}},
		{Subtract, shape.U16, []int64{0}, []int64{1}, []int64{65535}},
		{Multiply, shape.U16, []int64{65535}, []int64{65535}, []int64{1}},
		{Multiply, shape.S64, []int64{min64}, []int64{-1}, []int64{min64}},
		{Multiply, shape.Pred, []int64{0, 0, 1, 1}, []int64{0, 1, 0, 1}, []int64{0, 0, 0, 1}},
		{Mulhi, shape.S32, []int64{min32, -1, 1 << 30}, []int64{min32, 1, 8}, []int64{1 << 30, -1, 2}},
		{Mulhi, shape.S64, []int64{min64, -1, -1}, []int64{min64, 1, -1}, []int64{1 << 62, -1, 0}},
		{Mulhi, shape.U64, []int64{-1}, []int64{-1}, []int64{-2}},
		{Mulhi, shape.U8, []int64{255}, []int64{255}, []int64{254}},
		{Divide, shape.S32, []int64{7, -7, 5, 0, min32}, []int64{2, 2, 0, 0, -1}, []int64{3, -3, -1, -1, min32}},
		{Divide, shape.S64, []int64{min64, 9}, []int64{-1, 0}, []int64{min64, -1}},
		{Divide, shape.U8, []int64{7, 200}, []int64{0, 3}, []int64{255, 66}},
		{Remainder, shape.S32, []int64{7, -7, 5, min32}, []int64{-3, 3, 0, -1}, []int64{1, -1, 5, 0}},
		{Remainder, shape.U32, []int64{7, 7}, []int64{0, 4}, []int64{7, 3}},
		{Power, shape.S32, []int64{0, 3, 2, 1, -1, -2}, []int64{0, 4, 33, -5, -1, 3}, []int64{1, 81, 0, 1, 0, -8}},
		{Power, shape.U8, []int64{1, 3, 2}, []int64{200, 5, 255}, []int64{1, 243, 0}},
		{Maximum, shape.U64, []int64{-1, 3}, []int64{1, 2}, []int64{-1, 3}},
		{Maximum, shape.Pred, []int64{0, 0, 1}, []int64{0, 1, 0}, []int64{0, 1, 1}},
		{Minimum, shape.S64, []int64{-1, 3}, []int64{1, 2}, []int64{-1, 2}},
		{Minimum, shape.Pred, []int64{1, 1, 0}, []int64{0, 1, 1}, []int64{0, 1, 0}},
		{And, shape.S8, []int64{-1, 12}, []int64{5, 10}, []int64{5, 8}},
		{Or, shape.U8, []int64{12}, []int64{10}, []int64{14}},
		{Xor, shape.Pred, []int64{0, 0, 1, 1}, []int64{0, 1, 0, 1}, []int64{0, 1, 1, 0}},
		{Xor, shape.S16, []int64{-1}, []int64{10}, []int64{-11}},
		{ShiftLeft, shape.S8, []int64{1, 1, 1, -1}, []int64{7, 8, -1, 4}, []int64{-128, 0, 0, -16}},
		{ShiftLeft, shape.U64, []int64{3, 3}, []int64{63, 64}, []int64{min64, 0}},
		{ShiftRightArithmetic, shape.S8, []int64{-128, -128, 64, 64}, []int64{1, 8, 8, -1}, []int64{-64, -1, 0, 0}},
		{ShiftRightArithmetic, shape.U8, []int64{0x80, 0x80, 0x40}, []int64{1, 9, 1}, []int64{0xC0, 0xFF, 0x20}},
		{ShiftRightLogical, shape.S8, []int64{-128, -1, -1}, []int64{1, 8, -1}, []int64{64, 0, 0}},
		{ShiftRightLogical, shape.S64, []int64{-1, -1}, []int64{63, 64}, []int64{1, 0}},
		{Not, shape.U8, []int64{0, 255}, nil, []int64{255, 0}},
		{Not, shape.S8, []int64{0, 5}, nil, []int64{-1, -6}},
		{Not, shape.Pred, []int64{0, 1}, nil, []int64{1, 0}},
		{Negate, shape.S8, []int64{-128, 3}, nil, []int64{-128, -3}},
		{Negate, shape.U8, []int64{1, 0}, nil, []int64{255, 0}},
		{Abs, shape.S8, []int64{-128, -3, 3}, nil, []int64{-128, 3, 3}},
		{Sign, shape.S64, []int64{min64, -3, 0, 5}, nil, []int64{-1, -1, 0, 1}},
		{PopulationCount, shape.S8, []int64{-1, 3, 0}, nil, []int64{8, 2, 0}},
		{PopulationCount, shape.U64, []int64{-1}, nil, []int64{64}},
		{Clz, shape.S8, []int64{-1, 0, 1, 64}, nil, []int64{0, 8, 7, 1}},
		{Clz, shape.U32, []int64{0, 1 << 31, 255}, nil, []int64{32, 0, 24}},
	} {
		args := []*literal.Literal{intsOf(c.t, c.x...)}
		if c.y != nil {
			args = append(args, intsOf(c.t, c.y...))
		}
		got, want := evalOp(t, c.op, nil, shape.Shape{}, args...).Wide(), intsOf(c.t, c.want...).Wide()
		for i := range c.want {
			if g, w := cellAt(got, i), cellAt(want, i); g != w {
				t.Errorf("%v %v of %v, %v: element %d is %d, want %d", c.t, c.op, c.x, c.y, i, g.I, w.I)
			}
		}
	}
}

// The float rules of rows 1 to 41 that are exact: special values, signed zeros, ties.
func TestFloatOps(t *testing.T) {
	for _, c := range []struct {
		op         Opcode
		t          shape.ElementType
		x, y, want []float64
	}{
		{Add, shape.F32, []float64{1, inf}, []float64{0x1p-24, -inf}, []float64{1, nan}},
		{Divide, shape.F32, []float64{1, -1, 0, 1}, []float64{0, 0, 0, 3},
			[]float64{inf, -inf, nan, float64(float32(1) / 3)}},
		{Remainder, shape.F64, []float64{5.5, -4, 1, inf, 1}, []float64{2, 2, 0, 2, inf},
			[]float64{1.5, negZero, nan, nan, 1}},
		{Power, shape.F64, []float64{nan, 1, -1, -8, 2, -2}, []float64{0, nan, inf, 1. / 3, 10, 3},
			[]float64{1, 1, 1, nan, 1024, -8}},
		{Maximum, shape.F32, []float64{1, nan, negZero, 0}, []float64{nan, 1, 0, negZero}, []float64{nan, nan, 0, 0}},
		{Minimum, shape.F32, []float64{1, nan, negZero, 0}, []float64{nan, 1, 0, negZero},
			[]float64{nan, nan, negZero, negZero}},
		{Atan2, shape.F64, []float64{negZero, 0, 1}, []float64{-1, -1, 0}, []float64{-math.Pi, math.Pi, math.Pi / 2}},
		{Atan2, shape.F64, []float64{-5e-324, 5e-324, -1e-300}, []float64{-3, -3, -1e300},
			[]float64{-math.Pi, math.Pi, -math.Pi}},
		{Abs, shape.F32, []float64{negZero, -inf, -2}, nil, []float64{0, inf, 2}},
		{Negate, shape.F32, []float64{0, negZero, inf}, nil, []float64{negZero, 0, -inf}},
		{Sign, shape.F32, []float64{negZero, 0, nan, -7, inf}, nil, []float64{negZero, 0, nan, -1, 1}},
		{Ceil, shape.F32, []float64{-0.5, 0.5, inf, nan}, nil, []float64{negZero, 1, inf, nan}},
		{Floor, shape.F32, []float64{negZero, -0.5, 1.5}, nil, []float64{negZero, -1, 1}},
		{RoundNearestAfz, shape.F32, []float64{0.5, -0.5, 2.5, float64(math.Nextafter32(0.5, 0)), -0.2}, nil,
			[]float64{1, -1, 3, 0, negZero}},
		{RoundNearestEven, shape.F32, []float64{0.5, 1.5, 2.5, -0.5}, nil, []float64{0, 2, 2, negZero}},
		{Sqrt, shape.F64, []float64{negZero, -1, 2, inf}, nil, []float64{negZero, nan, math.Sqrt2, inf}},
		{Rsqrt, shape.F32, []float64{0, negZero, inf, -1, 4}, nil, []float64{inf, -inf, 0, nan, 0.5}},
		{Cbrt, shape.F32, []float64{-8, negZero, 27}, nil, []float64{-2, negZero, 3}},
		{Exp, shape.F32, []float64{-inf, inf, 0, 1000, nan}, nil, []float64{0, inf, 1, inf, nan}},
		{Expm1, shape.F64, []float64{1e-18, negZero, -inf}, nil, []float64{1e-18, negZero, -1}},
		{Log, shape.F32, []float64{0, negZero, -1, inf, 1}, nil, []float64{-inf, -inf, nan, inf, 0}},
		{Log, shape.F64, []float64{5e-324}, nil, []float64{-744.4400719213812}},
		{Log1p, shape.F64, []float64{-1, -2, negZero, 1e-18}, nil, []float64{-inf, nan, negZero, 1e-18}},
		{Logistic, shape.F32, []float64{-inf, inf, 0, nan}, nil, []float64{0, 1, 0.5, nan}},
		{Tanh, shape.F32, []float64{-inf, inf, negZero}, nil, []float64{-1, 1, negZero}},
		{Erf, shape.F32, []float64{-inf, inf, negZero}, nil, []float64{-1, 1, negZero}},
		{Sin, shape.F32, []float64{negZero, inf}, nil, []float64{negZero, nan}},
		{Cos, shape.F32, []float64{0, -inf}, nil, []float64{1, nan}},
		{Tan, shape.F64, []float64{negZero, inf}, nil, []float64{negZero, nan}},
		{Multiply, shape.BF16, []float64{1.0078125}, []float64{1.0078125}, []float64{1.015625}},
	} {
		args := []*literal.Literal{floatsOf(c.t, c.x...)}
		if c.y != nil {
			args = append(args, floatsOf(c.t, c.y...))
		}
		got, want := evalOp(t, c.op, nil, shape.Shape{}, args...).Wide().F, floatsOf(c.t, c.want...).Wide().F
		for i := range want {
			if !sameFloat(got[i], want[i]) {
				t.Errorf("%v %v of %v, %v: element %d is %v, want %v", c.t, c.op, c.x, c.y, i, got[i], want[i])
			}
		}
	}
}

func ulps(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a-b) / (math.Nextafter(math.Abs(b), inf) - math.Abs(b))
}

// checkULPs fails if got is further than 2 ULPs from want.
func checkULPs(t *testing.T, what string, got, want float64) {
	t.Helper()
	if d := ulps(got, want); !(d <= 2) {
		t.Errorf("%s: got %v, want %v: %v ULPs", what, got, want, d)
	}
}

func TestFloatAccuracy(t *testing.T) {
	for _, c := range realValues {
		got := evalOp(t, c.op, nil, shape.Shape{}, literal.Scalar(c.x)).Wide().F[0]
		checkULPs(t, fmt.Sprintf("%v(%v)", c.op, c.x), got, c.want)
	}
	for _, c := range powerValues {
		got := evalOp(t, Power, nil, shape.Shape{}, literal.Scalar(c.x), literal.Scalar(c.y)).Wide().F[0]
		checkULPs(t, fmt.Sprintf("power(%v, %v)", c.x, c.y), got, c.want)
	}
	for _, c := range complexValues {
		got := evalOp(t, c.op, nil, shape.Shape{}, literal.Scalar(c.z)).Wide().C[0]
		checkULPs(t, fmt.Sprintf("real part of %v(%v)", c.op, c.z), real(got), real(c.want))
		checkULPs(t, fmt.Sprintf("imaginary part of %v(%v)", c.op, c.z), imag(got), imag(c.want))
	}
}

func sameComplex(a, b complex128) bool {
	return sameFloat(real(a), real(b)) && sameFloat(imag(a), imag(b))
}

// Complex ops at zeros, infinities, NaN and on both sides of branch cuts: C99 Annex G and rows 10, 30, 32.
func TestComplexOps(t *testing.T) {
	c := func(re, im float64) complex128 { return complex(re, im) }
	for _, k := range []struct {
		op      Opcode
		x, want complex128
	}{
		{Sqrt, c(-4, 0), c(0, 2)},
		{Sqrt, c(-4, negZero), c(0, -2)},
		{Sqrt, c(negZero, 0), c(0, 0)},
		{Sqrt, c(-inf, 1), c(0, inf)},
		{Sqrt, c(1, inf), c(inf, inf)},
		{Log, c(-1, 0), c(0, math.Pi)},
		{Log, c(-1, negZero), c(0, -math.Pi)},
		{Log, c(0, 0), c(-inf, 0)},
		{Log, c(negZero, negZero), c(-inf, -math.Pi)},
		{Log, c(nan, inf), c(inf, nan)},
		{Log1p, c(-1, 0), c(-inf, 0)},
		{Log1p, c(-inf, 1), c(inf, math.Pi)},
		{Exp, c(-inf, 2), c(negZero, 0)},
		{Exp, c(-inf, inf), c(nan, nan)},
		{Exp, c(inf, 0), c(inf, 0)},
		{Exp, c(0, negZero), c(1, negZero)},
		{Sin, c(0, negZero), c(0, negZero)},
		{Tan, c(negZero, 0), c(negZero, 0)},
		{Tanh, c(1000, 0.5), c(1, 0)},
		{Asin, c(2, 0), c(math.Pi/2, 1.3169578969248167086)},
		{Asin, c(-2, negZero), c(-math.Pi/2, -1.3169578969248167086)},
		{Acos, c(1, 0), c(0, negZero)},
		{Atanh, c(1, 0), c(inf, 0)},
		{Atanh, c(-1, negZero), c(-inf, negZero)},
		{Sign, c(0, 0), 0},
		{Sign, c(3e300, 4e300), c(0.6, 0.8)},
		{Sign, c(nan, 1), c(nan, nan)},
		{Negate, c(0, 1), c(negZero, -1)},
	} {
		if got := evalOp(t, k.op, nil, shape.Shape{}, literal.Scalar(k.x)).Wide().C[0]; !sameComplex(got, k.want) {
			t.Errorf("%v(%v): got %v, want %v", k.op, k.x, got, k.want)
		}
	}
	for _, k := range []struct {
		op         Opcode
		x, y, want complex128
	}{
		{Divide, c(1e300, 1e300), c(1e300, 1e300), 1},
		{Divide, c(1, 1), 0, c(inf, inf)},
		{Divide, c(1, 2), c(inf, 0), c(0, 0)},
		{Divide, c(inf, inf), c(1, 1), c(inf, nan)},
		{Power, c(nan, 1), 0, 1},
		{Power, 1, c(nan, nan), 1},
		{Power, c(inf, 0), 2, c(inf, 0)},
		{Power, c(inf, 0), -2, 0},
		{Power, 0, 2, 0},
		{Maximum, c(1, 2), c(1, 3), c(1, 3)},
		{Minimum, c(1, 2), c(0, 3), c(0, 3)},
	} {
		got := evalOp(t, k.op, nil, shape.Shape{}, literal.Scalar(k.x), literal.Scalar(k.y)).Wide().C[0]
		if !sameComplex(got, k.want) {
			t.Errorf("%v(%v, %v): got %v, want %v", k.op, k.x, k.y, got, k.want)
		}
	}
}
