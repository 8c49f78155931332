package cpu_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// wrapPrograms index from the end as JAX writes it: single elements and windows, one entry and two, sums into places, on
// one thread and on several; then indices that look alike and are not.
var wrapPrograms = []struct {
	name, text string
	kernels    []string // those of native builds
}{
	{"elements", `x = f32[1000] parameter(0) i = s32[5000] parameter(1)
  z = s32[] constant(0) zs = s32[5000] broadcast(z), dimensions={} n = s32[] constant(1000)
  ns = s32[5000] broadcast(n), dimensions={} below = pred[5000] compare(i, zs), direction=LT
  moved = s32[5000] add(ns, i) w = s32[5000] select(below, moved, i) v = s32[5000,1] reshape(w)
  ROOT g = f32[5000] gather(x, v), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1}`, []string{"loops gather"}},
	{"windows", `x = bf16[20,30,7] parameter(0) i = s8[9,2] parameter(1)
  z = s8[] constant(0) zs = s8[9,2] broadcast(z), dimensions={} n = s8[] constant(100)
  ns = s8[9,2] broadcast(n), dimensions={} below = pred[9,2] compare(i, zs), direction=LT
  moved = s8[9,2] add(i, ns) w = s8[9,2] select(below, moved, i)
  ROOT g = bf16[9,3,7] gather(x, w), offset_dims={1,2}, collapsed_slice_dims={0}, start_index_map={1,0},
    index_vector_dim=1, slice_sizes={1,3,7}`, []string{"loops gather"}},
	{"bags", `x = f32[1000,32] parameter(0) i = s64[50,8] parameter(1)
  z = s64[] constant(0) zs = s64[50,8] broadcast(z), dimensions={} n = s64[] constant(1000)
  ns = s64[50,8] broadcast(n), dimensions={} below = pred[50,8] compare(i, zs), direction=LT
  moved = s64[50,8] add(i, ns) w = s64[50,8] select(below, moved, i) v = s64[50,8,1] reshape(w)
  g = f32[50,8,32] gather(x, v), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2,
    slice_sizes={1,32} o = f32[] constant(-0)
  ROOT r = f32[50,32] reduce(g, o), dimensions={1}, to_apply=add`, []string{"loops bags"}},
	{"sums", `x = f32[70000] parameter(0) i = s32[50000] parameter(1) u = f32[50000] parameter(2)
  z = s32[] constant(0) zs = s32[50000] broadcast(z), dimensions={} n = s32[] constant(70000)
  ns = s32[50000] broadcast(n), dimensions={} below = pred[50000] compare(i, zs), direction=LT
  moved = s32[50000] add(i, ns) w = s32[50000] select(below, moved, i) v = s32[50000,1] reshape(w)
  ROOT s = f32[70000] scatter(x, v, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add`, []string{"loops scatter"}},
	{"rows", `x = f32[300,40] parameter(0) i = s64[2000,1] parameter(1) u = f32[2000,40] parameter(2)
  z = s64[] constant(0) zs = s64[2000,1] broadcast(z), dimensions={} n = s64[] constant(300)
  ns = s64[2000,1] broadcast(n), dimensions={} below = pred[2000,1] compare(i, zs), direction=LT
  moved = s64[2000,1] add(i, ns) w = s64[2000,1] select(below, moved, i)
  ROOT s = f32[300,40] scatter(x, w, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add`, []string{"loops scatter"}},
	{"without a sign", `x = f32[100] parameter(0) i = u8[50,1] parameter(1)
  z = u8[] constant(3) zs = u8[50,1] broadcast(z), dimensions={} n = u8[] constant(100)
  ns = u8[50,1] broadcast(n), dimensions={} below = pred[50,1] compare(i, zs), direction=LT
  moved = u8[50,1] add(i, ns) w = u8[50,1] select(below, moved, i)
  ROOT g = f32[50] gather(x, w), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1}`, nil},
	{"below one", `x = f32[100] parameter(0) i = s8[50,1] parameter(1)
  z = s8[] constant(1) zs = s8[50,1] broadcast(z), dimensions={} n = s8[] constant(100)
  ns = s8[50,1] broadcast(n), dimensions={} below = pred[50,1] compare(i, zs), direction=LT
  moved = s8[50,1] add(i, ns) w = s8[50,1] select(below, moved, i)
  ROOT g = f32[50] gather(x, w), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1}`, nil},
	{"less", `x = f32[100] parameter(0) i = s8[50,1] parameter(1)
  z = s8[] constant(0) zs = s8[50,1] broadcast(z), dimensions={} n = s8[] constant(-100)
  ns = s8[50,1] broadcast(n), dimensions={} below = pred[50,1] compare(i, zs), direction=LT
  moved = s8[50,1] add(i, ns) w = s8[50,1] select(below, moved, i)
  ROOT g = f32[50] gather(x, w), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
    slice_sizes={1}`, nil},
}

// TestWraps wants the reference's bits of programs that index from the end, and the indices to be wrapped on the way.
func TestWraps(t *testing.T) {
	for _, c := range wrapPrograms {
		t.Run(c.name, func(t *testing.T) {
			text := "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\nENTRY e { " + c.text + " }"
			for _, indices := range []func(*rand.Rand, shape.Shape) *literal.Literal{anyBits, fromEnd} {
				r := newRand(t)
				same(t, r, text, func(i int, s shape.Shape) *literal.Literal {
					if i == 1 {
						return indices(r, s)
					}
					return repeating(t, s)
				})
			}
			_, p := compiled(t, cpu.New(cpu.Options{}), text)
			defer p.Close()
			var kernels []string
			for _, s := range p.Report() {
				kernels = append(kernels, s.Kernel)
			}
			if run.Available() && c.kernels != nil && !slices.Equal(kernels, c.kernels) {
				t.Errorf("run by %v, want %v", kernels, c.kernels)
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
