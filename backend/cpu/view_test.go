package cpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// viewLoop takes a row of x in each round, the rounds' number less 2 so that starts run out of range at both ends.
// NEXT stands for what is handed on of x, and what is kept of the slice. Rows have more numbers than the vectors that
// programs work on.
const viewLoop = `
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
cond { s = (s32[], f32[9,4,192], f32[4,192], f32[4,192]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(13) ROOT less = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[9,4,192], f32[4,192], f32[4,192]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[9,4,192] get-tuple-element(s), index=1 y = f32[4,192] get-tuple-element(s), index=2
  z = f32[4,192] get-tuple-element(s), index=3
  unit = f32[] constant(1) ones = f32[1,1,192] broadcast(unit), dimensions={}
  two = s32[] constant(2) zero = s32[] constant(0) one = s32[] constant(1) at = s32[] subtract(i, two)
  row = f32[1,4,192] dynamic-slice(x, at, zero, zero), dynamic_slice_sizes={1,4,192}
  flat = f32[4,192] reshape(row) sum = f32[4,192] add(y, flat) tanh = f32[4,192] tanh(sum)
  up = f32[1,4,192] reshape(tanh)
  moved = f32[9,4,192] dynamic-update-slice(x, up, i, zero, zero)
  columns = f32[9,4,192] negate(x) NEXT
  j = s32[] add(i, one) ROOT t = (s32[], f32[9,4,192], f32[4,192], f32[4,192]) tuple(j, next, tanh, kept) }
ENTRY e { x = f32[9,4,192] parameter(0) y = f32[4,192] parameter(1) i = s32[] constant(0)
  t = (s32[], f32[9,4,192], f32[4,192], f32[4,192]) tuple(i, x, y, y)
  ROOT w = (s32[], f32[9,4,192], f32[4,192], f32[4,192]) while(t), condition=cond, body=body }`

// Slices of what a loop hands on are read where they lie, if nothing overwrites it and nothing else has their bytes.
func TestViews(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, c := range []struct{ name, next, kernel string }{
		{"handed on", "next = f32[9,4,192] copy(x) kept = f32[4,192] copy(z)", "loops view"},
		{"updated after the slice", "next = f32[9,4,192] copy(moved) kept = f32[4,192] copy(z)", "loops dynamic-slice"},
		{"made anew", "next = f32[9,4,192] copy(columns) kept = f32[4,192] copy(z)", "loops dynamic-slice"},
		{"an update of the slice", `changed = f32[1,4,192] dynamic-update-slice(row, ones, zero, i, zero)
  new = f32[4,192] reshape(changed) sorted = f32[4,192] sort(new), dimensions={1}, to_apply=less
  next = f32[9,4,192] copy(x) kept = f32[4,192] copy(sorted)`, "loops view"},
		{"the slice is kept", "next = f32[9,4,192] copy(x) kept = f32[4,192] copy(flat)", "loops dynamic-slice"},
	} {
		t.Run(c.name, func(t *testing.T) { viewCase(t, strings.Replace(viewLoop, "NEXT", c.next, 1), c.kernel) })
	}
}

func viewCase(t *testing.T, text, kernel string) {
	m, reference := compile(t, exec.Reference(), text)
	r := rand.New(rand.NewPCG(17, 1))
	args := []*literal.Literal{random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape)}
	results := func(p exec.Program) []*literal.Literal {
		out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := results(reference)
	for _, o := range []exec.Options{{}, {Verify: true}} {
		p, err := New(Options{Threads: 2}).Compile(context.Background(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		is := func(s exec.Step) bool { return s.Op == "dynamic-slice" && s.Kernel == kernel }
		if !slices.ContainsFunc(p.Report(), is) {
			t.Errorf("no slice by %q in %v", kernel, p.Report())
		}
		for range 2 { // also with the memory of the run before
			for i, got := range results(p) {
				if d := literal.Compare(got, want[i], literal.Tolerance{ATol: 1e-5}); d != nil {
					t.Errorf("result %d, %+v: %v", i, o, d)
				}
			}
		}
	}
}
