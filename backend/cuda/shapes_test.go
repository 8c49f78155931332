//go:build cgo && linux

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/backendtest"
	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// shaped are programs whose sizes lead to each form that kernels have.
var shaped = []struct {
	name     string
	anything bool
	tol      literal.Tolerance
	text     string
}{
	{"vector", true, literal.Tolerance{}, `
ENTRY e { x = f32[40000] parameter(0)  y = f32[40000] parameter(1)  ROOT r = f32[40000] add(x, y) }`},
	{"vector with a rest", true, literal.Tolerance{}, `
ENTRY e { x = bf16[33333] parameter(0)  y = bf16[33333] parameter(1)  ROOT r = bf16[33333] maximum(x, y) }`},
	{"vector of a fusion over rows", true, literal.Tolerance{}, `
ENTRY e { x = f16[300,117] parameter(0)  y = f16[117] parameter(1)  z = f16[300] parameter(2)
  b = f16[300,117] broadcast(y), dimensions={1}
  c = f16[300,117] broadcast(z), dimensions={0}
  s = f16[300,117] add(x, b)
  ROOT r = f16[300,117] multiply(s, c) }`},
	{"vector of complex", true, literal.Tolerance{}, `
ENTRY e { x = c64[40001] parameter(0)  ROOT r = c64[40001] negate(x) }`},
	{"rows", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[37,1000] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[37] reduce(x, z), dimensions={1}, to_apply=add }`},
	{"short rows", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[1000,3] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[1000] reduce(x, z), dimensions={1}, to_apply=add }`},
	{"columns", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[333,77] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[77] reduce(x, z), dimensions={0}, to_apply=add }`},
	{"columns in two passes", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[2000,70] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[70] reduce(x, z), dimensions={0}, to_apply=add }`},
	{"predicates and complex numbers in rows", false, literal.Tolerance{}, `
o { a = pred[] parameter(0)  b = pred[] parameter(1)  ROOT s = pred[] or(a, b) }
h { a = c64[] parameter(0)  b = c64[] parameter(1)  ROOT s = c64[] add(a, b) }
ENTRY e { x = pred[3,700] parameter(0)  z = pred[] parameter(1)  y = c64[3,70] parameter(2)  c = c64[] parameter(3)
  r = pred[3] reduce(x, z), dimensions={1}, to_apply=o  s = c64[3] reduce(y, c), dimensions={1}, to_apply=h
  ROOT t = (pred[3], c64[3]) tuple(r, s) }`},
	{"normalised long rows", false, literal.Tolerance{}, add + `
m { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }
ENTRY e { x = f32[2,3000] parameter(0)  l = f32[] constant(-inf)  z = f32[] constant(0)
  t = f32[2] reduce(x, l), dimensions={1}, to_apply=m  u = f32[2,3000] broadcast(t), dimensions={0}
  d = f32[2,3000] subtract(x, u)  q = f32[2] reduce(d, z), dimensions={1}, to_apply=add
  w = f32[2,3000] broadcast(q), dimensions={0}  ROOT r = f32[2,3000] add(d, w) }`},
	{"few columns", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[70000,3] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[3] reduce(x, z), dimensions={0}, to_apply=add }`},
	{"columns in parts", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[2103,40] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[40] reduce(x, z), dimensions={0}, to_apply=add }`},
	{"many columns", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[3,19,90001] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[3,90001] reduce(x, z), dimensions={1}, to_apply=add }`},
	{"order counts in parts of columns", false, literal.Tolerance{}, argmax + `
