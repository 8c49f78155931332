package xla

import (
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		text string
		want Format
	}{
		{"HloModule m\nENTRY e { ROOT c = s32[] constant(1) }", HLOText},
		{"// a comment\n/* another */ ENTRY e { ROOT c = s32[] constant(1) }", HLOText},
		{"\ne {\n  a = u4[18]{0:E(4)} parameter(0)\n  b = u4[18]{0:E(4)} collective-permute(a), source_target_pairs={}\n}" +
			"\n" + strings.Repeat("// e is the length of a field, too\n", 9), HLOText},
		{"add {\n  x = f32[] parameter(0)\n}", HLOText},
		{"%main (a: f32[2]) -> f32[2] {", HLOText},
		{"module_0.1 { ROOT c = s32[] constant(1) }", HLOText},
		{"module @m {\n}", MLIRText},
		{"module {\n}", MLIRText},
		{"func.func @main() { return }", MLIRText},
		{"\"builtin.module\"() ({\n}) : () -> ()", MLIRText},
		{"#map = affine_map<(d0) -> (d0)>", MLIRText},
		{"%0 = stablehlo.constant dense<1> : tensor<i32>", NoProgram},
		{"", NoProgram},
		{"// nothing", NoProgram},
		{"hello, world", NoProgram},
		{"ML\xefR\x00", MLIRBytecode},
	} {
		if got := Detect([]byte(c.text)); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestSplit reads the second of two HLO texts: positions are those of the file.
func TestSplit(t *testing.T) {
	const text = "e { ROOT c = s32[] constant(1) }\n// -----\ne { ROOT c = s32[] constant(x) }\n"
	parts := Split(Program{Name: "f.hlo", Source: []byte(text)})
	if len(parts) != 2 {
		t.Fatalf("got %d parts, want 2", len(parts))
	}
	if _, err := Read(parts[0]); err != nil {
		t.Error(err)
	}
	if _, err := Read(parts[1]); err == nil || !strings.HasPrefix(err.Error(), "f.hlo:3:") {
		t.Errorf("got %v, want an error at f.hlo:3", err)
	}
}
