package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestDynamicConformance runs the dynamic programs of the StableHLO project at three sizes, with one executable each, and
// compares with the reference, which runs them an instruction at a time.
func TestDynamicConformance(t *testing.T) {
	folder := filepath.Join(testfile.Conformance(t), "conformance", "stablehlo", "testdata", "dynamic")
	files, err := filepath.Glob(filepath.Join(folder, "*.mlir"))
	if err != nil || len(files) == 0 {
		t.Fatal(folder + " has no programs")
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { runAtSizes(t, path, 2, 3, 6) })
	}
}

func runAtSizes(t *testing.T, path string, sizes ...int64) {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := xla.Read(xla.Program{Name: path, Source: src})
	if err != nil {
		t.Fatal(err)
	}
	backend, err := newBackend("cpu", hardware{threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	client, err := xla.NewClient(backend, xla.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	exe, err := client.Compile(t.Context(), xla.Program{Module: m}, xla.CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	for _, n := range sizes {
		args := make([]*literal.Literal, len(m.Entry.Parameters))
		for i, p := range m.Entry.Parameters {
			args[i] = atSize(t, p.Shape, n, uint64(i)+1)
		}
		got, err := execute(t.Context(), exe, xla.RunOptions{}, [][]*literal.Literal{args})
		if err != nil {
			t.Fatalf("size %d: %v", n, err)
		}
		if err := againstReference(t.Context(), m, collective.Grid{}, [][]*literal.Literal{args}, got); err != nil {
			t.Errorf("size %d: %v", n, err)
		}
		if s := fmt.Sprint(exe.Report()); strings.Contains(s, "exec dynamic") {
			t.Errorf("size %d: instructions are dynamic still: %s", n, s)
		}
	}
}

// atSize is an argument whose unknown dimensions have n elements; a scalar integer is n.
func atSize(t *testing.T, s shape.Shape, n int64, seed uint64) *literal.Literal {
	t.Helper()
	if s.IsScalar() && s.Type.IsInteger() {
		return literal.ScalarOfInt(s.Type, n)
	}
	sized := shape.Shape{Type: s.Type}
	for _, d := range s.Dims {
		if d == shape.Unbounded {
			d = n
		}
		sized.Dims = append(sized.Dims, d)
	}
	l, err := randomInput(sized, seed)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
