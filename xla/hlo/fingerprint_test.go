package hlo

import (
	"strings"
	"testing"
)

// TestFingerprint wants programs that differ in what they compute to be told apart, and only those.
func TestFingerprint(t *testing.T) {
	const text = `HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[2] parameter(0)
  k = f32[2] constant({1, 2})
  y = f32[2] subtract(x, k), metadata={op_name="here"}
  ROOT r = f32[2] all-reduce(y), to_apply=add, replica_groups={}
}`
	of := func(text string) string {
		m, err := Parse([]byte(text), "t.hlo")
		if err != nil {
			t.Fatal(err)
		}
		return Fingerprint(m.Entry)
	}
	whole := of(text)
	for old, other := range map[string]string{"here": "there", "r = ": "q = ", "HloModule m": "HloModule other", "add {": "sum {"} {
		if got := of(strings.ReplaceAll(strings.ReplaceAll(text, old, other), "to_apply=add", "to_apply="+
			map[bool]string{true: "sum", false: "add"}[old == "add {"])); got != whole {
			t.Errorf("%s instead of %s: got %s, want %s", other, old, got, whole)
		}
	}
	seen := map[string]string{whole: "the program"}
	for old, other := range map[string]string{"{1, 2}": "{1, 3}", "f32[2]": "f32[1,2]", "add(a, b)": "maximum(a, b)",
		"add(a": "subtract(a", "subtract(x, k)": "subtract(k, x)", "groups={}": "groups={{0,1}}", "f32": "f64"} {
		changed := strings.ReplaceAll(text, old, other)
		if other == "f32[1,2]" {
			changed = strings.ReplaceAll(changed, "{1, 2}", "{{1, 2}}")
		}
		got := of(changed)
		if seen[got] != "" {
			t.Errorf("%s instead of %s: got the fingerprint of %s", other, old, seen[got])
		}
		seen[got] = other
	}
}
