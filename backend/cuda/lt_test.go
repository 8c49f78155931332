//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// biased are products and what comes after them, and what runs them where the libraries are there.
var biased = []struct{ kernel, shapes, dims, after string }{
	{"cublasLt gemm with bias", "f32[20,30] f32[30,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(40)"},
	{"cublasLt gemm with bias", "f32[30,20] f32[40,30] f32[20,40]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}", "bias(40)"},
	{"cublasLt gemm with bias", "f32[3,20,30] f32[3,30,17] f32[3,20,17]",
		"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}", "bias(17)"},
	{"cublasLt gemm with bias", "f32[2,20,30] f32[30,17] f32[2,20,17]", "lhs_contracting_dims={2}, rhs_contracting_dims={0}", "bias(17)"},
	{"cublasLt gemm with bias", "bf16[20,30] bf16[30,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(40)"},
	{"cublasLt gemm with bias", "f16[20,30] f16[30,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(40)"},
	{"cublasLt gemm, ", "f32[20,30] f32[30,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "rows(20)"},
	{"cublasLt gemm, ", "f32[20,30] f32[30,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "relu(40)"},
	{"cublasLt gemm, ", "bf16[20,30] bf16[30,40] bf16[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(40)"},
	{"cublas gemm", "f64[20,30] f64[30,40] f64[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(40)"},
	{"cublasLt gemm, ", "f32[20,30] f32[30,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "twice(40)"},
	{"cuda dot", "f32[20,8] f32[8,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(40)"},
}

// biasText is a program of a product and what comes after it.
func biasText(shapes, dims, after string) string {
	s := strings.Fields(shapes)
	kind, _, _ := strings.Cut(s[2], "[")
	name, of, _ := strings.Cut(after, "(")
	var n int
	fmt.Sscanf(of, "%d", &n)
	along := strings.Count(s[2], ",")
	if name == "rows" {
		along = 0
	}
	text := fmt.Sprintf("HloModule m\nENTRY e { x = %s parameter(0)\n y = %s parameter(1)\n v = %s[%d] parameter(2)\n"+
		" d = %s dot(x, y), %s\n b = %[5]s broadcast(v), dimensions={%[7]d}\n", s[0], s[1], kind, n, s[2], dims, along)
	switch name {
	case "relu":
		text += fmt.Sprintf(" p = %[1]s add(d, b)\n z = %[2]s[] constant(0)\n zs = %[1]s broadcast(z), dimensions={}\n"+
			" ROOT r = %[1]s maximum(p, zs) }", s[2], kind)
	case "twice": // the product is used for something else
		text += fmt.Sprintf(" p = %[1]s add(d, b)\n ROOT r = (%[1]s, %[1]s) tuple(p, d) }", s[2])
	default:
		text += fmt.Sprintf(" ROOT r = %s add(b, d) }", s[2])
	}
	return text
}

// TestBiases compares products with a bias with the evaluator's, and wants what runs them told.
func TestBiases(t *testing.T) {
	b := either(t)
	r := rand.New(rand.NewPCG(2, 7))
	for _, c := range biased {
		text := biasText(c.shapes, c.dims, c.after)
		m := parsed(t, text)
		found := []string{}
		for _, x := range compiled(t, b, m, exec.Options{}).Report() {
			found = append(found, x.Kernel)
		}
		if !strings.Contains(strings.Join(found, ", "), c.kernel) && chosen().Emulated {
			t.Errorf("%s\nis run by %v, want %s", text, found, c.kernel)
		}
		var args []*literal.Literal
		for _, p := range m.Entry.Parameters {
			args = append(args, randomLiteral(r, p.Shape, false))
		}
		got, want := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
		near := literal.Tolerance{RTol: 1e-5, ATol: 1e-5}
		if strings.HasPrefix(c.shapes, "bf16") && !strings.HasPrefix(strings.Fields(c.shapes)[2], "f32") {
			near = literal.Tolerance{RTol: 1e-2, ATol: 1e-2}
		}
		if d := literal.Compare(got, want, near); d != nil {
			t.Errorf("%s\n%v", text, d)
		}
	}
}

const aBias = "f32[20,32] f32[32,24] f32[20,24]"

// TestBiasRefused wants products that the library says it does not do done by a product and a kernel, and so where that
// library is of another version.
func TestBiasRefused(t *testing.T) {
	emulated(t)
	text := biasText(aBias, "lhs_contracting_dims={1}, rhs_contracting_dims={0}", "bias(24)")
	args := []*literal.Literal{numbers(t, 20, 32), numbers(t, 32, 24), numbers(t, 24)}
	want := answer(t, exec.Reference(), text, exec.Options{}, args...)
	for variable, v := range map[string]string{
		"HALO_CUDA_EMU_LIB_VERSION": "cublasLt:110000",
		"HALO_CUDA_EMU_LIB_FAIL":    "cublasLt:3:15", // after the handle has been made, all of one product
	} {
		t.Run(v, func(t *testing.T) {
			t.Setenv(variable, v)
			b := emulated(t)
			p := compiled(t, b, parsed(t, text), exec.Options{})
			if got := fmt.Sprint(p.Report()); strings.Contains(got, "cublasLt") || !strings.Contains(got, "cublas gemm") {
				t.Errorf("run by %s", got)
			}
			got := answer(t, b, text, exec.Options{}, args...)
			if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
				t.Error(d)
			}
		})
	}
}

// TestLibrariesAtOnce has many goroutines run programs whose products, transforms and factorizations are libraries'.
func TestLibrariesAtOnce(t *testing.T) {
	b := either(t)
	const text = `HloModule m
ENTRY e { x = f32[20,20] parameter(0)
  y = c64[20,11] fft(x), fft_type=RFFT, fft_length={20}
  z = f32[20,20] fft(y), fft_type=IRFFT, fft_length={20}
  v = f32[20] parameter(1)
  d = f32[20,20] dot(z, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[20,20] broadcast(v), dimensions={1}
  s = f32[20,20] add(d, b)
  q = (f32[20,20], s32[20], s32[]) custom-call(s), custom_call_target="cusolver_getrf_ffi"
  u = f32[20,20] get-tuple-element(q), index=0
  ROOT r = f32[20,20] negate(u) }`
	r := rand.New(rand.NewPCG(4, 4))
	programs := []exec.Program{compiled(t, b, parsed(t, text), withLAPACK), compiled(t, b, parsed(t, text), withLAPACK)}
	s := parsed(t, text).Entry.Parameters
	args := []*literal.Literal{randomLiteral(r, s[0].Shape, false), randomLiteral(r, s[1].Shape, false)}
	want := answer(t, b, text, withLAPACK, args...).String()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 4 {
				out, err := programs[i%2].Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
				if err != nil || out[0].String() != want {
					t.Errorf("got %v, %v, want %s", out, err, want)
				}
			}
		})
	}
	wg.Wait()
}
