package cpu

import (
	"context"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// TestRaggedDotSizes wants ragged dots whose sizes do not go together to be refused at compile, though they may be read:
// the result tells dimensions of its own.
func TestRaggedDotSizes(t *testing.T) {
	for _, c := range []struct{ lhs, rhs, sizes, result, dims, want string }{
		{"f32[4,3]", "f32[2,4,4]", "s32[2]", "f32[4,4]", "{0}", "contracting sizes differ"},
		{"f32[2,4]", "f32[2,4,4]", "s32[3]", "f32[4,4]", "{0}", "groups differ"},
		{"f32[4,4]", "f32[2,4,4]", "s32[2]", "f32[4,4]", "{0,1}", "want one dimension"},
		{"f32[4,4]", "f32[2,4,4]", "s32[2]", "f32[4,4]", "{9}", "out of range"},
		{"f32[4,4]", "f32[2,4,4]", "c64[2]", "f32[4,4]", "{0}", "want integers"},
	} {
		text := "HloModule m\nENTRY e { x = " + c.lhs + " parameter(0)\n y = " + c.rhs + " parameter(1)\n n = " + c.sizes +
			" parameter(2)\n ROOT r = " + c.result + " ragged-dot(x, y, n), lhs_contracting_dims={1}, " +
			"rhs_contracting_dims={1}, lhs_ragged_dims=" + c.dims + ", rhs_group_dims={0} }"
		m, err := hlo.Parse([]byte(text), "ragged.hlo")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if _, err = New(Options{}).Compile(context.Background(), m, exec.Options{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", text, err, c.want)
		}
	}
}
