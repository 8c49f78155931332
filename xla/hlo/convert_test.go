package hlo

import (
	"bytes"
	"math"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func bits32(v ...uint32) *literal.Literal {
	l, err := literal.FromSlice(v)
	if err != nil {
		panic(err)
	}
	return l
}

// typed reads the bytes of l as elements of type t and the given sizes.
func typed(t *testing.T, l *literal.Literal, e shape.ElementType, dims ...int64) *literal.Literal {
	t.Helper()
	out, err := l.WithShape(shape.Array(e, dims...))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		name string
		in   *literal.Literal
		to   shape.ElementType
		want *literal.Literal
	}{
		{"floats saturate and drop the fraction", floatsOf(shape.F32, 1.9, -1.9, 300, -inf, nan), shape.S8,
			intsOf(shape.S8, 1, -1, 127, -128, 0)},
		{"negative floats become 0 unsigned", floatsOf(shape.F32, -5, 3.7, inf), shape.U8, intsOf(shape.U8, 0, 3, 255)},
		{"past int64", floatsOf(shape.F64, 1e30, -1e30), shape.S64, intsOf(shape.S64, math.MaxInt64, math.MinInt64)},
		{"integers keep low bits", intsOf(shape.S32, 300, -1, -129), shape.S8, intsOf(shape.S8, 44, -1, 127)},
		{"the source's sign extends", intsOf(shape.S8, -1), shape.U32, intsOf(shape.U32, 1<<32-1)},
		{"no sign, no extension", intsOf(shape.U8, 255), shape.S32, intsOf(shape.S32, 255)},
		{"anything but 0 is true", floatsOf(shape.F32, 0.3, nan, 0, negZero), shape.Pred, intsOf(shape.Pred, 1, 1, 0, 0)},
		{"predicates are 0 and 1", intsOf(shape.Pred, 1, 0), shape.F32, floatsOf(shape.F32, 1, 0)},
		{"to nearest even", floatsOf(shape.F32, 1+0x1p-8, 1+3*0x1p-8), shape.BF16, floatsOf(shape.BF16, 1, 1+0x1p-6)},
		{"once from large integers", intsOf(shape.S64, 1<<62+1<<38+1), shape.F32, floatsOf(shape.F32, 0x1p62+0x1p39)},
		{"overflow to infinity", floatsOf(shape.F32, 70000), shape.F16, floatsOf(shape.F16, inf)},
		{"overflow to NaN without infinity", floatsOf(shape.F32, 500), shape.F8E4M3FN, floatsOf(shape.F8E4M3FN, nan)},
		{"imaginary part drops", complexOf(shape.C64, 1.5+2i), shape.F32, floatsOf(shape.F32, 1.5)},
		{"imaginary part does not count", complexOf(shape.C64, 2i, -1), shape.Pred, intsOf(shape.Pred, 0, 1)},
		{"imaginary part is 0", floatsOf(shape.F32, 2.5), shape.C64, complexOf(shape.C64, 2.5)},
	} {
		got := evalOp(t, Convert, nil, shape.Array(c.to), c.in)
		if !bytes.Equal(got.Bytes(), c.want.Bytes()) {
			t.Errorf("%s: got %v, want %v", c.name, got.Bytes(), c.want.Bytes())
		}
	}
}

func TestBitcastConvert(t *testing.T) {
	nibbles, _ := literal.FromBytes(shape.Array(shape.U4, 4), []byte{1, 2, 0xF, 8})
	signed, _ := literal.FromBytes(shape.Array(shape.S4, 2, 2), []byte{1, 2, 0xFF, 0xF8})
	for _, c := range []struct {
		name string
		in   *literal.Literal
		to   shape.ElementType
		want *literal.Literal
	}{
		{"same width", bits32(0x3F800000, 0x7FC00001), shape.F32, typed(t, bits32(0x3F800000, 0x7FC00001), shape.F32, 2)},
		{"narrower: a new last dimension, low part first", bits32(0x00020001, 0x00040003), shape.U16,
			typed(t, bits32(0x00020001, 0x00040003), shape.U16, 2, 2)},
		{"wider: the last dimension goes", typed(t, bits32(1, 2), shape.U32, 1, 2), shape.F64,
			typed(t, bits32(1, 2), shape.F64, 1)},
		{"into nibbles", intsOf(shape.U8, 0x21, 0x8F), shape.S4, signed},
		{"out of nibbles", typed(t, nibbles, shape.U4, 2, 2), shape.U8, intsOf(shape.U8, 0x21, 0x8F)},
		{"nibbles get signs", nibbles, shape.S4, typed(t, signed, shape.S4, 4)},
		{"bits of predicates", intsOf(shape.Pred, 1, 0, 1, 1, 0, 0, 0, 1), shape.U8,
			intsOf(shape.U8, 1, 0, 1, 1, 0, 0, 0, 1)},
		{"complex parts", complexOf(shape.C128, 0), shape.C64, typed(t, complexOf(shape.C64, 0, 0), shape.C64, 1, 2)},
		{"complex", complexOf(shape.C64, 1+2i), shape.C64, complexOf(shape.C64, 1+2i)},
	} {
		got := evalOp(t, BitcastConvert, nil, shape.Array(c.to, c.want.Shape().Dims...), c.in)
		if !got.Shape().Equal(c.want.Shape()) || !bytes.Equal(got.Bytes(), c.want.Bytes()) {
			t.Errorf("%s: got %v %x, want %v %x", c.name, got.Shape(), got.Bytes(), c.want.Shape(), c.want.Bytes())
		}
	}
}

