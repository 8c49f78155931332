package cpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// complexParts are numbers near and far, of which all pairs are complex numbers.
var complexParts = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1e-30, -1e-30, 1e-44, 1e-310, 2e-320, 1e30, -1e30,
	1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, -3, 100, -100, 800, -800}

var complexFunctions = []string{"exponential", "log", "sqrt", "rsqrt", "log-plus-one", "sine", "cosine", "tan", "sinh",
	"cosh", "tanh", "exponential-minus-one", "logistic", "sign"}

// pairsOfParts are all numbers of two complexParts.
func pairsOfParts() []complex128 {
	var list []complex128
	for _, x := range complexParts {
		for _, y := range complexParts {
			list = append(list, complex(x, y))
		}
	}
	return list
}

func complexLiteral(et shape.ElementType, list []complex128) *literal.Literal {
	w := literal.MakeWide(et.Class(), len(list))
	copy(w.C, list)
	return literal.FromWide(shape.Array(et, int64(len(list))), w)
}

// scattered are n numbers of about the scale, and such near 1 in magnitude.
func scattered(r *rand.Rand, et shape.ElementType, n int, scale float64) *literal.Literal {
	list := make([]complex128, n)
	for i := range list {
		list[i] = complex(r.NormFloat64()*scale, r.NormFloat64()*scale)
		if i%3 == 0 {
			s, c := math.Sincos(r.Float64() * 2 * math.Pi)
			list[i] = complex(c+float64(i%2)*scale*1e-9, s)
		}
	}
	return complexLiteral(et, list)
}

// TestComplexFunctions wants both parts within the tolerances of the table, whatever the sizes of an argument's parts.
func TestComplexFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		args := []*literal.Literal{complexLiteral(et, pairsOfParts()), randomElements(r, et, 20000)}
		for _, scale := range []float64{1e-3, 1, 30, 1e5} {
			args = append(args, scattered(r, et, 5000, scale))
		}
		for _, op := range complexFunctions {
			ulp := int64(2)
			if op == "sign" {
				ulp = 0
			}
			for _, x := range args {
				both(t, fmt.Sprintf("ENTRY e { x = %[1]s[%[2]d] parameter(0) ROOT y = %[1]s[%[2]d] %[3]s(x) }", et,
					x.Shape().Size(), op), 2, ulp, x)
			}
		}
	}
}

// TestComplexQuotients divides numbers of all sizes by each other, and a few by all.
func TestComplexQuotients(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		var x, y []complex128
		for i, a := range pairsOfParts() {
			for k, b := range pairsOfParts() {
				if (i+k)%3 == 0 {
					x, y = append(x, a), append(y, b)
				}
			}
		}
		for _, args := range [][2]*literal.Literal{{complexLiteral(et, x), complexLiteral(et, y)},
			{scattered(r, et, 9999, 1), scattered(r, et, 9999, 30)}, {randomElements(r, et, 9999), randomElements(r, et, 9999)}} {
			both(t, fmt.Sprintf("ENTRY e { x = %[1]s[%[2]d] parameter(0) y = %[1]s[%[2]d] parameter(1) "+
				"ROOT z = %[1]s[%[2]d] divide(x, y) }", et, args[0].Shape().Size()), 2, 2, args[0], args[1])
		}
	}
}

// TestFusedComplexFunctions has functions of what others leave, of which both parts or one are wanted, more than once
// and in several sweeps over rows.
func TestFusedComplexFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		for k, n := range []int64{64, 129, 1000, 70000} {
			m := int64(3)
			text := strings.NewReplacer("C[", et.String()+"[", "F[", et.Component().String()+"[", "$m", fmt.Sprint(m), "$n",
				fmt.Sprint(n)).Replace(`add { a = C[] parameter(0) b = C[] parameter(1) ROOT s = C[] add(a, b) }
				ENTRY e { x = C[$m,$n] parameter(0) e = C[$m,$n] exponential(x) i = C[$m,$n] log(x) re = F[$m,$n] real(i)
				turned = C[$m,$n] complex(re, re) d = C[$m,$n] divide(turned, turned) q = C[$m,$n] divide(e, turned)
				one = C[] constant((1, -2)) s = C[$m] reduce(e, one), dimensions={1}, to_apply=add
				sr = F[$m] real(s) si = F[$m] imag(s) sn = F[$m] negate(si) k = C[$m] complex(sr, sn)
				sums = C[$m,$n] broadcast(k), dimensions={0} soft = C[$m,$n] divide(e, sums) im = F[$m,$n] imag(soft)
				root = C[$m] sqrt(s) ROOT all = (C[$m,$n], C[$m], C[$m], C[$m,$n], C[$m,$n], F[$m,$n]) tuple(soft, s, root, q, d, im) }`)
			list := make([]complex128, m*n)
			for i := range list { // nothing cancels much
				list[i] = complex(0.1+r.Float64(), 0.1+r.Float64()/2)
			}
			both(t, text, 1+k%3, 256, shaped(t, complexLiteral(et, list), et, m, n))
		}
	}
}
