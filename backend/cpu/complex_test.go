package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestComplexParts fuses operations on complex numbers: of rows that are reversed, spread and taken in part, with what
// their parts are and with sums of rows, and with more than one result.
func TestComplexParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		for k, n := range []int64{1, 3, 64, 129, 1000} {
			part, m := et.Component(), int64(3+k)
			x, y, z := wholeElements(r, et, m*n), wholeElements(r, et, n), wholeElements(r, et, m*2*n)
			text := strings.NewReplacer("C[", et.String()+"[", "F[", part.String()+"[", "$mn", fmt.Sprint(m*n), "$2mn",
				fmt.Sprint(2*m*n), "$m", fmt.Sprint(m), "$2n", fmt.Sprint(2*n), "$n", fmt.Sprint(n)).Replace(`ENTRY e {
				flat = C[$mn] parameter(0) x = C[$m,$n] reshape(flat) row = C[$n] parameter(1) wide = C[$2mn] parameter(2)
				y = C[$m,$n] broadcast(row), dimensions={1} w = C[$m,$2n] reshape(wide)
				z = C[$m,$n] slice(w), slice={[0:$m], [0:$2n:2]} back = C[$m,$n] reverse(x), dimensions={1}
				one = C[] constant((1, -2)) ones = C[$m,$n] broadcast(one), dimensions={}
				xy = C[$m,$n] multiply(x, y) s = C[$m,$n] add(xy, z) d = C[$m,$n] subtract(s, back) q = C[$m,$n] multiply(d, ones)
				same = pred[$m,$n] compare(x, y), direction=NE picked = C[$m,$n] select(same, q, x)
				re = F[$m,$n] real(picked) im = F[$m,$n] imag(picked) minus = F[$m,$n] negate(im)
				turned = C[$m,$n] complex(minus, re) n = C[$m,$n] negate(turned)
				ROOT all = (C[$m,$n], F[$m,$n], F[$m,$n]) tuple(n, re, im) }`)
			both(t, text, 1+k%3, 0, x, y, z)
			text = strings.NewReplacer("C[", et.String()+"[", "F[", part.String()+"[", "$m", fmt.Sprint(m), "$n",
				fmt.Sprint(n)).Replace(`add { a = F[] parameter(0) b = F[] parameter(1) ROOT s = F[] add(a, b) }
				ENTRY e { x = C[$m,$n] parameter(0) i = C[$m,$n] iota(), iota_dimension=0 y = C[$m,$n] add(x, i)
				re = F[$m,$n] real(y) im = F[$m,$n] imag(y) rr = F[$m,$n] multiply(re, re) ii = F[$m,$n] multiply(im, im)
				p = F[$m,$n] add(rr, ii) none = F[] constant(0) s = F[$m] reduce(p, none), dimensions={1}, to_apply=add
				spread = F[$m,$n] broadcast(s), dimensions={0} z = C[$m,$n] complex(spread, im)
				ROOT all = (C[$m,$n], F[$m]) tuple(z, s) }`)
			both(t, text, 1+k%3, 0, shaped(t, x, et, m, n))
		}
	}
}

// wholeElements returns numbers whose products and sums are exact.
func wholeElements(r *rand.Rand, et shape.ElementType, n int64) *literal.Literal {
	w := literal.MakeWide(et.Class(), int(n))
	for i := range w.C {
		w.C[i] = complex(float64(r.IntN(99)-49), float64(r.IntN(99)-49))
	}
	return literal.FromWide(shape.Array(et, n), w)
}

// shaped is l as an array of other sizes.
func shaped(t *testing.T, l *literal.Literal, et shape.ElementType, dims ...int64) *literal.Literal {
	t.Helper()
	out, err := literal.FromBytes(shape.Array(et, dims...), l.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestComplexNumbers computes with numbers of all sizes, infinities and NaN among them: products round as the
// reference's do, and magnitudes neither overflow nor lose what is small.
func TestComplexNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		for _, n := range []int64{5, 1000, 4099} {
			x, y := randomElements(r, et, n), randomElements(r, et, n)
			part := et.Component()
			for op, ulp := range map[string]int64{"%[1]s[%[3]d] multiply(x, y)": 0, "%[1]s[%[3]d] add(x, y)": 0,
				"%[1]s[%[3]d] subtract(x, y)": 0, "%[1]s[%[3]d] negate(x)": 0, "%[2]s[%[3]d] abs(x)": 1,
				"pred[%[3]d] compare(x, y), direction=EQ": 0, "%[1]s[%[3]d] convert(re)": 0} {
				text := fmt.Sprintf("ENTRY e { x = %[1]s[%[3]d] parameter(0) y = %[1]s[%[3]d] parameter(1) "+
					"re = %[2]s[%[3]d] real(y) ROOT z = "+op+" }", et, part, n)
				both(t, text, 2, ulp, x, y)
			}
		}
	}
}

// TestLargeComplexArrays has results that go past the caches, with an end that is no whole block, for any threads.
func TestLargeComplexArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	for et, n := range map[shape.ElementType]int64{shape.C64: 1<<20 + 77, shape.C128: 1<<19 + 13} {
		x, y := wholeElements(r, et, n), wholeElements(r, et, n)
		text := strings.NewReplacer("C[", et.String()+"[", "F[", et.Component().String()+"[", "$n", fmt.Sprint(n)).Replace(
			`ENTRY e { x = C[$n] parameter(0) y = C[$n] parameter(1) p = C[$n] multiply(x, y) s = C[$n] add(p, x)
			im = F[$n] imag(y) o = C[$n] complex(im, im) same = pred[$n] compare(x, y), direction=EQ
			ROOT all = (C[$n], C[$n], C[$n], F[$n], pred[$n]) tuple(s, o, s, im, same) }`)
		for _, threads := range []int{1, 3} {
			both(t, text, threads, 0, x, y)
		}
	}
}

