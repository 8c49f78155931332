//go:build cgo && linux

package cuda

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// pointwises are convolutions whose window is one place, what may come after them and what runs all of it: products where
// their arrays are matrices, of places by features or, with space last, of weights by places.
var pointwises = []struct{ kernel, shapes, attributes, bias, after string }{
	{"gemm", "f32[2,5,7,20] f32[1,1,20,24] f32[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f", "", ""},
	{"gemm", "f32[2,5,7,20] f32[24,20,1,1] f32[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_oi01->b01f", "", ""},
	{"gemm", "f32[3,20,5,7] f32[24,20,1,1] f32[3,24,5,7]", "window={size=1x1}, dim_labels=bf01_oi01->bf01", "", ""},
	{"gemm", "f32[3,20,5,7] f32[1,1,20,24] f32[3,24,5,7]", "window={size=1x1}, dim_labels=bf01_01io->bf01", "", ""},
	{"gemm", "f32[5,7,2,20] f32[1,1,20,24] f32[5,7,2,24]", "window={size=1x1}, dim_labels=01bf_01io->01bf", "", ""},
	{"gemm", "f32[20,5,7,2] f32[1,1,20,24] f32[2,5,7,24]", "window={size=1x1}, dim_labels=f01b_01io->b01f", "", "cudnn"},
	{"gemm", "f32[20,5,7,1] f32[1,1,20,24] f32[1,5,7,24]", "window={size=1x1}, dim_labels=f01b_01io->b01f", "", ""},
	{"gemm", "f32[40,20] f32[20,24] f32[40,24]", "window={}, dim_labels=bf_io->bf", "", ""},
	{"gemm", "f32[2,19,20] f32[1,20,24] f32[2,19,24]", "window={size=1}, dim_labels=b0f_0io->b0f", "", ""},
	{"gemm", "f32[2,3,5,7,20] f32[1,1,1,20,24] f32[2,3,5,7,24]", "window={size=1x1x1}, dim_labels=b012f_012io->b012f", "", ""},
	{"gemm", "bf16[2,5,7,20] bf16[1,1,20,24] bf16[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f", "", ""},
	{"gemm", "f16[3,20,5,7] f16[24,20,1,1] f16[3,24,5,7]", "window={size=1x1}, dim_labels=bf01_oi01->bf01", "", ""},
	{"gemm", "f64[2,5,7,20] f64[1,1,20,24] f64[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f", "", ""},
	{"gemm", "f32[2,5,7,20] f32[1,1,20,24] f32[2,5,7,24]", "window={size=1x1 rhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f", "", ""},
	// small, or not of one place, or in groups
	{"cudnn", "f32[2,5,7,15] f32[1,1,15,24] f32[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f", "", ""},
	{"cudnn", "f32[2,5,7,20] f32[1,1,20,24] f32[2,3,4,24]", "window={size=1x1 stride=2x2}, dim_labels=b01f_01io->b01f", "", ""},
	{"cudnn", "f32[2,5,7,20] f32[1,1,20,24] f32[2,7,7,24]", "window={size=1x1 pad=1_1x0_0}, dim_labels=b01f_01io->b01f", "", ""},
	{"cudnn", "f32[2,5,7,20] f32[2,1,20,24] f32[2,4,7,24]", "window={size=2x1}, dim_labels=b01f_01io->b01f", "", ""},
	{"cudnn", "f32[2,5,7,40] f32[1,1,20,24] f32[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=2", "", ""},
	{"cudnn", "f32[2,5,7,20] f32[1,1,20,24] f32[2,9,13,24]", "window={size=1x1 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", "", ""},
	{"cudnn", "f32[3,20,5,7] f32[1,1,20,24] f32[3,5,7,24]", "window={size=1x1}, dim_labels=bf01_01io->b01f", "", ""},
	// with a bias for each feature, an array, and more
	{"bias", "f32[2,5,7,20] f32[1,1,20,24] f32[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f", "f32[24] 3", ""},
	{"gemm, cuda fusion", "f32[3,20,5,7] f32[24,20,1,1] f32[3,24,5,7]", "window={size=1x1}, dim_labels=bf01_oi01->bf01", "f32[24] 1", ""},
	{"gemm, cuda fusion", "f32[3,20,5,7] f32[24,20,1,1] f32[3,24,5,7]", "window={size=1x1}, dim_labels=bf01_oi01->bf01", "f32[7] 3", ""},
	{"bias", "f32[3,20,1,17] f32[24,20,1,1] f32[3,24,1,17]", "window={size=1x1}, dim_labels=bf01_oi01->bf01", "f32[17] 3", ""},
	{"gemm, cuda fusion", "f32[2,5,7,20] f32[1,1,20,24] f32[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f", "f32[24] 3", "relu"},
	{"gemm, cuda add", "f32[2,5,7,20] f32[1,1,20,24] f32[2,5,7,24]", "window={size=1x1}, dim_labels=b01f_01io->b01f", "f32[2,5,7,24] 0,1,2,3", ""},
}

// TestPointwise compares convolutions of one place with the evaluator's, and wants what runs them told.
func TestPointwise(t *testing.T) {
	b := either(t)
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range pointwises {
		text := convolutionText(c.shapes, c.attributes)
		if c.bias != "" {
			text = biasedText(c.shapes, c.attributes, c.bias, c.after)
		} else if c.after != "" {
			c.kernel = c.after
		}
		m := parsed(t, text)
		var found []string
		for _, x := range compiled(t, b, m, exec.Options{}).Report() {
			found = append(found, strings.TrimPrefix(strings.TrimPrefix(x.Kernel, "cublas "), "cublasLt "))
		}
		want := map[string]string{"bias": "gemm with bias", "cudnn": "cudnn convolution"}[c.kernel]
		if want == "" {
			want = c.kernel
		}
		if got := strings.Join(found, ", "); got != want && chosen().Emulated {
			t.Errorf("%s\nis run by %s, want %s", text, got, want)
		}
		var args []*literal.Literal
		for _, p := range m.Entry.Parameters {
			args = append(args, randomLiteral(r, p.Shape, false))
		}
		tol, ok := near[strings.Fields(c.shapes)[2][:3]]
		if !ok {
			tol = literal.Tolerance{RTol: 1e-5, ATol: 2e-5}
		}
		got, expected := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
		if d := literal.Compare(got, expected, tol); d != nil {
			t.Errorf("%s\n%v", text, d)
		}
	}
}

// TestBiasOfOneDimension wants a bias along the last of several dimensions of columns added to each of them.
func TestBiasOfOneDimension(t *testing.T) {
	b := either(t)
	const text = `HloModule m
ENTRY e { x = f32[20,30] parameter(0)
  y = f32[30,4,5] parameter(1)
  v = f32[5] parameter(2)
  d = f32[20,4,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[20,4,5] broadcast(v), dimensions={2}
  ROOT r = f32[20,4,5] add(d, b) }`
	args := []*literal.Literal{numbers(t, 20, 30), numbers(t, 30, 4, 5), numbers(t, 5)}
	got, want := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
	if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); d != nil {
		t.Error(d)
	}
}
