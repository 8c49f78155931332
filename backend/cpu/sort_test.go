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

// ordering is a comparator "f" of arrays of type T and, if it takes two, of type U.
type ordering struct {
	name, text string
	operands   int
	classes    string
}

const sidesOfOne = "a = T[] parameter(0)\n b = T[] parameter(1)\n "
const sidesOfTwo = sidesOfOne + "c = U[] parameter(2)\n d = U[] parameter(3)\n "

// canonical is what JAX makes of a side before it compares: zeros and NaN positive.
func canonical(to, from string) string {
	return strings.NewReplacer("X", to, "Y", from).Replace(`
 z.X = T[] constant(0)
 e.X = pred[] compare(Y, z.X), direction=EQ
 s.X = T[] select(e.X, z.X, Y)
 n.X = pred[] compare(Y, Y), direction=NE
 q.X = T[] constant(nan)
 X = T[] select(n.X, q.X, s.X)
 `)
}

var orderings = []ordering{
	{"less", sidesOfOne + "ROOT r = pred[] compare(a, b), direction=LT", 1, "psuf"},
	{"greater", sidesOfOne + "ROOT r = pred[] compare(a, b), direction=GT", 1, "psuf"},
	{"total", sidesOfOne + "ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER", 1, "f"},
	{"total greater", sidesOfOne + "ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER", 1, "f"},
	{"canonical", sidesOfOne + canonical("x", "a") + canonical("y", "b") +
		"ROOT r = pred[] compare(x, y), direction=LT, type=TOTALORDER", 1, "f"},
	{"swapped", sidesOfOne + "ROOT r = pred[] compare(b, a), direction=LT", 1, "psuf"},
	{"by size", sidesOfOne + "x = T[] multiply(a, a)\n y = T[] multiply(b, b)\n ROOT r = pred[] compare(x, y), direction=LT", 1, "suf"},
	{"not more", sidesOfOne + "g = pred[] compare(a, b), direction=GE\n ROOT r = pred[] not(g)", 1, "psuf"},
	{"nonsense", sidesOfOne + "ROOT r = pred[] compare(a, b), direction=NE", 1, "psufc"},
	{"real part", sidesOfOne + "x = R[] real(a)\n y = R[] real(b)\n ROOT r = pred[] compare(x, y), direction=GT", 1, "c"},
	{"with a second", sidesOfTwo + "ROOT r = pred[] compare(a, b), direction=LT", 2, "psuf"},
	{"two keys", sidesOfTwo + "e = pred[] compare(a, b), direction=EQ\n l = pred[] compare(a, b), direction=LT\n " +
		"g = pred[] compare(c, d), direction=GT\n x = pred[] and(e, g)\n ROOT r = pred[] or(l, x)", 2, "psuf"},
	{"two canonical keys", sidesOfTwo + canonical("x", "a") + canonical("y", "b") +
		"e = pred[] compare(x, y), direction=EQ, type=TOTALORDER\n l = pred[] compare(x, y), direction=GT, type=TOTALORDER\n " +
		"g = pred[] compare(c, d), direction=LT\n h = pred[] and(g, e)\n ROOT r = pred[] or(h, l)", 2, "f"},
}

func (o ordering) text1(t, u shape.ElementType) string {
	text := strings.NewReplacer("T[", t.String()+"[", "U[", u.String()+"[", "R[", t.Component().String()+"[").Replace(o.text)
	return "f {\n " + text + "\n}\n"
}

func (o ordering) program(dims []int64, dim int, t, u shape.ElementType) string {
	args := []string{shape.Array(t, dims...).String()}
	out := args[0]
	if o.operands == 2 {
		args = append(args, shape.Array(u, dims...).String())
		out = "(" + strings.Join(args, ", ") + ")"
	}
	return o.text1(t, u) + one(out, fmt.Sprintf("sort, dimensions={%d}, to_apply=f", dim), args...)
}

// crowded makes elements many of which are equal, with zeros of both signs, infinities and, if nan is set, NaN.
func crowded(r *rand.Rand, values int, nan bool) func(i int, s shape.Shape) *literal.Literal {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1}
	if nan {
		special = append(special, math.NaN(), math.Copysign(math.NaN(), -1))
	}
	return func(i int, s shape.Shape) *literal.Literal {
		c := s.Type.Component()
		l, width := literal.Zeros(s), c.Bytes()
		if !c.IsFloat() {
			l = anyBits(r, s)
			for k := range l.Bytes() {
				if k%width > 0 && r.IntN(2) == 0 || values < 256 && k%width > 0 {
					l.Bytes()[k] = 0
				}
			}
			return l
		}
		for k := 0; k < len(l.Bytes()); k += width {
			v := (r.Float64() - 0.5) * float64(values)
			if values < 100 {
				v = math.Floor(v)
			}
			if r.IntN(8) == 0 {
				v = special[r.IntN(len(special))]
			}
			b := c.FromFloat64(v)
			for i := range width {
				l.Bytes()[k+i] = byte(b >> (8 * i))
			}
		}
		return l
	}
}

