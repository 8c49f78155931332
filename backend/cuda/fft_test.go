//go:build cgo && linux

package cuda

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// transformed are Fourier transforms: kind, dimensions of what is taken and given, and lengths.
var transformed = []struct{ kind, in, out, length string }{
	{"FFT", "8", "8", "8"}, {"FFT", "3,2,17", "3,2,17", "17"}, {"FFT", "2,6,10", "2,6,10", "6,10"},
	{"FFT", "2,3,4,5", "2,3,4,5", "3,4,5"}, {"IFFT", "5,12", "5,12", "12"}, {"IFFT", "7,9", "7,9", "7,9"},
	{"IFFT", "2,2,3,4", "2,2,3,4", "2,3,4"}, {"RFFT", "16", "9", "16"}, {"RFFT", "3,15", "3,8", "15"},
	{"RFFT", "2,6,8", "2,6,5", "6,8"}, {"RFFT", "2,3,5,7", "2,3,5,4", "3,5,7"}, {"IRFFT", "9", "16", "16"},
	{"IRFFT", "3,8", "3,15", "15"}, {"IRFFT", "2,6,5", "2,6,8", "6,8"}, {"IRFFT", "4,6,5", "4,6,9", "6,9"},
	{"IRFFT", "2,3,5,4", "2,3,5,7", "3,5,7"}, {"IRFFT", "2,3,4,3", "2,3,4,4", "3,4,4"},
	{"FFT", "3,1", "3,1", "1"}, {"FFT", "0,4", "0,4", "4"},
}

// ffts are programs of transforms with parts of type of.
func ffts(t *testing.T, of shape.ElementType, near float64) (list []*program) {
	complexes := map[shape.ElementType]string{shape.F32: "c64", shape.F64: "c128"}[of]
	r := rand.New(rand.NewPCG(1, 9))
	for _, x := range transformed {
		in, out := complexes, complexes
		switch x.kind {
		case "RFFT":
			in = of.String()
		case "IRFFT":
			out = of.String()
		}
		p := fft(t, r, x.kind, in+"["+x.in+"]", out+"["+x.out+"]", x.length)
		p.tol = literal.Tolerance{RTol: near, ATol: 20 * near}
		list = append(list, p)
	}
	return list
}

