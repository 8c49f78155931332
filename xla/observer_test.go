package xla_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/halo-xla/halo/xla"
)

// TestTotalsOfExecutions wants executions to be counted that began, also those of executables that are closed.
func TestTotalsOfExecutions(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	defer c.Close()
	v := buffer(t, c, []float32{1, 2}, 2)
	defer v.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range int64(3) {
		x := compile(t, c, fmt.Sprintf("ENTRY e%d { x = f32[2] parameter(0) ROOT y = f32[2] negate(x) }", i))
		out, err := x.Execute(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		out[0].Close()
		if _, err := x.Execute(t.Context()); err == nil {
			t.Error("no argument is enough")
		}
		if _, err := x.Execute(ended, v); err == nil {
			t.Error("a context that has ended is not seen")
		}
		for _, when := range []string{"open", "closed"} {
			if got := c.Totals(); got.Executions != 2*(i+1) || got.Failures != i+1 {
				t.Errorf("%s: got %+v, want %d executions and %d failures", when, got, 2*(i+1), i+1)
			}
			x.Close()
		}
	}
}