// takes reports whether o compares elements of type t: some floats have no zero or NaN of either sign to make canonical.
func (o ordering) takes(t shape.ElementType) bool {
	whole := !t.IsFloat() || t.Bytes() > 1 || t == shape.F8E5M2 || t == shape.F8E4M3FN || t == shape.F8E4M3 || t == shape.F8E3M4
	return (folding{classes: o.classes}).takes(t) && (whole || !strings.Contains(o.name, "canonical"))
}

// TestSort sorts small arrays of every type along every dimension by all kinds of comparators.
func TestSort(t *testing.T) {
	r := newRand(t)
	for _, typ := range arrayTypes() {
		for _, o := range orderings {
			if !o.takes(typ) {
				continue
			}
			t.Run(fmt.Sprintf("%s_%v", o.name, typ), func(t *testing.T) {
				for k := range 3 {
					dims := movement{r, typ, 7}.dims(1 + r.IntN(3))
					if k == 0 {
						dims = []int64{20 + r.Int64N(30)}
					}
					u := []shape.ElementType{shape.S32, shape.U8, shape.S64, shape.BF16, shape.F64, shape.C128}[r.IntN(6)]
					if u == shape.C128 && strings.Contains(o.name, "keys") {
						u = shape.U16
					}
					same(t, r, o.program(dims, r.IntN(len(dims)), typ, u), crowded(r, 9, k%2 == 1))
				}
			})
		}
	}
}

// TestSortOfLarge sorts long rows, many rows and columns, by radix and by merging.
func TestSortOfLarge(t *testing.T) {
	r := newRand(t)
	for _, c := range []struct {
		dims []int64
		dim  int
	}{{[]int64{20000}, 0}, {[]int64{30, 400}, 1}, {[]int64{100, 50}, 0}, {[]int64{2, 2000, 3}, 1}} {
		for _, typ := range []shape.ElementType{shape.F32, shape.S32, shape.U64, shape.BF16, shape.F64, shape.S8, shape.F16} {
			for _, o := range orderings {
				if o.takes(typ) && (o.name != "not more" || typ == shape.F32) && (o.name != "nonsense" || typ == shape.S8) {
					same(t, r, o.program(c.dims, c.dim, typ, shape.S32), crowded(r, 1<<20, false))
				}
			}
		}
	}
}

// TestSortOfShortRows sorts rows that lie behind and beside each other, as many as go together, fewer and more, with
// what goes with them in the order that they have, which equal elements keep.
func TestSortOfShortRows(t *testing.T) {
	r := newRand(t)
	for k, c := range []struct {
		dims []int64
		dim  int
	}{{[]int64{37, 100}, 1}, {[]int64{100, 37}, 0}, {[]int64{3, 77, 21}, 1}, {[]int64{5, 513}, 1}, {[]int64{256, 9}, 0},
		{[]int64{70, 2}, 1}, {[]int64{4, 257}, 1}} {
		for _, typ := range []shape.ElementType{shape.F32, shape.S32, shape.U64, shape.BF16, shape.F64, shape.S8, shape.S64} {
			for i, o := range orderings {
				if !o.takes(typ) {
					continue
				}
				fill := crowded(r, 9, (k+i)%2 == 0)
				same(t, r, o.program(c.dims, c.dim, typ, shape.S32), func(i int, s shape.Shape) *literal.Literal {
					if i == 1 {
						return counting(s, c.dim)
					}
					return fill(i, s)
				})
			}
		}
	}
}

// counting are the places along a dimension.
func counting(s shape.Shape, dim int) *literal.Literal {
	inner := shape.Product(s.Dims[dim+1:])
	w := literal.MakeWide(shape.SignedClass, int(s.Size()))
	for i := range w.I {
		w.I[i] = int64(i) / inner % s.Dims[dim]
	}
	return literal.FromWide(s, w)
}

// TestSortOfLongRows sorts rows whose passes are cut into chunks.
func TestSortOfLongRows(t *testing.T) {
	r := newRand(t)
	for i, typ := range []shape.ElementType{shape.F32, shape.U64, shape.BF16, shape.F64, shape.S32, shape.U8} {
		for k, o := range orderings {
			if o.takes(typ) && o.name != "nonsense" && (k+i)%3 == 0 {
				same(t, r, o.program([]int64{150000}, 0, typ, shape.S32), crowded(r, 1<<20, k%2 == 0))
				same(t, r, o.program([]int64{40000, 2}, 0, typ, shape.F64), crowded(r, 1<<20, false))
			}
		}
	}
}

// TestTopK takes the best of rows of every type.
func TestTopK(t *testing.T) {
	r := newRand(t)
	for _, typ := range arrayTypes() {
		if typ.IsComplex() {
			continue
		}
		for _, n := range []int64{1, 2, 9, 100, 3000} {
			for _, k := range []int64{0, 1, min(n, 50), n / 3, n} {
				dims := []int64{r.Int64N(4), n}
				out := []int64{dims[0], k}
				text := one(fmt.Sprintf("(%v, %v)", shape.Array(typ, out...), shape.Array(shape.S32, out...)),
					fmt.Sprintf("topk, k=%d, largest=%v", k, r.IntN(2) == 0), shape.Array(typ, dims...).String())
				same(t, r, text, crowded(r, 1<<(4*r.IntN(5)), true))
			}
		}
	}
}
