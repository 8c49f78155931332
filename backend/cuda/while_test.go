//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// wholeLoops are loops that are one kernel. Each has the number of its rounds as its last argument.
var wholeLoops = map[string]string{
	"an array and a larger one of its rows": `
cond { s = (s32[], s32[], f32[15], f32[64,15]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], s32[], f32[15], f32[64,15]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  v = f32[15] get-tuple-element(s), index=2
  all = f32[64,15] get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  j = s32[] add(i, one)
  e = f32[15] exponential(v)
  m = f32[15] negate(e)
  w = f32[15] exponential(m)
  row = f32[1,15] reshape(w)
  next = f32[64,15] dynamic-update-slice(all, row, i, zero)
  ROOT t = (s32[], s32[], f32[15], f32[64,15]) tuple(j, n, w, next) }
ENTRY e { i = s32[] constant(0)
  v = f32[15] parameter(0)
  all = f32[64,15] parameter(1)
  n = s32[] parameter(2)
  t = (s32[], s32[], f32[15], f32[64,15]) tuple(i, n, v, all)
  ROOT w = (s32[], s32[], f32[15], f32[64,15]) while(t), condition=cond, body=body }`,
	"scalars that change places": `
cond { s = (s32[], s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = f32[] get-tuple-element(s), index=2
  y = f32[] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  z = f32[] sine(x)
  ROOT t = (s32[], s32[], f32[], f32[]) tuple(j, n, y, z) }
ENTRY e { x = f32[] parameter(0)
  y = f32[] parameter(1)
  n = s32[] parameter(2)
  zero = s32[] constant(0)
  s = (s32[], s32[], f32[], f32[]) tuple(zero, n, x, y)
  ROOT w = (s32[], s32[], f32[], f32[]) while(s), condition=cond, body=body }`,
	"one scalar": `
cond { n = s32[] parameter(0)
  zero = s32[] constant(0)
  ROOT more = pred[] compare(n, zero), direction=GT }
body { n = s32[] parameter(0)
  two = s32[] constant(2)
  ROOT half = s32[] divide(n, two) }
ENTRY e { n = s32[] parameter(0)
  ROOT w = s32[] while(n), condition=cond, body=body }`,
	"arrays of several sizes and types": `
cond { s = (s32[], f32[70], (bf16[3,5], pred[5]), c64[70], s32[], s8[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=4
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[70], (bf16[3,5], pred[5]), c64[70], s32[], s8[1]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[70] get-tuple-element(s), index=1
  q = (bf16[3,5], pred[5]) get-tuple-element(s), index=2
  y = bf16[3,5] get-tuple-element(q), index=0
  p = pred[5] get-tuple-element(q), index=1
  z = c64[70] get-tuple-element(s), index=3
  n = s32[] get-tuple-element(s), index=4
  b = s8[1] get-tuple-element(s), index=5
  one = s32[] constant(1)
  j = s32[] add(i, one)
  turned = f32[70] reverse(x), dimensions={0}
  si = f32[70] sine(turned)
  part = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
  nx = f32[70] dynamic-update-slice(si, part, j)
  nz = c64[70] complex(nx, x)
  mz = c64[70] multiply(nz, z)
  yt = bf16[5,3] transpose(y), dimensions={1,0}
  ny = bf16[3,5] reshape(yt)
  np = pred[5] reverse(p), dimensions={0}
  not = pred[5] not(np)
  nq = (bf16[3,5], pred[5]) tuple(ny, not)
  c = s8[1] constant({7})
  nb = s8[1] multiply(b, c)
  ROOT t = (s32[], f32[70], (bf16[3,5], pred[5]), c64[70], s32[], s8[1]) tuple(j, nx, nq, mz, n, nb) }
ENTRY e { x = f32[70] parameter(0)
  n = s32[] parameter(1)
  zero = s32[] constant(0)
  y = f32[15] slice(x), slice={[3:18]}
  yy = f32[3,5] reshape(y)
  yyy = bf16[3,5] convert(yy)
  five = f32[5] slice(x), slice={[0:5]}
  p = pred[5] compare(five, five), direction=EQ
  q = (bf16[3,5], pred[5]) tuple(yyy, p)
  z = c64[70] complex(x, x)
  b = s8[1] constant({3})
  s = (s32[], f32[70], (bf16[3,5], pred[5]), c64[70], s32[], s8[1]) tuple(zero, x, q, z, n, b)
  ROOT w = (s32[], f32[70], (bf16[3,5], pred[5]), c64[70], s32[], s8[1]) while(s), condition=cond, body=body }`,
	"a permutation of pivots": `
second { x = s32[] parameter(0)
  ROOT y = s32[] parameter(1) }
cond { s = (s32[], s32[], s32[600], s32[600]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], s32[], s32[600], s32[600]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  pivots = s32[600] get-tuple-element(s), index=2
  p = s32[600] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  at = s32[1] dynamic-slice(pivots, i), dynamic_slice_sizes={1}
  to = s32[] reshape(at)
  x1 = s32[1] dynamic-slice(p, i), dynamic_slice_sizes={1}
  x = s32[] reshape(x1)
  y1 = s32[1] dynamic-slice(p, to), dynamic_slice_sizes={1}
  y = s32[] reshape(y1)
  ii = s32[1] reshape(i)
  a = s32[600] scatter(p, ii, y), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=second
  b = s32[600] scatter(a, at, x), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=second
  ROOT t = (s32[], s32[], s32[600], s32[600]) tuple(j, n, pivots, b) }
ENTRY e { n = s32[] parameter(0)
  zero = s32[] constant(0)
  k = s32[600] iota(), iota_dimension=0
  seven = s32[] constant(77)
  m = s32[600] broadcast(seven), dimensions={}
  km = s32[600] multiply(k, m)
  size = s32[] constant(601)
  sizes = s32[600] broadcast(size), dimensions={}
  pivots = s32[600] remainder(km, sizes)
  s = (s32[], s32[], s32[600], s32[600]) tuple(zero, n, pivots, k)
  ROOT w = (s32[], s32[], s32[600], s32[600]) while(s), condition=cond, body=body }`,
	"an array that is summed in each round": `
sum { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
cond { s = (f32[40], s32[], f32[1]) parameter(0)
  n = s32[] get-tuple-element(s), index=1
  zero = s32[] constant(0)
  ROOT more = pred[] compare(n, zero), direction=GT }
body { s = (f32[40], s32[], f32[1]) parameter(0)
  x = f32[40] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  a = f32[1] get-tuple-element(s), index=2
  one = s32[] constant(1)
  m = s32[] subtract(n, one)
  zero = f32[] constant(0)
  y = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  yy = f32[40] broadcast(y), dimensions={}
  z = f32[40] cosine(x)
  k = f32[] constant(0.01)
  ks = f32[40] broadcast(k), dimensions={}
  zy = f32[40] multiply(ks, yy)
  nx = f32[40] add(z, zy)
  y1 = f32[1] reshape(y)
  na = f32[1] add(a, y1)
  ROOT t = (f32[40], s32[], f32[1]) tuple(nx, m, na) }
ENTRY e { x = f32[40] parameter(0)
  n = s32[] parameter(1)
  a = f32[1] constant({0.5})
  s = (f32[40], s32[], f32[1]) tuple(x, n, a)
  ROOT w = (f32[40], s32[], f32[1]) while(s), condition=cond, body=body }`,
}