func TestBitcast(t *testing.T) {
	x, _ := literal.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	columns := shape.Array(shape.S32, 3, 2).WithLayout(&shape.Layout{MinorToMajor: []int64{0, 1}})
	got := evalOp(t, Bitcast, nil, columns, x).Wide().I // the same bytes, column by column
	for i, want := range []int64{1, 4, 2, 5, 3, 6} {
		if got[i] != want {
			t.Fatalf("got %v, want the transpose", got)
		}
	}
}

// StableHLO's i1 has one bit, and is stored as a predicate.
func TestBitcastOneBit(t *testing.T) {
	bits := intsOf(shape.Pred, 1, 0, 1, 1, 0, 0, 0, 1)
	b := evalOp(t, BitcastConvert, nil, shape.Array(shape.U8), bits)
	if got := b.Bytes()[0]; got != 0x8D {
		t.Errorf("8 predicates are %#x, want 0x8d", got)
	}
	if got := evalOp(t, BitcastConvert, nil, shape.Array(shape.Pred, 8), b); !bytes.Equal(got.Bytes(), bits.Bytes()) {
		t.Errorf("0x8d is %v, want %v", got.Bytes(), bits.Bytes())
	}
}

// Row 103: ties to even, a carry into the exponent, overflow, flushed subnormals, NaN, and the no-op.
func TestReducePrecision(t *testing.T) {
	for _, c := range []struct {
		exponent, mantissa int64
		x, want            float64
	}{
		{8, 7, 1 + 0x1p-8, 1},
		{8, 7, 1 + 3*0x1p-8, 1 + 0x1p-6},
		{8, 7, 2 - 0x1p-9, 2},
		{5, 10, 65520, inf},
		{5, 10, -65504, -65504},
		{5, 10, 0x1p-15, 0},
		{5, 10, -0x1p-15, negZero},
		{5, 10, 0x1p-14, 0x1p-14},
		{8, 0, nan, nan},
		{8, 0, 1.5, 2},
		{5, 2, nan, nan},
		{5, 2, -inf, -inf},
		{8, 23, 0x1p-140, 0x1p-140},
		{20, 60, 1.1, float64(float32(1.1))},
	} {
		a := &ReducePrecisionAttrs{c.exponent, c.mantissa}
		if got := evalOp(t, ReducePrecision, a, shape.Shape{}, floatsOf(shape.F32, c.x)).Wide().F[0]; !sameFloat(got,
			c.want) {
			t.Errorf("reduce-precision of %v to e%dm%d: got %v, want %v", c.x, c.exponent, c.mantissa, got, c.want)
		}
	}
}

// The random bits, as a fraction, are compared with the fraction that is lost.
func TestStochasticConvert(t *testing.T) {
	const quarter = 1 << 30
	for _, c := range []struct {
		to     shape.ElementType
		x      float64
		random uint32
		want   float64
	}{
		{shape.S8, 2.25, quarter - 1, 3},
		{shape.S8, 2.25, quarter, 2},
		{shape.S8, -2.25, 0, -3},
		{shape.S8, 1000, 0, 127},
		{shape.S8, nan, 0, 0},
		{shape.BF16, 1 + 0x1p-9, quarter - 1, 1 + 0x1p-7},
		{shape.BF16, 1 + 0x1p-9, quarter, 1},
		{shape.BF16, -inf, 0, -inf},
	} {
		l := evalOp(t, StochasticConvert, nil, shape.Array(c.to), floatsOf(shape.F32, c.x), bits32(c.random))
		got := literal.ConvertWide(l.Wide(), c.to, shape.F64).F[0]
		if !sameFloat(got, c.want) {
			t.Errorf("%v to %v with %#x: got %v, want %v", c.x, c.to, c.random, got, c.want)
		}
	}
}

// An operand may be used again: nothing is written to it.
func TestOperandsStay(t *testing.T) {
	for _, op := range []Opcode{Abs, Negate, IsFinite, Real, Imag} {
		x := floatsOf(shape.F64, -1, 2)
		evalOp(t, op, nil, shape.Shape{}, x)
		if v := x.Wide().F; v[0] != -1 || v[1] != 2 {
			t.Errorf("%v changed its operand to %v", op, v)
		}
	}
	x := floatsOf(shape.F64, -1, 2)
	evalOp(t, Clamp, nil, shape.Shape{}, literal.Scalar(0.0), x, literal.Scalar(1.0))
	if v := x.Wide().F; v[0] != -1 || v[1] != 2 {
		t.Errorf("clamp changed its operand to %v", v)
	}
}
