//go:build cgo && linux

package cuda

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// updates are programs whose updates are results of fusions: of an array that is read elsewhere too, of one that is
// read under another name, two of the same array, of several types, at places out of range, in a loop, of an array
// that another kernel makes; and slices. Each has the ops that run, in order.
var updates = map[string]struct{ ops, text string }{
	"read at other places": {"fusion", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  row = f32[1,50] dynamic-slice(a, i, zero), dynamic_slice_sizes={1,50}
  turned = f32[1,50] reverse(row), dimensions={1}
  s = f32[1,50] sine(turned)
  j = s32[] constant(2)
  ROOT r = f32[6,50] dynamic-update-slice(a, s, j, zero) }`},
	"read under another name": {"fusion", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  flat = f32[300] reshape(a)
  part = f32[50] slice(flat), slice={[7:57]}
  c = f32[50] cosine(part)
  row = f32[1,50] reshape(c)
  ROOT r = f32[6,50] dynamic-update-slice(a, row, i, zero) }`},
	"two of one array": {"fusion", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  x = f32[1,50] slice(a), slice={[3:4], [0:50]}
  s = f32[1,50] sine(x)
  c = f32[1,50] cosine(s)
  u = f32[6,50] dynamic-update-slice(a, s, i, zero)
  v = f32[6,50] dynamic-update-slice(a, c, zero, zero)
  ROOT t = (f32[6,50], f32[6,50], f32[1,50]) tuple(u, v, s) }`},
	"of several types": {"fusion", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  h = bf16[6,50] parameter(2)
  p = pred[6,50] parameter(3)
  x = f32[2,50] slice(a), slice={[3:5], [0:50]}
  s = f32[2,50] sine(x)
  hs = bf16[2,50] convert(s)
  ps = pred[2,50] compare(s, x), direction=LT
  u = bf16[6,50] dynamic-update-slice(h, hs, i, i)
  v = pred[6,50] dynamic-update-slice(p, ps, i, i)
  ROOT t = (bf16[6,50], pred[6,50], f32[2,50]) tuple(u, v, s) }`},
	"of an array that is made": {"negate fusion", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  b = f32[6,50] negate(a)
  x = f32[1,50] slice(a), slice={[3:4], [0:50]}
  s = f32[1,50] sine(x)
  ROOT u = f32[6,50] dynamic-update-slice(b, s, i, zero) }`},
	"two of an array that is cheap to make": {"negate fusion fusion", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  b = f32[6,50] negate(a)
  x = f32[1,50] slice(a), slice={[3:4], [0:50]}
  s = f32[1,50] sine(x)
  y = f32[2,50] slice(a), slice={[2:4], [0:50]}
  c = f32[2,50] cosine(y)
  u = f32[6,50] dynamic-update-slice(b, s, i, zero)
  v = f32[6,50] dynamic-update-slice(b, c, zero, zero)
  ROOT t = (f32[6,50], f32[6,50]) tuple(u, v) }`},
	"slices that are made together": {"sine slice fusion fusion dot", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  b = f32[6,50] sine(a)
  x = f32[6,20] slice(b), slice={[0:6], [0:20]}
  y = f32[6,20] slice(b), slice={[0:6], [20:40]}
  z = f32[6,10] slice(b), slice={[0:6], [40:50]}
  t = f32[20,6] transpose(y), dimensions={1,0}
  d = f32[6,6] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[1,50] dynamic-slice(b, i, i), dynamic_slice_sizes={1,50}
  e = f32[1,50] cosine(c)
  ROOT r = (f32[6,20], f32[6,20], f32[6,10], f32[6,6], f32[1,50]) tuple(x, y, z, d, e) }`},
	"of a number": {"add fusion", `ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  k = s32[] add(i, i)
  x = f32[1,1] dynamic-slice(a, k, i), dynamic_slice_sizes={1,1}
  s = f32[1,1] sine(x)
  d = f32[1,1] multiply(s, x)
  ROOT u = f32[6,50] dynamic-update-slice(a, d, i, k) }`},
	"in a loop": {"broadcast dynamic-update-slice slice while compare add fusion", `cond { s = (s32[], f32[200,50], f32[1,50], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(130)
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[200,50], f32[1,50], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[200,50] get-tuple-element(s), index=1
  x = f32[1,50] get-tuple-element(s), index=2
  k = s32[] get-tuple-element(s), index=3
  zero = s32[] constant(0)
  row = f32[1,50] dynamic-slice(a, i, zero), dynamic_slice_sizes={1,50}
  y = f32[1,50] add(row, x)
  z = f32[1,50] sine(y)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  b = f32[200,50] dynamic-update-slice(a, z, j, zero)
  ROOT t = (s32[], f32[200,50], f32[1,50], s32[]) tuple(j, b, z, k) }
ENTRY e { a = f32[6,50] parameter(0)
  i = s32[] parameter(1)
  zero = s32[] constant(0)
  f = f32[] constant(0.25)
  all = f32[200,50] broadcast(f), dimensions={}
  big = f32[200,50] dynamic-update-slice(all, a, i, zero)
  x = f32[1,50] slice(a), slice={[3:4], [0:50]}
  s = (s32[], f32[200,50], f32[1,50], s32[]) tuple(zero, big, x, i)
  ROOT w = (s32[], f32[200,50], f32[1,50], s32[]) while(s), condition=cond, body=body }`},
}

// TestUpdates wants updates in fusions to be the reference's.
func TestUpdates(t *testing.T) {
	b := either(t)
	for name, c := range updates {
		m := parsed(t, "HloModule m\n"+c.text)
		p, reference := compiled(t, b, m, exec.Options{}), compiled(t, exec.Reference(), m, exec.Options{})
		args := []*literal.Literal{numbers(t, 6, 50), nil}
		for _, p := range m.Entry.Parameters[2:] {
			args = append(args, randomLiteral(rand.New(rand.NewPCG(3, 3)), p.Shape, false))
		}
		for _, i := range []int32{0, 3, 5, 100, -7} {
			args[1] = literal.Scalar(i)
			want := outcome(t, reference, args...)
			for run := range 2 {
				got := outcome(t, p, args...)
				for k, l := range want.Leaves() {
					if d := literal.Compare(got.Leaves()[k], l, literal.Tolerance{ULP: 64, ATol: 1e-5}); d != nil {
						t.Errorf("%s, at %d, run %d: %v", name, i, run, d)
					}
				}
			}
		}
		var ops []string
		for _, s := range p.Report() {
			ops = append(ops, s.Op)
		}
		if got := strings.Join(ops, " "); got != c.ops {
			t.Errorf("%s: %s run, want %s", name, got, c.ops)
		}
	}
}
