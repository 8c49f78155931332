package shape

import "testing"

// The numbers are those of XLA's PrimitiveType, which files and plug-ins contain.
func TestElementTypes(t *testing.T) {
	want := []struct {
		t           ElementType
		name, mlir  string
		class       Class
		bits, bytes int
	}{
		{0, "invalid", "", NoClass, 0, 0},
		{1, "pred", "i1", PredClass, 8, 1},
		{2, "s8", "i8", SignedClass, 8, 1},
		{3, "s16", "i16", SignedClass, 16, 2},
		{4, "s32", "i32", SignedClass, 32, 4},
		{5, "s64", "i64", SignedClass, 64, 8},
		{6, "u8", "ui8", UnsignedClass, 8, 1},
		{7, "u16", "ui16", UnsignedClass, 16, 2},
		{8, "u32", "ui32", UnsignedClass, 32, 4},
		{9, "u64", "ui64", UnsignedClass, 64, 8},
		{10, "f16", "f16", FloatClass, 16, 2},
		{11, "f32", "f32", FloatClass, 32, 4},
		{12, "f64", "f64", FloatClass, 64, 8},
		{13, "tuple", "tuple", NoClass, 0, 0},
		{14, "opaque", "", NoClass, 0, 0},
		{15, "c64", "complex<f32>", ComplexClass, 64, 8},
		{16, "bf16", "bf16", FloatClass, 16, 2},
		{17, "token", "!stablehlo.token", NoClass, 0, 0},
		{18, "c128", "complex<f64>", ComplexClass, 128, 16},
		{19, "f8e5m2", "f8E5M2", FloatClass, 8, 1},
		{20, "f8e4m3fn", "f8E4M3FN", FloatClass, 8, 1},
		{21, "s4", "i4", SignedClass, 4, 1},
		{22, "u4", "ui4", UnsignedClass, 4, 1},
		{23, "f8e4m3b11fnuz", "f8E4M3B11FNUZ", FloatClass, 8, 1},
		{24, "f8e5m2fnuz", "f8E5M2FNUZ", FloatClass, 8, 1},
		{25, "f8e4m3fnuz", "f8E4M3FNUZ", FloatClass, 8, 1},
		{26, "s2", "i2", SignedClass, 2, 1},
		{27, "u2", "ui2", UnsignedClass, 2, 1},
		{28, "f8e4m3", "f8E4M3", FloatClass, 8, 1},
		{29, "f8e3m4", "f8E3M4", FloatClass, 8, 1},
		{30, "s1", "", SignedClass, 1, 1},
		{31, "u1", "", UnsignedClass, 1, 1},
		{32, "f4e2m1fn", "f4E2M1FN", FloatClass, 4, 1},
		{33, "f8e8m0fnu", "f8E8M0FNU", FloatClass, 8, 1},
		{34, "b", "", NoClass, 0, 0},
		{35, "f6e3m2fn", "f6E3M2FN", FloatClass, 6, 1},
		{36, "f6e2m3fn", "f6E2M3FN", FloatClass, 6, 1},
	}
	if int(NumElementTypes) != len(want) {
		t.Fatalf("got %d types, want %d", NumElementTypes, len(want))
	}
	for i, w := range want {
		if w.t != ElementType(i) || w.t.String() != w.name || w.t.Class() != w.class {
			t.Errorf("type %d: got %s, %s", i, w.t, w.t.Class())
		}
		if w.t.Bits() != w.bits || w.t.Bytes() != w.bytes || w.t.IsArray() != (w.class != NoClass) {
			t.Errorf("%s: got %d bits, %d bytes, array %v", w.name, w.t.Bits(), w.t.Bytes(), w.t.IsArray())
		}
		if got, ok := TypeByName(w.name); !ok || got != w.t {
			t.Errorf("name %s: got %s, %v", w.name, got, ok)
		}
		if got, ok := TypeByMLIR(w.mlir); w.mlir != "" && (!ok || got != w.t) || ok != (w.mlir != "") {
			t.Errorf("MLIR name %q: got %s, %v", w.mlir, got, ok)
		}
	}
	if C64.Component() != F32 || C128.Component() != F64 || S8.Component() != S8 {
		t.Errorf("components: got %s, %s, %s", C64.Component(), C128.Component(), S8.Component())
	}
}

func TestMLIR(t *testing.T) {
	for text, want := range map[string]string{
		"f32[]":               "tensor<f32>",
		"f32[2,?]":            "tensor<2x?xf32>",
		"s32[<=10,3]{1,0}":    "tensor<?x3xi32, #stablehlo.bounds<10, ?>>",
		"c64[0]":              "tensor<0xcomplex<f32>>",
		"token[]":             "!stablehlo.token",
		"(pred[1], token[])":  "tuple<tensor<1xi1>, !stablehlo.token>",
		"f8e4m3b11fnuz[2]{0}": "tensor<2xf8E4M3B11FNUZ>",
	} {
		if got := mustParse(t, text).MLIR(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestCheckedSize(t *testing.T) {
	for _, c := range []struct {
		dims []int64
		want int64 // -1: it does not fit
	}{
		{nil, 1}, {[]int64{2, 3}, 6}, {[]int64{1 << 62, 2}, -1}, {[]int64{1 << 62, 2, 0}, 0}, {[]int64{0, 1 << 62, 4}, 0},
		{[]int64{1 << 31, 1 << 31}, 1 << 62}, {[]int64{Unbounded}, -1}, {[]int64{Unbounded, 0}, -1}, {[]int64{-1}, -1},
	} {
		n, ok := Array(F32, c.dims...).CheckedSize()
		if !ok {
			n = -1
		}
		if n != c.want {
			t.Errorf("%v: got %d, want %d", c.dims, n, c.want)
		}
	}
}

func TestShapeForms(t *testing.T) {
	s := mustParse(t, "(f32[<=4,2]{0,1}, s32[3]{0:T(8)})")
	for _, c := range []struct {
		name string
		got  Shape
		want string
	}{
		{"without layout", s.WithoutLayout(), "(f32[<=4,2], s32[3])"},
		{"static", s.Static(), "(f32[4,2]{0,1}, s32[3]{0:T(8)})"},
		{"type", s.Elems[0].WithType(BF16), "bf16[<=4,2]"},
		{"dims", s.Elems[0].WithDims(7), "f32[7]"},
		{"layout", s.Elems[1].WithLayout(DefaultLayout(1)), "s32[3]{0}"},
		{"itself", s, "(f32[<=4,2]{0,1}, s32[3]{0:T(8)})"},
	} {
		if got := c.got.Text(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	if !s.IsDynamic() || s.HasUnbounded() || s.Static().IsDynamic() || !mustParse(t, "(f32[?])").HasUnbounded() {
		t.Errorf("dynamic: got %v, %v, %v", s.IsDynamic(), s.HasUnbounded(), s.Static().IsDynamic())
	}
}
