package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/shape"
)

// TestComplexConversions converts all types to complex numbers and those to all types: numbers of all sizes, one,
// and none.
func TestComplexConversions(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 4))
	for _, complexType := range []shape.ElementType{shape.C64, shape.C128} {
		for et := range shape.NumElementTypes {
			if !et.IsInteger() && !et.IsFloat() && !et.IsComplex() && et != shape.Pred {
				continue
			}
			for _, n := range []int64{0, 1, 1003} {
				for _, types := range [][2]shape.ElementType{{et, complexType}, {complexType, et}} {
					both(t, fmt.Sprintf("ENTRY e { x = %s[%[2]d] parameter(0) ROOT y = %[3]s[%[2]d] convert(x) }", types[0], n,
						types[1]), 2, 0, randomElements(r, types[0], n))
				}
			}
			both(t, fmt.Sprintf("ENTRY e { x = %s[] parameter(0) ROOT y = %s[] convert(x) }", et, complexType), 1, 0,
				randomElements(r, et))
		}
	}
}

// TestFusedComplexConversions has numbers of other lanes on both sides of what is computed with complex ones.
func TestFusedComplexConversions(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 4))
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		for k, n := range []int64{1, 70, 1003} {
			text := strings.NewReplacer("C[", et.String()+"[", "$n", fmt.Sprint(n)).Replace(`ENTRY e {
				a = C[$n] parameter(0) s = s16[$n] parameter(1) w = f64[$n] parameter(2) v = f64[$n] parameter(3)
				h = bf16[$n] parameter(4) x = C[$n] convert(s) y = C[$n] convert(h) xa = C[$n] multiply(x, a)
				less = pred[$n] compare(w, v), direction=LT z = C[$n] select(less, xa, y) wide = c128[$n] convert(z)
				d = c128[$n] convert(w) p = c128[$n] add(wide, d) n = c64[$n] convert(p) re = s32[$n] convert(n)
				ROOT all = (C[$n], c128[$n], c64[$n], s32[$n]) tuple(z, p, n, re) }`)
			both(t, text, 1+k, 0, randomElements(r, et, n), randomElements(r, shape.S16, n), randomElements(r, shape.F64, n),
				randomElements(r, shape.F64, n), randomElements(r, shape.BF16, n))
		}
	}
}

// TestComplexNumbersInPipeline wants nothing on complex numbers that goes by Go.
func TestComplexNumbersInPipeline(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, types := range [][2]shape.ElementType{{shape.S8, shape.C64}, {shape.F64, shape.C64}, {shape.C64, shape.C128},
		{shape.C128, shape.C64}, {shape.C64, shape.S64}, {shape.C128, shape.BF16}, {shape.C64, shape.C64}} {
		text := fmt.Sprintf("ENTRY e { x = %[1]s[9] parameter(0) y = %[1]s[9] multiply(x, x) z = %[2]s[9] convert(y) "+
			"ROOT w = %[2]s[9] add(z, z) }", types[0], types[1])
		if got := kernels(t, text); slices.Contains(got, "go elementwise") {
			t.Errorf("%s\nby Go", text)
		}
	}
}
