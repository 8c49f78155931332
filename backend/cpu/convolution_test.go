package cpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// randomConvolution makes a convolution of one to three spatial dimensions with the features last.
func randomConvolution(r *rand.Rand) product {
	rank, labels := 1+r.IntN(3), "012"
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	groups := pick(1, 1, 1, 2, 8)
	in, out := groups*pick(1, 2, 5), groups*pick(1, 3)
	if r.IntN(3) == 0 {
		groups, in, out = 1, pick(16, 64), pick(16, 48)
	}
	dilated := r.IntN(4) == 0
	lhs, kernel, result := []int{pick(1, 2, 3)}, []int{}, []int{0}
	window := map[string][]string{}
	for range rank {
		n, k, stride, base, dilation := pick(5, 8, 17), pick(1, 2, 3), pick(1, 1, 2), 1, pick(1, 1, 2)
		low, high, reversal := pick(0, 1, 2, -1), pick(0, 1, 2), pick(0, 0, 1)
		if dilated {
			stride, base = 1, pick(1, 2, 3)
		}
		places := ((n-1)*base+1+low+high-(k-1)*dilation-1)/stride + 1
		lhs, kernel, result = append(lhs, n), append(kernel, k), append(result, max(places, 0))
		for name, v := range map[string]string{"size": fmt.Sprint(k), "stride": fmt.Sprint(stride),
			"pad": fmt.Sprintf("%d_%d", low, high), "lhs_dilate": fmt.Sprint(base), "rhs_dilate": fmt.Sprint(dilation),
			"rhs_reversal": fmt.Sprint(reversal)} {
			window[name] = append(window[name], v)
		}
	}
	lhs, kernel, result = append(lhs, in), append(kernel, in/groups, out), append(result, out)
	result[0] = lhs[0]
	var attrs []string
	for _, name := range []string{"size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"} {
		attrs = append(attrs, name+"="+strings.Join(window[name], "x"))
	}
	dims := func(d []int) string { return strings.ReplaceAll(fmt.Sprint(d), " ", ",") }
	return product{fmt.Sprintf("ENTRY e { a = LHS%s parameter(0) b = RHS%s parameter(1) ROOT c = OUT%s convolution(a, b), "+
		"window={%s}, dim_labels=b%[5]sf_%[5]sio->b%[5]sf, feature_group_count=%[6]d }", dims(lhs), dims(kernel), dims(result),
		strings.Join(attrs, " "), labels[:rank], groups)}
}

func TestRandomConvolutions(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		p := randomConvolution(r)
		types := [][3]shape.ElementType{{shape.F32, shape.F32, shape.F32}, {shape.BF16, shape.BF16, shape.BF16},
			{shape.S8, shape.S8, shape.S32}, {shape.F64, shape.F64, shape.F64}}[max(int(seed%8)-4, 0)]
		p.check(t, r, types[0], types[1], types[2])
	}
}

// TestConvolutionRows runs convolutions that are large enough to be split by rows and by images.
func TestConvolutionRows(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for _, text := range []string{
		"LHS[1,15,14,32] RHS[3,3,32,96] OUT[1,15,14,96] window={size=3x3 pad=1_1x1_1}",
		"LHS[1,29,29,24] RHS[5,5,24,64] OUT[1,14,14,64] window={size=5x5 stride=2x2 pad=1_1x1_1}",
		"LHS[3,20,20,32] RHS[3,3,32,48] OUT[3,16,16,48] window={size=3x3 rhs_dilate=2x2}",
		"LHS[1,40,20,192] RHS[1,1,192,320] OUT[1,20,10,320] window={size=1x1 stride=2x2}",
		"LHS[1,16,15,64] RHS[4,4,64,48] OUT[1,32,30,48] window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}",
		"LHS[1,17,12,64] RHS[5,3,64,32] OUT[1,50,24,32] window={size=5x3 pad=3_2x2_1 lhs_dilate=3x2 rhs_reversal=1x1}",
		"LHS[1,15,14,48] RHS[3,3,48,64] OUT[1,31,27,64] window={size=3x3 pad=3_3x1_1 lhs_dilate=2x2 rhs_dilate=2x1}",
		"LHS[1,20,16,64] RHS[2,3,64,96] OUT[1,57,31,96] window={size=2x3 pad=0_0x1_1 lhs_dilate=3x2}",
		"LHS[1,12,16,64] RHS[4,4,64,64] OUT[1,38,32,64] window={size=4x4 pad=9_9x2_2 lhs_dilate=2x2}",
		"LHS[2,12,16,64] RHS[4,4,64,32] OUT[2,24,32,32] window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}",
	} {
		f := strings.SplitN(text, " ", 4)
		product{fmt.Sprintf("ENTRY e { a = %s parameter(0) b = %s parameter(1) ROOT c = %s convolution(a, b), %s, "+
			"dim_labels=b01f_01io->b01f }", f[0], f[1], f[2], f[3])}.check(t, r, shape.F32, shape.F32, shape.F32)
	}
}

