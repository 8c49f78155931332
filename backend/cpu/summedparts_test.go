package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// summedParts are sums of 36 by 500 complex numbers x that begin with i.
var summedParts = []string{
	"r = T[36] reduce(x, i), dimensions={1}, to_apply=f", "r = T[500] reduce(x, i), dimensions={0}, to_apply=f",
	"r = T[] reduce(x, i), dimensions={0,1}, to_apply=f",
	"r = T[6,500] reduce(y, i), dimensions={1}, to_apply=f", "r = T[6,6] reduce(y, i), dimensions={2}, to_apply=f",
	"r = T[36,500] reduce-window(x, i), window={size=3x2 pad=1_1x0_1}, to_apply=f",
	"r = T[12,250] reduce-window(x, i), window={size=5x3 stride=3x2 pad=1_1x0_1}, to_apply=f",
	"r = T[36,500] reduce-window(x, i), window={size=1x500 pad=0_0x499_0}, to_apply=f",
	"r = T[36,500] reduce-window(x, i), window={size=36x1 pad=0_35x0_0}, to_apply=f",
}

// TestSummedParts sums complex numbers whose parts are integers, so that there is one result, from 0 and from others.
func TestSummedParts(t *testing.T) {
	r, list := rand.New(rand.NewPCG(8, 4)), make([]complex128, 18000)
	for i := range list {
		list[i] = complex(float64(r.IntN(99)-40), float64(r.IntN(99)-60))
	}
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		for _, sum := range summedParts {
			for _, first := range []string{"(0, 0)", "(3, -7)"} {
				text := strings.ReplaceAll(fmt.Sprintf(`f { a = T[] parameter(0) b = T[] parameter(1) ROOT c = T[] add(a, b) }
					ENTRY e { l = T[18000] parameter(0) x = T[36,500] reshape(l) y = T[6,6,500] reshape(l)
					i = T[] constant(%s) ROOT %s }`, first, sum), "T[", et.String()+"[")
				both(t, text, 2, 0, complexLiteral(et, list))
			}
		}
	}
}

// TestScatterExtremes wants NaN to stay and the signs of zeros to count, whatever comes first.
func TestScatterExtremes(t *testing.T) {
	r, n := rand.New(rand.NewPCG(8, 5)), 700
	for _, et := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.F16} {
		for _, op := range []string{"minimum", "maximum"} {
			for _, width := range []int{1, 19} {
				x, u, k := literal.MakeWide(et.Class(), 300*width), literal.MakeWide(et.Class(), n*width), literal.MakeWide(shape.SignedClass, n)
				for _, list := range [][]float64{x.F, u.F} {
					for i := range list {
						list[i] = specials[r.IntN(len(specials))]
					}
				}
				for i := range k.I {
					k.I[i] = r.Int64N(310) - 5
				}
				text := fmt.Sprintf(`f { a = %[1]s[] parameter(0) b = %[1]s[] parameter(1) ROOT c = %[1]s[] %[2]s(a, b) }
					ENTRY e { x = %[1]s[300,%[3]d] parameter(0) k = s32[700] parameter(1) u = %[1]s[700,%[3]d] parameter(2)
					ROOT y = %[1]s[300,%[3]d] scatter(x, k, u), update_window_dims={1}, inserted_window_dims={0},
					scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }`, et, op, width)
				both(t, text, 2, 0, literal.FromWide(shape.Array(et, 300, int64(width)), x),
					literal.FromWide(shape.Array(shape.S32, int64(n)), k), literal.FromWide(shape.Array(et, int64(n), int64(width)), u))
			}
		}
	}
}
