package stablehlo

import (
	"errors"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// TestCorpusBytecodeWritten wants every program of the corpus to be the same after it was written and read again.
func TestCorpusBytecodeWritten(t *testing.T) {
	same, unsupported := 0, 0
	bytecodeCorpus(t, bytecodeFolders, func(t *testing.T, path string, data []byte) {
		prog, err := ReadBytecode(data, path)
		if err != nil {
			t.Error(err)
			return
		}
		written, err := WriteBytecode(prog, BytecodeOptions{})
		if errors.Is(err, errors.ErrUnsupported) {
			unsupported++
			t.Log(err)
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		again, err := ReadBytecode(written, path)
		if err != nil {
			t.Error(err)
			return
		}
		same++
		if d := differ(again.String(), prog.String()); d != "" && !sameHLO(again, prog) {
			t.Errorf("%s: %.2000s", path, d)
		}
	})
	t.Logf("%d are the same, %d cannot be written", same, unsupported)
}

// sameHLO reports whether two programs, which may spell defaults in different ways, are one in HLO.
func sameHLO(a, b *Program) bool {
	x, errX := Import(a)
	y, errY := Import(b)
	return errX == nil && errY == nil && x.Module.Text() == y.Module.Text()
}

// TestSettled wants numbers of dictionaries to be written as MLIR prints them.
func TestSettled(t *testing.T) {
	for text, want := range map[string]string{
		"0.1":                      "1.000000e-01",
		"1.0e-4 : f32":             "9.99999974E-5 : f32",
		"-0.0 : f16":               "-0.000000e+00 : f16",
		"0x7F800000 : f32":         "0x7F800000 : f32",
		"0x3F800000 : f32":         "1.000000e+00 : f32",
		"18446744073709551615":     "-1",
		"0xFF : ui8":               "255 : ui8",
		"[1.5, {b = 2.50 : bf16}]": "[1.500000e+00, {b = 2.500000e+00 : bf16}]",
		"array<f32: 1.50, 2.0>":    "array<f32: 1.5e+00, 2.0e+00>",
		"array<i1: true, false>":   "array<i1: true, false>",
		"dense<[[1.50], [2.0]]> : tensor<2x1xf32>": "dense<[[1.5e+00], [2.0e+00]]> : tensor<2x1xf32>",
		`dense<"0x0000803F"> : tensor<2xf32>`:      "dense<1.0e+00> : tensor<2xf32>",
		"dense<[7]> : tensor<1xi16>":               "dense<7> : tensor<1xi16>",
		`"1e-4"`:                                   `"1e-4"`,
		"dense_resource<none> : tensor<1xf32>":     "dense_resource<none> : tensor<1xf32>",
		"array<complex<f32>: 1>":                   "array<complex<f32>: 1>",
	} {
		d, ok := dictionary("{a = " + text + "}")
		if got := AttrString(d); ok && got != "{a = "+want+"}" {
			t.Errorf("%s: got %s, want {a = %s}", text, got, want)
		} else if !ok {
			t.Errorf("%s is no dictionary", text)
		}
	}
}

// TestMetadata wants names and places to come through bytecode.
func TestMetadata(t *testing.T) {
	const want = `metadata={op_name="jit(f)/add" source_file="model \"a\".py" source_line=12}`
	m, err := hlo.Parse([]byte("ENTRY e { a = f32[2] parameter(0)\n ROOT r = f32[2] add(a, a), "+want+" }"), "t.hlo")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Export(m)
	if err != nil {
		t.Fatal(err)
	}
	data, err := WriteBytecode(tree, BytecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	im, err := ParseBytecode(data, "t.bc")
	if err != nil {
		t.Fatal(err)
	}
	if text := im.Module.Text(); !strings.Contains(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
}
