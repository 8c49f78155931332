package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
)

// TestSchedule wants large values that are soon made small not to be made all at first, and the same results.
func TestSchedule(t *testing.T) {
	var b strings.Builder
	b.WriteString(`HloModule m
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[] parameter(0)
  zero = f32[] constant(0)
`)
	const n = 10
	for i := range n {
		fmt.Fprintf(&b, "  wide%d = f32[1000] broadcast(x), dimensions={}\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "  sum%d = f32[] reduce(wide%d, zero), dimensions={0}, to_apply=sum\n", i, i)
	}
	b.WriteString("  ROOT r = (f32[]")
	b.WriteString(strings.Repeat(", f32[]", n-1) + ") tuple(sum0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ", sum%d", i)
	}
	b.WriteString(") }\n")
	p := mustCompile(t, b.String(), Options{AllowReference: true, Verify: true})
	if p.peakBytes > 3*4096 {
		t.Errorf("the plan takes %d bytes, want less than three wide values", p.peakBytes)
	}
	for i, l := range run(t, p, literal.Scalar(float32(2))).Leaves() {
		if l.String() != "f32[] 2000" {
			t.Errorf("result %d is %v, want 2000", i, l)
		}
	}
	kept := mustCompile(t, strings.Replace(b.String(), "HloModule m", "HloModule m, is_scheduled=true", 1),
		Options{AllowReference: true})
	if kept.peakBytes < n*4000 {
		t.Errorf("the plan of a scheduled module takes %d bytes: it has another order", kept.peakBytes)
	}
}