// fft is one transform of random numbers, whose results are to have the evaluator's bits.
func fft(t *testing.T, r *rand.Rand, kind, in, out, length string) *program {
	m := parsed(t, fmt.Sprintf("HloModule m\nENTRY e { x = %s parameter(0)\n ROOT r = %s fft(x), fft_type=%s, "+
		"fft_length={%s} }", in, out, kind, length))
	s := m.Entry.Parameters[0].Shape
	w := literal.MakeWide(s.Type.Class(), int(s.Size()))
	for i := range w.F {
		w.F[i] = r.NormFloat64()
	}
	for i := range w.C {
		w.C[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return &program{name: kind + " " + in, m: m, args: []*literal.Literal{literal.FromWide(s, w)}}
}

// TestFfts compares transforms of all kinds with the evaluator's, by the library and by kernels, and wants what runs
// them told.
func TestFfts(t *testing.T) {
	for _, x := range []struct {
		libs string
		of   shape.ElementType
		near float64
		runs int // by the library
	}{{"", shape.F32, 1e-5, 17}, {"", shape.F64, 1e-13, 17}, {"-cufft", shape.F32, 1e-5, 0}} {
		t.Run(x.of.String()+x.libs, func(t *testing.T) {
			t.Setenv("HALO_LIBS", x.libs)
			b := either(t)
			list := ffts(t, x.of, x.near)
			m, _ := joined(t, list)
			runs := 0
			for _, r := range compiled(t, b, m, withLAPACK).Report() {
				if r.Kernel == "cufft" {
					runs++
				}
			}
			if runs != x.runs {
				t.Errorf("%d transforms are run by the library, want %d", runs, x.runs)
			}
			checkSolves(t, b, list, map[string]int{})
		})
	}
}

// TestFftBits wants the emulated library to compute in f32 what the evaluator does, to the bit.
func TestFftBits(t *testing.T) {
	list, r := ffts(t, shape.F32, 0), rand.New(rand.NewPCG(2, 9))
	for _, n := range []int{2, 3, 4, 5, 6, 7, 9, 11, 13, 15, 16, 17, 24, 32, 49, 60, 64, 97, 121, 128, 210} {
		for _, kind := range []string{"FFT", "IFFT", "RFFT", "IRFFT"} {
			in, out := fmt.Sprintf("c64[3,%d]", n), fmt.Sprintf("c64[3,%d]", n)
			switch kind {
			case "RFFT":
				in, out = fmt.Sprintf("f32[3,%d]", n), fmt.Sprintf("c64[3,%d]", n/2+1)
			case "IRFFT":
				in, out = fmt.Sprintf("c64[3,%d]", n/2+1), fmt.Sprintf("f32[3,%d]", n)
			}
			list = append(list, fft(t, r, kind, in, out, fmt.Sprint(n)))
		}
	}
	list = slices.DeleteFunc(list, func(p *program) bool { // those are scaled on the way
		a := p.m.Entry.Root.Attrs.(*hlo.FftAttrs)
		return a.Type == hlo.IFFT && len(a.Length) > 1
	})
	checkSolves(t, emulated(t), list, map[string]int{})
}

// TestFftNaN wants a NaN to spread over its own transform alone.
func TestFftNaN(t *testing.T) {
	b := either(t)
	const text = "HloModule m\nENTRY e { x = f32[2,8] parameter(0)\n ROOT r = c64[2,5] fft(x), fft_type=RFFT, fft_length={8} }"
	data := make([]float32, 16)
	data[9] = float32(math.NaN())
	x, err := literal.FromSlice(data, 2, 8)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range answer(t, b, text, exec.Options{}, x).Wide().C {
		if nan := cmplx.IsNaN(v); nan != (i >= 5) {
			t.Errorf("element %d is %v", i, v)
		}
	}
}

// backAndForth has three kinds of transforms.
const backAndForth = `HloModule m
ENTRY e { x = f32[3,6,8] parameter(0)
  y = c64[3,6,5] fft(x), fft_type=RFFT, fft_length={6,8}
  z = c64[3,6,5] fft(y), fft_type=IFFT, fft_length={5}
  ROOT r = f32[3,6,8] fft(z), fft_type=IRFFT, fft_length={6,8} }`

// TestFftVersion wants a library of another version left alone, and said so; likewise one that does not do what is asked.
func TestFftVersion(t *testing.T) {
	emulated(t)
	x := numbers(t, 3, 6, 8)
	want := answer(t, exec.Reference(), backAndForth, exec.Options{}, x)
	for variable, v := range map[string]string{
		"HALO_CUDA_EMU_LIB_VERSION": "cufft:10200",
		"HALO_CUDA_EMU_LIB_FAIL":    "cufft:4:8", // the first plan has an invalid size
	} {
		t.Run(v, func(t *testing.T) {
			t.Setenv(variable, v)
			b := emulated(t)
			if strings.Contains(variable, "VERSION") {
				if info, err := Describe(Options{Emulated: true}); err != nil || !strings.Contains(info.FFT, "want 11 or 12") {
					t.Errorf("got %v, %v", info, err)
				}
			}
			p := compiled(t, b, parsed(t, backAndForth), exec.Options{})
			found := false
			for _, r := range p.Report() {
				found = found || r.Kernel == "cuda fft"
			}
			if !found {
				t.Errorf("no transform is run by kernels: %v", p.Report())
			}
			got := answer(t, b, backAndForth, exec.Options{}, x)
			if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
				t.Error(d)
			}
		})
	}
}

// TestFftPlans wants a plan shared by transforms of one shape, and gone with the last program that has it.
func TestFftPlans(t *testing.T) {
	d, err := open(Options{Emulated: true})
	testfile.Library(t, "cuda-emu", err)
	b := exec.New(&machine{d})
	const text = `HloModule m
ENTRY e { x = c64[4,8] parameter(0)
  y = c64[4,8] fft(x), fft_type=FFT, fft_length={8}
  ROOT z = c64[4,8] fft(y), fft_type=IFFT, fft_length={8} }`
	t.Run("programs", func(t *testing.T) {
		for range 2 {
			compiled(t, b, parsed(t, text), exec.Options{})
		}
		if len(d.fft.plans) != 1 {
			t.Errorf("there are %d plans, want 1", len(d.fft.plans))
		}
	})
	if len(d.fft.plans) != 0 {
		t.Errorf("%d plans are left", len(d.fft.plans))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
