package cpu_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// within is how far elements may be from the reference's.
type within struct {
	terms int64 // rounded steps that went into an element; 0: the same values
	ulp   int64
}

// agrees runs text with every number of threads: same bits, and the reference's values. Sums of floats may be off by
// terms times the unit of rounding times the sum of the absolute values.
func agrees(t *testing.T, text string, tol within, args ...*literal.Literal) {
	t.Helper()
	m := parsed(t, text)
	evaluate := func(args []*literal.Literal) *literal.Literal {
		out, err := hlo.Evaluate(context.Background(), m, args, hlo.EvalOptions{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return out
	}
	want := evaluate(args)
	var first *literal.Literal
	for _, threads := range []int{1, 2, 3, 7} {
		p, err := cpu.New(cpu.Options{Threads: threads}).Compile(context.Background(), m, exec.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got := results(t, p, text, args)
		p.Close()
		if first == nil {
			first = got
		} else if !sameBytes(got, first) {
			t.Fatalf("other bits with %d threads\n%s", threads, text)
		}
	}
	if tol.terms == 0 {
		if d := literal.Compare(first, want, literal.Tolerance{ULP: tol.ulp}); d != nil {
			t.Fatalf("%v\n%s", d, text)
		}
		return
	}
	abs := make([]*literal.Literal, len(args))
	for i, a := range args {
		abs[i] = absolute(a)
	}
	sums := evaluate(abs).Leaves()
	for i, l := range first.Leaves() {
		if at := beyond(l, want.Leaves()[i], sums[i], tol.terms); at >= 0 {
			t.Fatalf("result %d, element %d: got %v, want %v\n%s", i, at, elementOf(l, at),
				elementOf(want.Leaves()[i], at), text)
		}
	}
}

func elementOf(l *literal.Literal, at int) *literal.Literal {
	n := l.Shape().Type.Bytes()
	e, err := literal.FromBytes(shape.Array(l.Shape().Type), l.Bytes()[at*n:][:n])
	if err != nil {
		panic(err)
	}
	return e
}

// factors returns numbers about 1, whose products stay where rounding is relative.
func factors(r *rand.Rand, s shape.Shape) *literal.Literal {
	l := values(r, s, false)
	w := l.Wide()
	for i := range w.F {
		w.F[i] = 1 + w.F[i]/16
	}
	return literal.FromWide(s, w)
}

// absolute returns the absolute values of floats, and of the parts of complex numbers.
func absolute(l *literal.Literal) *literal.Literal {
	w := l.Wide()
	for i, v := range w.F {
		w.F[i] = math.Abs(v)
	}
	for i, v := range w.C {
		w.C[i] = complex(math.Abs(real(v)), math.Abs(imag(v)))
	}
	return literal.FromWide(l.Shape(), w)
}

// beyond returns the first element that is further off than terms roundings of the sum, or -1.
func beyond(got, want, sum *literal.Literal, terms int64) int {
	t := got.Shape().Type.Component()
	if !t.IsFloat() {
		if literal.Equal(got, want) {
			return -1
		}
		return 0
	}
	unit := math.Exp2(-float64(t.MantissaBits() + 1))
	off := func(g, w, s float64) bool {
		if g == w || g != g && w != w || s != s || math.IsInf(s, 0) {
			return false // where the sum of the absolute values overflows, a partial sum may in some order
		}
		return !(math.Abs(g-w) <= 2*float64(terms+1)*unit*s+math.SmallestNonzeroFloat32)
	}
	g, w, s := got.Wide(), want.Wide(), sum.Wide()
	for i := range g.F {
		if off(g.F[i], w.F[i], s.F[i]) {
			return i
		}
	}
	for i := range g.C {
		if off(real(g.C[i]), real(w.C[i]), real(s.C[i])) || off(imag(g.C[i]), imag(w.C[i]), imag(s.C[i])) {
			return i
		}
	}
	return -1
}

// values returns an array of numbers that fit the type; some are special.
func values(r *rand.Rand, s shape.Shape, special bool) *literal.Literal {
	w := literal.MakeWide(s.Type.Class(), int(s.Size()))
	number := func() float64 {
		if special && r.IntN(10) == 0 {
			return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, 1}[r.IntN(7)]
		}
		return r.NormFloat64()
	}
	for i := range w.Len() {
		switch w.Class {
		case shape.FloatClass:
			w.F[i] = number()
		case shape.ComplexClass:
			w.C[i] = complex(number(), number())
		case shape.SignedClass:
			w.I[i] = r.Int64() << (64 - s.Type.Bits()) >> (64 - s.Type.Bits())
		case shape.UnsignedClass:
			w.U[i] = r.Uint64() << (64 - s.Type.Bits()) >> (64 - s.Type.Bits())
		default:
			w.B[i] = r.IntN(2) == 1
		}
	}
	return literal.FromWide(s, w)
}

// randomDims returns sizes whose product is at most limit.
func randomDims(r *rand.Rand, rank, limit int) []int64 {
	dims := make([]int64, rank)
	for d := range dims {
		dims[d] = int64(1 + r.IntN(7))
		if r.IntN(3) == 0 {
			dims[d] = int64(1 + r.IntN(70))
		}
		if r.IntN(30) == 0 {
			dims[d] = 0
		}
		if limit /= int(max(dims[d], 1)); limit == 0 {
			dims[d], limit = 1, 1
		}
	}
	return dims
}

// someDims returns a random subset of the dimensions, at least one if all is false and there is one.
func someDims(r *rand.Rand, rank int) (list []int64) {
	for d := range rank {
		if r.IntN(2) == 0 {
			list = append(list, int64(d))
		}
	}
	return list
}

func join(list []int64) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}

// simpleOps are the reducers of one op that each class has.
var simpleOps = map[shape.Class][]string{
	shape.PredClass:     {"and", "or", "xor", "add", "multiply", "maximum", "minimum"},
	shape.SignedClass:   {"add", "multiply", "maximum", "minimum", "and", "or", "xor"},
	shape.UnsignedClass: {"add", "multiply", "maximum", "minimum", "and", "or", "xor"},
	shape.FloatClass:    {"add", "multiply", "maximum", "minimum"},
	shape.ComplexClass:  {"add", "multiply"},
}

// sums reports whether op on elements of type t rounds.
func sums(t shape.ElementType, op string) bool {
	return (op == "add" || op == "multiply") && (t.IsFloat() || t.IsComplex())
}

func TestReduceSimple(t *testing.T) {
	r := newRand(t)
	for _, typ := range arrayTypes() {
		for _, op := range simpleOps[typ.Class()] {
			for range 4 {
				dims := randomDims(r, r.IntN(5), 20000)
				checkSimple(t, r, typ, op, dims, someDims(r, len(dims)))
			}
		}
	}
}

// checkSimple holds a reduction of one op to the reference.
func checkSimple(t *testing.T, r *rand.Rand, typ shape.ElementType, op string, dims, reduced []int64) {
	t.Helper()
	var kept []int64
	terms := int64(1)
	for d, n := range dims {
		if !strings.Contains(","+join(reduced)+",", fmt.Sprintf(",%d,", d)) {
			kept = append(kept, n)
		} else {
			terms *= n
		}
	}
	if op == "multiply" && typ.IsComplex() && terms > 64 {
		return // the bound has no meaning for products that cancel
	}
	text := fmt.Sprintf(`HloModule m
f { x = %[1]v[] parameter(0)
  y = %[1]v[] parameter(1)
  ROOT z = %[1]v[] %[2]s(x, y) }
ENTRY e {
  x = %[1]v[%[3]s] parameter(0)
  i = %[1]v[] parameter(1)
  ROOT r = %[1]v[%[4]s] reduce(x, i), dimensions={%[5]s}, to_apply=f
}
`, typ, op, join(dims), join(kept), join(reduced))
	tol := within{}
	if sums(typ, op) {
		tol.terms = terms + 1
	}
	exact := typ.IsFloat() && !sums(typ, op)
	x := values(r, shape.Array(typ, dims...), exact)
	if op == "multiply" && typ.IsFloat() {
		x = factors(r, shape.Array(typ, dims...))
	}
	agrees(t, text, tol, x, values(r, shape.Array(typ), exact))
}

func TestReduceLarge(t *testing.T) {
	r := newRand(t)
	for _, typ := range []shape.ElementType{shape.F32, shape.S32, shape.BF16, shape.F64, shape.U8, shape.F16, shape.C64} {
		for _, op := range []string{"add", "maximum"} {
			if op == "maximum" && typ.IsComplex() {
				continue
			}
			checkSimple(t, r, typ, op, []int64{1 << 18}, []int64{0})
			checkSimple(t, r, typ, op, []int64{1001, 300}, []int64{0})
			checkSimple(t, r, typ, op, []int64{1001, 300}, []int64{1})
			checkSimple(t, r, typ, op, []int64{30, 30, 10, 30}, []int64{0, 2})
			checkSimple(t, r, typ, op, []int64{30, 30, 10, 30}, []int64{1, 3})
			checkSimple(t, r, typ, op, []int64{90000, 3}, []int64{0})
			checkSimple(t, r, typ, op, []int64{90000, 3}, []int64{1})
			checkSimple(t, r, typ, op, []int64{4100, 130}, []int64{0}) // more than a second cache has
			checkSimple(t, r, typ, op, []int64{2, 1030, 130}, []int64{1})
			checkSimple(t, r, typ, op, []int64{150, 4096}, []int64{0}) // a whole strip
			checkSimple(t, r, typ, op, []int64{40, 9001}, []int64{0})  // and one more
			checkSimple(t, r, typ, op, []int64{1030, 517}, []int64{1}) // rows that are taken by fours
		}
	}
}

// TestSumsOfWholeNumbers adds what has one sum in any order: rows that are taken by fours, a piece of each by turns, and
// columns, of one strip and more; several rows for each result, and rows that are cut.
func TestSumsOfWholeNumbers(t *testing.T) {
	r := newRand(t)
	whole := func(_ int, s shape.Shape) *literal.Literal {
		return drawn(s, func() float64 { return float64(r.IntN(200) - 99) })
	}
	for _, typ := range []string{"f32", "f64"} {
		for _, c := range []struct{ dims, reduced, kept string }{{"1030,517", "1", "1030"}, {"131,9001", "1", "131"},
			{"2050,256", "1", "2050"}, {"999,4097", "1", "999"}, {"150,4096", "0", "4096"}, {"40,9001", "0", "9001"},
			{"2,1000,1024", "0,2", "1000"}, {"8,100000", "1", "8"}} {
			text := fmt.Sprintf(`HloModule m
f { x = T[] parameter(0)
  y = T[] parameter(1)
  ROOT z = T[] add(x, y) }
ENTRY e {
  x = T[%s] parameter(0)
  i = T[] parameter(1)
  ROOT r = T[%s] reduce(x, i), dimensions={%s}, to_apply=f }`, c.dims, c.kept, c.reduced)
			same(t, r, strings.ReplaceAll(text, "T[", typ+"["), whole)
		}
	}
}

func TestReduceGeneral(t *testing.T) {
	r := newRand(t)
	const text = `HloModule m
f { v = f32[] parameter(0)
  i = s32[] parameter(1)
  w = f32[] parameter(2)
  j = s32[] parameter(3)
  p = pred[] compare(v, w), direction=GT
  q = f32[] select(p, v, w)
  k = s32[] select(p, i, j)
  ROOT r = (f32[], s32[]) tuple(q, k) }
ENTRY e {
  x = f32[%[1]s] parameter(0)
  y = s32[%[1]s] parameter(1)
  i = f32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = (f32[%[2]s], s32[%[2]s]) reduce(x, y, i, j), dimensions={%[3]s}, to_apply=f
}
`
	for _, c := range []struct{ dims, kept, reduced []int64 }{
		{[]int64{5, 70, 3}, []int64{5, 3}, []int64{1}}, {[]int64{5, 70, 3}, []int64{70}, []int64{0, 2}},
		{[]int64{40000}, nil, []int64{0}}, {[]int64{3, 30000}, []int64{30000}, []int64{0}},
		{[]int64{30000, 3}, []int64{30000}, []int64{1}}, {[]int64{0, 3}, []int64{3}, []int64{0}},
		{[]int64{0, 3}, []int64{0}, []int64{1}},
	} {
		s := shape.Array(shape.F32, c.dims...)
		agrees(t, fmt.Sprintf(text, join(c.dims), join(c.kept), join(c.reduced)), within{}, values(r, s, true),
			values(r, s.WithType(shape.S32), false), values(r, shape.Array(shape.F32), true),
			values(r, shape.Array(shape.S32), false))
	}
}

// A reduction of narrow numbers in a wider type.
func TestReducePromoted(t *testing.T) {
	r := newRand(t)
	for _, p := range [][2]shape.ElementType{{shape.BF16, shape.F32}, {shape.S8, shape.S32}, {shape.F8E4M3FN, shape.F16},
		{shape.U4, shape.U16}, {shape.F32, shape.F64}, {shape.C64, shape.C128}} {
		text := fmt.Sprintf(`HloModule m
f { x = %[2]v[] parameter(0)
  y = %[2]v[] parameter(1)
  ROOT z = %[2]v[] add(y, x) }
ENTRY e {
  x = %[1]v[30,500] parameter(0)
  i = %[1]v[] parameter(1)
  r = %[2]v[30] reduce(x, i), dimensions={1}, to_apply=f
  s = %[2]v[500] reduce(x, i), dimensions={0}, to_apply=f
  ROOT t = (%[2]v[30], %[2]v[500]) tuple(r, s)
}
`, p[0], p[1])
		agrees(t, text, within{terms: 501}, values(r, shape.Array(p[0], 30, 500), false), values(r, shape.Array(p[0]), false))
	}
}

// TestSumsOfNegativeZeros wants a sum of -0 that begins with -0 to be -0, alone and in a fusion over rows.
func TestSumsOfNegativeZeros(t *testing.T) {
	for _, types := range [][2]string{{"f32", "s32"}, {"f64", "s64"}, {"bf16", "s16"}, {"f16", "s16"}} {
		for _, c := range []struct{ dims, reduced, kept string }{{"7", "0", ""}, {"300000", "0", ""}, {"5,3", "0", "3"},
			{"300,4", "0", "4"}, {"300,40", "0", "40"}, {"4,10", "1", "4"}, {"9,129", "1", "9"}, {"3,5000", "1", "3"},
			{"20,30,10", "0,2", "30"}, {"4,0", "1", "4"}} {
			text := strings.NewReplacer("T[D]", types[0]+"["+c.dims+"]", "T[R]", types[0]+"["+c.kept+"]", "T[]", types[0]+"[]",
				"I[R]", types[1]+"["+c.kept+"]", "I[D]", types[1]+"["+c.dims+"]", "{K}", "{"+c.reduced+"}").Replace(`HloModule m
add { x = T[] parameter(0) y = T[] parameter(1) ROOT z = T[] add(x, y) }
ENTRY e { p = T[D] parameter(0) x = T[D] negate(p) none = T[] constant(-0.0)
  s = T[R] reduce(x, none), dimensions={K}, to_apply=add r = I[R] bitcast-convert(s) BROADCAST }`)
			spread := ""
			if c.reduced == "1" {
				spread = strings.NewReplacer("T", types[0], "D", c.dims, "I", types[1]).Replace(
					"b = T[D] broadcast(s), dimensions={0} d = T[D] divide(x, b) q = T[D] add(x, b) u = I[D] bitcast-convert(q) ")
			}
			tuple := "ROOT z = (" + types[1] + "[" + c.kept + "]) tuple(r)"
			if spread != "" {
				tuple = spread + "ROOT z = (" + types[1] + "[" + c.kept + "], " + types[1] + "[" + c.dims + "], " +
					types[0] + "[" + c.dims + "]) tuple(r, u, d)"
			}
			text = strings.Replace(text, "BROADCAST", tuple, 1)
			agrees(t, text, within{}, literal.Zeros(parsed(t, text).Entry.Parameters[0].Shape))
		}
	}
}

// TestReduceRows has rows of all lengths around those of vectors, with the ends of floats among their elements.
func TestReduceRows(t *testing.T) {
	r := newRand(t)
	for _, typ := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.F16, shape.S8, shape.U16, shape.S32,
		shape.U64} {
		for _, n := range []int64{1, 7, 8, 16, 31, 32, 33, 64, 95, 96, 100, 127, 128, 129, 200, 257, 1000} {
			for _, op := range []string{"maximum", "minimum", "add"} {
				checkSimple(t, r, typ, op, []int64{5, n}, []int64{1})
			}
		}
	}
}

// TestReduceShortRuns has a last dimension of few elements, which is reduced with others around one that is not.
func TestReduceShortRuns(t *testing.T) {
	r := newRand(t)
	for _, typ := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.F16, shape.S8, shape.S32, shape.Pred} {
		for _, c := range []struct{ dims, reduced []int64 }{
			{[]int64{2, 40, 6, 8}, []int64{1, 3}}, {[]int64{17, 3, 5}, []int64{0, 2}}, {[]int64{16, 9, 127}, []int64{0, 2}},
			{[]int64{3, 4, 20, 2, 3}, []int64{0, 2, 4}}, {[]int64{16, 400, 7}, []int64{0, 2}},
			{[]int64{700, 33, 48}, []int64{0, 2}}, {[]int64{2, 300, 50, 64}, []int64{1, 3}}, {[]int64{30, 0, 8}, []int64{0, 2}},
			{[]int64{30, 4, 0}, []int64{0, 2}},
		} {
			for _, op := range []string{"add", "maximum", "minimum", "multiply", "and", "or", "xor"} {
				if bits := op == "and" || op == "or" || op == "xor"; !bits || !typ.IsFloat() {
					checkSimple(t, r, typ, op, c.dims, c.reduced)
				}
			}
		}
	}
}
