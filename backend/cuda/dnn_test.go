//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/cudnn"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// convolved are convolutions: what runs them where the library is there, shapes of operands and result, and attributes.
var convolved = []struct{ kernel, shapes, attributes string }{
	// sizes, strides, paddings and dilations, with features last
	{"cudnn", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[2,9,8,3] f32[3,2,3,4] f32[2,4,4,4]", "window={size=3x2 stride=2x2}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[2,8,8,3] f32[3,3,3,4] f32[2,4,4,4]", "window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[2,8,8,3] f32[4,3,3,3] f32[2,4,4,4]", "window={size=3x3 stride=2x2 pad=1_0x0_1}, dim_labels=b01f_o01i->b01f"},
	{"cudnn", "f32[1,9,9,2] f32[3,3,2,2] f32[1,5,3,2]", "window={size=3x3 pad=0_0x-1_-1 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[1,1,1,5] f32[1,1,5,3] f32[1,1,1,3]", "window={size=1x1}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[3,5,5,4] f32[2,2,4,6] f32[3,4,4,6]", "window={size=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[3,5,5,4] f32[2,2,4,6] f32[3,4,4,6]", "window={size=2x2 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f"},
	// other orders
	{"cudnn", "f32[2,3,7,6] f32[4,3,3,3] f32[2,4,7,6]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"},
	{"cudnn", "f32[2,3,7,6] f32[3,3,4,3] f32[7,6,4,2]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_i0o1->01fb"},
	{"cudnn", "f32[3,7,6,2] f32[3,3,4,3] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=f01b_i0o1->b01f"},
	// one dimension of space, three, and none
	{"cudnn", "f32[2,9,3] f32[3,3,4] f32[2,9,4]", "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"},
	{"cudnn", "f32[2,3,9] f32[4,3,2] f32[2,4,4]", "window={size=2 stride=2}, dim_labels=bf0_oi0->bf0"},
	{"cudnn", "f32[2,4,5,3,2] f32[2,3,2,2,3] f32[2,3,3,2,3]", "window={size=2x3x2}, dim_labels=b012f_012io->b012f"},
	{"cudnn", "f32[1,8,4] f32[4,8,3] f32[1,4,2]", "window={size=3 stride=2 pad=1_1}, dim_labels=bf0_oi0->bf0"},
	{"cuda", "f32[4,3] f32[3,5] f32[4,5]", "window={}, dim_labels=bf_io->bf"},
	// groups
	{"cudnn", "f32[2,6,6,4] f32[3,3,2,6] f32[2,4,4,6]", "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2"},
	{"cudnn", "f32[2,4,6,6] f32[4,1,3,3] f32[2,4,4,4]", "window={size=3x3}, dim_labels=bf01_oi01->bf01, feature_group_count=4"},
	{"cudnn", "f32[4,6,6,3] f32[3,3,3,4] f32[2,4,4,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f, batch_group_count=2"},
	{"cudnn", "f32[2,9,9,6] f32[2,4,4,9] f32[3,3,2,9]", "window={size=4x4 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf, batch_group_count=3"},
	{"cudnn", "f32[2,6,8,8] f32[2,6,8,8] f32[6,1,3,3]", "window={size=8x8 pad=1_1x1_1}, dim_labels=fb01_io01->fb01, batch_group_count=6"},
	{"cuda", "f32[4,6,6,3] f32[3,3,3,4] f32[2,4,4,4]", "window={size=3x3 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, batch_group_count=2"},
	// gradients
	{"cudnn", "f32[2,4,4,3] f32[3,3,3,2] f32[2,9,9,2]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[2,4,4,3] f32[3,3,2,3] f32[2,8,8,2]", "window={size=3x3 pad=2_1x1_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01oi->b01f"},
	{"cudnn", "f32[2,3,4,4] f32[3,2,2,3] f32[2,2,7,10]", "window={size=2x3 pad=0_1x1_1 lhs_dilate=2x3}, dim_labels=bf01_io01->bf01"},
	{"cuda", "f32[2,4,4,3] f32[3,3,3,2] f32[2,5,5,2]", "window={size=3x3 stride=2x2 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
	{"cuda", "f32[2,4,4,3] f32[3,3,3,2] f32[2,11,11,2]", "window={size=3x3 pad=3_3x3_3 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f32[2,4,4,4] f32[3,3,2,6] f32[2,9,9,6]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=2"},
	{"cudnn", "f32[2,4,4,4] f32[4,1,3,3] f32[2,4,9,9]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_oi01->bf01, feature_group_count=4"},
	{"cudnn", "f32[2,9,9,3] f32[2,4,4,5] f32[3,3,3,5]", "window={size=4x4 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf"},
	{"cudnn", "f32[2,8,8,3] f32[2,8,8,5] f32[3,3,3,5]", "window={size=8x8 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf"},
	{"cudnn", "f32[2,8,8,3] f32[2,4,4,5] f32[3,3,3,5]", "window={size=4x4 pad=0_1x0_1 rhs_dilate=2x2}, dim_labels=f01b_i01o->01bf"},
	{"cudnn", "f32[2,3,8,8] f32[2,5,4,4] f32[5,3,2,2]", "window={size=4x4 pad=0_0x0_0 rhs_dilate=2x2}, dim_labels=fb01_io01->fb01"},
	// types
	{"cudnn", "f64[2,7,6,3] f64[3,3,3,4] f64[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "f16[2,8,8,3] f16[3,3,3,4] f16[2,4,4,4]", "window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f"},
	{"cudnn", "bf16[2,8,8,3] bf16[3,3,3,4] bf16[2,4,4,4]", "window={size=3x3 stride=2x2 pad=-1_2x1_0}, dim_labels=b01f_01io->b01f"},
	{"cuda", "bf16[2,7,6,3] bf16[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"cuda", "s32[2,7,6,3] s32[3,3,3,4] s32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"cuda", "c64[2,7,6,3] c64[3,3,3,4] c64[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	// no elements
	{"", "f32[0,7,6,3] f32[3,3,3,4] f32[0,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	{"cuda", "f32[2,7,6,0] f32[3,3,0,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
}

// near is how near a result of convolutions comes to the reference, by its type.
var near = map[string]literal.Tolerance{"f64": {RTol: 1e-13, ATol: 1e-13}, "f16": {RTol: 2e-3, ATol: 2e-3},
	"bf1": {RTol: 1e-2, ATol: 1e-2}, "s32": {}}

// convolutionText is a program of a convolution.
func convolutionText(shapes, attributes string) string {
	s := strings.Fields(shapes)
	return fmt.Sprintf("HloModule m\nENTRY e { x = %s parameter(0)\n k = %s parameter(1)\n ROOT y = %s convolution(x, k), %s }",
		s[0], s[1], s[2], attributes)
}

// convolvedPrograms are programs of all of convolved.
func convolvedPrograms(t *testing.T) (list []*program) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, c := range convolved {
		m := parsed(t, convolutionText(c.shapes, c.attributes))
		p := &program{name: c.shapes + " " + c.attributes, m: m, tol: literal.Tolerance{RTol: 1e-5, ATol: 2e-5}}
		if tol, ok := near[strings.Fields(c.shapes)[2][:3]]; ok {
			p.tol = tol
		}
		for _, x := range m.Entry.Parameters {
			p.args = append(p.args, randomLiteral(r, x.Shape, false))
		}
		list = append(list, p)
	}
	return list
}

// TestConvolutions compares convolutions with the evaluator's, by the library and by kernels, and wants what runs them
// told.
func TestConvolutions(t *testing.T) {
	for _, libs := range []string{"", "-cudnn"} {
		t.Run(libs, func(t *testing.T) {
			t.Setenv("HALO_LIBS", libs)
			d, err := open(chosen())
			testfile.Library(t, chosenName(), err)
			b := exec.New(unchanged{&machine{d}})
			list := convolvedPrograms(t)
			for i, c := range convolved {
				want := c.kernel
				if libs != "" && want != "" {
					want = "cuda"
				}
				report := compiled(t, b, list[i].m, exec.Options{}).Report()
				if chosen().Emulated && (len(report) != 1 || !strings.HasPrefix(report[0].Kernel, want+" ") && want != "") {
					t.Errorf("%s is run by %v, want %s", list[i].name, report, want)
				}
			}
			runAll(t, list, len(list))
		})
	}
}

// TestConvolutionNaN wants a NaN and an infinity where the window reaches them alone.
func TestConvolutionNaN(t *testing.T) {
	b := either(t)
	x := numbers(t, 1, 6, 7, 1)
	for i, v := range map[int]float32{9: float32(math.NaN()), 34: float32(math.Inf(1))} {
		data, err := literal.View[float32](x)
		if err != nil {
			t.Fatal(err)
		}
		data[i] = v
	}
	text := convolutionText("f32[1,6,7,1] f32[3,3,1,2] f32[1,6,7,2]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f")
	got, want := answer(t, b, text, exec.Options{}, x, numbers(t, 3, 3, 1, 2)),
		answer(t, exec.Reference(), text, exec.Options{}, x, numbers(t, 3, 3, 1, 2))
	if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
		t.Error(d)
	}
}

// TestConvolutionWeights wants weights that are not finite left out where they lie over padding, or between elements
// that are spread out, and so with constant weights.
func TestConvolutionWeights(t *testing.T) {
	b := either(t)
	for _, c := range []struct{ shapes, attributes string }{
		{"f32[1,4,5,1] f32[3,3,1,2] f32[1,4,5,2]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
		{"f32[1,4,5,1] f32[3,3,1,2] f32[1,2,3,2]", "window={size=3x3}, dim_labels=b01f_01io->b01f"},
		{"f32[1,4,5,1] f32[3,3,1,2] f32[1,7,9,2]", "window={size=3x3 pad=1_1x1_1 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
		{"f32[2,4,5,1] f32[2,4,5,2] f32[3,3,1,2]", "window={size=4x5 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf"},
		{"f16[1,4,5,1] f16[3,3,1,2] f16[1,4,5,2]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
	} {
		text := convolutionText(c.shapes, c.attributes)
		r := rand.New(rand.NewPCG(5, 5))
		p := parsed(t, text).Entry.Parameters
		args := []*literal.Literal{randomLiteral(r, p[0].Shape, false), randomLiteral(r, p[1].Shape, false)}
		w := args[1].Wide()
		w.F[0], w.F[3] = math.Inf(1), math.NaN()
		args[1] = literal.FromWide(p[1].Shape, w)
		fixed := strings.Replace(text, "parameter(1)", "constant("+strings.TrimPrefix(args[1].String(), p[1].Shape.String())+")", 1)
		for _, x := range []struct {
			text string
			args []*literal.Literal
		}{{text, args}, {fixed, args[:1]}} {
			got, want := answer(t, b, x.text, exec.Options{}, x.args...), answer(t, exec.Reference(), x.text, exec.Options{}, x.args...)
			if d := literal.Compare(got, want, literal.Tolerance{RTol: 2e-3, ATol: 2e-3}); d != nil {
				t.Errorf("%s: %v", x.text, d)
			}
		}
	}
}

// TestConvolutionRefused wants convolutions done by kernels that the library says it does not do, and all where it is of
// another version, made for another CUDA or cannot be used.
func TestConvolutionRefused(t *testing.T) {
	emulated(t)
	args := []*literal.Literal{numbers(t, 1, 5, 5, 2), numbers(t, 3, 3, 2, 2)}
	want := answer(t, exec.Reference(), convolution, exec.Options{}, args...)
	for _, c := range []struct{ variable, v, said string }{
		{"HALO_CUDA_EMU_LIB_VERSION", "cudnn:8907", "want 9"},
		{"HALO_CUDA_EMU_LIB_VERSION", "cudnn:100100", "want 9"},
		{"HALO_CUDA_EMU_LIB_FAIL", "cudnn:1:1001", ""}, // as where its parts are not beside it
		{"HALO_CUDA_EMU_LIB_FAIL", "cudnn:3:3000", ""},
		{"HALO_CUDA_EMU_LIB_FAIL", "cudnn:8:2000", ""},
	} {
		t.Run(c.v, func(t *testing.T) {
			t.Setenv(c.variable, c.v)
			b := emulated(t)
			if info, err := Describe(Options{Emulated: true}); err != nil || !strings.Contains(info.DNN, c.said) {
				t.Errorf("got %v, %v, want %s", info, err, c.said)
			}
			if got := fmt.Sprint(compiled(t, b, parsed(t, convolution), exec.Options{}).Report()); strings.Contains(got, "cudnn") {
				t.Errorf("run by %s", got)
			}
			got := answer(t, b, convolution, exec.Options{}, args...)
			if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
				t.Error(d)
			}
		})
	}
}

// TestConvolutionsAtOnce has many goroutines run convolutions of several programs, which share one handle.
func TestConvolutionsAtOnce(t *testing.T) {
	b := either(t)
	var programs []exec.Program
	for range 3 {
		programs = append(programs, compiled(t, b, parsed(t, convolution), exec.Options{}))
	}
	args := []*literal.Literal{numbers(t, 1, 5, 5, 2), numbers(t, 3, 3, 2, 2)}
	want := answer(t, b, convolution, exec.Options{}, args...).String()
	var wg sync.WaitGroup
	for i := range 9 {
		wg.Go(func() {
			for range 4 {
				out, err := programs[i%3].Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
				if err != nil || out[0].String() != want {
					t.Errorf("got %v, %v, want %s", out, err, want)
				}
			}
		})
	}
	wg.Wait()
}

// TestConvolutionsDescribed wants NVIDIA's library to take what the emulated one takes, for a device that is not there.
func TestConvolutionsDescribed(t *testing.T) {
	kit, err := find.System().Toolkit(0)
	testfile.Library(t, "cudnn", err)
	lib, err := kit.Open("cudnn")
	testfile.Library(t, "cudnn", err)
	l, err := cudnn.Open(lib, kit.Major)
	testfile.Library(t, "cudnn", err)
	device, err := os.ReadFile("../../testdata/cudnn/device.json")
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.Described(string(device))
	testfile.Library(t, "cudnn", err) // versions before 9.8 know none
	for _, c := range convolved {
		e, err := emit.LowerConvolution(parsed(t, convolutionText(c.shapes, c.attributes)).Entry.Root,
			func(int) bool { return true },
			func(x *emit.Conv) (int64, error) {
				call, err := h.Convolution(dnnConvolution(x))
				if err != nil {
					return 0, err
				}
				defer call.Close()
				_, err = call.Ways(1<<30, 1)
				return 0, err
			})
		if c.kernel == "cudnn" && (e == nil || err != nil) {
			t.Errorf("%s %s: the library has no way: %v", c.shapes, c.attributes, err)
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// afterwards are convolutions with what comes after them, and what runs that.
var afterwards = []struct{ kernel, shapes, attributes, bias, after string }{
	{"cudnn", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[4] 3", ""},
	{"cudnn", "f32[2,8,8,3] f32[3,3,3,4] f32[2,4,4,4]", "window={size=3x3 stride=2x2 pad=-1_2x1_0}, dim_labels=b01f_01io->b01f", "f32[4] 3", ""},
	{"cudnn", "f32[2,3,7,6] f32[4,3,3,3] f32[2,4,7,6]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01", "f32[4] 1", ""},
	{"cudnn", "f32[2,3,9] f32[4,3,2] f32[2,4,4]", "window={size=2 stride=2}, dim_labels=bf0_oi0->bf0", "f32[4] 1", ""},
	{"cudnn and a kernel", "f32[2,3,7,6] f32[3,3,4,3] f32[7,6,4,2]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_i0o1->01fb", "f32[4] 2", ""},
	{"cudnn and a kernel", "f32[2,4,4,3] f32[3,3,3,2] f32[2,9,9,2]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", "f32[2] 3", ""},
	{"cudnn and a kernel", "f32[4,6,6,3] f32[3,3,3,4] f32[2,4,4,4]", "window={size=3x3}, dim_labels=b01f_01io->b01f, batch_group_count=2", "f32[4] 3", ""},
	{"cuda", "f32[4,3] f32[3,5] f32[4,5]", "window={}, dim_labels=bf_io->bf", "f32[5] 1", ""},
	{"sum", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[2,7,6,4] 0,1,2,3", ""},
	{"sum", "f32[2,3,7,6] f32[4,3,3,3] f32[2,4,7,6]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01", "f32[2,4,7,6] 0,1,2,3", ""},
	{"sum", "f32[2,3,9] f32[4,3,2] f32[2,4,4]", "window={size=2 stride=2}, dim_labels=bf0_oi0->bf0", "f32[2,4,4] 0,1,2", ""},
	{"sum apart", "f32[2,3,7,6] f32[3,3,4,3] f32[7,6,4,2]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_i0o1->01fb", "f32[7,6,4,2] 0,1,2,3", ""},
	{"sum apart", "f32[2,4,4,3] f32[3,3,3,2] f32[2,9,9,2]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", "f32[2,9,9,2] 0,1,2,3", ""},
	{"cuda sum", "f32[4,3] f32[3,5] f32[4,5]", "window={}, dim_labels=bf_io->bf", "f32[4,5] 0,1", ""},
	{"apart", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[2,7,6,4] 0,1,2,3", "relu"},
	{"sum alone", "f16[2,7,6,3] f16[3,3,3,4] f16[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f16[2,7,6,4] 0,1,2,3", ""},
	{"apart", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[6] 2", ""},
	{"apart", "f32[2,7,6,3] f32[3,3,3,4] f32[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[4] 3", "relu"},
	{"apart", "f64[2,7,6,3] f64[3,3,3,4] f64[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f64[4] 3", ""},
	{"apart", "f16[2,7,6,3] f16[3,3,3,4] f16[2,7,6,4]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f16[4] 3", ""},
}

// biasedText is a program of a convolution, a bias and what comes after it.
func biasedText(shapes, attributes, bias, after string) string {
	s := strings.Fields(shapes)
	shape, along, _ := strings.Cut(bias, " ")
	text := fmt.Sprintf("HloModule m\nENTRY e { x = %s parameter(0)\n k = %s parameter(1)\n v = %s parameter(2)\n"+
		" y = %s convolution(x, k), %s\n b = %[4]s broadcast(v), dimensions={%[6]s}\n", s[0], s[1], shape, s[2], attributes, along)
	if after == "" {
		return text + fmt.Sprintf(" ROOT r = %s add(y, b) }", s[2])
	}
	return text + fmt.Sprintf(" p = %[1]s add(y, b)\n z = f32[] constant(0)\n zs = %[1]s broadcast(z), dimensions={}\n"+
		" ROOT r = %[1]s maximum(p, zs) }", s[2])
}

// TestConvolutionBiases compares convolutions with a bias with the evaluator's, with finite weights and others, and wants
// what runs them told, and the bias added by the library where that can be.
func TestConvolutionBiases(t *testing.T) {
	b := either(t)
	r := rand.New(rand.NewPCG(6, 6))
	for _, c := range afterwards {
		text := biasedText(c.shapes, c.attributes, c.bias, c.after)
		m := parsed(t, text)
		var found []string
		for _, x := range compiled(t, b, m, exec.Options{}).Report() {
			found = append(found, x.Kernel)
		}
		want := map[string]string{"cudnn": "cudnn convolution with bias", "cudnn and a kernel": "cudnn convolution",
			"cuda": "cuda convolution, cuda fusion", "apart": "cudnn convolution, cuda fusion", "sum": "cudnn convolution with sum",
			"sum apart": "cudnn convolution", "cuda sum": "cuda convolution, cuda add",
			"sum alone": "cudnn convolution, cuda add"}[c.kernel]
		if got := strings.Join(found, ", "); got != want && chosen().Emulated {
			t.Errorf("%s\nis run by %s, want %s", text, got, want)
		}
		var args []*literal.Literal
		for _, p := range m.Entry.Parameters {
			args = append(args, randomLiteral(r, p.Shape, false))
		}
		for range 2 {
			got, want := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
			if d := literal.Compare(got, want, literal.Tolerance{RTol: 2e-3, ATol: 2e-3}); d != nil {
				t.Errorf("%s\n%v", text, d)
			}
			w := args[1].Wide()
			w.F[0] = math.Inf(1)
			args[1] = literal.FromWide(args[1].Shape(), w)
		}
	}
}

// TestConvolutionFused wants a convolution and its bias done by kernels where the library takes neither.
func TestConvolutionFused(t *testing.T) {
	t.Setenv("HALO_LIBS", "-cudnn")
	b := either(t)
	const text = `HloModule m
f { x = f32[1,5,5,2] parameter(0)
  k = f32[3,3,2,2] parameter(1)
  v = f32[2] parameter(2)
  y = f32[1,5,5,2] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  b = f32[1,5,5,2] broadcast(v), dimensions={3}
  ROOT r = f32[1,5,5,2] add(y, b) }
ENTRY e { x = f32[1,5,5,2] parameter(0)
  k = f32[3,3,2,2] parameter(1)
  v = f32[2] parameter(2)
  ROOT r = f32[1,5,5,2] fusion(x, k, v), kind=kOutput, calls=f }`
	args := []*literal.Literal{numbers(t, 1, 5, 5, 2), numbers(t, 3, 3, 2, 2), numbers(t, 2)}
	got, want := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
	if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
		t.Error(d)
	}
}