ENTRY e { x = f32[2103,9] parameter(0)  i = s32[2103,9] iota(), iota_dimension=0  z = f32[] constant(-inf)
  n = s32[] constant(0)
  ROOT r = (f32[9], s32[9]) reduce(x, i, z, n), dimensions={0}, to_apply=argmax }`},
	{"sums of gathered rows", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[40,70] parameter(0)  i = s32[20,13] parameter(1)  z = f32[] parameter(2)
  w = s32[] constant(9)  ws = s32[20,13] broadcast(w), dimensions={}  j = s32[20,13] add(i, ws)
  g = f32[20,13,70] gather(x, j), offset_dims={2}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,70}
  ROOT r = f32[20,70] reduce(g, z), dimensions={1}, to_apply=add }`},
	{"gathered and scaled", true, literal.Tolerance{}, `
ENTRY e { x = bf16[40,70] parameter(0)  i = s8[1000] parameter(1)  y = bf16[1000,70] parameter(2)
  g = bf16[1000,70] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,70}
  ROOT r = bf16[1000,70] add(g, y) }`},
	{"all in two passes", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[300,333] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[] reduce(x, z), dimensions={0,1}, to_apply=add }`},
	{"between kept dimensions", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[5,6,7,9] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[5,7] reduce(x, z), dimensions={1,3}, to_apply=add }`},
	{"narrow sums", false, literal.Tolerance{}, `
h { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT s = bf16[] add(a, b) }
ENTRY e { x = bf16[37,60] parameter(0)  z = bf16[] parameter(1)
  ROOT r = bf16[37] reduce(x, z), dimensions={1}, to_apply=h }`},
	{"maximum with NaN", true, literal.Tolerance{}, `
m { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }
ENTRY e { x = f32[37,300] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[37] reduce(x, z), dimensions={1}, to_apply=m }`},
	{"order counts: the last of the largest", false, literal.Tolerance{}, argmax + `
ENTRY e { x = f32[9,1000] parameter(0)  i = s32[9,1000] iota(), iota_dimension=1  z = f32[] constant(-inf)
  n = s32[] constant(0)
  ROOT r = (f32[9], s32[9]) reduce(x, i, z, n), dimensions={1}, to_apply=argmax }`},
	{"order counts in two passes", false, literal.Tolerance{}, argmax + `
ENTRY e { x = f32[50000] parameter(0)  i = s32[50000] iota(), iota_dimension=0  z = f32[] constant(-inf)
  n = s32[] constant(0)
  ROOT r = (f32[], s32[]) reduce(x, i, z, n), dimensions={0}, to_apply=argmax }`},
	{"order counts in columns", false, literal.Tolerance{}, argmax + `
ENTRY e { x = f32[700,9] parameter(0)  i = s32[700,9] iota(), iota_dimension=0  z = f32[] constant(-inf)
  n = s32[] constant(0)
  ROOT r = (f32[9], s32[9]) reduce(x, i, z, n), dimensions={0}, to_apply=argmax }`},
	{"tiles of a dot", false, literal.Tolerance{}, `
ENTRY e { x = f32[3,70,45] parameter(0)  y = f32[3,45,100] parameter(1)
  ROOT r = f32[3,70,100] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1} }`},
	{"tiles of a dot of several dimensions each", false, literal.Tolerance{}, `
ENTRY e { x = f32[2,3,5,7,3,6] parameter(0)  y = f32[2,3,6,3,35] parameter(1)
  ROOT r = f32[2,3,5,7,35] dot(x, y), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={4,5}, rhs_contracting_dims={3,2} }`},
	{"tiles of a dot of bf16, turned round", false, literal.Tolerance{}, `
ENTRY e { x = bf16[20,70] parameter(0)  y = bf16[100,20] parameter(1)
  ROOT r = f32[70,100] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={1} }`},
	{"tiles of a dot of integers", false, literal.Tolerance{}, `
ENTRY e { x = s8[70,20] parameter(0)  y = s8[20,65] parameter(1)
  ROOT r = s32[70,65] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`},
	{"tiles of a dot of complex numbers", false, literal.Tolerance{}, `
ENTRY e { x = c64[33,20] parameter(0)  y = c64[20,65] parameter(1)
  ROOT r = c64[33,65] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`},
	{"transpose of tiles", true, literal.Tolerance{Bits: true}, `
ENTRY e { x = f16[50,3,70] parameter(0)  ROOT r = f16[70,50,3] transpose(x), dimensions={2,0,1} }`},
	{"transpose of tiles in a batch", true, literal.Tolerance{Bits: true}, `
ENTRY e { x = f64[4,33,2,40] parameter(0)  ROOT r = f64[2,4,40,33] transpose(x), dimensions={2,0,3,1} }`},
	{"running sum", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[3,700,5] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[3,700,5] reduce-window(x, z), window={size=1x700x1 pad=0_0x699_0x0_0}, to_apply=add }`},
	{"running sum from the end", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[3,300] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[3,300] reduce-window(x, z), window={size=1x300 pad=0_0x0_299}, to_apply=add }`},
	{"running order", false, literal.Tolerance{}, argmax + `
ENTRY e { x = f32[300] parameter(0)  i = s32[300] iota(), iota_dimension=0  z = f32[] constant(-inf)
  n = s32[] constant(0)
  ROOT r = (f32[300], s32[300]) reduce-window(x, i, z, n), window={size=300 pad=299_0}, to_apply=argmax }`},
	{"running sum in parts", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[2,20000] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[2,20000] reduce-window(x, z), window={size=1x20000 pad=0_0x19999_0}, to_apply=add }`},
	{"running sum in parts from the end", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[17001] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[17001] reduce-window(x, z), window={size=17001 pad=0_17000}, to_apply=add }`},
	{"running sum of columns in parts", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[2,700,33] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[2,700,33] reduce-window(x, z), window={size=1x700x1 pad=0_0x699_0x0_0}, to_apply=add }`},
	{"running sum of many lines of chunks", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[260,4001] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[260,4001] reduce-window(x, z), window={size=1x4001 pad=0_0x4000_0}, to_apply=add }`},
	{"running sums of short lines", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[100,33] parameter(0)  z = f32[] parameter(1)
  ROOT r = f32[100,33] reduce-window(x, z), window={size=1x33 pad=0_0x32_0}, to_apply=add }`},
	{"running sum of bf16", false, literal.Tolerance{}, `
h { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT s = bf16[] add(a, b) }
ENTRY e { x = bf16[16000] parameter(0)  z = bf16[] parameter(1)
  ROOT r = bf16[16000] reduce-window(x, z), window={size=16000 pad=15999_0}, to_apply=h }`},
	{"running maximum with NaN", true, literal.Tolerance{}, `
m { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT s = f64[] maximum(a, b) }
ENTRY e { x = f64[9000] parameter(0)  z = f64[] parameter(1)
  ROOT r = f64[9000] reduce-window(x, z), window={size=9000 pad=8999_0}, to_apply=m }`},
	{"running product of complex numbers", false, literal.Tolerance{RTol: 1e-10}, `
m { a = c128[] parameter(0)  b = c128[] parameter(1)  ROOT s = c128[] multiply(a, b) }
ENTRY e { x = c128[64,7] parameter(0)  z = c128[] constant((1, 0))
  ROOT r = c128[64,7] reduce-window(x, z), window={size=64x1 pad=63_0x0_0}, to_apply=m }`},
	{"running parity", true, literal.Tolerance{}, `
x { a = pred[] parameter(0)  b = pred[] parameter(1)  ROOT s = pred[] xor(a, b) }
ENTRY e { x = pred[30000] parameter(0)  z = pred[] parameter(1)
  ROOT r = pred[30000] reduce-window(x, z), window={size=30000 pad=29999_0}, to_apply=x }`},
	{"running sum of bytes", true, literal.Tolerance{}, `
h { a = s8[] parameter(0)  b = s8[] parameter(1)  ROOT s = s8[] add(a, b) }
ENTRY e { x = s8[16000,2] parameter(0)  z = s8[] parameter(1)
  ROOT r = s8[16000,2] reduce-window(x, z), window={size=16000x1 pad=15999_0x0_0}, to_apply=h }`},
	{"running order in parts", false, literal.Tolerance{}, argmax + `
ENTRY e { x = f32[9001] parameter(0)  i = s32[9001] iota(), iota_dimension=0  z = f32[] constant(-inf)
  n = s32[] constant(0)
  ROOT r = (f32[9001], s32[9001]) reduce-window(x, i, z, n), window={size=9001 pad=9000_0}, to_apply=argmax }`},
	{"running maps", false, literal.Tolerance{}, affine + `
ENTRY e { x = s32[8000,3] parameter(0)  y = s32[8000,3] parameter(1)  z = s32[] constant(1)  n = s32[] constant(0)
  ROOT r = (s32[8000,3], s32[8000,3]) reduce-window(x, y, z, n), window={size=8000x1 pad=7999_0x0_0}, to_apply=affine }`},
	{"sort of a block", false, literal.Tolerance{}, less + `
ENTRY e { x = f32[7,100] parameter(0)  i = s32[7,100] iota(), iota_dimension=1
  ROOT r = (f32[7,100], s32[7,100]) sort(x, i), dimensions={1}, is_stable=true, to_apply=less }`},
	{"sort of several blocks", false, literal.Tolerance{}, less + `
ENTRY e { x = f32[9000] parameter(0)  i = s32[9000] iota(), iota_dimension=0
  ROOT r = (f32[9000], s32[9000]) sort(x, i), dimensions={0}, is_stable=true, to_apply=less }`},
	{"sort of columns", false, literal.Tolerance{}, less + `
ENTRY e { x = f32[1500,3] parameter(0)  i = s32[1500,3] iota(), iota_dimension=0
  ROOT r = (f32[1500,3], s32[1500,3]) sort(x, i), dimensions={0}, is_stable=true, to_apply=less }`},
	{"sort in total order", true, literal.Tolerance{Bits: true}, `
c { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT l = pred[] compare(a, b), direction=LT, type=TOTALORDER }
ENTRY e { x = f32[3000] parameter(0)  ROOT r = f32[3000] sort(x), dimensions={0}, to_apply=c }`},
	{"top-k", true, literal.Tolerance{}, `
ENTRY e { x = f32[5,2500] parameter(0)  ROOT r = (f32[5,9], s32[5,9]) topk(x), k=9, largest=true }`},
	{"scatter by sorting", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[50,6] parameter(0)  i = s32[400,1] parameter(1)  u = f32[400,6] parameter(2)
  ROOT r = f32[50,6] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }`},
	{"scatter in one slice", true, literal.Tolerance{}, add + `
ENTRY e { x = f32[50] parameter(0)  i = s8[60,1] parameter(1)  u = f32[60] parameter(2)
  ROOT r = f32[50] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }`},
	{"scatter in slices, by place", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[301] parameter(0)  u = f32[3000] parameter(1)  j = s32[3000,1] iota(), iota_dimension=0  f = s32[] constant(7)  fs = s32[3000,1] broadcast(f), dimensions={}
  d = s32[] constant(301)  ds = s32[3000,1] broadcast(d), dimensions={}  jf = s32[3000,1] multiply(j, fs)
  i = s32[3000,1] remainder(jf, ds)
  ROOT r = f32[301] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }`},
	{"scatter in slices of columns", false, literal.Tolerance{}, `
