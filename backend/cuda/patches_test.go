//go:build cgo && linux

package cuda

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// patched are convolutions that are products of patches where there is no library of convolutions, with what runs besides,
// or what runs them otherwise.
var patched = []struct{ not, shapes, attributes, bias string }{
	{"", "f32[2,7,6,3] f32[3,3,3,17] f32[2,7,6,17]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", ""},
	{"", "f32[2,9,8,5] f32[3,2,5,16] f32[2,4,4,16]", "window={size=3x2 stride=2x2}, dim_labels=b01f_01io->b01f", ""},
	{"", "f32[2,8,8,3] f32[18,3,3,3] f32[2,4,4,18]", "window={size=3x3 stride=2x2 pad=1_0x0_1}, dim_labels=b01f_o01i->b01f", ""},
	{"", "f32[2,8,8,3] f32[18,3,3,3] f32[2,4,4,18]", "window={size=3x3 stride=2x2 pad=1_0x0_1}, dim_labels=b01f_oi01->b01f", ""},
	{"", "f32[1,9,9,2] f32[3,3,2,20] f32[1,5,4,20]", "window={size=3x3 pad=0_0x-1_0 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f", ""},
	{"", "f32[3,5,5,4] f32[2,2,4,16] f32[3,4,4,16]", "window={size=2x2 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f", ""},
	{"", "f32[2,20,7,6] f32[17,20,3,3] f32[2,17,7,6]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01", ""},
	{"", "f32[2,20,7,6] f32[3,3,20,17] f32[2,17,7,6]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_01io->bf01", ""},
	{"", "f32[20,7,6,2] f32[3,3,20,16] f32[2,7,6,16]", "window={size=3x3 pad=1_1x1_1}, dim_labels=f01b_01io->b01f", ""},
	{"", "f32[4,9,8] f32[3,8,16] f32[4,9,16]", "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f", ""},
	{"", "f32[4,8,18] f32[16,8,2] f32[4,16,17]", "window={size=2}, dim_labels=bf0_oi0->bf0", ""},
	{"", "f32[2,4,5,3,2] f32[2,3,2,2,16] f32[2,3,3,2,16]", "window={size=2x3x2}, dim_labels=b012f_012io->b012f", ""},
	{"", "f32[4,5,7,20] f32[1,1,20,24] f32[4,3,4,24]", "window={size=1x1 stride=2x2}, dim_labels=b01f_01io->b01f", ""},
	{"cuda convolution", "f32[2,7,6,3] f32[3,3,3,15] f32[2,7,6,15]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", ""},
	{"cuda convolution", "f32[1,3,5,3] f32[3,3,3,16] f32[1,3,5,16]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", ""},
	{"cuda convolution", "f64[2,7,6,3] f64[3,3,3,17] f64[2,7,6,17]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", ""},
	{"cuda convolution", "f32[2,7,6,6] f32[3,3,3,18] f32[2,7,6,18]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=2", ""},
	// spread out
	{"", "f32[2,4,4,20] f32[3,3,20,17] f32[2,9,9,17]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", ""},
	{"", "f32[2,4,4,20] f32[4,4,20,17] f32[2,8,8,17]", "window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", ""},
	{"", "f32[2,4,4,20] f32[3,3,16,20] f32[2,8,8,16]", "window={size=3x3 pad=2_1x1_2 lhs_dilate=2x2 rhs_reversal=1x0}, dim_labels=b01f_01oi->b01f", ""},
	{"", "f32[4,9,20] f32[3,20,16] f32[4,17,16]", "window={size=3 pad=1_1 lhs_dilate=2}, dim_labels=b0f_0io->b0f", ""},
	{"", "f32[2,3,4,16] f32[2,3,16,17] f32[2,11,8,17]",
		"window={size=2x3 pad=3_3x2_3 lhs_dilate=3x2 rhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f", ""},
	{"cuda convolution", "f32[2,20,4,4] f32[20,17,3,3] f32[2,17,9,9]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=bf01_io01->bf01", ""},
	// with a bias for each feature, or an array
	{"cuda fusion", "f32[2,7,6,3] f32[3,3,3,17] f32[2,7,6,17]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[17] 3"},
	{"cuda fusion", "f32[2,20,7,6] f32[17,20,3,3] f32[2,17,7,6]", "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01", "f32[17] 1"},
	{"cuda fusion", "f32[2,4,4,20] f32[3,3,20,17] f32[2,9,9,17]", "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f", "f32[17] 3"},
	{"cuda add", "f32[2,7,6,3] f32[3,3,3,17] f32[2,7,6,17]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f", "f32[2,7,6,17] 0,1,2,3"},
}

// TestPatches compares convolutions as products of patches with the evaluator's, with finite weights and others, where
// there is no other library, and where there is one that is slower or faster.
func TestPatches(t *testing.T) {
	for _, libs := range []string{"-cudnn", ""} {
		seen := map[string]bool{}
		t.Setenv("HALO_LIBS", libs)
		o := chosen()
		o.Cache = t.TempDir() // others' times may be there
		b, err := New(o)
		testfile.Library(t, chosenName(), err)
		r := rand.New(rand.NewPCG(9, 9))
		for _, c := range patched {
			text := convolutionText(c.shapes, c.attributes)
			if c.bias != "" {
				text = biasedText(c.shapes, c.attributes, c.bias, "")
			}
			m := parsed(t, text)
			var found []string
			for _, x := range compiled(t, b, m, exec.Options{}).Report() {
				found = append(found, x.Kernel)
			}
			got := strings.Join(found, ", ")
			seen[got] = true
			if product := strings.Contains(got, "gemm of patches"); chosen().Emulated && libs != "" &&
				(product != (c.not != "cuda convolution") || !strings.Contains(got, c.not)) {
				t.Errorf("%s\nis run by %s", text, got)
			}
			var args []*literal.Literal
			for _, p := range m.Entry.Parameters {
				args = append(args, randomLiteral(r, p.Shape, false))
			}
			for range 2 {
				got, want := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
				if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 4e-5}); d != nil {
					t.Errorf("%s\n%v", text, d)
				}
				w := args[1].Wide()
				w.F[0] = math.Inf(1)
				args[1] = literal.FromWide(args[1].Shape(), w)
			}
		}
		for _, want := range []string{"cudnn convolution", "cublasLt gemm of patches", "cublasLt gemm of patches with bias"} { // the emulated library is slow for odd numbers of features
			if chosen().Emulated && libs == "" && !seen[want] {
				t.Errorf("nothing is run by %s", want)
			}
		}
	}
}