// TestWholeLoops wants loops over scalars and small arrays to be one kernel with the reference's results, however often
// they go round.
func TestWholeLoops(t *testing.T) {
	b := either(t)
	for name, text := range wholeLoops {
		m := parsed(t, "HloModule m\n"+text)
		p, reference := compiled(t, b, m, exec.Options{}), compiled(t, exec.Reference(), m, exec.Options{})
		if !reportsLoop(p) {
			t.Errorf("%s: no kernel for the loop: %v", name, p.Report())
		}
		var args []*literal.Literal
		for _, in := range m.Entry.Parameters[:len(m.Entry.Parameters)-1] {
			args = append(args, scalarOf(t, in.Shape, numbers(t, in.Shape.Dims...)))
		}
		for _, n := range []int32{7, 0, 1, 2, 200} {
			all := append(args[:len(args):len(args)], literal.Scalar(n))
			got, want := outcome(t, p, all...), outcome(t, reference, all...)
			for k, l := range want.Leaves() {
				if d := literal.Compare(got.Leaves()[k], l, literal.Tolerance{ULP: 4, RTol: 1e-4, ATol: 1e-4}); d != nil {
					t.Errorf("%s: %d rounds: %v", name, n, d)
				}
			}
		}
	}
}

// scalarOf is l in the shape s of as many elements.
func scalarOf(t *testing.T, s shape.Shape, l *literal.Literal) *literal.Literal {
	t.Helper()
	out, err := literal.FromBytes(s, l.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func reportsLoop(p exec.Program) bool {
	for _, s := range p.Report() {
		if s.Op == "while" {
			return s.Kernel == "cuda while"
		}
	}
	return false
}

// TestEndlessWholeLoop ends loops that are one kernel and never end by themselves, of one thread and of many.
func TestEndlessWholeLoop(t *testing.T) {
	b := either(t)
	for _, s := range []string{"u32[]", "u32[300]"} {
		text := strings.ReplaceAll(`HloModule m
cond { s = (pred[], SHAPE) parameter(0)
  ROOT more = pred[] get-tuple-element(s), index=0 }
body { s = (pred[], SHAPE) parameter(0)
  more = pred[] get-tuple-element(s), index=0
  x = SHAPE get-tuple-element(s), index=1
  y = SHAPE add(x, x)
  ROOT t = (pred[], SHAPE) tuple(more, y) }
ENTRY e { more = pred[] parameter(0)
  x = SHAPE iota(), iota_dimension=0
  s = (pred[], SHAPE) tuple(more, x)
  ROOT w = (pred[], SHAPE) while(s), condition=cond, body=body }`, "SHAPE", s)
		if s == "u32[]" {
			text = strings.Replace(text, "iota(), iota_dimension=0", "constant(1)", 1)
		}
		p := compiled(t, b, parsed(t, text), exec.Options{})
		want := answer(t, exec.Reference(), text, exec.Options{}, literal.Scalar(false))
		if !reportsLoop(p) {
			t.Errorf("%s: no kernel for the loop", s)
		}
		for run := range 3 {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			start := time.Now()
			_, err := p.Run(ctx, [][]*literal.Literal{{literal.Scalar(true)}}, exec.RunOptions{})
			cancel()
			if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
				t.Errorf("%s, run %d: got %v after %v", s, run, err, took)
			}
			for k, l := range want.Leaves() {
				got := outcome(t, p, literal.Scalar(false)).Leaves()[k]
				if d := literal.Compare(got, l, literal.Tolerance{Bits: true}); d != nil {
					t.Errorf("%s: after a loop that was ended: %v", s, d)
				}
			}
		}
	}
}

// TestKnownRounds has loops of known rounds with two states that count alike, one that counts otherwise, and indices
// that never, sometimes and always count from the end.
func TestKnownRounds(t *testing.T) {
	b := either(t)
	for _, size := range []string{"50", "5000"} { // in a kernel's memory, and not
		m := parsed(t, strings.ReplaceAll(`HloModule m
cond { p = (s32[], s32[], s8[], s32[SIZE]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(40)
  ROOT c = pred[] compare(i, n), direction=LT }
body { p = (s32[], s32[], s8[], s32[SIZE]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  j = s32[] get-tuple-element(p), index=1
  k = s8[] get-tuple-element(p), index=2
  x = s32[SIZE] get-tuple-element(p), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  size = s32[] constant(50)
  low = pred[] compare(j, zero), direction=LT
  up = s32[] add(j, size)
  at = s32[] select(low, up, j)
  ki = s32[] convert(k)
  kl = pred[] compare(ki, zero), direction=LT
  ku = s32[] add(ki, size)
  ka = s32[] select(kl, ku, ki)
  back = s32[] subtract(i, size)
  bl = pred[] compare(back, zero), direction=LT
  bu = s32[] add(back, size)
  ba = s32[] select(bl, bu, back)
  a = s32[1] dynamic-slice(x, ka), dynamic_slice_sizes={1}
  c = s32[1] dynamic-slice(x, ba), dynamic_slice_sizes={1}
  ac = s32[1] add(a, c)
  y = s32[SIZE] dynamic-update-slice(x, ac, at)
  ii = s32[] add(i, one)
  jj = s32[] add(j, one)
  two = s8[] constant(2)
  kk = s8[] add(k, two)
  ROOT t = (s32[], s32[], s8[], s32[SIZE]) tuple(ii, jj, kk, y) }
ENTRY e { x = s32[SIZE] parameter(0)
  z = s32[] constant(0)
  k = s8[] constant(-20)
  t = (s32[], s32[], s8[], s32[SIZE]) tuple(z, z, k, x)
  ROOT r = (s32[], s32[], s8[], s32[SIZE]) while(t), condition=cond, body=body }`, "SIZE", size))
		in := m.Entry.Parameters[0].Shape
		x := scalarOf(t, in, numbers(t, in.Dims...)) // the bits of floats
		p, reference := compiled(t, b, m, exec.Options{}), compiled(t, exec.Reference(), m, exec.Options{})
		got, want := outcome(t, p, x), outcome(t, reference, x)
		for k, l := range want.Leaves() {
			if d := literal.Compare(got.Leaves()[k], l, literal.Tolerance{}); d != nil {
				t.Errorf("%s elements: %v", size, d)
			}
		}
	}
}