h { a = c64[] parameter(0)  b = c64[] parameter(1)  ROOT s = c64[] add(a, b) }
ENTRY e { x = c64[70,9] parameter(0)  i = s32[500,1] parameter(1)  u = c64[70,500] parameter(2)
  ROOT r = c64[70,9] scatter(x, i, u), update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=h }`},
	{"scatter by sorting, in long runs", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[4000,6] parameter(0)  i = s32[2500,1] parameter(1)  u = f32[2500,6] parameter(2)
  ROOT r = f32[4000,6] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }`},
	{"scatter by sorting, in runs of all lengths", false, literal.Tolerance{}, `
h { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT s = f64[] add(a, b) }
ENTRY e { x = f64[9000] parameter(0)  u = f64[2999] parameter(1)  j = s32[2999] iota(), iota_dimension=0
  k = s32[2999] multiply(j, j)  f = s32[] constant(600)  fs = s32[2999] broadcast(f), dimensions={}
  q = s32[2999] divide(j, fs)  t = s32[2999] shift-right-logical(k, q)  d = s32[] constant(900)
  ds = s32[2999] broadcast(d), dimensions={}  i = s32[2999] remainder(t, ds)
  ROOT r = f64[9000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of rows by sorting, in runs of all lengths", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[700,37] parameter(0)  u = f32[2999,37] parameter(1)  j = s32[2999,1] iota(), iota_dimension=0
  k = s32[2999,1] multiply(j, j)  f = s32[] constant(600)  fs = s32[2999,1] broadcast(f), dimensions={}
  q = s32[2999,1] divide(j, fs)  t = s32[2999,1] shift-right-logical(k, q)  d = s32[] constant(900)
  ds = s32[2999,1] broadcast(d), dimensions={}  i = s32[2999,1] remainder(t, ds)
  ROOT r = f32[700,37] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }`},
	{"scatter of rows in long runs", false, literal.Tolerance{}, `
h { a = c64[] parameter(0)  b = c64[] parameter(1)  ROOT s = c64[] add(a, b) }
ENTRY e { x = c64[300,40] parameter(0)  i = s32[3000,1] parameter(1)  u = c64[3000,40] parameter(2)
  ROOT r = c64[300,40] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter in the order that is promised", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[9500,2] parameter(0)  u = f32[700,2] parameter(1)  j = s32[700,1] iota(), iota_dimension=0
  d = s32[] constant(50)  ds = s32[700,1] broadcast(d), dimensions={}  i = s32[700,1] divide(j, ds)
  ROOT r = f32[9500,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, to_apply=add }`},
	{"scatter of products of complex numbers", false, literal.Tolerance{RTol: 1e-5}, `
h { a = c64[] parameter(0)  b = c64[] parameter(1)  ROOT s = c64[] multiply(a, b) }
ENTRY e { x = c64[7000] parameter(0)  u = c64[400] parameter(1)  j = s32[400,1] iota(), iota_dimension=0  f = s32[] constant(5)  fs = s32[400,1] broadcast(f), dimensions={}
  d = s32[] constant(133)  ds = s32[400,1] broadcast(d), dimensions={}  jf = s32[400,1] multiply(j, fs)
  i = s32[400,1] remainder(jf, ds)
  ROOT r = c64[7000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of halves", false, literal.Tolerance{}, `
h { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT s = bf16[] add(a, b) }
ENTRY e { x = bf16[20,3] parameter(0)  i = s32[200,1] parameter(1)  u = bf16[200,3] parameter(2)
  ROOT r = bf16[20,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of maxima with NaN", true, literal.Tolerance{}, `
h { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }
ENTRY e { x = f32[20000] parameter(0)  u = f32[5000] parameter(1)  j = s32[5000,1] iota(), iota_dimension=0  f = s32[] constant(3)  fs = s32[5000,1] broadcast(f), dimensions={}
  d = s32[] constant(1777)  ds = s32[5000,1] broadcast(d), dimensions={}  jf = s32[5000,1] multiply(j, fs)
  i = s32[5000,1] remainder(jf, ds)
  ROOT r = f32[20000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of minima that overlap", true, literal.Tolerance{}, `
h { a = f64[] parameter(0)  b = f64[] parameter(1)  ROOT s = f64[] minimum(a, b) }
ENTRY e { x = f64[30] parameter(0)  i = s8[400,1] parameter(1)  u = f64[400,3] parameter(2)
  ROOT r = f64[30] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter where all is apart", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[3000] parameter(0)  u = f32[1000] parameter(1)  j = s32[1000,1] iota(), iota_dimension=0  f = s32[] constant(3)  fs = s32[1000,1] broadcast(f), dimensions={}
  d = s32[] constant(3001)  ds = s32[1000,1] broadcast(d), dimensions={}  jf = s32[1000,1] multiply(j, fs)
  i = s32[1000,1] remainder(jf, ds)
  ROOT r = f32[3000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add }`},
	{"scatter of pairs", false, literal.Tolerance{}, argmax + `
ENTRY e { x = f32[30] parameter(0)  n = s32[30] parameter(1)  i = s32[300,1] parameter(2)  u = f32[300] parameter(3)
  v = s32[300] parameter(4)
  ROOT r = (f32[30], s32[30]) scatter(x, n, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=argmax }`},
	{"scatter in order", false, literal.Tolerance{}, `
second { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
ENTRY e { x = f32[50] parameter(0)  i = s32[3000,1] parameter(1)  u = f32[3000] parameter(2)
  ROOT r = f32[50] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second }`},
	{"scatter of pairs by digits, some outside", false, literal.Tolerance{}, `
second { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
ENTRY e { x = f32[3,5,4] parameter(0)  i = s32[2,60,80] parameter(1)  u = f32[60,80,5] parameter(2)
  ROOT r = f32[3,5,4] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={0,2}, scatter_dims_to_operand_dims={2,0}, index_vector_dim=0, to_apply=second }`},
	{"scatter in batches by digits", false, literal.Tolerance{}, `
second { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
ENTRY e { x = f32[300,4] parameter(0)  i = s32[300,20,1] parameter(1)  u = f32[300,20] parameter(2)
  ROOT r = f32[300,4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=second }`},
	{"scatter of windows that overlap", false, literal.Tolerance{}, add + `
ENTRY e { x = f32[12] parameter(0)  i = s32[40,1] parameter(1)  u = f32[40,3] parameter(2)
  ROOT r = f32[12] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add }`},
	{"scatter in slices of predicates", true, literal.Tolerance{}, `
h { a = pred[] parameter(0)  b = pred[] parameter(1)  ROOT s = pred[] or(a, b) }
ENTRY e { x = pred[40] parameter(0)  i = s8[300,1] parameter(1)  u = pred[300] parameter(2)
  ROOT r = pred[40] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s32, add", true, literal.Tolerance{}, `
h { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
ENTRY e { x = s32[10000] parameter(0)  i = u8[900,1] parameter(1)  u = s32[900] parameter(2)
  ROOT r = s32[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of u64, multiply", true, literal.Tolerance{}, `
h { a = u64[] parameter(0)  b = u64[] parameter(1)  ROOT s = u64[] multiply(a, b) }
ENTRY e { x = u64[10000] parameter(0)  i = u8[900,1] parameter(1)  u = u64[900] parameter(2)
  ROOT r = u64[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of u32, xor", true, literal.Tolerance{}, `
h { a = u32[] parameter(0)  b = u32[] parameter(1)  ROOT s = u32[] xor(a, b) }
ENTRY e { x = u32[10000] parameter(0)  i = u8[900,1] parameter(1)  u = u32[900] parameter(2)
  ROOT r = u32[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s64, and", true, literal.Tolerance{}, `
h { a = s64[] parameter(0)  b = s64[] parameter(1)  ROOT s = s64[] and(a, b) }
ENTRY e { x = s64[10000] parameter(0)  i = u8[900,1] parameter(1)  u = s64[900] parameter(2)
  ROOT r = s64[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s32, minimum", true, literal.Tolerance{}, `
h { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] minimum(a, b) }
ENTRY e { x = s32[10000] parameter(0)  i = u8[900,1] parameter(1)  u = s32[900] parameter(2)
  ROOT r = s32[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of u64, maximum", true, literal.Tolerance{}, `
h { a = u64[] parameter(0)  b = u64[] parameter(1)  ROOT s = u64[] maximum(a, b) }
ENTRY e { x = u64[10000] parameter(0)  i = u8[900,1] parameter(1)  u = u64[900] parameter(2)
  ROOT r = u64[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s64, maximum", true, literal.Tolerance{}, `
h { a = s64[] parameter(0)  b = s64[] parameter(1)  ROOT s = s64[] maximum(a, b) }
ENTRY e { x = s64[10000] parameter(0)  i = u8[900,1] parameter(1)  u = s64[900] parameter(2)
  ROOT r = s64[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s64, add", true, literal.Tolerance{}, `
h { a = s64[] parameter(0)  b = s64[] parameter(1)  ROOT s = s64[] add(a, b) }
ENTRY e { x = s64[10000] parameter(0)  i = u8[900,1] parameter(1)  u = s64[900] parameter(2)
  ROOT r = s64[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s32, multiply", true, literal.Tolerance{}, `
h { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] multiply(a, b) }
ENTRY e { x = s32[10000] parameter(0)  i = u8[900,1] parameter(1)  u = s32[900] parameter(2)
  ROOT r = s32[10000] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s8, minimum", true, literal.Tolerance{}, `
h { a = s8[] parameter(0)  b = s8[] parameter(1)  ROOT s = s8[] minimum(a, b) }
ENTRY e { x = s8[300] parameter(0)  i = u8[900,1] parameter(1)  u = s8[900] parameter(2)
  ROOT r = s8[300] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"scatter of s4, maximum", true, literal.Tolerance{}, `
h { a = s4[] parameter(0)  b = s4[] parameter(1)  ROOT s = s4[] maximum(a, b) }
ENTRY e { x = s4[300] parameter(0)  i = u8[900,1] parameter(1)  u = s4[900] parameter(2)
  ROOT r = s4[300] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=h }`},
	{"fft of a composite length", false, literal.Tolerance{RTol: 1e-5, ATol: 1e-4}, `
ENTRY e { x = c64[3,360] parameter(0)  ROOT r = c64[3,360] fft(x), fft_type=FFT, fft_length={360} }`},
	{"fft of a prime length", false, literal.Tolerance{RTol: 1e-12, ATol: 1e-11}, `
ENTRY e { x = c128[2,101] parameter(0)  ROOT r = c128[2,101] fft(x), fft_type=IFFT, fft_length={101} }`},
	{"real fft of three dimensions", false, literal.Tolerance{RTol: 1e-5, ATol: 1e-4}, `
ENTRY e { x = f32[2,6,10,16] parameter(0)  ROOT r = c64[2,6,10,9] fft(x), fft_type=RFFT, fft_length={6,10,16} }`},
	{"real inverse of two dimensions", false, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}, `
ENTRY e { x = c64[2,10,8] parameter(0)  ROOT r = f32[2,10,15] fft(x), fft_type=IRFFT, fft_length={10,15} }`},
	{"convolution with groups and dilations", false, literal.Tolerance{}, `
ENTRY e { x = f32[2,9,8,6] parameter(0)  k = f32[3,2,2,9] parameter(1)
  ROOT r = f32[2,8,8,9] convolution(x, k), window={size=3x2 stride=2x1 pad=2_1x1_1 lhs_dilate=2x1 rhs_dilate=2x2 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=3 }`},
	{"select and scatter", false, literal.Tolerance{}, add + `
ge { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT g = pred[] compare(a, b), direction=GE }
ENTRY e { x = f32[2,11,9] parameter(0)  s = f32[2,5,9] parameter(1)  z = f32[] parameter(2)
  ROOT r = f32[2,11,9] select-and-scatter(x, s, z), window={size=1x3x3 stride=1x2x1 pad=0_0x0_0x1_1}, select=ge, scatter=add }`},
	{"threefry, an odd size", true, literal.Tolerance{}, `
ENTRY e { s = u64[2] parameter(0)  ROOT r = (u64[2], u32[5,7,3]) rng-bit-generator(s), algorithm=rng_three_fry }`},
	{"philox of many blocks", true, literal.Tolerance{}, `
ENTRY e { s = u64[3] parameter(0)  ROOT r = (u64[3], u16[1001]) rng-bit-generator(s), algorithm=rng_philox }`},
	{"softmax", false, literal.Tolerance{ULP: 32}, add + `
m { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] maximum(a, b) }
ENTRY e { x = f32[6,5,200] parameter(0)  l = f32[] constant(-inf)  z = f32[] constant(0)
  t = f32[6,5] reduce(x, l), dimensions={2}, to_apply=m
  u = f32[6,5,200] broadcast(t), dimensions={0,1}
  d = f32[6,5,200] subtract(x, u)
  p = f32[6,5,200] exponential(d)
  q = f32[6,5] reduce(p, z), dimensions={2}, to_apply=add
  w = f32[6,5,200] broadcast(q), dimensions={0,1}
  ROOT r = f32[6,5,200] divide(p, w) }`},
	{"normalised rows of bf16, and their sums", false, literal.Tolerance{ULP: 2}, `
h { a = bf16[] parameter(0)  b = bf16[] parameter(1)  ROOT s = bf16[] add(a, b) }
ENTRY e { x = bf16[37,60] parameter(0)  z = bf16[] constant(0)  g = bf16[60] parameter(1)
  t = bf16[37] reduce(x, z), dimensions={1}, to_apply=h
  u = bf16[37,60] broadcast(t), dimensions={0}
  d = bf16[37,60] subtract(x, u)
  v = bf16[37,60] broadcast(g), dimensions={1}
  m = bf16[37,60] multiply(d, v)
  n = bf16[37] negate(t)
  ROOT r = (bf16[37,60], bf16[37]) tuple(m, n) }`},
	{"map", true, literal.Tolerance{}, `
f { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] multiply(a, b)  ROOT s = f32[] subtract(c, a) }
ENTRY e { x = f32[300] parameter(0)  y = f32[300] parameter(1)  ROOT r = f32[300] map(x, y), dimensions={0}, to_apply=f }`},
}

const (
	add    = "\nadd { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }"
	less   = "\nless { a = f32[] parameter(0)  b = f32[] parameter(1)  i = s32[] parameter(2)  j = s32[] parameter(3)  ROOT l = pred[] compare(a, b), direction=LT }"
	argmax = `
argmax { a = f32[] parameter(0)  i = s32[] parameter(1)  b = f32[] parameter(2)  j = s32[] parameter(3)
  g = pred[] compare(b, a), direction=GE
  v = f32[] select(g, b, a)  k = s32[] select(g, j, i)
  ROOT r = (f32[], s32[]) tuple(v, k) }`
	affine = `
affine { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)  d = s32[] parameter(3)
  m = s32[] multiply(a, c)  n = s32[] multiply(b, c)  k = s32[] add(n, d)
  ROOT r = (s32[], s32[]) tuple(m, k) }`
)

// TestShapes runs programs of many forms, alone and fused.
func TestShapes(t *testing.T) {
	for _, fused := range []bool{false, true} {
		var list []*program
		for i, c := range shaped {
			m, err := hlo.Parse([]byte("HloModule m\n"+c.text), "m.hlo")
			if err == nil {
				err = hlo.Verify(m)
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			r := rand.New(rand.NewPCG(uint64(i), 5))
			p := &program{name: c.name, m: m, tol: c.tol}
			for _, param := range m.Entry.Parameters {
				p.args = append(p.args, randomLiteral(r, param.Shape, c.anything))
			}
			if fused {
				p.m = backendtest.Fused(t, m, emit.Fusible())
			}
			list = append(list, p)
		}
		runAll(t, list, len(list))
	}
}

// TestSameText wants the same each time that something is lowered: compiled code is found by its source.
func TestSameText(t *testing.T) {
	for _, c := range shaped {
		m, err := hlo.Parse([]byte("HloModule m\n"+c.text), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range m.Entry.Instructions {
			if !emit.Has(in.Op) {
				continue
			}
			first, err := emit.Lower(in)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for range 20 {
				if again, err := emit.Lower(in); err != nil || !reflect.DeepEqual(again, first) {
					t.Fatalf("%s: %s lowered again is something else: %v", c.name, in.Name, err)
				}
			}
		}
	}
}

// TestMatrices factors and solves with matrices that allow it.
func TestMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var list []*program
	for _, text := range []string{
		`ENTRY e { a = f32[2,40,40] parameter(0)  ROOT r = f32[2,40,40] cholesky(a), lower=true }`,
		`ENTRY e { a = f64[2,21,21] parameter(0)  ROOT r = f64[2,21,21] cholesky(a), lower=false }`,
		`ENTRY e { a = f32[2,40,40] parameter(0)  b = f32[2,40,9] parameter(1)  ROOT r = f32[2,40,9] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE }`,
		`ENTRY e { a = f64[2,20,20] parameter(0)  b = f64[2,9,20] parameter(1)  ROOT r = f64[2,9,20] triangular-solve(a, b), left_side=false, lower=false, unit_diagonal=false, transpose_a=TRANSPOSE }`,
		`ENTRY e { a = c64[2,20,20] parameter(0)  b = c64[2,20,3] parameter(1)  ROOT r = c64[2,20,3] triangular-solve(a, b), left_side=true, lower=false, unit_diagonal=false, transpose_a=ADJOINT }`,
	} {
		m, err := hlo.Parse([]byte("HloModule m\n"+text), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		p := &program{name: m.Entry.Root.Op.String(), m: m, tol: literal.Tolerance{RTol: 1e-4, ATol: 1e-4}}
		for _, param := range m.Entry.Parameters {
			p.args = append(p.args, randomLiteral(r, param.Shape, false))
		}
		dominate(p.args[0])
		list = append(list, p)
	}
	runAll(t, list, len(list))
}

// dominate makes square matrices symmetric, with a large diagonal.
func dominate(l *literal.Literal) {
	dims := l.Shape().Dims
	n := int(dims[len(dims)-1])
	w := l.Wide()
	for i := range w.Len() {
		z, row, col := i/(n*n), i/n%n, i%n
		j := z*n*n + max(row, col)*n + min(row, col)
		switch {
		case w.F != nil:
			w.F[i] = w.F[j]
			if row == col {
				w.F[i] = 4*float64(n) + math.Abs(w.F[i])
			}
		case row == col:
			w.C[i] += complex(4*float64(n), 0)
		}
	}
	copy(l.Bytes(), literal.FromWide(l.Shape(), w).Bytes())
}

// TestManyOperands concatenates more arrays than a kernel has parameters.
func TestManyOperands(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	var list []*program
	for _, of := range []string{"f32", "s4", "c128"} {
		parameters, names, sum := "", "", 0
		for i := range 1100 {
			n := i % 3 // also none
			parameters += fmt.Sprintf("p%d = %s[2,%d,3] parameter(%d)\n", i, of, n, i)
			names += fmt.Sprintf(", p%d", i)
			sum += n
		}
		m := parsed(t, fmt.Sprintf("HloModule m\nENTRY e { %sROOT r = %s[2,%d,3] concatenate(%s), dimensions={1} }",
			parameters, of, sum, names[2:]))
		p := &program{name: of, m: m}
		for _, param := range m.Entry.Parameters {
			p.args = append(p.args, randomLiteral(r, param.Shape, false))
		}
		list = append(list, p)
	}
	runAll(t, list, len(list))
}

// manyArrays is a program of one op on n arrays. Its FOLD makes of two values of each array their sum, their maximum, their
// minimum or, in turns, the one that comes with the larger value of the first array; LESS orders by the last array, then
// by the first but one.
func manyArrays(n int, format string) string {
	var params, names, values, pairs, folded, results, shapes string
	for i := range n {
		params += fmt.Sprintf("p%d = f32[7,50] parameter(%d)\n", i, i)
		names += fmt.Sprintf(", p%d", i)
		values += fmt.Sprintf("a%d = f32[] parameter(%d)\nb%d = f32[] parameter(%d)\n", i, i, i, n+i)
		pairs += fmt.Sprintf("x%d = f32[] parameter(%d)\ny%d = f32[] parameter(%d)\n", i, 2*i, i, 2*i+1)
		op := fmt.Sprintf([]string{"maximum(a%d, b%d)", "add(a%d, b%d)", "minimum(a%d, b%d)", "select(first, a%d, b%d)"}[i%4], i, i)
		folded += fmt.Sprintf("r%d = f32[] %s\n", i, op)
		results += fmt.Sprintf(", r%d", i)
		shapes += ", f32[SIZES]"
	}
	fold := fmt.Sprintf("c { %sfirst = pred[] compare(a0, b0), direction=GE\n%sROOT t = (%s) tuple(%s) }\n", values, folded,
		strings.ReplaceAll(shapes[2:], "SIZES", ""), results[2:])
	less := fmt.Sprintf("less { %sl = pred[] compare(x%d, y%d), direction=LT\ne = pred[] compare(x%d, y%d), direction=EQ\n"+
		"f = pred[] compare(x1, y1), direction=LT\ng = pred[] and(e, f)\nROOT r = pred[] or(l, g) }\n", pairs, n-1, n-1, n-1, n-1)
	return strings.NewReplacer("FOLD", fold, "LESS", less, "PARAMS", params, "NAMES", names[2:], "ZEROS",
		strings.TrimPrefix(strings.Repeat(", z", n), ", "), "SHAPES", "("+shapes[2:]+")").Replace(format)
}

// TestManyArrays runs ops on more arrays than a kernel has parameters for: their addresses are in a table.
func TestManyArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 7))
	var list []*program
	for _, c := range []struct{ name, sizes, text string }{
		{"rows", "7", `FOLD ENTRY e { PARAMS z = f32[] constant(0.5)
ROOT r = SHAPES reduce(NAMES, ZEROS), dimensions={1}, to_apply=c }`},
		{"columns", "50", `FOLD ENTRY e { PARAMS z = f32[] constant(-1)
ROOT r = SHAPES reduce(NAMES, ZEROS), dimensions={0}, to_apply=c }`},
		{"sort", "7,50", `LESS ENTRY e { PARAMS ROOT r = SHAPES sort(NAMES), dimensions={1}, to_apply=less }`},
		{"few updates", "7,50", `FOLD ENTRY e { PARAMS i = s32[3] constant({4, 9, 4})
ROOT r = SHAPES scatter(NAMES, i, UPDATES), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=c }`},
		{"sorted updates", "7,50", `FOLD ENTRY e { PARAMS i = s32[40] constant({INDICES})
ROOT r = SHAPES scatter(NAMES, i, UPDATES), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=c }`},
	} {
		const n = 300
		text := strings.ReplaceAll(manyArrays(n, c.text), "SIZES", c.sizes)
		updates, rows := "", map[string]int{"few updates": 3, "sorted updates": 40}[c.name]
		for i := range n {
			updates += fmt.Sprintf(", u%d", i)
			if rows > 0 {
				text = strings.Replace(text, "ENTRY e { ", fmt.Sprintf("ENTRY e { u%d = f32[%d,50] parameter(%d)\n", i, rows, n+i), 1)
			}
		}
		text = strings.NewReplacer("UPDATES", updates[2:], "INDICES",
			strings.TrimPrefix(strings.Repeat(", 3, 0, 6, 3, 1", 8), ", ")).Replace(text)
		m := parsed(t, "HloModule m\n"+text)
		if err := hlo.Verify(m); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p := &program{name: c.name, m: m}
		for _, param := range m.Entry.Parameters {
			p.args = append(p.args, randomLiteral(r, param.Shape, false))
		}
		list = append(list, p)
	}
	runAll(t, list, len(list))
}
