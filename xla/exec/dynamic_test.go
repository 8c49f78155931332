package exec

import (
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestDynamicKept wants an instruction of unknown sizes to be compiled once for each list of sizes.
func TestDynamicKept(t *testing.T) {
	for name, body := range map[string]string{
		"attributes as they are": "ROOT r = f32[?,4] negate(x)",
		"attributes made anew": `i = s32[2]{0} constant({1, 0})
  ROOT r = f32[2,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1,4}`,
		"another op": `i = s32[2]{0} constant({1, 0})
  n = s32[2]{0} constant({1, 4})
  ROOT r = f32[2,4] dynamic-gather(x, i, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1`,
	} {
		p := mustCompile(t, "HloModule m\nENTRY e {\n  x = f32[?,4] parameter(0)\n  "+body+"\n}", Options{AllowReference: true})
		if len(p.dynamics) != 1 {
			t.Fatalf("%s: %d dynamic instructions, want 1", name, len(p.dynamics))
		}
		for _, c := range []struct{ rows, programs int }{{3, 1}, {3, 1}, {2, 2}, {3, 2}, {2, 2}} {
			run(t, p, literal.Zeros(shape.Array(shape.F32, int64(c.rows), 4)))
			if got := len(p.dynamics[0].cache); got != c.programs {
				t.Errorf("%s: %d programs are kept after one for %d rows, want %d", name, got, c.rows, c.programs)
			}
		}
	}
}
