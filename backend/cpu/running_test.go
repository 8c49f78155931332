package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// runningWindow is the window of a running reduction along dimension d.
func runningWindow(dims []int64, d int, reverse bool) string {
	var sizes, pads []string
	for i, n := range dims {
		size, pad := "1", "0_0"
		if i == d {
			size, pad = fmt.Sprint(n), fmt.Sprintf("%d_0", n-1)
			if reverse {
				pad = fmt.Sprintf("0_%d", n-1)
			}
		}
		sizes, pads = append(sizes, size), append(pads, pad)
	}
	return fmt.Sprintf("{size=%s pad=%s}", strings.Join(sizes, "x"), strings.Join(pads, "x"))
}

func TestRunning(t *testing.T) {
	r := newRand(t)
	check := func(typ shape.ElementType, op string, dims []int64, d int, reverse bool) {
		t.Helper()
		tol, exact := within{}, typ.IsFloat() && !sums(typ, op)
		if sums(typ, op) {
			tol.terms = dims[d] + 1
		}
		text := fmt.Sprintf(windowText, typ, op, join(dims), join(dims), runningWindow(dims, d, reverse))
		x := values(r, shape.Array(typ, dims...), exact)
		if op == "multiply" && typ.IsFloat() {
			x = factors(r, shape.Array(typ, dims...))
		}
		agrees(t, text, tol, x, values(r, shape.Array(typ), exact))
	}
	for _, typ := range arrayTypes() {
		for _, op := range simpleOps[typ.Class()] {
			for k := range 4 {
				dims := []int64{int64(1 + r.IntN(4)), int64(1 + r.IntN(40)), int64(1 + r.IntN(20))}
				if op == "multiply" && typ.IsComplex() {
					continue
				}
				check(typ, op, dims, r.IntN(3), k%2 == 0)
			}
		}
	}
	for _, typ := range []shape.ElementType{shape.F32, shape.F64, shape.S32} {
		for _, op := range []string{"add", "maximum", "multiply"} {
			check(typ, op, []int64{300001}, 0, false)
			check(typ, op, []int64{300001}, 0, true)
			check(typ, op, []int64{70000, 5}, 0, typ == shape.F32)
			check(typ, op, []int64{150, 2100}, 0, typ == shape.F64)
			check(typ, op, []int64{40, 500}, 1, false)
		}
	}
}

func TestScan(t *testing.T) {
	r := newRand(t)
	const text = `HloModule m
f { x = f32[%[1]s] parameter(0)
  n = s32[%[1]s] parameter(1)
  c = f32[%[1]s] parameter(2)
  k = s32[%[1]s] parameter(3)
  half = f32[] constant(0.5)
  h = f32[%[1]s] broadcast(half), dimensions={}
  d = f32[%[1]s] multiply(c, h)
  y = f32[%[1]s] add(d, x)
  j = s32[%[1]s] maximum(n, k)
  z = f32[%[1]s] convert(j)
  ROOT r = (f32[%[1]s], f32[%[1]s], f32[%[1]s], s32[%[1]s]) tuple(z, y, y, j) }
ENTRY e {
  x = f32[%[2]s] parameter(0)
  n = s32[%[2]s] parameter(1)
  c = f32[%[1]s] parameter(2)
  k = s32[%[1]s] parameter(3)
  ROOT r = (f32[%[2]s], f32[%[2]s], f32[%[1]s], s32[%[1]s]) scan(x, n, c, k), dimensions={%[3]d}, num_carries=2, is_reverse=%[4]v, to_apply=f
}
`
	for _, reverse := range []bool{false, true} {
		for d, lane := range []string{"5,7", "9,7", "9,5"} {
			var dims []int64
			for _, s := range strings.Split(lane, ",") {
				var n int64
				fmt.Sscan(s, &n)
				dims = append(dims, n)
			}
			whole := shape.Array(shape.F32, 9, 5, 7)
			part := shape.Array(shape.F32, dims...)
			agrees(t, fmt.Sprintf(text, lane, "9,5,7", d, reverse), within{}, values(r, whole, true),
				values(r, whole.WithType(shape.S32), false), values(r, part, true),
				values(r, part.WithType(shape.S32), false))
		}
		agrees(t, fmt.Sprintf(text, "", "40", 0, reverse), within{}, values(r, shape.Array(shape.F32, 40), true),
			values(r, shape.Array(shape.S32, 40), false), literal.Scalar(float32(1)), literal.Scalar(int32(1)))
	}
}

// A running argmax, of two operands.
func TestRunningGeneral(t *testing.T) {
	r := newRand(t)
	const text = firstGreatest + `ENTRY e {
  x = f32[%[1]s] parameter(0)
  y = s32[%[1]s] parameter(1)
  i = f32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = (f32[%[1]s], s32[%[1]s]) reduce-window(x, y, i, j), window=%[2]s, to_apply=f
}
`
	dims := []int64{4, 50, 6}
	s := shape.Array(shape.F32, dims...)
	for d := range dims {
		for _, reverse := range []bool{false, true} {
			if reverse {
				continue // the reference takes a window's elements in the order of memory, and this computation knows it
			}
			agrees(t, fmt.Sprintf(text, join(dims), runningWindow(dims, d, reverse)), within{}, values(r, s, true),
				values(r, s.WithType(shape.S32), false), literal.Scalar(float32(-1)), literal.Scalar(int32(-1)))
		}
	}
}
