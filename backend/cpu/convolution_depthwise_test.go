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

// randomWindow has those of a convolution of images, windows and results whose features are still to come.
type randomWindow struct {
	lhs, kernel, result []int
	text, labels        string
}

func oneOf(r *rand.Rand, list ...int) int { return list[r.IntN(len(list))] }

// listed is a list as shapes have it.
func listed(d ...int) string { return strings.ReplaceAll(fmt.Sprint(d), " ", ",") }

// randomWindows are windows of one or two dimensions, at times with more padding than they need, so that places have no
// element of the image at all, or so little room that there is no place.
func randomWindows(r *rand.Rand) randomWindow {
	images, rank := oneOf(r, 1, 1, 2, 3), 1+r.IntN(2)
	w := randomWindow{lhs: []int{images}, result: []int{images}, labels: "01"[:rank]}
	var size, stride, pad, dilate []string
	for range rank {
		n, k, step, dilation := oneOf(r, 1, 5, 7, 8, 14, 17, 30), oneOf(r, 1, 2, 3, 3, 5), oneOf(r, 1, 1, 2, 3), oneOf(r, 1, 1, 1, 2)
		low, high := oneOf(r, 0, 1, 1, 2, 7, -1), oneOf(r, 0, 1, 1, 2, 6)
		places := 0
		if room := n + low + high - (k-1)*dilation - 1; room >= 0 {
			places = room/step + 1
		}
		w.lhs, w.kernel, w.result = append(w.lhs, n), append(w.kernel, k), append(w.result, places)
		size, stride = append(size, fmt.Sprint(k)), append(stride, fmt.Sprint(step))
		pad, dilate = append(pad, fmt.Sprintf("%d_%d", low, high)), append(dilate, fmt.Sprint(dilation))
	}
	by := func(list []string) string { return strings.Join(list, "x") }
	w.text = fmt.Sprintf("size=%s stride=%s pad=%s rhs_dilate=%s", by(size), by(stride), by(pad), by(dilate))
	return w
}

// convolution is one by groups of features, whose weights have the dimensions and labels.
func (w randomWindow) convolution(inputs, outputs, groups int, weights []int, labels string) product {
	return product{fmt.Sprintf("ENTRY e { a = LHS%s parameter(0) b = RHS%s parameter(1) ROOT c = OUT%s convolution(a, b), "+
		"window={%s}, dim_labels=b%[5]sf_%s->b%[5]sf, feature_group_count=%[7]d }", listed(append(w.lhs, inputs)...),
		listed(weights...), listed(append(w.result, outputs)...), w.text, w.labels, labels, groups)}
}

// randomDepthwise makes a convolution whose features are apart.
func randomDepthwise(r *rand.Rand) product {
	w, features := randomWindows(r), oneOf(r, 8, 16, 19, 32, 37, 64, 96, 512)
	return w.convolution(features, features, features, append(w.kernel, 1, features), w.labels+"io")
}

func TestDepthwiseConvolutions(t *testing.T) {
	native := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 31))
		p := randomDepthwise(r)
		p.check(t, r, shape.F32, shape.F32, shape.F32)
		_, q := compile(t, New(Options{}), p.with(shape.F32, shape.F32, shape.F32))
		if q.Report()[0].Kernel == "loops depthwise" {
			native++
		}
		q.Close()
	}
	testfile.Native(t, run.Available())
	if native < 60 {
		t.Errorf("%d of 120 ran in the kernel for such convolutions", native)
	}
}

// TestDepthwiseBeyondCaches has an image and a result for which each row asks for the next.
func TestDepthwiseBeyondCaches(t *testing.T) {
	for _, stride := range []int{1, 2} {
		p := product{fmt.Sprintf("ENTRY e { a = LHS[2,%d,130,40] parameter(0) b = RHS[3,3,1,40] parameter(1) "+
			"ROOT c = OUT[2,%d,%d,40] convolution(a, b), window={size=3x3 stride=%[4]dx%[4]d pad=1_1x1_1}, "+
			"dim_labels=b01f_01io->b01f, feature_group_count=40 }", 160*stride, 160, 130/stride, stride)}
		p.check(t, rand.New(rand.NewPCG(5, 31)), shape.F32, shape.F32, shape.F32)
	}
	p := product{"ENTRY e { a = LHS[1,112,130,40] parameter(0) b = RHS[5,5,1,40] parameter(1) ROOT c = OUT[1,112,130,40] " +
		"convolution(a, b), window={size=5x5 pad=2_2x2_2}, dim_labels=b01f_01io->b01f, feature_group_count=40 }"}
	p.check(t, rand.New(rand.NewPCG(7, 31)), shape.F32, shape.F32, shape.F32)
}

// TestDepthwiseEnds adds a bias, takes what is above one number and then what is below another, in the kernel or behind
// it: sums are exact, some of them are NaN.
func TestDepthwiseEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 31))
	for _, ends := range []struct {
		bias, least, most string
		taken             bool // by the kernel, all of them
	}{{"b", "0", "6", true}, {"b", "0", "inf", true}, {"d", "0", "2.5", true}, {"b", "0", "0", false},
		{"b", "-1", "3", false}, {"b", "0", "-0", false}, {"d", "0", "nan", false}, {"b", "-inf", "4", true}} {
		program := strings.NewReplacer("BIASED", ends.bias, "LEAST", ends.least, "MOST", ends.most).Replace(`
			ENTRY e { a = f32[2,9,16,37] parameter(0) w = f32[3,3,1,37] parameter(1) v = f32[37] parameter(2)
			d = f32[2,9,16,37] convolution(a, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f,
			feature_group_count=37 c = f32[2,9,16,37] broadcast(v), dimensions={3} b = f32[2,9,16,37] add(c, d)
			l = f32[] constant(LEAST) x = f32[2,9,16,37] broadcast(l), dimensions={} p = f32[2,9,16,37] maximum(x, BIASED)
			m = f32[] constant(MOST) y = f32[2,9,16,37] broadcast(m), dimensions={}
			ROOT q = f32[2,9,16,37] minimum(y, p) }`)
		m, reference := compile(t, exec.Reference(), program)
		args := smallArguments(r, m)
		sprinkle(r, args[0])
		want := execute(t, reference, args...)
		for _, threads := range []int{1, 2, 3, 7} {
			_, p := compile(t, New(Options{Threads: threads}), program)
			if s := p.Report()[0]; s.Kernel == "loops depthwise" && (s.Bytes < 3*int64(len(want.Bytes()))) != ends.taken {
				t.Errorf("%v: %v", ends, s) // the image is read and the result written once if that is all
			}
			if d := literal.Compare(execute(t, p, args...), want, literal.Tolerance{}); d != nil {
				t.Errorf("%v, %d threads: %v", ends, threads, d)
			}
		}
	}
}
