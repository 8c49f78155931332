package cpu_test

import (
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// bagPrograms add gathered rows: bags of 2, 5 and 256, rows of a window with several, indices of two entries, bags of
// two dimensions, and one that a reduction of another dimension makes no bag of.
var bagPrograms = []struct {
	name, text string
	bags       bool
}{
	{"five", `x = f32[100,13] parameter(0) i = s32[7,5] parameter(1) z = f32[] parameter(2)
  g = f32[7,5,13] gather(x, i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2,
    slice_sizes={1,13}
  ROOT r = f32[7,13] reduce(g, z), dimensions={1}, to_apply=add`, true},
	{"many", `x = f32[1000,128] parameter(0) i = s64[300,256,1] parameter(1) z = f32[] parameter(2)
  g = f32[300,256,128] gather(x, i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2,
    slice_sizes={1,128}
  ROOT r = f32[300,128] reduce(g, z), dimensions={1}, to_apply=add`, true},
	{"windows", `x = f32[9,6,4] parameter(0) i = u8[3,2,2] parameter(1) z = f32[] parameter(2)
  g = f32[3,2,2,4] gather(x, i), offset_dims={2,3}, collapsed_slice_dims={0}, start_index_map={0,1},
    index_vector_dim=2, slice_sizes={1,2,4}
  ROOT r = f32[3,2,4] reduce(g, z), dimensions={1}, to_apply=add`, true},
	{"two dimensions", `x = f32[50,16] parameter(0) i = s32[4,3,7] parameter(1) z = f32[] parameter(2)
  g = f32[4,3,7,16] gather(x, i), offset_dims={3}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=3,
    slice_sizes={1,16}
  ROOT r = f32[4,16] reduce(g, z), dimensions={2,1}, to_apply=add`, true},
	{"all", `x = f32[50,16] parameter(0) i = s32[33] parameter(1) z = f32[] parameter(2)
  g = f32[33,16] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1,16}
  ROOT r = f32[16] reduce(g, z), dimensions={0}, to_apply=add`, true},
	{"first dimension", `x = f32[50,16] parameter(0) i = s32[4,3] parameter(1) z = f32[] parameter(2)
  g = f32[4,3,16] gather(x, i), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2,
    slice_sizes={1,16}
  ROOT r = f32[3,16] reduce(g, z), dimensions={0}, to_apply=add`, false},
	{"columns", `x = f32[50,16] parameter(0) i = s32[4,3] parameter(1) z = f32[] parameter(2)
  g = f32[4,3,50] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=2,
    slice_sizes={50,1}
  ROOT r = f32[4,50] reduce(g, z), dimensions={1}, to_apply=add`, false},
}

// TestBags wants the reference's bits of sums of gathered rows, and them to be made without the rows in between.
func TestBags(t *testing.T) {
	for _, c := range bagPrograms {
		t.Run(c.name, func(t *testing.T) {
			text := "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e { " + c.text + " }"
			r := newRand(t)
			same(t, r, text, func(i int, s shape.Shape) *literal.Literal {
				switch i {
				case 0:
					return repeating(t, s)
				case 1:
					return anyBits(r, s) // many are out of bounds
				}
				return literal.Scalar(float32(-1.5))
			})
			if found := kernels(t, text); run.Available() && slices.Contains(found, "loops bags") != c.bags {
				t.Errorf("run by %v", found)
			}
		})
	}
}
