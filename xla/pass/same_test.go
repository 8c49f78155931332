package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// TestNumbersDiffer wants other numbers for computations that differ in a constant alone, and for reductions that differ
// in the computation alone: CSE compares all that have one number with each other.
func TestNumbersDiffer(t *testing.T) {
	const n = 100
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `c%d { a = f32[] parameter(0)
  b = f32[] parameter(1)
  k = f32[] constant(%d)
  s = f32[] multiply(b, k)
  ROOT c = f32[] add(a, s) }
`, i, i)
	}
	text.WriteString("ENTRY e { x = f32[8] parameter(0)\n z = f32[] constant(0)\n")
	for i := range n {
		fmt.Fprintf(&text, " r%d = f32[] reduce(x, z), dimensions={0}, to_apply=c%d\n", i, i)
	}
	text.WriteString(" ROOT y = f32[] add(r0, r1) }")
	m, err := hlo.Parse([]byte(text.String()), "numbers.hlo")
	if err != nil {
		t.Fatal(err)
	}
	u, computations := &unifier{}, map[uint64]bool{}
	for _, c := range m.Computations {
		computations[u.hash(c)] = true
	}
	if len(computations) != n+1 {
		t.Errorf("%d computations have %d numbers", n+1, len(computations))
	}
	c, reductions := newCSE((&moduleEditor{m: m}).editor(m.Entry)), map[uint64]bool{}
	for _, in := range m.Entry.Instructions {
		if in.Op == hlo.Reduce {
			reductions[c.number(in)] = true
		}
	}
	if len(reductions) != n {
		t.Errorf("%d reductions have %d numbers", n, len(reductions))
	}
}

// TestCallsOfFunctions wants computations with custom calls, some of whose attributes are absent, to be looked at and to
// stay two.
func TestCallsOfFunctions(t *testing.T) {
	const part = ` { x = f32[] parameter(0)
  ROOT y = f32[] custom-call(x), custom_call_target="f" }
`
	m, err := hlo.Parse([]byte("a"+part+"b"+part+`ENTRY e { x = f32[] parameter(0)
  y = f32[] call(x), to_apply=a
  ROOT z = f32[] call(y), to_apply=b }`), "calls.hlo")
	if err != nil {
		t.Fatal(err)
	}
	if m, err = CSE().Run(m); err != nil || len(m.Computations) != 3 {
		t.Errorf("got %d computations, %v, want 3", len(m.Computations), err)
	}
}
