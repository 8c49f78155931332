package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// masks make a of scores x by a mask p, of predicates or of numbers: chosen, refused or added.
var masks = []struct{ name, mask, kernel string }{
	{"chosen", "a = T[D] select(pp, y, kk)", "softmax_chosen"},
	{"refused", "a = T[D] select(pp, kk, y)", "softmax_chosen"},
	{"added", "a = T[D] add(y, pp)", "softmax_added"},
	{"added before", "a = T[D] add(pp, y)", "softmax_added"},
	{"none", "a = T[D] copy(y)", "softmax"},
}

// scales make y of scores, and name the loop where there is no mask.
var scales = []struct{ name, scale, kernel string }{
	{"as they are", "y = T[D] copy(x)", "softmax"},
	{"multiplied", "y = T[D] multiply(x, ff)", "softmax_scaled"},
	{"divided", "y = T[D] divide(x, ff)", "softmax_divided"},
}

// maskText is a softmax of masked scores D, R of which are rows; the mask has sizes M, which are dimensions K of the
// scores, and elements of type P.
func maskText(mask, scale, sizes, of, dims string) string {
	element, rows := "pred[", sizes[:strings.LastIndex(sizes, ",")]
	if strings.Contains(mask, "add") {
		element = "T["
	}
	text := strings.NewReplacer("P[", element, "D]", sizes+"]", "R]", rows+"]", "M]", of+"]", "{K}", "{"+dims+"}").
		Replace(`HloModule m
max { x = T[] parameter(0) y = T[] parameter(1) ROOT z = T[] maximum(x, y) }
add { x = T[] parameter(0) y = T[] parameter(1) ROOT z = T[] add(x, y) }
ENTRY e { x = T[D] parameter(0) p = P[M] parameter(1) pp = P[D] broadcast(p), dimensions={K}
  f = T[] constant(5.65685) ff = T[D] broadcast(f), dimensions={} k = T[] constant(-1e9) kk = T[D] broadcast(k), dimensions={}
  zero = T[] constant(0) low = T[] constant(-inf) ` + scale + " " + mask + `
  m = T[R] reduce(a, low), dimensions={3}, to_apply=max mm = T[D] broadcast(m), dimensions={0,1,2}
  d = T[D] subtract(a, mm) e = T[D] exponential(d) s = T[R] reduce(e, zero), dimensions={3}, to_apply=add
  ss = T[D] broadcast(s), dimensions={0,1,2} ROOT r = T[D] divide(e, ss) }`)
	return strings.ReplaceAll(text, "T[", "f32[")
}

// addedMask is what masks add: nothing, or so much that nothing is left, or everything.
func addedMask(s shape.Shape) *literal.Literal {
	w := literal.MakeWide(s.Type.Class(), int(s.Size()))
	for i := range w.F {
		w.F[i] = []float64{0, -1e4, 0, math.Inf(-1), -95, 2}[i%17%6]
	}
	return literal.FromWide(s, w)
}

// TestMasks compares softmaxes of masked scores with the evaluator, with masks for rows, for heads and for all, and
// wants one loop to do them, with the same bits for any number of threads.
func TestMasks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, c := range []struct {
		sizes []int64
		of    []int64
		dims  string
	}{{[]int64{2, 3, 40, 70}, []int64{40, 70}, "2,3"}, {[]int64{2, 3, 5, 128}, []int64{2, 128}, "0,3"},
		{[]int64{3, 2, 33, 64}, []int64{3, 2, 33, 64}, "0,1,2,3"}, {[]int64{1, 2, 9, 300}, []int64{300}, "3"}} {
		for _, scale := range scales {
			for _, mask := range masks {
				t.Run(fmt.Sprint(mask.name, " ", scale.name, c.sizes, c.of), func(t *testing.T) {
					text := maskText(mask.mask, scale.scale, sizeList(c.sizes), sizeList(c.of), c.dims)
					x := rowValues(r, shape.Array(shape.F32, c.sizes...), int(c.sizes[3]))
					p := random(r, shape.Array(shape.Pred, c.of...))
					if strings.Contains(mask.mask, "add") {
						p = addedMask(shape.Array(shape.F32, c.of...))
					}
					agree(t, program{text: text, near: 1e-5, args: []*literal.Literal{x, p}})
					want := mask.kernel
					if mask.name == "none" {
						want = scale.kernel
					}
					oneLoop(t, text, "loops rows "+want)
				})
			}
		}
	}
}

// TestTriangles compares what is left of rows up to their number, and as many and more from another place on, with the
// evaluator, and wants rows that are long enough to go one by one.
func TestTriangles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range []struct {
		rows, row int64
		kernel    string
	}{{40, 512, "loops rows"}, {3, 700, "loops rows"}, {70, 128, "loops rows"}, {9, 20, "loops pipeline"}} {
		text := fmt.Sprintf(`ENTRY e { x = f32[%[1]d,%[2]d] parameter(0) i = s32[%[1]d,%[2]d] iota(), iota_dimension=0
  j = s32[%[1]d,%[2]d] iota(), iota_dimension=1 p = pred[%[1]d,%[2]d] compare(i, j), direction=GE
  k = f32[%[1]d,%[2]d] convert(j) z = f32[%[1]d,%[2]d] select(p, x, k) l = f32[%[1]d,%[2]d] convert(i)
  ROOT r = f32[%[1]d,%[2]d] subtract(z, l) }`, c.rows, c.row)
		agree(t, program{text: text, args: []*literal.Literal{rowValues(r, shape.Array(shape.F32, c.rows, c.row), int(c.row))}})
		oneLoop(t, text, c.kernel)
	}
}

// oneLoop wants a program to be one step of a kernel.
func oneLoop(t *testing.T, text, kernel string) {
	if !run.Available() {
		return
	}
	testfile.Native(t, run.Available())
	_, p := compiled(t, cpu.New(cpu.Options{}), text)
	defer p.Close()
	if report := p.Report(); len(report) != 1 || report[0].Kernel != kernel {
		t.Errorf("%v runs, want %s", report, kernel)
	}
}

// sizeList is numbers with commas.
func sizeList(numbers []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]")
}
