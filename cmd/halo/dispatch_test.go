package main

import (
	"context"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
)

// small is an executable of the cpu backend with two arguments, which are one number each.
func small(t testing.TB) (*xla.Executable, []*xla.Buffer) {
	t.Helper()
	c, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text := "ENTRY e { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }"
	exe, err := c.Compile(t.Context(), xla.Program{Source: []byte(text)}, xla.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var args []*xla.Buffer
	for range 2 {
		b, err := xla.FromScalar(c, float32(2))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, b)
	}
	t.Cleanup(func() {
		for _, b := range args {
			b.Close()
		}
		exe.Close()
		c.Close()
	})
	return exe, args
}

// TestExecuteIntoTakesNoMemory wants an execution whose results go to memory that is there to leave the heap alone, so
// that a service that calls it all day gives the collector nothing to do.
func TestExecuteIntoTakesNoMemory(t *testing.T) {
	testfile.NoRace(t, "it empties pools")
	testfile.Native(t, run.Available()) // kernels in Go take some
	exe, args := small(t)
	z := make([]float32, 1)
	dst := []any{z}
	cancellable, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, ctx := range map[string]context.Context{"plain": context.Background(), "cancellable": cancellable} {
		n := testing.AllocsPerRun(1000, func() {
			if err := exe.ExecuteInto(ctx, xla.RunOptions{}, dst, args...); err != nil {
				t.Fatal(err)
			}
		})
		if n >= 1 { // the collector may empty the pool of calls now and then
			t.Errorf("%s context: %g allocations an execution, want none", name, n)
		}
	}
	if z[0] != 4 {
		t.Errorf("got %v, want 4", z[0])
	}
}

// BenchmarkExecute is one execution of the tiny program, with new results and with memory that is there.
func BenchmarkExecute(b *testing.B) {
	exe, args := small(b)
	ctx := context.Background()
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out, err := exe.Execute(ctx, args...)
			if err != nil {
				b.Fatal(err)
			}
			out[0].Close()
		}
	})
	b.Run("into", func(b *testing.B) {
		dst := []any{make([]float32, 1)}
		b.ReportAllocs()
		for b.Loop() {
			if err := exe.ExecuteInto(ctx, xla.RunOptions{}, dst, args...); err != nil {
				b.Fatal(err)
			}
		}
	})
}
