package spelling

import (
	"strings"
	"testing"
)

func TestMeant(t *testing.T) {
	names := []string{"run", "check", "multiply", "s4", "floor"}
	for got, want := range map[string]string{
		"rnu": "run", "chek": "check", "chcekk": "check", "mutliply": "multiply", "multi": "", "ruin": "run",
		"foo": "", "Multiply": "multiply", "RUN": "run", "S4": "s4", "s5": "", "": "", strings.Repeat("x", 1<<20): "",
	} {
		if want != "" {
			want = ", did you mean " + want
		}
		if hint := Meant(got, names); hint != want {
			t.Errorf("%.20q: got %q, want %q", got, hint, want)
		}
	}
}

// TestType has a name that is right stand for itself.
func TestType(t *testing.T) {
	hlo := []string{"f16", "f32", "f64", "bf16", "s8", "s32", "u8", "pred", "c64", "c128"}
	mlir := []string{"f16", "f32", "f64", "bf16", "i1", "i8", "i32", "ui8", "complex<f32>"}
	for _, c := range []struct{ got, hlo, mlir string }{
		{"float32", "f32", "f32"}, {"fp16", "f16", "f16"}, {"bfloat16", "bf16", "bf16"}, {"double", "f64", "f64"},
		{"i32", "s32", "i32"}, {"int32_t", "s32", "i32"}, {"s32", "s32", "i32"}, {"uint8", "u8", "ui8"}, {"ui8", "u8", "ui8"},
		{"bool", "pred", "i1"}, {"complex64", "c64", "complex<f32>"}, {"f31", "f32", "f32"}, {"bf61", "bf16", "bf16"},
		{"foo", "", ""}, {"float33", "", ""},
	} {
		for _, in := range []struct {
			names []string
			want  string
		}{{hlo, c.hlo}, {mlir, c.mlir}} {
			want := in.want
			if want != "" {
				want = ", did you mean " + want
			}
			if hint := Type(c.got, in.names); hint != want {
				t.Errorf("%q among %v: got %q, want %q", c.got, in.names, hint, want)
			}
		}
	}
}
