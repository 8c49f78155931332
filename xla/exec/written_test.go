package exec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
)

// doubling is a program whose functions call one another twice, n deep.
func doubling(t *testing.T, n int) *hlo.Module {
	var b strings.Builder
	b.WriteString("HloModule m\nf0 { p = f32[4] parameter(0) ROOT r = f32[4] add(p, p) }\n")
	for i := range n {
		fmt.Fprintf(&b, "f%d { p = f32[4] parameter(0) a = f32[4] call(p), to_apply=f%d\n"+
			"ROOT r = f32[4] call(a), to_apply=f%d }\n", i+1, i, i)
	}
	fmt.Fprintf(&b, "ENTRY e { p = f32[4] parameter(0) ROOT r = f32[4] call(p), to_apply=f%d }", n)
	m, err := hlo.Parse([]byte(b.String()), "calls.hlo")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestWritten refuses what a short text makes too large before any pass sees it, and counts what it does not.
func TestWritten(t *testing.T) {
	m := doubling(t, 3)
	if n := written(m.Entry, 1000, map[*hlo.Computation]int{}); n != 2+3*7+8*2 { // e, f3, two of f2, ..., eight of f0
		t.Errorf("three deep: got %d instructions, want %d", n, 2+3*7+8*2)
	}
	if n := written(m.Entry, 10, map[*hlo.Computation]int{}); n != 11 {
		t.Errorf("up to 10: got %d instructions, want 11", n)
	}
	if err := checkWritten(doubling(t, 12)); err != nil {
		t.Errorf("12 deep: %v", err)
	}
	for _, n := range []int{30, 200} {
		if err := checkWritten(doubling(t, n)); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%d deep: got %v, want it refused", n, err)
		}
	}
}
