package literal

import (
	"math"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

func arr[T Element](v []T, dims ...int64) *Literal {
	l, err := FromSlice(v, dims...)
	if err != nil {
		panic(err)
	}
	return l
}

func TestString(t *testing.T) {
	dynamic := Zeros(shape.Shape{Type: shape.S32, Dims: []int64{3, 2}, Dynamic: []bool{true, false}})
	dynamic.SetDynamicSize(0, 1)
	for _, c := range []struct {
		l    *Literal
		want string
	}{
		{Scalar[float32](1.5), "f32[] 1.5"},
		{Scalar(true), "pred[] true"},
		{vec(true, false), "pred[2] {1, 0}"},
		{vec[int32](1, 2, 3), "s32[3] {1, 2, 3}"},
		{vec[int32](), "s32[0] {}"},
		{arr([]int32{}, 2, 0), "s32[2,0] { {}, {} }"},
		{arr([]int32{}, 1<<40, 0), "s32[1099511627776,0] {}"},
		{arr([]int32{}, 1<<40, 1, 1<<20, 0, 1<<40), "s32[1099511627776,1,1048576,0,1099511627776] {}"},
		{arr([]int32{}, 0, 1<<40), "s32[0,1099511627776] {  }"},
		{arr([]float32{1, 2, 3, 4}, 2, 2), "f32[2,2] { { 1, 2 }, { 3, 4 } }"},
		{arr([]float32{1}, 1, 1, 1), "f32[1,1,1] { { {1} } }"},
		{arr([]int8{1, 2, 3, 4}, 1, 2, 1, 2),
			"s8[1,2,1,2] { { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } }"},
		{vec[complex64](1 - 2i), "c64[1] {(1, -2)}"},
		{NewTuple(Scalar[int32](1), vec[int32](2, 3)), "(s32[], s32[2]) ( 1, {2, 3} )"},
		{NewTuple(), "() ()"},
		{NewToken(), "token[] token"},
		{dynamic, "s32[<=3,2](1,2) { { 0, 0 } }"},
	} {
		if got := c.l.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	col, err := arr([]int32{1, 2, 3, 4}, 2, 2).Relayout(&shape.Layout{MinorToMajor: []int64{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(col.Append(nil)), "{ { 1, 2 }, { 3, 4 } }"; got != want {
		t.Errorf("column-major: got %s, want %s", got, want)
	}
}

// Each text is of one element, its bits, and how it prints if that is another text.
func TestElementText(t *testing.T) {
	for _, c := range []struct {
		t           shape.ElementType
		text        string
		bits        uint64
		printsOther string
	}{
		{shape.Pred, "true", 1, ""},
		{shape.Pred, "0", 0, "false"},
		{shape.S8, "-128", 0x80, ""},
		{shape.S4, "-8", 0xF8, ""},
		{shape.U4, "15", 15, ""},
		{shape.S64, "-9223372036854775808", 1 << 63, ""},
		{shape.U64, "18446744073709551615", math.MaxUint64, ""},
		{shape.U8, "-0", 0, "0"},
		{shape.F32, "0.1", 0x3DCCCCCD, ""},
		{shape.F32, "0.333333343", 0x3EAAAAAB, "0.33333334"},
		{shape.F32, "1e+06", 0x49742400, ""},
		{shape.F32, "-0", 0x80000000, ""},
		{shape.F32, "0x1.8p1", 0x40400000, "3"},
		{shape.F32, "0x10", 0x41800000, "16"},
		{shape.F32, "1e-45", 1, ""},
		{shape.F32, "3.4028235e+38", 0x7F7FFFFF, ""},
		{shape.F32, "inf", 0x7F800000, ""},
		{shape.F32, "-inf", 0xFF800000, ""},
		{shape.F32, "nan", 0x7FC00000, ""},
		{shape.F32, "-nan", 0xFFC00000, ""},
		{shape.F32, "nan(0x400001)", 0x7FC00001, ""},
		{shape.F32, "-nan(0x1)", 0xFF800001, ""},
		{shape.F64, "0.1", 0x3FB999999999999A, ""},
		{shape.F64, "nan(0x1)", 0x7FF0000000000001, ""},
		{shape.BF16, "0.1", 0x3DCD, "0.1001"},
		{shape.BF16, "3.140625", 0x4049, "3.141"},
		{shape.F16, "65504", 0x7BFF, ""},
		{shape.F16, "6e-08", 1, "5.9605e-08"},
		{shape.F16, "nan(0x1)", 0x7C01, ""},
		{shape.F8E4M3FN, "448", 0x7E, ""},
		{shape.F8E4M3FN, "-nan", 0xFF, ""},
		{shape.F8E4M3FNUZ, "nan", 0x80, ""},
		{shape.F8E5M2, "nan(0x1)", 0x7D, ""},
		{shape.F4E2M1FN, "-6", 0xF, ""},
		{shape.F8E8M0FNU, "0.5", 126, ""},
		{shape.F8E8M0FNU, "nan", 0xFF, ""},
	} {
		e, err := ParseElement(c.t, c.text)
		if err != nil {
			t.Errorf("%s %s: %v", c.t, c.text, err)
			continue
		}
		if got := bitsOf(c.t, e); got != c.bits&lowMask(8*c.t.Bytes()) {
			t.Errorf("%s %s: got bits %#x, want %#x", c.t, c.text, got, c.bits)
		}
		want := c.text
		if c.printsOther != "" {
			want = c.printsOther
		}
		if got := string(AppendElement(nil, c.t, e)); got != want {
			t.Errorf("%s %s: prints %s, want %s", c.t, c.text, got, want)
		}
	}
}

func TestParseElementErrors(t *testing.T) {
	for _, c := range []struct {
		t          shape.ElementType
		text, want string
	}{
		{shape.S8, "300", `value "300" does not fit s8, want -128 to 127`},
		{shape.U8, "-1", `value "-1" does not fit u8, want 0 to 255`},
		{shape.S4, "8", "want -8 to 7"},
		{shape.S64, "9223372036854775808", "does not fit s64"},
		{shape.S32, "1.5", `s32 value "1.5", want an integer`},
		{shape.S32, "+1", "want an integer"},
		{shape.S32, "", "want an integer"},
		{shape.Pred, "2", `pred value "2", want true, false, 1 or 0`},
		{shape.F32, "1e39", `value "1e39" does not fit f32`},
		{shape.F16, "65520", `value "65520" does not fit f16, whose largest is 65504`},
		{shape.F8E4M3FN, "500", "whose largest is 448"},
		{shape.F4E2M1FN, "6.5", "whose largest is 6"},
		{shape.F8E4M3FN, "inf", "has no infinity"},
		{shape.F6E2M3FN, "nan", "has no NaN"},
		{shape.F8E8M0FNU, "0", "positive values only"},
		{shape.F8E8M0FNU, "-1", "positive values only"},
		{shape.F32, "nan(0x800000)", "has no NaN with these bits"},
		{shape.F32, "nan(0x0)", "has no NaN with these bits"},
		{shape.F32, "nan(12)", "want nan or nan(0x...)"},
		{shape.F32, "1_0", "want a number"},
		{shape.F32, "infinity", "want a number"},
		{shape.F32, "--1", "want a number"},
		{shape.F32, "", "want a number"},
		{shape.C64, "1", "want a type with single values"},
		{shape.S8, strings.Repeat("9", 100), `...`},
	} {
		if e, err := ParseElement(c.t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %v, %v; want %q", c.t, c.text, e, err, c.want)
		}
	}
}

// Every bit pattern of the narrow formats prints to text that parses to the same bits.
func TestElementRoundTrip(t *testing.T) {
	for ty := range shape.NumElementTypes {
		if !ty.IsFloat() || ty.Bits() > 16 {
			continue
		}
		for bits := range uint64(1) << ty.Bits() {
			text := string(AppendElement(nil, ty, bytesOf(ty, bits)))
			e, err := ParseElement(ty, text)
			if err != nil || bitsOf(ty, e) != bits {
				t.Fatalf("%s %#x: %s parses to %#x, %v", ty, bits, text, e, err)
			}
		}
	}
}
