package cpu_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// smallFloats are the types of up to eight bits.
var smallFloats = []shape.ElementType{shape.F8E5M2, shape.F8E4M3, shape.F8E3M4, shape.F8E4M3FN, shape.F8E4M3B11FNUZ,
	shape.F8E5M2FNUZ, shape.F8E4M3FNUZ, shape.F4E2M1FN, shape.F6E3M2FN, shape.F6E2M3FN, shape.F8E8M0FNU}

// codes returns all patterns of a type of up to 16 bits, as an array.
func codes(t *testing.T, et shape.ElementType) *literal.Literal {
	t.Helper()
	n := int64(1) << et.Bits()
	var data []byte
	for i := range n {
		data = append(data, []byte{byte(i), byte(i >> 8)}[:et.Bytes()]...)
	}
	l, err := literal.FromBytes(shape.Array(et, n), data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// around returns, as an array of type wide, the numbers of the small type et, what lies in the middle of two of them,
// the next numbers above and below either, and what is far beyond or none.
func around(t *testing.T, et, wide shape.ElementType) *literal.Literal {
	t.Helper()
	next := math.Nextafter
	if wide == shape.F32 {
		next = func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }
	}
	inf := math.Inf(1)
	list := []float64{0, inf, math.NaN(), math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-128, 0x1.8p-128,
		0x1p-127, 0x1.8p-127, 0x1.7ffp-127, 0x1.801p-127, 0x1.8p127, 0x1.7ffp127, 0x1.801p127}
	if wide == shape.F64 {
		list = append(list, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p300, 0x1p-300)
	}
	for i := range uint64(1) << et.Bits() {
		x := math.Abs(et.ToFloat64(i))
		for k := range uint64(1) << et.Bits() { // the middles of neighbours are among those of all
			if m := (x + math.Abs(et.ToFloat64(k))) / 2; m == m && (k == i || k == i+1) {
				list = append(list, m, next(m, 0), next(m, inf), m*0.75+x*0.25)
			}
		}
		list = append(list, 2*x, 1.5*x, 1.25*x, next(1.25*x, 0), 1.125*x, 1.0625*x, 1.03125*x, next(1.03125*x, inf))
	}
	var data []byte
	for _, x := range list {
		for _, v := range []float64{x, -x} {
			bits, n := wide.FromFloat64(v), wide.Bytes()
			for b := range n {
				data = append(data, byte(bits>>(8*b)))
			}
		}
	}
	l, err := literal.FromBytes(shape.Array(wide, int64(len(data)/wide.Bytes())), data)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sameBits fails unless the backend's bits are the evaluator's, those of NaN of small types included.
func sameBits(t *testing.T, text string, x *literal.Literal) {
	t.Helper()
	p := program{text: text, args: []*literal.Literal{x}}
	m := parsed(t, text)
	want, got := p.evaluated(t, m)[0], p.results(t, m, 2)[0]
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		n := want.Shape().Type.Bytes()
		for i := 0; i < len(want.Bytes()); i += n {
			if g, w := got.Bytes()[i:i+n], want.Bytes()[i:i+n]; !bytes.Equal(g, w) {
				t.Errorf("%s\nelement %d: got %x, want %x", text, i/n, g, w)
				return
			}
		}
	}
}

// TestElementwiseSmallFloats converts all codes of small floats, to each other and to wider ones, and to them all of 16
// bits and what is near the middle of neighbours in f32 and f64.
func TestElementwiseSmallFloats(t *testing.T) {
	convert := func(from, to shape.ElementType, x *literal.Literal) {
		n := x.Shape().Size()
		text := fmt.Sprintf("ENTRY e { p = %s[%d] parameter(0) ROOT y = %s[%[2]d] convert(p) }", from, n, to)
		if to.Bits() <= 8 {
			sameBits(t, text, x)
		} else {
			both(t, text, 2, 0, x)
		}
	}
	for _, small := range smallFloats {
		all := codes(t, small)
		for _, to := range append(smallFloats, shape.F16, shape.BF16, shape.F32, shape.F64, shape.S32, shape.Pred) {
			convert(small, to, all)
		}
		for _, from := range []shape.ElementType{shape.F16, shape.BF16} {
			convert(from, small, codes(t, from))
		}
		for _, from := range []shape.ElementType{shape.F32, shape.F64} {
			convert(from, small, around(t, small, from))
		}
		for _, from := range []shape.ElementType{shape.S8, shape.U8, shape.U16} {
			convert(from, small, codes(t, from))
		}
	}
}

// TestElementwiseSmallFloatOps has operations on small floats rounded once each, to the reference's codes.
func TestElementwiseSmallFloatOps(t *testing.T) {
	for _, small := range smallFloats {
		n, all := int64(1)<<small.Bits(), codes(t, small)
		dims := fmt.Sprintf("%s[%d,%d]", small, n, n)
		for op := range hlo.NumOps {
			info := op.Info()
			switch {
			case info.Scalar == nil || info.Scalar.Float == nil:
			case info.Operands == "operand":
				both(t, fmt.Sprintf("ENTRY e { p = %s[%d] parameter(0) ROOT y = %[1]s[%[2]d] %s(p) }", small, n, op), 1, 0, all)
			case op != hlo.Power && op != hlo.Atan2:
				both(t, fmt.Sprintf(`ENTRY e { p = %s[%d] parameter(0) a = %[3]s broadcast(p), dimensions={0}
  b = %[3]s broadcast(p), dimensions={1} ROOT y = %[3]s %s(a, b) }`, small, n, dims, op), 1, 0, all)
			}
		}
	}
}
