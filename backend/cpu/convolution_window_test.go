package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// far are convolutions with weights that are too large for the caches, and few places.
var far = []string{
	"LHS[1,4,3,512] RHS[3,3,512,240] OUT[1,4,3,240] {size=3x3 pad=1_1x1_1}",
	"LHS[2,5,5,512] RHS[3,3,512,240] OUT[2,3,3,240] {size=3x3 stride=2x2 pad=1_1x1_1}",
	"LHS[1,7,6,512] RHS[3,3,512,240] OUT[1,3,2,240] {size=3x3 rhs_dilate=2x2 rhs_reversal=1x0}",
	"LHS[1,3,8,1024] RHS[1,1,1024,1040] OUT[1,2,4,1040] {size=1x1 stride=2x2}",
	"LHS[1,9,9,96] RHS[5,5,96,500] OUT[1,3,3,500] {size=5x5 stride=2x2 pad=0_0x1_-1}",
	"LHS[2,6,9,256] RHS[3,3,256,232] OUT[2,6,9,232] {size=3x3 pad=1_1x1_1}",
	"LHS[9,6,5,256] RHS[3,3,256,264] OUT[9,3,3,264] {size=3x3 stride=2x2 pad=1_0x1_1}",
	"LHS[1,9,5,160] RHS[3,5,160,240] OUT[1,7,13,240] {size=3x5 pad=3_3x8_8 rhs_dilate=4x2}",
	"LHS[2,33,35,512] RHS[1,1,512,96] OUT[2,17,18,96] {size=1x1 stride=2x2}",
	"LHS[2,5,6,1024] RHS[2,2,1024,140] OUT[2,5,6,140] {size=2x2 pad=1_0x0_1}",
	"LHS[2,5,4,96] RHS[4,4,96,72] OUT[2,10,8,72] {size=4x4 pad=2_2x2_2 lhs_dilate=2x2}",
	"LHS[1,4,7,64] RHS[3,3,64,40] OUT[1,6,10,40] {size=3x3 stride=2x2 pad=1_2x3_1 lhs_dilate=3x3 rhs_dilate=1x2}",
	"LHS[1,6,5,64] RHS[2,5,64,40] OUT[1,17,4,40] {size=2x5 pad=4_-1x-1_0 lhs_dilate=3x2 rhs_dilate=2x1 rhs_reversal=1x0}",
}

// farProgram is such a convolution with something done to its result.
func farProgram(text string) product {
	f := strings.SplitN(text, " ", 4)
	return product{fmt.Sprintf("ENTRY e { a = %s parameter(0) b = %s parameter(1) d = %[3]s convolution(a, b), "+
		"window=%[4]s, dim_labels=b01f_01io->b01f ROOT c = %[3]s add(d, d) }", f[0], f[1], f[2], f[3])}
}

func TestFarConvolutions(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	for _, text := range far {
		p := farProgram(text)
		program := p.with(shape.F32, shape.F32, shape.F32)
		m, reference := compile(t, exec.Reference(), program)
		x, y := random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape)
		bound := func(threads int) exec.Program {
			return compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: y})
		}
		one := bound(1)
		got := execute(t, one, x)
		p.judge(t, x, y, got, execute(t, reference, x, y), shape.F32)
		if d := literal.Compare(execute(t, bound(3), x), got, literal.Tolerance{Bits: true}); d != nil {
			t.Errorf("%s: 3 threads against 1: %v", text, d)
		}
		windows := run.Available() && (run.Level() == run.AVX2 ||
			run.Level() == run.AVX512 && !strings.Contains(text, "lhs_dilate"))
		if k := kernels(one); windows && !strings.Contains(k, "loops windows") {
			t.Errorf("%s: got %s, want a product of windows", text, k)
		}
	}
}

func kernels(p exec.Program) string {
	var list []string
	for _, s := range p.Report() {
		list = append(list, s.Kernel)
	}
	return strings.Join(list, ", ")
}

