package cpu

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/stablehlo"
)

// BenchmarkCompile compiles the StableHLO program that $HALO_PROGRAM names.
func BenchmarkCompile(b *testing.B) {
	path := os.Getenv("HALO_PROGRAM")
	if path == "" {
		testfile.Library(b, "program", errors.New("HALO_PROGRAM names no program to compile"))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	p, err := stablehlo.Parse(stablehlo.Text{File: path, Line: 1, Source: string(text)})
	if err != nil {
		b.Fatal(err)
	}
	backend := New(Options{Threads: 2})
	for b.Loop() {
		x, err := backend.Compile(context.Background(), p.Module, exec.Options{AllowReference: true})
		if err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}
