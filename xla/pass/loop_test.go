package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestTrips compares the count with that of running the loop: its second element counts the rounds.
func TestTrips(t *testing.T) {
	known := 0
	for _, et := range []shape.ElementType{shape.S32, shape.U32, shape.S8, shape.S64} {
		for _, dir := range []string{"LT", "LE", "GT", "GE", "NE", "EQ"} {
			for _, n := range [][3]int64{{0, 10, 1}, {0, 10, 3}, {5, 5, 1}, {7, 2, 1}, {10, 0, -1}, {10, 1, -4}, {0, 9, 3}, {120, 127, 1}, {120, 127, 2}} {
				if n[2] < 0 && et == shape.U32 {
					continue
				}
				for _, swap := range []bool{false, true} {
					in := counting(t, et, dir, n, swap)
					l, ok := Trips(in)
					if !ok {
						continue
					}
					known++
					want, err := rounds(t, in)
					if err != nil || l.Trips != want || l.Init != n[0] || l.Step != n[2] || l.Index != 0 {
						t.Errorf("%v %s %v swapped %v: got %+v, want %d trips (%v)", et, dir, n, swap, l, want, err)
					}
				}
			}
		}
	}
	if known < 150 {
		t.Errorf("only %d loops were counted", known)
	}
}

func counting(t *testing.T, et shape.ElementType, dir string, n [3]int64, swap bool) *hlo.Instruction {
	t.Helper()
	compare := "i, n"
	if swap {
		compare = "n, i"
	}
	text := fmt.Sprintf(`
cond { p = (INT, s64[]) parameter(0)  i = INT get-tuple-element(p), index=0  n = INT constant(%d)
  ROOT c = pred[] compare(%s), direction=%s }
body { p = (INT, s64[]) parameter(0)  i = INT get-tuple-element(p), index=0  k = INT constant(%d)  j = INT add(i, k)
  r = s64[] get-tuple-element(p), index=1  one = s64[] constant(1)  s = s64[] add(r, one)
  ROOT t = (INT, s64[]) tuple(j, s) }
ENTRY e { z = INT constant(%d)  r = s64[] constant(0)  t = (INT, s64[]) tuple(z, r)
  ROOT w = (INT, s64[]) while(t), condition=cond, body=body }`, n[1], compare, dir, n[2], n[0])
	return parse(t, strings.ReplaceAll(text, "INT", et.String()+"[]")).Entry.Root
}

func rounds(t *testing.T, in *hlo.Instruction) (int64, error) {
	t.Helper()
	c, err := hlo.NewComputation("e", []*hlo.Instruction{in.Operands[0].Operands[0], in.Operands[0].Operands[1], in.Operands[0], in}, in)
	if err != nil {
		return 0, err
	}
	l, err := hlo.Evaluate(t.Context(), hlo.NewModule("m", c), nil, hlo.EvalOptions{MaxSteps: 1e5})
	if err != nil {
		return 0, err
	}
	return l.Elems()[1].Wide().I[0], nil
}

// A hoisted value is computed once, however often the loop runs.
func TestHoistComputesOnce(t *testing.T) {
	m := parse(t, `
cond { p = (s32[], f32[2,2], f32[2,2]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT }
body { p = (s32[], f32[2,2], f32[2,2]) parameter(0)  i = s32[] get-tuple-element(p), index=0  one = s32[] constant(1)
  j = s32[] add(i, one)  w = f32[2,2] get-tuple-element(p), index=1  x = f32[2,2] get-tuple-element(p), index=2
  ww = f32[2,2] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}  y = f32[2,2] subtract(x, ww)
  ROOT t = (s32[], f32[2,2], f32[2,2]) tuple(j, w, y) }
ENTRY e { w = f32[2,2] parameter(0)  z = s32[] constant(0)  t = (s32[], f32[2,2], f32[2,2]) tuple(z, w, w)
  ROOT r = (s32[], f32[2,2], f32[2,2]) while(t), condition=cond, body=body }`)
	after, err := Run(t.Context(), m, []Pass{Hoist()}, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	dots := 0
	for _, in := range after.Entry.Instructions {
		if in.Op == hlo.Dot {
			dots++
		}
	}
	if dots != 1 {
		t.Errorf("%d dots before the loop, want 1:\n%s", dots, after.Text())
	}
	sameResults(t, m, after, literal.Tolerance{}, 2)
	if again, err := Hoist().Run(after); err != nil || again != after {
		t.Errorf("a second time something changes: %v", err)
	}
}
