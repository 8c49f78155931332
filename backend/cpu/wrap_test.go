package cpu_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// wrapComputations are what the programs scatter by: what loops are for, and what a program is for.
const wrapComputations = `
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
sum { a = c64[] parameter(0) b = c64[] parameter(1) ROOT c = c64[] add(a, b) }
minus { a = s16[] parameter(0) b = s16[] parameter(1) ROOT c = s16[] subtract(b, a) }
`

// wrapped is w, the indices i of a type and sizes, to those of which that are less than bound some number is added.
func wrapped(of string, bound, by int) string {
	t, dims, _ := strings.Cut(of, "[")
	return fmt.Sprintf(` z = %[1]s[] constant(%[3]d) zs = %[1]s[%[2]s broadcast(z), dimensions={}
  n = %[1]s[] constant(%[4]d) ns = %[1]s[%[2]s broadcast(n), dimensions={}
  below = pred[%[2]s compare(i, zs), direction=LT moved = %[1]s[%[2]s add(i, ns)
  w = %[1]s[%[2]s select(below, moved, i)
  `, t, dims, bound, by)
}

// wrapPrograms index from the end as JAX writes it: single elements and windows, one entry and two, sums into places, on
// one thread and on several, by loops and by programs; then indices that look alike and are not.
var wrapPrograms = []struct {
	name, text       string
	native, portable []string // kernels, if they wrap
}{
	{"elements", `x = f32[1000] parameter(0) i = s32[5000] parameter(1)` +
		strings.Replace(wrapped("s32[5000]", 0, 1000), "add(i, ns)", "add(ns, i)", 1) +
		`v = s32[5000,1] reshape(w)
  ROOT g = f32[5000] gather(x, v), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1}`, []string{"loops gather"}, []string{"go gather"}},
	{"windows", `x = bf16[20,30,7] parameter(0) i = s8[9,2] parameter(1)` + wrapped("s8[9,2]", 0, 100) +
		`ROOT g = bf16[9,3,7] gather(x, w), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={1,0},
    index_vector_dim=1, slice_sizes={1,3,7}`, []string{"loops gather"}, []string{"go gather"}},
	{"bags", `x = f32[1000,32] parameter(0) i = s64[50,8] parameter(1)` + wrapped("s64[50,8]", 0, 1000) +
		`v = s64[50,8,1] reshape(w)
  g = f32[50,8,32] gather(x, v), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2,
    slice_sizes={1,32} o = f32[] constant(-0)
  ROOT r = f32[50,32] reduce(g, o), dimensions={1}, to_apply=add`, []string{"loops bags"},
		[]string{"go gather", "go reduce by program"}},
	{"sums", `x = f32[70000] parameter(0) i = s32[50000] parameter(1) u = f32[50000] parameter(2)` +
		wrapped("s32[50000]", 0, 70000) + `v = s32[50000,1] reshape(w)
  ROOT s = f32[70000] scatter(x, v, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add`, []string{"loops scatter"}, []string{"go scatter"}},
	{"rows", `x = f32[300,40] parameter(0) i = s64[2000,1] parameter(1) u = f32[2000,40] parameter(2)` +
		wrapped("s64[2000,1]", 0, 300) +
		`ROOT s = f32[300,40] scatter(x, w, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add`, []string{"loops scatter"}, []string{"go scatter"}},
	{"rows by a program", `x = s16[300,40] parameter(0) i = s32[2000,1] parameter(1) u = s16[2000,40] parameter(2)` +
		wrapped("s32[2000,1]", 0, 300) +
		`ROOT s = s16[300,40] scatter(x, w, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=minus`, []string{"loops scatter"}, []string{"go scatter"}},
	{"rows of complex numbers", `x = c64[300,4] parameter(0) i = s32[200,1] parameter(1) u = c64[200,4] parameter(2)` +
		wrapped("s32[200,1]", 0, 300) +
		`ROOT s = c64[300,4] scatter(x, w, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum`, []string{"loops scatter"}, []string{"go scatter"}},
	{"rows into a wider type", `x = bf16[300,4] parameter(0) i = s32[200,1] parameter(1) u = bf16[200,4] parameter(2)` +
		wrapped("s32[200,1]", 0, 300) +
		`ROOT s = f32[300,4] scatter(x, w, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add`, []string{"go scatter"}, []string{"go scatter"}},
	{"without a sign", `x = f32[100] parameter(0) i = u8[50,1] parameter(1)` + wrapped("u8[50,1]", 3, 100) + wrapGather,
		nil, nil},
	{"below one", `x = f32[100] parameter(0) i = s8[50,1] parameter(1)` + wrapped("s8[50,1]", 1, 100) + wrapGather,
		nil, nil},
	{"less", `x = f32[100] parameter(0) i = s8[50,1] parameter(1)` + wrapped("s8[50,1]", 0, -100) + wrapGather, nil, nil},
}

const wrapGather = `ROOT g = f32[50] gather(x, w), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
  index_vector_dim=1, slice_sizes={1}`

// TestWraps wants the reference's bits of programs that index from the end, and the indices to be wrapped on the way.
func TestWraps(t *testing.T) {
	for _, c := range wrapPrograms {
		t.Run(c.name, func(t *testing.T) {
			text := wrapComputations + "ENTRY e { " + c.text + " }"
			for _, indices := range []func(*rand.Rand, shape.Shape) *literal.Literal{anyBits, fromEnd} {
				r := newRand(t)
				same(t, r, text, func(i int, s shape.Shape) *literal.Literal {
					if i == 1 {
						return indices(r, s)
					}
					return repeating(t, s)
				})
			}
			want := c.portable
			if run.Available() {
				want = c.native
			}
			if got := kernels(t, text); want != nil && !slices.Equal(got, want) {
				t.Errorf("run by %v, want %v", got, want)
			}
		})
	}
}

// fromEnd fills an array with indices of some hundreds, half of them below 0, as far as its type has those.
func fromEnd(r *rand.Rand, s shape.Shape) *literal.Literal {
	l := literal.Zeros(shape.Array(shape.S64, s.Dims...))
	for i := range l.Bytes() {
		if i%8 == 0 {
			binary.LittleEndian.PutUint64(l.Bytes()[i:], uint64(r.Int64N(1400)-700))
		}
	}
	c, err := literal.Convert(l, s.Type)
	if err != nil {
		panic(err)
	}
	return c
}
