package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// turned are transpositions of FROM to TO by PERM with something on their elements: in place, by numbers of a row and of
// a column, by an array, by what is turned itself, by the same array in its own order, with another type.
var turned = map[string]string{
	"number":  "c = T[] constant(2) cc = T[TO] broadcast(c), dimensions={} ROOT r = T[TO] multiply(y, cc)",
	"column":  "vv = T[TO] broadcast(v), dimensions={LAST} ROOT r = T[TO] add(y, vv)",
	"row":     "ww = T[TO] broadcast(w), dimensions={0} ROOT r = T[TO] add(y, ww)",
	"array":   "m = T[TO] multiply(z, z) ROOT r = T[TO] subtract(m, y)",
	"both":    "u = T[TO] transpose(x), dimensions={PERM} m = T[TO] multiply(u, z) ROOT r = T[TO] add(m, y)",
	"masked":  "p = pred[TO] compare(y, z), direction=GT ROOT r = T[TO] select(p, y, z)",
	"convert": "ROOT r = s8[TO] convert(y)",
}

// TestTurned compares transpositions with an epilogue with the evaluator, whole pieces or not, of rows that are longer
// than a piece, too.
func TestTurned(t *testing.T) {
	r := newRand(t)
	for _, c := range []struct {
		from, perm []int64
	}{{[]int64{400, 401}, []int64{1, 0}}, {[]int64{37, 5000}, []int64{1, 0}}, {[]int64{1100, 700}, []int64{1, 0}}, {[]int64{5000, 37}, []int64{1, 0}},
		{[]int64{9, 130, 129}, []int64{0, 2, 1}}, {[]int64{130, 9, 129}, []int64{2, 0, 1}}, {[]int64{3, 70000}, []int64{1, 0}},
		{[]int64{20, 70, 110}, []int64{2, 1, 0}}, {[]int64{2, 300, 2, 130}, []int64{2, 3, 0, 1}}} {
		from, to := c.from, make([]int64, len(c.from))
		for i, d := range c.perm {
			to[i] = from[d]
		}
		for _, body := range turned {
			for _, et := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.S8} {
				last := len(to) - 1
				text := strings.NewReplacer("FROM", withCommas(from), "TO", withCommas(to), "PERM", withCommas(c.perm),
					"LAST", fmt.Sprint(last), "T[", et.String()+"[").Replace(fmt.Sprintf(`HloModule m
ENTRY e { x = T[FROM] parameter(0) z = T[TO] parameter(1) v = T[%d] parameter(2) w = T[%d] parameter(3)
  y = T[TO] transpose(x), dimensions={PERM} `, to[last], to[0]) + body + " }")
				agree(t, program{text: text, args: []*literal.Literal{random(r, shape.Array(et, from...)),
					random(r, shape.Array(et, to...)), random(r, shape.Array(et, to[last])), random(r, shape.Array(et, to[0]))}})
			}
		}
	}
}

// withCommas writes a list.
func withCommas(list []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}

// TestTurnedIsOneStep wants a large transposition with an epilogue to be one step, and a small one, or one that copies
// rows, to be two.
func TestTurnedIsOneStep(t *testing.T) {
	testfile.Native(t, run.Available())
	for sizes, want := range map[string]int{"[500,600] [600,500] {1,0}": 1, "[50,60] [60,50] {1,0}": 2,
		"[1500,1600] [1600,1500] {1,0}":   2,
		"[20,30,400] [30,20,400] {1,0,2}": 2} {
		var from, to, perm string
		fmt.Sscan(sizes, &from, &to, &perm)
		text := strings.NewReplacer("FROM", from, "TO", to, "PERM", perm).Replace(`HloModule m
ENTRY e { x = f32FROM parameter(0) y = f32TO transpose(x), dimensions=PERM ROOT r = f32TO negate(y) }`)
		if got := kernels(t, text); len(got) != want {
			t.Errorf("%s runs as %q", sizes, got)
		}
	}
}
