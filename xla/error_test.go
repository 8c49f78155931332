package xla_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
)

// wrongTexts are programs with a fault, what Compile says of its place, and whether it lies with an instruction.
var wrongTexts = []struct {
	name, text                string
	op, instruction, position string
}{
	{"a name that is unknown", "ENTRY e {\n  ROOT r = f32[] negate(y)\n}", "", "", "p:2:25"},
	{"an opcode that is unknown", "ENTRY e {\n  ROOT c = f32[] foo()\n}", "", "", "p:2:18"},
	{"a brace", "ENTRY e {\n  ROOT c = f32[] constant(1)\n", "", "", "p:1:9"},
	{"a constant without its values", "ENTRY e {\n  ROOT c = f32[20] constant({...})\n}", "", "", "p:2:29"},
	{"shapes of HLO", "ENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[3] parameter(1)\n  ROOT r = f32[2] add(x, y)\n}",
		"add", "r", "p:4:8"},
	{"a custom call", "ENTRY e {\n  ROOT r = f32[] custom-call(), custom_call_target=\"nobody\"\n}",
		"custom-call", "r", "p:2:8"},
	{"no program", "what is this\n", "", "", "p:1:1"},
	{"a field of a proto's text", "name: \"m\"\nfrob: 1\n", "", "", "p:2:6"},
	{"an op of MLIR that is unknown", "func.func @main() {\n  %0 = stablehlo.foo\n  return\n}", "", "", "p:2:8"},
	{"the same in the generic form", "func.func @main() {\n  %0 = \"stablehlo.foo\"() : () -> tensor<f32>\n  return\n}",
		"stablehlo.foo", "", "p:2:8"},
	{"a brace of MLIR", "func.func @main() {\n  return\n", "", "", "p:3:1"},
	{"an attribute that is missing", "func.func @main(%x: tensor<2xf32>) {\n" +
		"  %0 = \"stablehlo.iota\"() : () -> tensor<2xf32>\n  return\n}", "stablehlo.iota", "", "p:2:8"},
	{"sizes of MLIR", "func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) {\n" +
		"  %0 = \"stablehlo.add\"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n  return\n}", "add", "", "p:2:8"},
	{"a custom call of MLIR", "func.func @main() -> tensor<f32> {\n" +
		"  %0 = stablehlo.custom_call @nobody() : () -> tensor<f32>\n  return %0 : tensor<f32>\n}", "custom-call", "custom-call", "p:2:8"},
}

func TestErrorsHaveAPlace(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	for _, tc := range wrongTexts {
		t.Run(tc.name, func(t *testing.T) {
			_, err := c.Compile(t.Context(), xla.Program{Name: "p", Source: []byte(tc.text)}, xla.CompileOptions{})
			var e *xla.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *xla.Error", err)
			}
			if e.Op != tc.op || e.Instruction != tc.instruction || e.Position != tc.position {
				t.Errorf("got op %q, instruction %q, position %q of %q, want %q, %q, %q", e.Op, e.Instruction, e.Position,
					err, tc.op, tc.instruction, tc.position)
			}
			if !strings.HasPrefix(err.Error(), tc.position+": ") {
				t.Errorf("got %q, want the position before it", err)
			}
			if in := (*hlo.Error)(nil); errors.As(err, &in) != (tc.instruction != "" || tc.op == "add") {
				t.Errorf("an *hlo.Error: got %v of %v", in, err)
			}
		})
	}
}

// What the writers refuse has a code and a place, as what the readers refuse.
func TestWritersErrorsHaveACode(t *testing.T) {
	m, err := xla.Read(xla.Program{Name: "p.hlo", Source: []byte(axpy)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = xla.Bytecode(m, "9")
	wantCode(t, err, xla.InvalidArgument, "three numbers")
}

// An op that a version of the bytecode lacks is where its instruction is, and nowhere if that was built.
func TestWritersErrorsHaveAPlace(t *testing.T) {
	m, err := xla.Read(xla.Program{Name: "p.hlo", Source: []byte(
		"ENTRY e {\n  x = f32[2] parameter(0)\n  y = f8e3m4[2] convert(x)\n  ROOT r = f32[2] convert(y)\n}")})
	if err != nil {
		t.Fatal(err)
	}
	for _, position := range []string{"p.hlo:3:3", ""} {
		_, err := xla.Bytecode(m, "0.9.0")
		var e *xla.Error
		if !errors.As(err, &e) || e.Op != "stablehlo.convert" || e.Position != position ||
			!strings.HasPrefix(err.Error(), strings.TrimPrefix(position+": ", ": ")+"stablehlo.convert") {
			t.Errorf("got %v, want stablehlo.convert at %q", err, position)
		}
		m.Entry.Root.Operands[0].Pos = hlo.Pos{}
	}
}
