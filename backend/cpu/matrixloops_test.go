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
		loop, err := scalar.CompileLoop(m.Entry.Root, nil)
		if run.Available() && (err != nil || !strings.Contains(loop.String(), c.has)) {
			t.Errorf("%s by %s: %v, want a program with %s", c.h, c.w, err, c.has)
		}
		runsAsReference(t, c.h+" by "+c.w, m)
	}
}

// runsAsReference wants the results of whole numbers that the reference has.
func runsAsReference(t *testing.T, name string, m *hlo.Module) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 7))
	var args []*literal.Literal
	for _, in := range m.Entry.Parameters {
		args = append(args, wholeNumbers(r, in))
	}
	want, err := hlo.EvaluateAll(context.Background(), m, [][]*literal.Literal{args}, hlo.EvalOptions{}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cpu.New(cpu.Options{Threads: 2}).Compile(context.Background(), m, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	got, err := p.Run(ctx, [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		t.Fatal(name, err)
	}
	if d := literal.Compare(got[0], want[0], literal.Tolerance{}); d != nil {
		t.Errorf("%s: %v", name, d)
	}
}

// branchedLoop multiplies by a matrix, which is transposed before the loop, in every third round only. innerLoop does so
// in the condition of a loop in a loop.
const (
	// twelve takes the state apart, loopOfTwelve does body nine times.
	twelve = `s = (s32[], f32[12], f32[12,12]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  h = f32[12] get-tuple-element(s), index=1
  w = f32[12,12] get-tuple-element(s), index=2
`
	loopOfTwelve = `condition {
  s = (s32[], f32[12], f32[12,12]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(9)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  i = s32[] constant(0)
  h = f32[12] parameter(0)
  w = f32[12,12] parameter(1)
  s = (s32[], f32[12], f32[12,12]) tuple(i, h, w)
  ROOT l = (s32[], f32[12], f32[12,12]) while(s), condition=condition, body=body
}
`

	branchedLoop = `HloModule m
product {
  p = (f32[12], f32[12,12]) parameter(0)
  h = f32[12] get-tuple-element(p), index=0
  w = f32[12,12] get-tuple-element(p), index=1
  d = f32[12] dot(w, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  low = f32[] constant(-9)
  high = f32[] constant(9)
  least = f32[12] broadcast(low), dimensions={}
  most = f32[12] broadcast(high), dimensions={}
  ROOT c = f32[12] clamp(least, d, most)
}
plain {
  p = (f32[12], f32[12,12]) parameter(0)
  h = f32[12] get-tuple-element(p), index=0
  ROOT c = f32[12] add(h, h)
}
body {
` + twelve + `  three = s32[] constant(3)
  one = s32[] constant(1)
  m = s32[] remainder(i, three)
  third = pred[] compare(m, one), direction=EQ
  t = (f32[12], f32[12,12]) tuple(h, w)
  n = f32[12] conditional(third, t, t), true_computation=product, false_computation=plain
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[12], f32[12,12]) tuple(j, n, w)
}
` + loopOfTwelve
	innerLoop = `HloModule m
inner {
` + twelve + `  one = s32[] constant(1)
  f = f32[] constant(1)
  b = f32[12] broadcast(f), dimensions={}
  n = f32[12] add(h, b)
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[12], f32[12,12]) tuple(j, n, w)
}
greater {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b)
}
some {
` + twelve + `  d = f32[12] dot(w, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  most = f32[] reduce(d, zero), dimensions={0}, to_apply=greater
  limit = f32[] constant(150)
  n = s32[] constant(50)
  small = pred[] compare(most, limit), direction=LT
  few = pred[] compare(i, n), direction=LT
  ROOT again = pred[] and(small, few)
}
body {
` + twelve + `  zero = s32[] constant(0)
  one = s32[] constant(1)
  t = (s32[], f32[12], f32[12,12]) tuple(zero, h, w)
  u = (s32[], f32[12], f32[12,12]) while(t), condition=some, body=inner
  v = f32[12] get-tuple-element(u), index=1
  half = f32[] constant(0.5)
  b = f32[12] broadcast(half), dimensions={}
  n = f32[12] multiply(v, b)
  j = s32[] add(i, one)
  ROOT r = (s32[], f32[12], f32[12,12]) tuple(j, n, w)
}
` + loopOfTwelve
)

// TestProductsInBranches runs loops whose products with a matrix that is transposed before them stand behind jumps.
func TestProductsInBranches(t *testing.T) {
	for name, text := range map[string]string{"branch": branchedLoop, "inner condition": innerLoop} {
		m, err := hlo.Parse([]byte(text), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		loop, err := scalar.CompileLoop(m.Entry.Root, nil)
		if run.Available() && (err != nil || !strings.Contains(loop.String(), "VecTranspose")) {
			t.Errorf("%s: %v, want a program with VecTranspose", name, err)
		}
		runsAsReference(t, name, m)
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
