package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// randomWindow returns the text of a window of the rank, the sizes of its places on dims, and the elements of a window.
func randomWindow(r *rand.Rand, dims []int64, dilated bool) (text string, out []int64, terms int64) {
	w := make(hlo.Window, len(dims))
	terms = 1
	for d, n := range dims {
		w[d] = hlo.WindowDim{Size: 1, Stride: 1, BaseDilation: 1, WindowDilation: 1}
		if r.IntN(3) > 0 {
			w[d].Size, w[d].Stride = int64(1+r.IntN(4)), int64(1+r.IntN(3))
			w[d].PadLow, w[d].PadHigh = int64(r.IntN(4)), int64(r.IntN(4))
			if dilated {
				w[d].PadLow, w[d].PadHigh = w[d].PadLow-1, w[d].PadHigh-1
				w[d].BaseDilation, w[d].WindowDilation = int64(1+r.IntN(3)), int64(1+r.IntN(3))
			}
		}
		padded, size := w[d].PadLow+w[d].PadHigh, (w[d].Size-1)*w[d].WindowDilation+1
		if n > 0 {
			padded += (n-1)*w[d].BaseDilation + 1
		}
		places := int64(0)
		if padded >= size {
			places = (padded-size)/w[d].Stride + 1
		}
		out, terms = append(out, places), terms*w[d].Size
	}
	return string(w.AppendText(nil)), out, terms
}

const windowText = `HloModule m
f { x = %[1]v[] parameter(0)
  y = %[1]v[] parameter(1)
  ROOT z = %[1]v[] %[2]s(x, y) }
ENTRY e {
  x = %[1]v[%[3]s] parameter(0)
  i = %[1]v[] parameter(1)
  ROOT r = %[1]v[%[4]s] reduce-window(x, i), window=%[5]s, to_apply=f
}
`

func TestReduceWindow(t *testing.T) {
	r := newRand(t)
	for _, typ := range arrayTypes() {
		for _, op := range simpleOps[typ.Class()] {
			for k := range 6 {
				dims := randomDims(r, 1+r.IntN(4), 3000)
				window, out, terms := randomWindow(r, dims, k%2 == 0)
				if out == nil || op == "multiply" && typ.IsComplex() {
					continue
				}
				tol, exact := within{}, typ.IsFloat() && !sums(typ, op)
				if sums(typ, op) {
					tol.terms = terms + 1
				}
				text := fmt.Sprintf(windowText, typ, op, join(dims), join(out), window)
				x := values(r, shape.Array(typ, dims...), exact)
				if op == "multiply" && typ.IsFloat() {
					x = factors(r, shape.Array(typ, dims...))
				}
				agrees(t, text, tol, x, values(r, shape.Array(typ), exact))
			}
		}
	}
}

func TestPooling(t *testing.T) {
	r := newRand(t)
	for _, typ := range []shape.ElementType{shape.F32, shape.BF16, shape.F64, shape.S8, shape.F16, shape.U16} {
		for _, op := range []string{"maximum", "add", "minimum"} {
			for _, c := range []struct{ dims, out, window string }{
				{"2,13,14,70", "2,7,7,70", "{size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0}"},
				{"2,3,14,150", "2,3,7,75", "{size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x1_1x1_1}"},
				{"2,3,14,150", "2,3,13,149", "{size=1x1x2x2}"},
				{"3,20,5", "3,4,5", "{size=1x5x1 stride=1x5x1}"},
				{"3,2,300", "3,2,1", "{size=1x1x300}"},
			} {
				var d []int64
				for _, s := range strings.Split(c.dims, ",") {
					var n int64
					fmt.Sscan(s, &n)
					d = append(d, n)
				}
				tol := within{}
				if sums(typ, op) {
					tol.terms = 301
				}
				exact := typ.IsFloat() && !sums(typ, op)
				text := fmt.Sprintf(windowText, typ, op, c.dims, c.out, c.window)
				agrees(t, text, tol, values(r, shape.Array(typ, d...), exact), values(r, shape.Array(typ), exact))
			}
		}
	}
}

// firstGreatest keeps the first of the greatest values and its number.
const firstGreatest = `HloModule m
f { v = f32[] parameter(0)
  i = s32[] parameter(1)
  w = f32[] parameter(2)
  j = s32[] parameter(3)
  p = pred[] compare(v, w), direction=GE
  q = f32[] select(p, v, w)
  k = s32[] select(p, i, j)
  ROOT r = (f32[], s32[]) tuple(q, k) }
`

// Windows of two operands, by a computation that is no single op.
func TestReduceWindowGeneral(t *testing.T) {
	r := newRand(t)
	const text = firstGreatest + `ENTRY e {
  x = f32[%[1]s] parameter(0)
  y = s32[%[1]s] parameter(1)
  i = f32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = (f32[%[2]s], s32[%[2]s]) reduce-window(x, y, i, j), window=%[3]s, to_apply=f
}
`
	for range 30 {
		dims := randomDims(r, 1+r.IntN(4), 3000)
		window, out, _ := randomWindow(r, dims, r.IntN(2) == 0)
		s := shape.Array(shape.F32, dims...)
		agrees(t, fmt.Sprintf(text, join(dims), join(out), window), within{}, values(r, s, true),
			values(r, s.WithType(shape.S32), false), literal.Scalar(float32(-1)), literal.Scalar(int32(-1)))
	}
}

func TestSelectAndScatter(t *testing.T) {
	r := newRand(t)
	const text = `HloModule m
sel { x = %[1]v[] parameter(0)
  y = %[1]v[] parameter(1)
  ROOT z = pred[] compare(x, y), direction=%[6]s }
f { x = %[1]v[] parameter(0)
  y = %[1]v[] parameter(1)
  ROOT z = %[1]v[] %[2]s(x, y) }
ENTRY e {
  x = %[1]v[%[3]s] parameter(0)
  s = %[1]v[%[4]s] parameter(1)
  i = %[1]v[] parameter(2)
  ROOT r = %[1]v[%[3]s] select-and-scatter(x, s, i), window=%[5]s, select=sel, scatter=f
}
`
	check := func(typ shape.ElementType, op, dir string, dims, out []int64, window string) {
		t.Helper()
		agrees(t, fmt.Sprintf(text, typ, op, join(dims), join(out), window, dir), within{},
			values(r, shape.Array(typ, dims...), typ.IsFloat()), values(r, shape.Array(typ, out...), false),
			literal.Zero(typ))
	}
	for _, typ := range arrayTypes() {
		if typ.IsComplex() {
			continue
		}
		for _, op := range simpleOps[typ.Class()][:2] {
			for range 3 {
				dims := randomDims(r, 1+r.IntN(4), 2000)
				window, out, _ := randomWindow(r, dims, false)
				check(typ, op, []string{"GE", "GT", "LE", "LT"}[r.IntN(4)], dims, out, window)
			}
		}
	}
	for _, typ := range []shape.ElementType{shape.F32, shape.BF16, shape.F64} {
		check(typ, "add", "GE", []int64{2, 13, 14, 130}, []int64{2, 7, 7, 130},
			"{size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0}")
		for _, dir := range []string{"GE", "GT", "LE", "LT"} {
			check(typ, "add", dir, []int64{3, 9, 8, 19}, []int64{3, 4, 7, 19}, "{size=1x3x2x1 stride=1x2x1x1}")
		}
		check(typ, "add", "GE", []int64{2, 3, 14, 300}, []int64{2, 3, 7, 150}, "{size=1x1x2x2 stride=1x1x2x2}")
	}
}
