package stablehlo

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// fromOutside is which value a region uses from outside: one of another, or that other, made of an argument.
var fromOutside = regexp.MustCompile(`the value %\w* from outside`)

// wantSameBodies wants functions that are read as they are imported to be what they are when all is read before.
func wantSameBodies(t *testing.T, name string, data []byte, want *Imported, wantErr error) {
	t.Helper()
	got, err := ParseBytecode(data, name)
	bare := func(err error) string { return fromOutside.ReplaceAllString(message(err), "from outside") }
	switch {
	case bare(err) != bare(wantErr):
		t.Errorf("%s: got %v, want %v as from the tree", name, err, wantErr)
	case err != nil || got.Module == nil && want.Module == nil:
	case got.Module == nil || want.Module == nil || got.Module.Text() != want.Module.Text():
		t.Errorf("%s: got another module than from the tree", name)
	}
}

// bodies has a function that is called before it is read, one that calls it again, constants that a region takes from
// outside, ops of several operands after ops of few, and a cast that is none.
const bodies = `func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %two = stablehlo.add %one, %one : tensor<f32>
  %b = func.call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = stablehlo.concatenate %a, %b, %a, dim = 0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<12xf32>
  %d = stablehlo.slice %c [2:6] : (tensor<12xf32>) -> tensor<4xf32>
  %e:2 = stablehlo.optimization_barrier %d, %b : tensor<4xf32>, tensor<4xf32>
  %s = "stablehlo.reduce"(%e#1, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.multiply %y, %two : tensor<f32>
    %w = stablehlo.add %x, %z : tensor<f32>
    stablehlo.return %w : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %e#0, %s : tensor<4xf32>, tensor<f32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = func.call @same(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = stablehlo.add %a, %b : tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func private @same(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
`

// written returns a program as bytecode and as its tree.
func written(t *testing.T, text string) ([]byte, *Program) {
	t.Helper()
	prog, err := ParseAST(Text{File: "t.mlir", Source: text})
	if err != nil {
		t.Fatal(err)
	}
	data, err := WriteBytecode(prog, BytecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if prog, err = ReadBytecode(data, "t.bc"); err != nil {
		t.Fatal(err)
	}
	return data, prog
}

func TestFunctionBodies(t *testing.T) {
	data, prog := written(t, bodies)
	want, err := Import(prog)
	if err != nil {
		t.Fatal(err)
	}
	wantSameBodies(t, "bodies", data, want, nil)
}

// TestUnsupportedBodies wants a function that cannot be imported to be refused for the same reason by all who call it,
// and what follows it in the file to be read.
func TestUnsupportedBodies(t *testing.T) {
	const text = `func.func private @early(%a: tensor<4xf32>) -> tensor<f32> {
  %n = stablehlo.constant dense<0.0> : tensor<f32>
  %s = "stablehlo.reduce"(%a, %n) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %w = stablehlo.add %x, %outer : tensor<f32>
    stablehlo.return %w : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %t = stablehlo.add %s, %s : tensor<f32>
  return %t : tensor<f32>
}
func.func private @late(%a: tensor<4xf32>) -> tensor<f32> {
  %b = func.call @early(%a) : (tensor<4xf32>) -> tensor<f32>
  %c = stablehlo.add %b, %b : tensor<f32>
  return %c : tensor<f32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
`
	sum := "  %outer = \"stablehlo.reshape\"(%o) : (tensor<1xf32>) -> tensor<f32>\n  %n ="
	source := strings.Replace(text, "  %n =", "  %o = stablehlo.slice %a [0:1] : (tensor<4xf32>) -> tensor<1xf32>\n"+sum, 1)
	data, prog := written(t, source)
	want, err := Import(prog)
	if err != nil || len(want.Unsupported) != 2 {
		t.Fatalf("got %v, %v, want two functions that are not supported", want, err)
	}
	wantSameBodies(t, "unsupported", data, want, nil)
	got, err := ParseBytecode(data, "unsupported")
	if err != nil || len(got.Unsupported) != 2 {
		t.Fatalf("got %v, %v, want two functions that are not supported", got, err)
	}
	for _, err := range got.Unsupported {
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "from outside") {
			t.Errorf("got %v, want that the value comes from outside", err)
		}
	}
}

// TestBrokenBodies wants every change of one byte to be refused, or read as the tree is.
func TestBrokenBodies(t *testing.T) {
	data, _ := written(t, bodies)
	for i := range data {
		broken := append([]byte{}, data...)
		broken[i] ^= 0x06
		prog, err := ReadBytecode(broken, "broken")
		if err != nil {
			if _, err := ParseBytecode(broken, "broken"); err == nil {
				t.Errorf("byte %d: got no error, want %v", i, err)
			}
			continue
		}
		want, err := Import(prog)
		wantSameBodies(t, "broken", broken, want, err)
	}
}
