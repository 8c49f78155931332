package main

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
)

// TestLightArguments has callers execute a tiny program on each other's small arguments, which their owners close or
// donate meanwhile, and trims all the time: whoever got his execution has the right result, and all else is closed.
func TestLightArguments(t *testing.T) {
	c, err := xla.NewClient(cpu.New(cpu.Options{Threads: 2}), xla.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := `HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[3] parameter(0) y = f32[3] parameter(1) ROOT z = f32[3] add(x, y) }`
	exe, err := c.Compile(t.Context(), xla.Program{Source: []byte(text)}, xla.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	const rounds, callers = 300, 4
	for i := range rounds {
		v := float32(i)
		x, err := xla.FromSlice(c, []float32{v, v + 1, v + 2})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for k := range callers {
			wg.Go(func() {
				var o xla.RunOptions
				if k == 1 {
					o.Donate = []int{0}
				}
				z := make([]float32, 3)
				err := exe.ExecuteInto(context.Background(), o, []any{z}, x, x)
				if err == nil && (z[0] != 2*v || z[2] != 2*v+4) || err != nil && !errors.Is(err, xla.ErrClosed) {
					t.Errorf("caller %d: got %v, %v, want twice %g and so on", k, z, err, v)
				}
				if k == 2 {
					x.Close()
				}
				if k == 3 {
					c.Trim()
				}
			})
		}
		wg.Wait()
		if err := exe.ExecuteInto(context.Background(), xla.RunOptions{}, []any{make([]float32, 3)}, x, x); err == nil {
			t.Error("a closed buffer is taken")
		}
	}
	if live := c.Live(); live.Buffers != 0 || live.BufferBytes != 0 || live.Running != 0 {
		t.Errorf("got %+v, want no buffers", live)
	}
}
