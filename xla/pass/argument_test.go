package pass

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// argumentText finds the index of an element along dimension DIM of x; SIZE is the result's size.
const argumentText = `HloModule m
f { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  d = pred[] compare(a, b), direction=WAY n = pred[] compare(a, a), direction=NE o = pred[] or(n, d)
  e = pred[] compare(a, b), direction=EQ l = pred[] compare(i, j), direction=LT c = pred[] and(l, e) q = pred[] or(c, o)
  v = f32[] select(o, a, b) k = s32[] select(q, i, j) ROOT t = (f32[], s32[]) tuple(v, k) }
ENTRY e { x = f32[6,7] parameter(0) i = s32[6,7] iota(), iota_dimension=DIM w = f32[] constant(WORST) z = s32[] constant(0)
  r = (f32[SIZE], s32[SIZE]) reduce(x, i, w, z), dimensions={DIM}, to_apply=f ROOT k = s32[SIZE] get-tuple-element(r), index=1 }`

// TestArgumentsOfSpecialValues compares with the evaluator where elements are equal, infinite, zeros of either sign, NaN.
func TestArgumentsOfSpecialValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	values := []float64{math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1, 2, -3, math.NaN()}
	for _, c := range [][]string{
		{"WAY", "GT", "WORST", "-inf", "DIM", "1", "SIZE", "6", "s32", "s64"},
		{"WAY", "LT", "WORST", "0", "DIM", "0", "SIZE", "7", "s32", "u64"},
		{"WAY", "LT", "WORST", "0", "DIM", "0", "SIZE", "7", "s32", "s64", "constant(0)", "constant(9000000000)"},
		{"WAY", "LT", "WORST", "inf", "DIM", "1", "SIZE", "6"}, {"WAY", "GT", "WORST", "-inf", "DIM", "1", "SIZE", "6"},
		{"WAY", "GT", "WORST", "-inf", "DIM", "0", "SIZE", "7"}, {"WAY", "LT", "WORST", "0", "DIM", "0", "SIZE", "7"},
	} {
		m, err := hlo.Parse([]byte(strings.NewReplacer(c...).Replace(argumentText)), "m.hlo")
		if err != nil {
			t.Fatal(err)
		}
		after, err := Run(t.Context(), m, []Pass{Arguments()}, Options{Verify: true})
		if err != nil || after == m {
			t.Fatalf("%v: not taken apart, %v", c, err)
		}
		for k := range 100 {
			w := literal.MakeWide(shape.FloatClass, 42)
			for i := range w.F {
				w.F[i] = values[r.IntN(1+k%len(values))]
			}
			x := literal.FromWide(shape.Array(shape.F32, 6, 7), w)
			want, got := evaluated(t, m, x), evaluated(t, after, x)
			if d := literal.Compare(got, want, literal.Tolerance{Bits: true}); d != nil {
				t.Fatalf("%v of %v: %v", c, x, d)
			}
		}
	}
}

func evaluated(t *testing.T, m *hlo.Module, x *literal.Literal) *literal.Literal {
	t.Helper()
	out, err := hlo.EvaluateAll(t.Context(), m, [][]*literal.Literal{{x}}, hlo.EvalOptions{}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// TestArgumentsOfPredicates finds the first that holds, of none and of some.
func TestArgumentsOfPredicates(t *testing.T) {
	const text = `HloModule m
f { p = pred[] parameter(0) i = s32[] parameter(1) q = pred[] parameter(2) j = s32[] parameter(3)
  more = pred[] compare(p, q), direction=GT same = pred[] compare(p, q), direction=EQ
  before = pred[] compare(i, j), direction=LT tie = pred[] and(same, before) first = pred[] or(more, tie)
  v = pred[] select(more, p, q) k = s32[] select(first, i, j) ROOT r = (pred[], s32[]) tuple(v, k) }
ENTRY e { x = pred[5,4] parameter(0) i = s32[5,4] iota(), iota_dimension=0 w = pred[] constant(false) z = s32[] constant(0)
  r = (pred[4], s32[4]) reduce(x, i, w, z), dimensions={0}, to_apply=f ROOT k = s32[4] get-tuple-element(r), index=1 }`
	m, err := hlo.Parse([]byte(text), "m.hlo")
	if err != nil {
		t.Fatal(err)
	}
	after, err := Run(t.Context(), m, []Pass{Arguments()}, Options{Verify: true})
	if err != nil || after == m {
		t.Fatalf("not taken apart, %v", err)
	}
	r := rand.New(rand.NewPCG(3, 2))
	for range 20 {
		w := literal.MakeWide(shape.PredClass, 20)
		for i := range w.B {
			w.B[i] = r.IntN(4) == 0
		}
		x := literal.FromWide(shape.Array(shape.Pred, 5, 4), w)
		want, got := evaluated(t, m, x), evaluated(t, after, x)
		if d := literal.Compare(got, want, literal.Tolerance{Bits: true}); d != nil {
			t.Fatalf("of %v: %v", x, d)
		}
	}
}
