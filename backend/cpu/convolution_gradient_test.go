package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// gradients are gradients of convolutions by weights, as automatic differentiation writes them.
var gradients = []string{
	"LHS[9,8,7,16] RHS[9,8,7,32] OUT[3,3,16,32] {size=8x7 pad=1_1x1_1} f01b_i01o->01bf",
	"LHS[40,14,13,16] RHS[40,14,13,20] OUT[3,5,16,20] {size=14x13 pad=1_1x2_2} f01b_i01o->01bf",
	"LHS[5,9,9,1] RHS[5,5,5,16] OUT[3,3,1,16] {size=5x5 pad=1_1x1_1 rhs_dilate=2x2} f01b_i01o->01bf",
	"LHS[4,17,21,5] RHS[4,8,10,7] OUT[3,2,5,7] {size=8x10 pad=0_0x0_-1 rhs_dilate=2x2} f01b_i01o->01bf",
	"LHS[3,14,14,6] RHS[3,12,10,8] OUT[2,7,6,8] {size=12x10 pad=0_0x1_1 stride=2x1} f01b_i01o->01bf",
	"LHS[4,16,12,12] RHS[4,8,12,12] OUT[16,8,3,3] {size=12x12 pad=1_1x1_1} fb01_io01->bf01",
	"LHS[12,100,24] RHS[12,100,16] OUT[7,24,16] {size=100 pad=3_3} f0b_i0o->0bf",
	"LHS[2,6,7,8,3] RHS[2,6,7,8,4] OUT[3,3,1,3,4] {size=6x7x8 pad=1_1x1_1x0_0} f012b_i012o->012bf",
	"LHS[8,14,14,32] RHS[8,14,14,48] OUT[1,1,32,48] {size=14x14} f01b_i01o->01bf",
}

func gradientProgram(text string) product {
	open, end := strings.Index(text, "{"), strings.Index(text, "}")
	f := strings.Fields(text[:open])
	return product{fmt.Sprintf("ENTRY e { a = %s parameter(0) b = %s parameter(1) ROOT c = %s convolution(a, b), window=%s, "+
		"dim_labels=%s }", f[0], f[1], f[2], text[open:end+1], strings.TrimSpace(text[end+1:]))}
}

func TestWeightGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	for _, text := range gradients {
		gradientProgram(text).check(t, r, shape.F32, shape.F32, shape.F32)
	}
}

// TestWeightGradientOfNothing has an empty batch, whose gradient is zero.
func TestWeightGradientOfNothing(t *testing.T) {
	text := `ENTRY e { a = f32[0,2,14] parameter(0) b = f32[0,3,6] parameter(1)
		ROOT c = f32[4,2,3] convolution(a, b), window={size=6 stride=3 pad=1_1}, dim_labels=fb0_io0->0bf }`
	m, p := compile(t, New(Options{}), text)
	got := execute(t, p, literal.Zeros(m.Entry.Parameters[0].Shape), literal.Zeros(m.Entry.Parameters[1].Shape))
	if d := literal.Compare(got, literal.Zeros(shape.Array(shape.F32, 4, 2, 3)), literal.Tolerance{}); d != nil {
		t.Error(d)
	}
}

// TestWeightGradientLibrary wants oneDNN's gradients, however the arrays lie.
func TestWeightGradientLibrary(t *testing.T) {
	testfile.Library(t, "onednn", onednn.Load())
	testfile.Native(t, run.Available())
	for _, text := range gradients {
		_, p := compile(t, New(Options{}), gradientProgram(text).with(shape.F32, shape.F32, shape.F32))
		var kernels []string
		for _, line := range p.Report() {
			kernels = append(kernels, line.Kernel)
		}
		all := strings.Join(kernels, ", ") // without AVX-512 some are products
		if !strings.Contains(all, "onednn jit") && !strings.Contains(all, "onednn x64:gemm") {
			t.Errorf("%s: got %s, want a gradient of onednn", text, all)
		}
	}
}

// TestWeightGradientPadding has infinities and NaN where they meet padding, with which nothing is multiplied.
func TestWeightGradientPadding(t *testing.T) {
	text := gradientProgram(gradients[0]).with(shape.F32, shape.F32, shape.F32)
	m, p := compile(t, New(Options{}), text)
	_, law := compile(t, exec.Reference(), text)
	r := rand.New(rand.NewPCG(15, 2))
	x, y := random(r, m.Entry.Parameters[0].Shape), random(r, m.Entry.Parameters[1].Shape)
	spoil(t, y)
	got, want := execute(t, p, x, y), execute(t, law, x, y)
	if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-4}); d != nil {
		t.Error(d)
	}
}

// spoil makes the first element of x an infinity and the last a NaN.
func spoil(t *testing.T, x *literal.Literal) {
	t.Helper()
	v, err := literal.View[float32](x)
	if err != nil {
		t.Fatal(err)
	}
	v[0], v[len(v)-1] = float32(math.Inf(1)), float32(math.NaN())
}
