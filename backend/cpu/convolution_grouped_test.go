package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// randomGroups makes a convolution by groups of features, whose windows at times go the other way.
func randomGroups(r *rand.Rand) product {
	group := [][2]int{{4, 4}, {8, 8}, {4, 8}, {1, 8}, {3, 16}, {4, 12}, {8, 20}, {16, 4}, {16, 16}, {5, 24}, {1, 8},
		{1, 16}}[r.IntN(12)]
	w, groups := randomWindows(r), oneOf(r, 2, 4, 6, 32)
	turn := make([]string, len(w.kernel))
	for i := range turn {
		turn[i] = fmt.Sprint(oneOf(r, 0, 0, 0, 1))
	}
	w.text += " rhs_reversal=" + strings.Join(turn, "x")
	inputs, outputs := group[0], group[1]*groups
	if r.IntN(3) == 0 {
		return w.convolution(inputs*groups, outputs, groups, append([]int{outputs, inputs}, w.kernel...), "oi"+w.labels)
	}
	return w.convolution(inputs*groups, outputs, groups, append(w.kernel, inputs, outputs), w.labels+"io")
}

func TestGroupedConvolutions(t *testing.T) {
	native := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 32))
		p := randomGroups(r)
		p.check(t, r, shape.F32, shape.F32, shape.F32)
		_, q := compile(t, New(Options{}), p.with(shape.F32, shape.F32, shape.F32))
		if q.Report()[0].Kernel == "loops groups" {
			native++
		}
		q.Close()
	}
	testfile.Native(t, run.Available())
	if hasWideTiles() && native < 50 {
		t.Errorf("%d of 150 ran in the kernel for such convolutions", native)
	}
}

// TestGroupedEnds has known weights, a bias, what is above 0 and then what is below another number, in the kernel:
// sums are exact, some are NaN. Rows are few or many, places apart by a part of a page, windows long.
func TestGroupedEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 32))
	for _, c := range []struct {
		image, weights, result, window string
		groups                         int
	}{
		{"1,28,28,128", "3,3,4,128", "1,28,28,128", "size=3x3 pad=1_1x1_1", 32},
		{"2,14,14,512", "3,3,16,512", "2,7,7,512", "size=3x3 stride=2x2 pad=1_1x1_1", 32},
		{"1,9,30,512", "3,3,8,512", "1,9,30,512", "size=3x3 pad=1_1x1_1", 64},
		{"1,70,1024", "9,32,1024", "1,70,1024", "size=9 pad=4_4", 32},
		{"1,60,96", "64,24,96", "1,61,96", "size=64 pad=32_32", 4},
		{"1,400,200", "3,20,120", "1,400,120", "size=3 pad=1_1", 10},
		{"1,11,13,6", "3,3,1,48", "1,11,13,48", "size=3x3 pad=1_1x1_1", 6},
		{"2,9,9,10", "5,5,1,160", "2,5,5,160", "size=5x5 stride=2x2 pad=2_2x2_2", 10},
		{"1,4,4,0", "3,3,0,16", "1,4,4,16", "size=3x3 pad=1_1x1_1", 2},
	} {
		of := map[bool]string{true: "b01f_01io->b01f", false: "b0f_0io->b0f"}[strings.Contains(c.window, "x")]
		last := c.result[strings.LastIndex(c.result, ",")+1:]
		program := strings.NewReplacer("IMAGE", c.image, "WEIGHTS", c.weights, "RESULT", c.result, "WINDOW", c.window, "LABELS",
			of, "GROUPS", fmt.Sprint(c.groups), "FEATURES", last, "LAST", fmt.Sprint(strings.Count(c.result, ","))).Replace(`
			ENTRY e { a = f32[IMAGE] parameter(0) w = f32[WEIGHTS] parameter(1) v = f32[FEATURES] parameter(2)
			d = f32[RESULT] convolution(a, w), window={WINDOW}, dim_labels=LABELS, feature_group_count=GROUPS
			c = f32[RESULT] broadcast(v), dimensions={LAST} b = f32[RESULT] add(c, d)
			l = f32[] constant(0) x = f32[RESULT] broadcast(l), dimensions={} p = f32[RESULT] maximum(x, b)
			m = f32[] constant(9) y = f32[RESULT] broadcast(m), dimensions={} ROOT q = f32[RESULT] minimum(y, p) }`)
		m, reference := compile(t, exec.Reference(), program)
		args := smallArguments(r, m)
		sprinkle(r, args[0])
		want := execute(t, reference, args...)
		for _, threads := range []int{1, 2, 3, 7} {
			_, p := compile(t, New(Options{Threads: threads}), program)
			if d := literal.Compare(execute(t, p, args...), want, literal.Tolerance{}); d != nil {
				t.Errorf("%v, %d threads: %v", c, threads, d)
			}
		}
	}
}