// TestConvolutionOfImages runs those that are products of weights and images whose features come first, in one step.
func TestConvolutionOfImages(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(10, 4))
	for _, sizes := range [][5]int{{1, 64, 256, 31, 29}, {3, 48, 64, 28, 28}, {2, 128, 96, 64, 16}, {5, 3, 32, 13, 17},
		{1, 256, 1, 16, 16}, {4, 1, 7, 8, 8}, {2, 33, 65, 64, 1}} {
		n, in, out, h, w := sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]
		p := product{fmt.Sprintf("ENTRY e { a = LHS[%d,%d,%d,%d] parameter(0) b = RHS[%d,%d,1,1] parameter(1) "+
			"ROOT c = OUT[%[1]d,%[5]d,%[3]d,%[4]d] convolution(a, b), window={size=1x1}, dim_labels=bf01_oi01->bf01 }",
			n, in, h, w, out, in)}
		p.check(t, r, shape.F32, shape.F32, shape.F32)
		text := p.with(shape.F32, shape.F32, shape.F32)
		m, one := compile(t, New(Options{Threads: 1}), text)
		if list := one.Report(); len(list) != 1 {
			t.Errorf("got %v, want one step\n%s", list, text)
		}
		args := smallArguments(r, m)
		want := execute(t, one, args...)
		for _, threads := range []int{2, 3, 7} {
			_, many := compile(t, New(Options{Threads: threads}), text)
			if d := literal.Compare(execute(t, many, args...), want, literal.Tolerance{Bits: true}); d != nil {
				t.Errorf("%d threads against 1: %v\n%s", threads, d, text)
			}
		}
	}
}

// TestConvolutionOfOne runs those of one feature of which one becomes, which are sums of slices.
func TestConvolutionOfOne(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 2))
	for _, types := range [][3]shape.ElementType{{shape.F32, shape.F32, shape.F32}, {shape.F64, shape.F64, shape.F64}} {
		for _, text := range []string{
			"LHS[1,5000,1] RHS[64,1,1] OUT[1,5000,1] window={size=64 pad=32_31} b0f_0io->b0f",
			"LHS[1,1,5000] RHS[1,1,7] OUT[1,1,5001] window={size=7 pad=0_7 rhs_reversal=1} bf0_oi0->bf0",
			"LHS[3,2000,1] RHS[5,1,1] OUT[3,1996,1] window={size=5 pad=8_4 rhs_dilate=4} b0f_0io->b0f",
			"LHS[2,70,61,1] RHS[3,4,1,1] OUT[2,68,55,1] window={size=3x4 rhs_dilate=1x2 rhs_reversal=0x1} b01f_01io->b01f",
			"LHS[1,70,61,1] RHS[3,3,1,1] OUT[1,70,61,1] window={size=3x3 pad=1_1x1_1} b01f_01io->b01f",
		} {
			f := strings.SplitN(text, " ", 4)
			window, labels := f[3][:strings.Index(f[3], "}")+1], f[3][strings.Index(f[3], "}")+2:]
			product{fmt.Sprintf("ENTRY e { a = %s parameter(0) b = %s parameter(1) ROOT c = %s convolution(a, b), %s, "+
				"dim_labels=%s }", f[0], f[1], f[2], window, labels)}.check(t, r, types[0], types[1], types[2])
		}
	}
}

