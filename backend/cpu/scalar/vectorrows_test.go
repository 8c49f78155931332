package scalar_test

import (
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu/scalar"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestRowsOfBranches refuses to reduce rows by a computation that branches, as each lane may go another way, or that
// computes with wider numbers.
func TestRowsOfBranches(t *testing.T) {
	for last, refused := range map[string]bool{
		"ROOT r = f32[] conditional(p, a, b), true_computation=one, false_computation=one": true,
		"wide = f64[] convert(a)\n  ROOT r = f32[] convert(wide)":                          true,
		"ROOT r = f32[] select(p, a, b)":                                                   false,
	} {
		m, err := hlo.Parse([]byte(strings.ReplaceAll(`HloModule m
one { ROOT x = f32[] parameter(0) }
some {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  p = pred[] compare(a, b), direction=LT
  LAST
}
body {
  x = f32[10,10] parameter(0)
  z = f32[] constant(0)
  r = f32[10] reduce(x, z), dimensions={0}, to_apply=some
  ROOT y = f32[10,10] broadcast(r), dimensions={0}
}
more {
  x = f32[10,10] parameter(0)
  ROOT c = pred[] constant(true)
}
ENTRY e {
  x = f32[10,10] parameter(0)
  ROOT w = f32[10,10] while(x), condition=more, body=body
}
`, "LAST", last)), "test")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scalar.CompileLoop(m.Entry.Root, nil); (err != nil) != refused {
			t.Errorf("%s: got %v", last, err)
		}
	}
}
