package literal

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// The golden value of the layout document: [2,3] column-major, padded to [3,5] with zeros.
func TestPaddedGolden(t *testing.T) {
	l, err := FromSlice([]int8{'a', 'b', 'c', 'd', 'e', 'f'}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	y := &shape.Layout{MinorToMajor: []int64{0, 1}, PaddedDims: []int64{3, 5}, PaddingValue: shape.ZeroPad}
	p, err := l.Relayout(y)
	if err != nil {
		t.Fatal(err)
	}
	const want = "ad\x00be\x00cf\x00\x00\x00\x00\x00\x00\x00"
	if got := string(p.Bytes()); got != want {
		t.Errorf("padded: got %q, want %q", got, want)
	}
	in, err := FromBytes(l.Shape().WithLayout(y), []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(in.RowMajor().Bytes()); got != "abcdef" {
		t.Errorf("back: got %q, want abcdef", got)
	}
}

func TestPaddingValues(t *testing.T) {
	for _, c := range []struct {
		pad  shape.PaddingValue
		want [3]float32
	}{
		{shape.ZeroPad, [3]float32{0, 0, 0}},
		{shape.OnePad, [3]float32{0, 0, 1}},
		{shape.LowestPad, [3]float32{0, 0, float32(math.Inf(-1))}},
		{shape.HighestPad, [3]float32{0, 0, float32(math.Inf(1))}},
		{shape.UnknownPad, [3]float32{0, 0, 0}},
	} {
		s := shape.Array(shape.F32, 2)
		s.Layout = &shape.Layout{MinorToMajor: []int64{0}, PaddedDims: []int64{3}, PaddingValue: c.pad}
		l, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]float32(cast[float32](l.Bytes())); got != c.want {
			t.Errorf("%s: got %v, want %v", s.Text(), got, c.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	layout := func(y shape.Layout) shape.Shape { return shape.Array(shape.F32, 2, 3).WithLayout(&y) }
	for name, s := range map[string]shape.Shape{
		"overflow":   shape.Array(shape.F32, 1<<40, 1<<40),
		"bytes":      shape.Array(shape.C128, 1<<60),
		"too large":  shape.Array(shape.U8, MaxBytes+1),
		"unbounded":  shape.Array(shape.F32, shape.Unbounded),
		"opaque":     {Type: shape.Opaque},
		"in tuple":   shape.TupleOf(shape.Array(shape.F32, 1<<62)),
		"order":      layout(shape.Layout{MinorToMajor: []int64{0, 0}}),
		"rank":       layout(shape.Layout{MinorToMajor: []int64{0}}),
		"narrow pad": layout(shape.Layout{MinorToMajor: []int64{1, 0}, PaddedDims: []int64{2, 2}, PaddingValue: 1}),
		"pad, tile": layout(shape.Layout{MinorToMajor: []int64{1, 0}, PaddedDims: []int64{2, 3}, PaddingValue: 1,
			Tiles: []shape.Tile{{2}}}),
		"pad value":   layout(shape.Layout{MinorToMajor: []int64{1, 0}, PaddedDims: []int64{2, 3}}),
		"tile of 0":   layout(shape.Layout{MinorToMajor: []int64{1, 0}, Tiles: []shape.Tile{{0}}}),
		"huge tile":   layout(shape.Layout{MinorToMajor: []int64{1, 0}, Tiles: []shape.Tile{{1 << 40, 1 << 40}}}),
		"ends with *": layout(shape.Layout{MinorToMajor: []int64{1, 0}, Tiles: []shape.Tile{{shape.CombineDim}}}),
	} {
		if l, err := New(s); err == nil {
			t.Errorf("%s: New(%s) gave %d bytes, want an error", name, s.Text(), len(l.Bytes()))
		}
	}
}

// Each case converts from one class to another at the edges. Law: row 71.
func TestConvert(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		from *Literal
		to   shape.ElementType
		want *Literal
	}{
		{vec(1.9, -1.9, 300, -300, nan, inf, -inf), shape.S8, vec[int8](1, -1, 127, -128, 0, 127, -128)},
		{vec(1.9, -1.9, 300, nan, inf), shape.U8, vec[uint8](1, 0, 255, 0, 255)},
		{vec(1e30, -1e30, 9223372036854774784.0), shape.S64, vec[int64](math.MaxInt64, math.MinInt64, 9223372036854774784)},
		{vec(1e30, 18446744073709549568.0, -0.5), shape.U64, vec[uint64](math.MaxUint64, 18446744073709549568, 0)},
		{vec(0, 0.3, nan, math.Copysign(0, -1)), shape.Pred, vec(false, true, true, false)},
		{vec[int32](300, -1, 256), shape.U8, vec[uint8](44, 255, 0)},
		{vec[int32](300, -1, 128), shape.S8, vec[int8](44, -1, -128)},
		{vec[int8](-1), shape.U64, vec[uint64](math.MaxUint64)},
		{vec[uint8](255), shape.S32, vec[int32](255)},
		{vec(true, false), shape.F32, vec[float32](1, 0)},
		// 2^54 + 2^30 + 1: rounding to float64 first would end halfway and lose the last 1
		{vec[int64](1<<54+1<<30+1, -(1<<54 + 1<<30 + 1)), shape.F32, vec[float32](0x1.000002p54, -0x1.000002p54)},
		{vec[int64](1<<53+1, 1<<53+3), shape.F64, vec[float64](1<<53, 1<<53+4)},
		{vec[uint64](math.MaxUint64), shape.F32, vec[float32](0x1p64)},
		{vec[complex64](3 - 4i), shape.F32, vec[float32](3)},
		{vec[complex64](3.7-4i, 2i), shape.S32, vec[int32](3, 0)},
		{vec[complex64](4i, 1), shape.Pred, vec(false, true)},
		{vec[int32](7), shape.C128, vec[complex128](7)},
		{vec[float64](0x1.000001p0, 1e300), shape.F32, vec[float32](1, float32(inf))},
	} {
		got, err := Convert(c.from, c.to)
		if err != nil {
			t.Errorf("%s to %s: %v", c.from.Shape(), c.to, err)
			continue
		}
		if !got.Shape().Equal(c.want.Shape()) || string(got.Bytes()) != string(c.want.Bytes()) {
			t.Errorf("%v of %s to %s: got %v, want %v", c.from.Wide(), c.from.Shape(), c.to, got.Wide(), c.want.Wide())
		}
	}
}

func vec[T Element](v ...T) *Literal {
	l, err := FromSlice(v)
	if err != nil {
		panic(err)
	}
	return l
}

func TestNarrowIntegers(t *testing.T) {
	l := FromWide(shape.Array(shape.S4, 5), Wide{Class: shape.SignedClass, I: []int64{-8, 7, -1, 8, 3}})
	v, err := View[int8](l)
	if err != nil {
		t.Fatal(err)
	}
	if want := [5]int8{-8, 7, -1, -8, 3}; [5]int8(v) != want {
		t.Errorf("s4: got %v, want %v", v, want)
	}
	p, err := l.Relayout(&shape.Layout{MinorToMajor: []int64{0}, ElementBits: 4})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(p.Bytes()), "\x78\x8F\x03"; got != want { // the first element is in the low half
		t.Errorf("packed: got %x, want %x", got, want)
	}
	if got := string(p.RowMajor().Bytes()); got != string(l.Bytes()) {
		t.Errorf("unpacked: got %x, want %x", got, l.Bytes())
	}
}

func TestDynamicSizes(t *testing.T) {
	l := Zeros(shape.Shape{Type: shape.S32, Dims: []int64{4, 2}, Dynamic: []bool{true, false}})
	if l.DynamicSizes() != nil {
		t.Errorf("new: got sizes %v, want none", l.DynamicSizes())
	}
	l.SetDynamicSize(0, 3)
	if got := l.DynamicSizes(); len(got) != 2 || got[0] != 3 || got[1] != 2 {
		t.Errorf("sizes: got %v, want [3 2]", got)
	}
	l.SetDynamicSize(0, 4)
	if l.DynamicSizes() != nil {
		t.Errorf("full: got sizes %v, want none", l.DynamicSizes())
	}
}

func TestExtremes(t *testing.T) {
	for _, c := range []struct {
		t        shape.ElementType
		min, max float64
	}{
		{shape.F32, math.Inf(-1), math.Inf(1)},
		{shape.F8E4M3FN, -448, 448},
		{shape.F8E5M2FNUZ, -57344, 57344},
		{shape.F8E4M3FNUZ, -240, 240},
		{shape.F8E4M3B11FNUZ, -30, 30},
		{shape.F4E2M1FN, -6, 6},
		{shape.F6E3M2FN, -28, 28},
		{shape.F6E2M3FN, -7.5, 7.5},
		{shape.F8E8M0FNU, 0x1p-127, 0x1p127},
	} {
		if lo, hi := MinValue(c.t).Wide().F[0], MaxValue(c.t).Wide().F[0]; lo != c.min || hi != c.max {
			t.Errorf("%s: got %v and %v, want %v and %v", c.t, lo, hi, c.min, c.max)
		}
	}
	if lo, hi := MinValue(shape.S4).Wide().I[0], MaxValue(shape.S4).Wide().I[0]; lo != -8 || hi != 7 {
		t.Errorf("s4: got %d and %d, want -8 and 7", lo, hi)
	}
	if hi := MaxValue(shape.U64).Wide().U[0]; hi != math.MaxUint64 {
		t.Errorf("u64: got %d", hi)
	}
}

// The elements of an array round like single ones, near every F16 and BF16 and between them.
func TestNarrow16(t *testing.T) {
	for _, ty := range []shape.ElementType{shape.F16, shape.BF16} {
		w := Wide{Class: shape.FloatClass}
		for bits := range uint64(1 << 16) {
			v, next := ty.ToFloat64(bits), ty.ToFloat64(bits^1)
			mid := (v + next) / 2
			w.F = append(w.F, v, mid, math.Nextafter(mid, v), math.Nextafter(mid, next), v*1.01, 2*v)
		}
		got := cast[uint16](FromWide(shape.Array(ty, int64(len(w.F))), w).Bytes())
		for i, v := range w.F {
			if want := uint16(ty.FromFloat64(v)); got[i] != want {
				t.Fatalf("%s %v: got %#x, want %#x", ty, v, got[i], want)
			}
		}
	}
}

func TestLeaves(t *testing.T) {
	a, b, c := Scalar(int32(1)), Scalar(int32(2)), Scalar(int32(3))
	l := NewTuple(a, NewTuple(NewTuple(), b), c)
	if got := l.Leaves(); !slices.Equal(got, []*Literal{a, b, c}) {
		t.Errorf("got %v, want 1, 2, 3", got)
	}
	if got := a.Leaves(); !slices.Equal(got, []*Literal{a}) {
		t.Errorf("got %v, want the scalar itself", got)
	}
}

func TestFromSliceCounts(t *testing.T) {
	for _, c := range []struct {
		dims []int64
		want string
	}{{[]int64{2, 4}, "f32[2,4]: got a slice of 6 elements, want 8"}, {[]int64{-2, -3}, "dimension 0 is -2, want 0 or more"},
		{[]int64{1 << 40, 1 << 40}, "has more elements than can be counted"}} {
		if _, err := FromSlice(make([]float32, 6), c.dims...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %s", c.dims, err, c.want)
		}
	}
}