// TestConvolutionLibrary wants oneDNN to run what it is good at.
func TestConvolutionLibrary(t *testing.T) {
	testfile.Library(t, "onednn", onednn.Load())
	testfile.Native(t, run.Available())
	_, p := compile(t, New(Options{}), convolutionProgram(0).with(shape.F32, shape.F32, shape.F32))
	if k := p.Report()[0].Kernel; !strings.HasPrefix(k, "onednn ") {
		t.Errorf("got %q, want onednn", k)
	}
	for _, text := range []string{ // in pieces of one image, whose weights may differ in layout
		"f32[1,56,56,64] f32[3,3,64,64] f32[1,56,56,64] window={size=3x3 pad=1_1x1_1}",
		"f32[1,56,56,256] f32[1,1,256,512] f32[1,28,28,512] window={size=1x1 stride=2x2}",
		"f32[8,8,8,32] f32[3,3,32,16] f32[8,8,8,16] window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}", // a gradient
		"f32[1,14,14,512] f32[3,3,512,512] f32[1,7,7,512] window={size=3x3 stride=2x2 pad=1_1x1_1}",
	} {
		f := strings.SplitN(text, " ", 4)
		_, p := compile(t, New(Options{}), fmt.Sprintf("ENTRY e { a = %s parameter(0) b = %s parameter(1) ROOT c = %s "+
			"convolution(a, b), %s, dim_labels=b01f_01io->b01f }", f[0], f[1], f[2], f[3]))
		if k := p.Report()[0].Kernel; !strings.HasPrefix(k, "onednn ") {
			t.Errorf("%s: got %q, want onednn", text, k)
		}
	}
}

// TestConcurrentConvolutions runs one executable from many goroutines and wants the same bits of all.
func TestConcurrentConvolutions(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	m, p := compile(t, New(Options{Threads: 3}), "ENTRY e { a = f32[2,15,14,32] parameter(0) b = f32[3,3,32,96] parameter(1) "+
		"w = f32[14,96,32] parameter(2) d = f32[2,15,14,96] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f "+
		"ROOT c = f32[2,15,32] dot(d, w), lhs_contracting_dims={2,3}, rhs_contracting_dims={0,1} }")
	x, y := random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape)
	w := random(r, m.Entry.Parameters[2].Shape)
	want := execute(t, p, x, y, w)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 4 {
				out, err := p.Run(context.Background(), [][]*literal.Literal{{x, y, w}}, exec.RunOptions{})
				if err != nil {
					t.Error(err)
				} else if d := literal.Compare(out[0], want, literal.Tolerance{Bits: true}); d != nil {
					t.Error(d)
				}
			}
		})
	}
	group.Wait()
}

// TestConvolutionParts has convolutions too small for parts of many operations, and a volume with few planes: a library
// makes them in several parts. Sums are exact.
func TestConvolutionParts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, program := range []string{
		`ENTRY e { a = f32[1,50,50,16] parameter(0) w = f32[3,3,16,16] parameter(1) ROOT d = f32[1,50,50,16] convolution(a, w),
			window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f }`,
		`ENTRY e { a = f32[1,7,40,40,3] parameter(0) w = f32[3,5,5,3,16] parameter(1) ROOT d = f32[1,4,20,20,16] convolution(a, w),
			window={size=3x5x5 stride=2x2x2 pad=1_1x2_2x2_2}, dim_labels=b012f_012io->b012f }`,
	} {
		m, reference := compile(t, exec.Reference(), program)
		s := convolutionShape(m.Entry.Root)
		c, _ := s.Contraction()
		plan := convolutionPlan{Convolution: s, of: &contraction{Contraction: c}}
		if _, rows := plan.parts(); 2*rows > int(s.Out[1])+1 {
			t.Errorf("parts have %d rows of %d", rows, s.Out[1])
		}
		args := smallArguments(r, m)
		want := execute(t, reference, args...)
		for _, threads := range []int{1, 2, 3, 7} {
			_, p := compile(t, New(Options{Threads: threads}), program)
			if d := literal.Compare(execute(t, p, args...), want, literal.Tolerance{}); d != nil {
				t.Errorf("%d threads: %v\n%s", threads, d, program)
			}
		}
	}
}
