//go:build cgo && linux

package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// dots are products, and what runs them on the emulated device where the libraries are there: the faster one.
var dots = []struct{ kernel, shapes, dims string }{
	{"cublasLt gemm", "f32[20,30] f32[30,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"cublasLt gemm", "f32[30,20] f32[40,30] f32[20,40]", "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
	{"cublas gemm", "f64[3,20,30] f64[3,30,17] f64[3,20,17]",
		"lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
	{"cublas gemm", "bf16[20,3,30] bf16[17,3,30] bf16[3,20,17]",
		"lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}"},
	{"cublas gemm", "f16[2,3,5,7,4,6] f16[2,3,4,6,35] f32[2,3,5,7,35]",
		"lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={4,5}, rhs_contracting_dims={2,3}"},
	{"cublas gemm", "c64[33,20] c64[20,65] c64[33,65]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"cublas gemm", "c128[20,33] c128[20,65] c128[33,65]", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
	{"cublas gemm", "s8[20,32] s8[32,48] s32[20,48]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"cublas gemm", "s8[20,36] s8[40,36] s32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
	{"cuda dot", "s8[20,32] s8[32,40] s32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"}, // refused
	{"cublasLt gemm in TF32", "f32[20,30] f32[30,40] f32[20,40]",
		"lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_tf32_tf32_f32"},
	{"cuda dot", "s8[20,33] s8[33,40] s32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"cuda dot", "f32[20,8] f32[8,40] f32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
	{"cuda dot", "f32[20,3,30] f32[17,30,3] f32[20,17]", "lhs_contracting_dims={1,2}, rhs_contracting_dims={2,1}"},
	{"cuda dot", "f32[20,30,3] f32[20,17,3] f32[3,30,17]",
		"lhs_batch_dims={2}, rhs_batch_dims={2}, lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
	{"cuda dot", "f32[20,30] f32[30,40] f32[20,40]",
		"lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3"},
	{"cuda dot", "s32[20,30] s32[30,40] s32[20,40]", "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
}

// TestDots compares products with the evaluator's, by the libraries and by kernels, and wants what runs them told.
func TestDots(t *testing.T) {
	for _, libs := range []string{"", "-cublas"} {
		t.Run("libs="+libs, func(t *testing.T) {
			t.Setenv("HALO_LIBS", libs)
			b := either(t)
			r := rand.New(rand.NewPCG(8, 8))
			for _, d := range dots {
				s := strings.Fields(d.shapes)
				text := fmt.Sprintf("HloModule m\nENTRY e { x = %s parameter(0)\n y = %s parameter(1)\n"+
					" ROOT r = %s dot(x, y), %s }", s[0], s[1], s[2], d.dims)
				if libs != "" {
					d.kernel = "cuda dot"
				}
				checkDot(t, b, r, text, d.kernel)
			}
		})
	}
}

// TestRoundedDots wants that answers show what the library was asked for: the emulated one rounds all that it may.
func TestRoundedDots(t *testing.T) {
	b := emulated(t)
	const odd = 1 + 1.0/4096 // 1 in TF32
	for _, c := range []struct {
		name, kind, algorithm string
		of                    shape.ElementType
		value, want           float64
	}{
		{"f32", "f32", "", shape.F32, odd, 512 * odd * odd},
		{"tf32", "f32", ", algorithm=dot_tf32_tf32_f32", shape.F32, odd, 512},
		{"bf16 in f32", "bf16", "", shape.BF16, 1, 512}, // sums of bf16 would stay at 256
	} {
		t.Run(c.name, func(t *testing.T) {
			text := fmt.Sprintf("HloModule m\nENTRY e { x = %[1]s[16,512] parameter(0)\n y = %[1]s[512,16] parameter(1)\n"+
				" ROOT r = %[1]s[16,16] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}%[2]s }", c.kind, c.algorithm)
			got := answer(t, b, text, exec.Options{}, filled(c.of, c.value, 16, 512), filled(c.of, c.value, 512, 16))
			if d := literal.Compare(got, filled(c.of, c.want, 16, 16), literal.Tolerance{RTol: 1e-6}); d != nil {
				t.Error(d)
			}
		})
	}
}

// filled is a literal all of whose elements are v.
func filled(of shape.ElementType, v float64, dims ...int64) *literal.Literal {
	s := shape.Array(of, dims...)
	w := literal.MakeWide(of.Class(), int(s.Size()))
	for i := range w.F {
		w.F[i] = v
	}
	return literal.FromWide(s, w)
}

func checkDot(t *testing.T, b exec.Backend, r *rand.Rand, text, kernel string) {
	t.Helper()
	m := parsed(t, text)
	p := compiled(t, b, m, exec.Options{})
	if got := p.Report()[0].Kernel; chosen().Emulated && got != kernel {
		t.Errorf("%s\nis run by %s, want %s", text, got, kernel)
	}
	var args []*literal.Literal
	for _, param := range m.Entry.Parameters {
		args = append(args, randomLiteral(r, param.Shape, false))
	}
	got := answer(t, b, text, exec.Options{}, args...)
	want := answer(t, exec.Reference(), text, exec.Options{}, args...)
	if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
		t.Errorf("%s\n%v", text, d)
	}
}

// TestBytesNoRoom has each call of the driver find no memory in turn: where a product of bytes cannot be tried, a kernel
// does it.
func TestBytesNoRoom(t *testing.T) {
	m := parsed(t, "HloModule m\nENTRY e { a = s8[32,32] parameter(0) b = s8[32,32] parameter(1) "+
		"ROOT d = s32[32,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1} }")
	by := map[string]int{}
	for n := 0; n < 60; n++ {
		if n > 0 {
			t.Setenv("HALO_CUDA_EMU_FAIL", fmt.Sprintf("%d:2", n))
		}
		d, err := open(Options{Emulated: true, NoAutotune: true})
		if n == 0 {
			testfile.Library(t, "cuda-emu", err)
		}
		if err != nil {
			continue
		}
		if p, err := exec.New(&machine{d}).Compile(t.Context(), m, exec.Options{}); err == nil {
			by[p.Report()[0].Kernel]++
			if n == 0 && by["cublas gemm"] == 0 {
				t.Errorf("with room: %v", by)
			}
			p.Close()
		}
		if err := d.Close(); err != nil && !strings.Contains(err.Error(), "OUT_OF_MEMORY") {
			t.Error(err)
		}
	}
	if by["cuda dot"] == 0 || len(by) != 2 {
		t.Errorf("got %v, want products by the library and by kernels", by)
	}
}
