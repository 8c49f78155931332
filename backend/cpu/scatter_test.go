package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// folding is a computation "f" for scatter, in which T, U are the element types.
type folding struct {
	name, text string
	operands   int
	classes    string // of T: p, s, u, f, c
}

var foldings = []folding{
	{"assign", "ROOT r = T[] parameter(1)\n a = T[] parameter(0)", 1, "psufc"},
	{"add", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] add(a, b)", 1, "psufc"},
	{"added to", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] add(b, a)", 1, "psu"},
	{"multiply", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] multiply(a, b)", 1, "psufc"},
	{"minimum", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] minimum(a, b)", 1, "psuf"},
	{"maximum", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] maximum(a, b)", 1, "psuf"},
	{"and", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] and(a, b)", 1, "psu"},
	{"or", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] or(a, b)", 1, "psu"},
	{"xor", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] xor(a, b)", 1, "psu"},
	{"subtract", "a = T[] parameter(0)\n b = T[] parameter(1)\n ROOT r = T[] subtract(b, a)", 1, "sufc"},
	{"keep", "ROOT a = T[] parameter(0)\n b = T[] parameter(1)", 1, "psufc"},
	{"two assigns", "a = T[] parameter(0)\n b = U[] parameter(1)\n c = T[] parameter(2)\n d = U[] parameter(3)\n " +
		"ROOT r = (T[], U[]) tuple(c, d)", 2, "psufc"},
	{"with each other", "a = T[] parameter(0)\n b = U[] parameter(1)\n c = T[] parameter(2)\n d = U[] parameter(3)\n " +
		"x = T[] subtract(a, c)\n m = pred[] compare(x, c), direction=EQ\n y = U[] select(m, b, d)\n" +
		"ROOT r = (T[], U[]) tuple(x, y)", 2, "sufc"},
}

func (f folding) on(t, u shape.ElementType) string {
	text := "f {\n " + strings.NewReplacer("T[", t.String()+"[", "U[", u.String()+"[").Replace(f.text) + "\n}\n"
	return text
}

func (f folding) types(t, u shape.ElementType) []shape.ElementType {
	if f.operands == 2 {
		return []shape.ElementType{t, u}
	}
	return []shape.ElementType{t}
}

func (f folding) takes(t shape.ElementType) bool {
	return strings.Contains(f.classes, map[shape.Class]string{shape.PredClass: "p", shape.SignedClass: "s",
		shape.UnsignedClass: "u", shape.FloatClass: "f", shape.ComplexClass: "c"}[t.Class()])
}

// TestScatter scatters with random dimension numbers, into small arrays of every type by all kinds of computations.
func TestScatter(t *testing.T) {
	r := newRand(t)
	for _, typ := range arrayTypes() {
		for _, f := range foldings {
			if !f.takes(typ) {
				continue
			}
			t.Run(fmt.Sprintf("%s_%v", f.name, typ), func(t *testing.T) {
				for range 4 {
					x := newIndexed(r, 5)
					other := arrayTypes()[r.IntN(len(arrayTypes()))]
					same(t, r, x.scatter(f.on(typ, other), f.types(typ, other)...), finite(r, near(r, x.index, 5)))
				}
			})
		}
	}
}

// finite makes of any floats some of few digits, whose sums tell orders apart; NaN have no order of bits.
func finite(r *rand.Rand, fill func(i int, s shape.Shape) *literal.Literal) func(i int, s shape.Shape) *literal.Literal {
	return func(i int, s shape.Shape) *literal.Literal {
		if !s.Type.Component().IsFloat() {
			return fill(i, s)
		}
		return drawn(s, func() float64 { return float64(r.IntN(4001)-2000) / 300 })
	}
}

// drawn is an array of floats, or of complex numbers, whose parts are drawn one by one.
func drawn(s shape.Shape, draw func() float64) *literal.Literal {
	c, l := s.Type.Component(), literal.Zeros(s)
	for k := 0; k < len(l.Bytes()); k += c.Bytes() {
		v := c.FromFloat64(draw())
		for b := range c.Bytes() {
			l.Bytes()[k+b] = byte(v >> (8 * b))
		}
	}
	return l
}