// TestFarConvolutionPadding has weights that are not finite where they meet padding, with which nothing is multiplied. The
// other numbers are such whose sums are exact.
func TestFarConvolutionPadding(t *testing.T) {
	program := farProgram(far[0]).with(shape.F32, shape.F32, shape.F32)
	m, reference := compile(t, exec.Reference(), program)
	r := rand.New(rand.NewPCG(17, 1))
	x, y := small(r, m.Entry.Parameters[0].Shape), small(r, m.Entry.Parameters[1].Shape)
	spoil(t, y)
	bound := compileBound(t, New(Options{Threads: 2}), m, map[int64]*literal.Literal{1: y})
	got, want := execute(t, bound, x), execute(t, reference, x, y)
	if d := literal.Compare(got, want, literal.Tolerance{}); d != nil {
		t.Error(d)
	}
}

// TestWindowEnds adds a bias and an array to what such convolutions give and takes what is above 0, all in their own
// steps: numbers are such whose sums are exact, and some of the array are NaN.
func TestWindowEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 1))
	for _, text := range far {
		f := strings.SplitN(text, " ", 4)
		out := strings.TrimPrefix(f[2], "OUT")
		features := out[strings.LastIndexByte(out, ',')+1:]
		program := fmt.Sprintf("ENTRY e { a = f32%s parameter(0) b = f32%s parameter(1) d = f32%[3]s convolution(a, b), "+
			"window=%[4]s, dim_labels=b01f_01io->b01f v = f32[%[5]s parameter(2) w = f32%[3]s broadcast(v), dimensions={3} "+
			"s = f32%[3]s add(d, w) c = f32%[3]s parameter(3) q = f32%[3]s add(c, s) z = f32[] constant(0) "+
			"o = f32%[3]s broadcast(z), dimensions={} ROOT m = f32%[3]s maximum(q, o) }",
			strings.TrimPrefix(f[0], "LHS"), strings.TrimPrefix(f[1], "RHS"), out, f[3], features)
		m, reference := compile(t, exec.Reference(), program)
		args := smallArguments(r, m)
		sprinkle(r, args[3])
		want := execute(t, reference, args...)
		for _, threads := range []int{1, 2, 3, 7} {
			p := compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1]})
			got := execute(t, p, args[0], args[2], args[3])
			if d := literal.Compare(got, want, literal.Tolerance{}); d != nil {
				t.Errorf("%s, %d threads: %v", text, threads, d)
			}
		}
	}
}

// TestWindowPlaces wants no memory for a place of a window, of which images in batches have millions.
func TestWindowPlaces(t *testing.T) {
	w := &windows{Convolution: &kernel.Convolution{LHS: []int64{2, 5, 4, 64}, Out: []int64{2, 10, 8, 32},
		Input:  kernel.ConvolutionLabels{Batch: 0, Feature: 3, Spatial: []int64{1, 2}},
		Output: kernel.ConvolutionLabels{Batch: 0, Feature: 3, Spatial: []int64{1, 2}},
		Window: []kernel.ConvolutionWindow{{Size: 4, Stride: 1, PadLow: 2, BaseDilation: 2, WindowDilation: 1},
			{Size: 3, Stride: 1, PadLow: 1, BaseDilation: 2, WindowDilation: 1}}}, strides: []int64{5 * 4 * 64, 4 * 64, 64, 1}}
	// Place (1, 0, 1): the window begins a row above the elements, of which tap 2 falls on row 0, and at column 0, where
	// taps 0 and 2 fall on elements.
	want := gemm.Window{At: 5*4*64 - 4*64, Inside: 0b101 << 6}
	if got := w.window(80 + 1); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if n := testing.AllocsPerRun(100, func() { w.window(80 + 1) }); n > 0 {
		t.Errorf("a place makes %v allocations", n)
	}
}
