package cpu_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
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

// TestTwoDonationsOfOneResult: a result in two places that are to have the memory of two parameters gets that of one.
func TestTwoDonationsOfOneResult(t *testing.T) {
	s := shape.Array(shape.F32, 300)
	r := rand.New(rand.NewPCG(3, 1))
	agree(t, program{args: []*literal.Literal{random(r, s), random(r, s)}, text: `HloModule m, ` +
		`input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
ENTRY e {
  a = f32[300] parameter(0)
  b = f32[300] parameter(1)
  n = f32[300] negate(a)
  ROOT t = (f32[300], f32[300]) tuple(n, n)
}`})
}