// TestScatterOfLarge scatters numbers, rows, columns and whole windows, many to one place, in several tasks.
func TestScatterOfLarge(t *testing.T) {
	r := newRand(t)
	for _, c := range []struct{ operand, index, updates, dims string }{
		{"[300]", "[200000]", "[200000]", "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"},
		{"[70000]", "[200000,1]", "[200000]", "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"},
		{"[250,40]", "[5000]", "[5000,40]", "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"},
		{"[250,260]", "[2000]", "[2000,260]", "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"},
		{"[3,250,40]", "[3,2000]", "[3,2000,40]", "update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2"},
		{"[40,250]", "[5000]", "[40,5000]", "update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=1"},
		{"[60,250]", "[300,2]", "[300,30,20]", "update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1"},
		{"[50,260]", "[50,1000]", "[50,1000]", "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2"},
	} {
		for k, typ := range []string{"f32", "bf16", "s32", "f64", "u8", "f16", "s64", "u16", "c64"} {
			f := foldings[[]int{0, 1, 3, 4, 5, 9}[k%6]]
			if typ == "c64" {
				f = foldings[1]
			}
			e, _ := shape.TypeByName(typ)
			text := f.on(e, e) + one(typ+c.operand, "scatter, "+c.dims+", to_apply=f", typ+c.operand, "u32"+c.index, typ+c.updates)
			same(t, r, text, finite(r, near(r, shape.U32, 256)))
		}
	}
}

// TestScatterOfFar scatters single numbers into an array of 4 KB and one that no cache may have, by indices on both
// sides of them, more than there are between two looks at cancel.
func TestScatterOfFar(t *testing.T) {
	r, add := newRand(t), foldings[1].on(shape.S8, shape.S8)
	for _, size := range []int64{4096, 1<<26 + 5} {
		for _, index := range []shape.ElementType{shape.S32, shape.S64} {
			op := "scatter, update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, " +
				"index_vector_dim=1, to_apply=f"
			operand := fmt.Sprintf("s8[%d]", size)
			text := add + one(operand, op, operand, index.String()+"[40001]", "s8[40001]")
			same(t, r, text, func(i int, s shape.Shape) *literal.Literal { return aroundOf(r, s, i, size) })
		}
	}
}

// aroundOf fills argument i of a scatter into so many numbers: zeros, places in and around them, small numbers.
func aroundOf(r *rand.Rand, s shape.Shape, i int, size int64) *literal.Literal {
	l, width := literal.Zeros(s), s.Type.Bytes()
	for k := 0; i > 0 && k < len(l.Bytes()); k += width {
		v := int64(k % 13)
		if i == 1 {
			v = r.Int64N(size+20) - 10
		}
		for b := range width {
			l.Bytes()[k+b] = byte(v >> (8 * b))
		}
	}
	return l
}

// TestScatterInParts scatters numbers, rows and along a batch dimension by s32 in and around the places there are; those
// below 0 count from the end or are none. They are so many that each of several threads folds a part of the array.
func TestScatterInParts(t *testing.T) {
	r := newRand(t)
	const single = "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"
	for _, c := range []struct {
		operand, index, updates, dims string
		size                          int64
	}{
		{"[300]", "[40003]", "[40003]", single, 300},
		{"[70001]", "[40001]", "[40001]", single, 70001},
		{"[251,40]", "[5003]", "[5003,40]", strings.Replace(single, "{}", "{1}", 1), 251},
		{"[7,260]", "[7,6001]", "[7,6001]", "update_window_dims={}, inserted_window_dims={1}, " +
			"scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2", 260},
	} {
		for _, typ := range []shape.ElementType{shape.F32, shape.S64, shape.U8} {
			for _, index := range []string{"i", "w"} {
				text := strings.NewReplacer("T[X]", typ.String()+c.operand, "T[U]", typ.String()+c.updates, "[I]", c.index, "DIMS",
					c.dims, "SIZE", fmt.Sprint(c.size), "INDEX", index).Replace(foldings[1].on(typ, typ) + `ENTRY e {
  x = T[X] parameter(0) i = s32[I] parameter(1) u = T[U] parameter(2)
  n = s32[] constant(SIZE) all = s32[I] broadcast(n), dimensions={} o = s32[] constant(0)
  none = s32[I] broadcast(o), dimensions={} below = pred[I] compare(i, none), direction=LT
  from = s32[I] add(i, all) w = s32[I] select(below, from, i)
  ROOT r = T[X] scatter(x, INDEX, u), DIMS, to_apply=f }`)
				same(t, r, text, finite(r, func(i int, s shape.Shape) *literal.Literal { return aroundOf(r, s, i, c.size) }))
			}
		}
	}
}

