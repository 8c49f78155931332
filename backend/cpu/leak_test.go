package cpu_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// TestDroppedWithoutClose: the memory of a program that nobody closed, with constants pinned in it, is collected and
// does no harm.
func TestDroppedWithoutClose(t *testing.T) {
	m, err := hlo.Parse([]byte(`HloModule m
ENTRY e {
  p = f32[3] parameter(0)
  c = f32[3] constant({1, 2, 4})
  ROOT r = f32[3] add(p, c)
}`), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for range 3 {
		p, err := cpu.New(cpu.Options{}).Compile(ctx, m, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x := literal.Zeros(m.Entry.Parameters[0].Shape)
		if _, err := p.Run(ctx, [][]*literal.Literal{{x}}, exec.RunOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 { // a leaked pin ends the process in the collector
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
}