// TestComplexProductsBothWays has x*y and y*x, whose imaginary parts are not the same: of each another product is rounded.
func TestComplexProductsBothWays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		x, y := randomElements(r, et, 4099), randomElements(r, et, 4099)
		both(t, fmt.Sprintf("ENTRY e { x = %[1]s[4099] parameter(0) y = %[1]s[4099] parameter(1) "+
			"xy = %[1]s[4099] multiply(x, y) yx = %[1]s[4099] multiply(y, x) "+
			"ROOT all = (%[1]s[4099], %[1]s[4099]) tuple(xy, yx) }", et), 2, 0, x, y)
	}
}

// TestComplexChains runs random chains of operations on both parts at once, whose values are used once, twice, by
// themselves and as results, so that parts lie in registers, in rooms of their own and where operands lay.
func TestComplexChains(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 4))
	for k := range 120 {
		et := []shape.ElementType{shape.C64, shape.C128}[k%2]
		n := []int64{1, 5, 64, 129, 1000, 4099}[k%6]
		both(t, chain(r, et, n, 3+r.IntN(10)), 1+k%3, 0, randomElements(r, et, n), randomElements(r, et, n),
			randomElements(r, et, n))
	}
}

// chain is a program of so many operations on three arrays of n numbers and a constant.
func chain(r *rand.Rand, et shape.ElementType, n int64, ops int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ENTRY e { x = C parameter(0) y = C parameter(1) z = C parameter(2)\n"+
		"one = %s[] constant((1, -2)) v3 = C broadcast(one), dimensions={}\n", et)
	names := []string{"x", "y", "z", "v3"}
	any := func() string { return names[max(r.IntN(len(names)), r.IntN(len(names)))] }
	for range ops {
		x, v := any(), fmt.Sprintf("v%d", len(names))
		switch op := r.IntN(7); op {
		case 0:
			fmt.Fprintf(&b, "%s = C multiply(%s, %s)\n", v, x, x)
		case 1:
			fmt.Fprintf(&b, "p%[1]s = pred[%[2]d] compare(%[3]s, %[4]s), direction=NE %[1]s = C select(p%[1]s, %[5]s, %[6]s)\n",
				v, n, x, any(), any(), any())
		case 2:
			fmt.Fprintf(&b, "%s = C negate(%s)\n", v, x)
		case 3:
			parts := [][2]string{{"imag", "real"}, {"real", "real"}, {"imag", "imag"}}[r.IntN(3)]
			fmt.Fprintf(&b, "a%[1]s = P %[2]s(%[4]s) b%[1]s = P %[3]s(%[5]s) %[1]s = C complex(a%[1]s, b%[1]s)\n", v, parts[0],
				parts[1], x, any())
		default:
			fmt.Fprintf(&b, "%s = C %s(%s, %s)\n", v, []string{"add", "multiply", "subtract"}[op-4], x, any())
		}
		names = append(names, v)
	}
	fmt.Fprintf(&b, "ROOT all = (C, C) tuple(%s, %s) }", names[len(names)-1], any())
	part := map[shape.ElementType]shape.ElementType{shape.C64: shape.F32, shape.C128: shape.F64}[et]
	return strings.NewReplacer("C ", fmt.Sprintf("%s[%d] ", et, n), "P ", fmt.Sprintf("%s[%d] ", part, n), "(C, C)", fmt.Sprintf("(%[1]s[%[2]d], %[1]s[%[2]d])", et, n)).
		Replace(b.String())
}

// TestComplexChoices chooses between complex numbers by what others decide, natively. Products of c64 are rounded in
// lanes of their own, even if what decides is of f64.
func TestComplexChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 4))
	const n = 1003
	for _, et := range []shape.ElementType{shape.C64, shape.C128} {
		for _, by := range []shape.ElementType{shape.F32, shape.F64, shape.S32, shape.U8} {
			for _, decides := range []string{"ROOT z = C[] select(less, b, a)", "p = C[] multiply(a, b) ROOT z = C[] select(less, p, a)",
				"m = pred[] and(less, o) p = C[] multiply(a, b) q = C[] multiply(p, b) ROOT z = C[] select(m, q, a)"} {
				text := strings.NewReplacer("C[]", fmt.Sprintf("%v[%d]", et, n), "BY[]", fmt.Sprintf("%v[%d]", by, n), "pred[]",
					fmt.Sprintf("pred[%d]", n)).Replace(`ENTRY e { a = C[] parameter(0) b = C[] parameter(1) x = BY[] parameter(2)
					y = BY[] parameter(3) o = pred[] parameter(4) less = pred[] compare(x, y), direction=LT ` + decides + " }")
				both(t, text, 2, 0, randomElements(r, et, n), randomElements(r, et, n), randomElements(r, by, n),
					randomElements(r, by, n), randomElements(r, shape.Pred, n))
				indirect := strings.Contains(decides, "and(") && et == shape.C64 && by == shape.F64
				if run.Available() && !indirect && slices.Contains(kernels(t, text), "go elementwise") {
					t.Errorf("not native: %s", text)
				}
			}
		}
	}
}