// TestScatterInOrder scatters more rows than are near to places that grow, a few of which are none, so that several
// stretches of them go side by side; to such of which one goes back; stretches that overlap, and some that are none
// between those.
func TestScatterInOrder(t *testing.T) {
	r := newRand(t)
	for _, c := range []struct {
		operand, updates, inserted string
		n, size                    int
		change                     func(places []int32)
	}{{"f32[1300,64]", "f32[66001,64]", "0", 66001, 1300, func([]int32) {}},
		{"f32[1300,64]", "f32[66001,64]", "0", 66001, 1300, func(p []int32) { p[len(p)*3/4] = 0 }},
		{"f32[1300,64]", "f32[66001,64]", "0", 66001, 1300, noneBetween},
		{"f32[800000]", "f32[33001,128]", "", 33001, 800000, func([]int32) {}}} {
		op := "scatter, update_window_dims={1}, inserted_window_dims={" + c.inserted +
			"}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f"
		text := foldings[1].on(shape.F32, shape.F32) + one(c.operand, op, c.operand, fmt.Sprintf("s32[%d]", c.n), c.updates)
		same(t, r, text, finite(r, func(_ int, s shape.Shape) *literal.Literal {
			places := growing(r, int(s.Dims[0]), c.size)
			c.change(places)
			return literalOf(t, places)
		}))
	}
}

// TestScatterByManyThreads has more threads than stretches are made for.
func TestScatterByManyThreads(t *testing.T) {
	r := newRand(t)
	const rows, size = 66001, 1300
	text := foldings[1].on(shape.S32, shape.S32) + one("s32[1300,64]", "scatter, update_window_dims={1}, inserted_window_dims={0}, "+
		"scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f", "s32[1300,64]", "s32[66001]", "s32[66001,64]")
	args := []*literal.Literal{anyBits(r, shape.Array(shape.S32, size, 64)), literalOf(t, growing(r, rows, size)),
		anyBits(r, shape.Array(shape.S32, rows, 64))}
	both(t, text, 70, 0, args...)
}

// growing are places among size that grow, one in fifty outside.
func growing(r *rand.Rand, n, size int) []int32 {
	places := make([]int32, n)
	for k := range places {
		places[k] = int32(k * size / n)
		if r.IntN(50) == 0 {
			places[k] = []int32{-1, int32(size) + 7}[r.IntN(2)]
		}
	}
	return places
}

// noneBetween has none in the second quarter of places, and those of the first in the third.
func noneBetween(places []int32) {
	q := len(places) / 4
	copy(places[2*q:3*q], places[:q])
	for k := range q {
		places[q+k] = -1 - int32(k%2)
	}
}

func literalOf(t *testing.T, places []int32) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(places)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestScatterInWiderType folds bf16 in f32, s8 in s32 and f16 in bf16, into results of those types.
func TestScatterInWiderType(t *testing.T) {
	r := newRand(t)
	for _, c := range []struct {
		from, to shape.ElementType
		f        folding
	}{{shape.BF16, shape.F32, foldings[1]}, {shape.S8, shape.S32, foldings[3]}, {shape.U8, shape.U16, foldings[9]},
		{shape.F8E5M2, shape.F16, foldings[0]}, {shape.C64, shape.C128, foldings[1]}} {
		dims := "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"
		from := c.from.String()
		text := c.f.on(c.to, c.to) + one(c.to.String()+"[9]", "scatter, "+dims+", to_apply=f", from+"[9]", "s64[40]", from+"[40]")
		same(t, r, text, finite(r, near(r, shape.S64, 9)))
	}
}
