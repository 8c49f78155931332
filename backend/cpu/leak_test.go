package cpu_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
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

// TestSegmentsOfClosedPrograms: no records of a program stay in C memory when it was closed, not even those that were
// made on the way to others.
func TestSegmentsOfClosedPrograms(t *testing.T) {
	testfile.Native(t, run.Available())
	for name, text := range map[string]string{
		"known product and fusion": `ENTRY e {
  x = f32[400,256] parameter(0)
  y = f32[256,256] parameter(1)
  d = f32[400,256] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[400,256] tanh(d)
}`,
		"gradient": `ENTRY e {
  x = f32[64,28,28,8] parameter(0)
  y = f32[64,28,28,16] parameter(1)
  ROOT r = f32[3,3,8,16] convolution(x, y), window={size=28x28 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf
}`,
		"loop and branches": `c { s = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT p = pred[] compare(i, n), direction=LT
}
up { x = f32[64,64] parameter(0)
  ROOT r = f32[64,64] sine(x)
}
down { x = f32[64,64] parameter(0)
  ROOT r = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
b { s = (s32[], f32[64,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[64,64] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[64,64] conditional(i, x, x), branch_computations={up, down}
  ROOT t = (s32[], f32[64,64]) tuple(j, y)
}
ENTRY e {
  x = f32[64,64] parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[64,64]) tuple(z, x)
  w = (s32[], f32[64,64]) while(t), condition=c, body=b
  ROOT r = f32[64,64] get-tuple-element(w), index=1
}`,
	} {
		t.Run(name, func(t *testing.T) {
			m, err := hlo.Parse([]byte("HloModule m\n"+text), "m.hlo")
			if err != nil {
				t.Fatal(err)
			}
			if name == "known product and fusion" {
				weights := random(rand.New(rand.NewPCG(3, 2)), m.Entry.Parameters[1].Shape)
				if m, err = pass.Bind(m, map[int64]*literal.Literal{1: weights}); err != nil {
					t.Fatal(err)
				}
			}
			before := settled()
			for range 20 {
				p, err := cpu.New(cpu.Options{}).Compile(t.Context(), m, exec.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if run.Segments() <= before {
					t.Fatal("no segments: want some, or the test shows nothing")
				}
				p.Close()
			}
			if after := settled(); after > before {
				t.Errorf("%d segments after 20 programs were closed, %d before", after, before)
			}
		})
	}
}

// settled returns how many segments there are once the collector finds no more to free.
func settled() int {
	n := run.Segments()
	for same := 0; same < 10; same++ {
		runtime.GC()
		runtime.Gosched()
		if now := run.Segments(); now != n {
			n, same = now, 0
		}
	}
	return n
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
