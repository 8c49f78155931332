package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// matrixLoop is a loop whose state h, of a shape, is multiplied by a matrix w each round and clamped, so that whole
// numbers stay exact; all states are stacked.
func matrixLoop(h, w, dims string) string {
	stack := fmt.Sprintf("[20,%s]", h)
	one := fmt.Sprintf("[1,%s]", h)
	indices := strings.Repeat(", zero", strings.Count(h, ",")+1)
	return fmt.Sprintf(`HloModule m
body {
  s = (s32[], f32[%[1]s], f32[%[2]s], f32%[3]s) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h = f32[%[1]s] get-tuple-element(s), index=1
  w = f32[%[2]s] get-tuple-element(s), index=2
  all = f32%[3]s get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  low = f32[] constant(-9)
  high = f32[] constant(9)
  d = f32[%[1]s] dot(%[4]s
  least = f32[%[1]s] broadcast(low), dimensions={}
  most = f32[%[1]s] broadcast(high), dimensions={}
  next = f32[%[1]s] clamp(least, d, most)
  row = f32%[5]s reshape(next)
  stacked = f32%[3]s dynamic-update-slice(all, row, i%[6]s)
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[%[1]s], f32[%[2]s], f32%[3]s) tuple(j, next, w, stacked)
}
condition {
  s = (s32[], f32[%[1]s], f32[%[2]s], f32%[3]s) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(20)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  i = s32[] constant(0)
  h = f32[%[1]s] parameter(0)
  w = f32[%[2]s] parameter(1)
  all = f32%[3]s parameter(2)
  s = (s32[], f32[%[1]s], f32[%[2]s], f32%[3]s) tuple(i, h, w, all)
  ROOT l = (s32[], f32[%[1]s], f32[%[2]s], f32%[3]s) while(s), condition=condition, body=body
}
`, h, w, stack, dims, one, indices)
}

// wholeNumbers returns numbers from -2 to 2.
func wholeNumbers(r *rand.Rand, in *hlo.Instruction) *literal.Literal {
	w := literal.MakeWide(shape.FloatClass, int(in.Shape.Size()))
	for i := range w.F {
		w.F[i] = float64(r.IntN(5) - 2)
	}
	return literal.FromWide(in.Shape, w)
}

// TestMatrixLoops runs loops of small products as the reference does: rows and columns by matrices that are registers or
// vectors, and matrices by matrices.
func TestMatrixLoops(t *testing.T) {
	const row = "h, w), lhs_contracting_dims={%d}, rhs_contracting_dims={0}"
	const column = "w, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
	for _, c := range []struct{ h, w, dims, has string }{
		{"3", "3,3", fmt.Sprintf(row, 0), "MulF"},
		{"5", "5,5", column, "MulF"},
		{"8", "8,8", fmt.Sprintf(row, 0), "VecDot"},
		{"8", "8,8", column, "VecTranspose"},
		{"12", "12,12", column, "VecTranspose"},
		{"20", "20,20", fmt.Sprintf(row, 0), "VecDot"},
		{"1,16", "16,16", fmt.Sprintf(row, 1), "VecDot"},
		{"4,4", "4,4", fmt.Sprintf(row, 1), ""},
		{"3,9", "9,9", fmt.Sprintf(row, 1), "VecDot"},
		{"2,2", "2,2", column, "MulF"},
	} {
		m, err := hlo.Parse([]byte(matrixLoop(c.h, c.w, c.dims)), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 7))
		var args []*literal.Literal
		for _, in := range m.Entry.Parameters {
			args = append(args, wholeNumbers(r, in))
		}
		loop, err := scalar.CompileLoop(m.Entry.Root, nil)
		if run.Available() && (err != nil || !strings.Contains(loop.String(), c.has)) {
			t.Errorf("%s by %s: %v, want a program with %s", c.h, c.w, err, c.has)
		}
		want, err := hlo.EvaluateAll(context.Background(), m, [][]*literal.Literal{args}, hlo.EvalOptions{}, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := cpu.New(cpu.Options{Threads: 2}).Compile(context.Background(), m, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.Close()
		if d := literal.Compare(got[0], want[0], literal.Tolerance{}); d != nil {
			t.Errorf("%s by %s: %v", c.h, c.w, d)
		}
	}
}

// TestEndlessLoop wants a loop without an end to end with its context: where it is machine code, that looks for it.
func TestEndlessLoop(t *testing.T) {
	m, err := hlo.Parse([]byte(`HloModule m
body {
  s = (f32[3], f32[3]) parameter(0)
  x = f32[3] get-tuple-element(s), index=0
  y = f32[3] get-tuple-element(s), index=1
  d = f32[3] multiply(x, y)
  ROOT r = (f32[3], f32[3]) tuple(y, d)
}
condition {
  s = (f32[3], f32[3]) parameter(0)
  x = f32[3] get-tuple-element(s), index=0
  first = f32[1] slice(x), slice={[0:1]}
  one = f32[] reshape(first)
  zero = f32[] constant(0)
  ROOT again = pred[] compare(one, zero), direction=GE
}
ENTRY e {
  x = f32[3] parameter(0)
  s = (f32[3], f32[3]) tuple(x, x)
  ROOT l = (f32[3], f32[3]) while(s), condition=condition, body=body
}
`), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	p, err := cpu.New(cpu.Options{}).Compile(context.Background(), m, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	x := literal.Zeros(m.Entry.Parameters[0].Shape)
	if _, err := p.Run(ctx, [][]*literal.Literal{{x}}, exec.RunOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}
