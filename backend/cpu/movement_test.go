package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// movement writes the program of a random op that moves elements of type t; sizes are at most most.
type movement struct {
	r    *rand.Rand
	t    shape.ElementType
	most int64
}

func (g movement) dims(rank int) []int64 {
	out := make([]int64, rank)
	for d := range out {
		out[d] = 1 + g.r.Int64N(g.most)
		if g.r.IntN(20) == 0 {
			out[d] = g.r.Int64N(2)
		}
	}
	return out
}

func (g movement) rank() int { return g.r.IntN(6) }

func (g movement) array(dims []int64) string { return shape.Array(g.t, dims...).String() }

func ints(v []int64) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]") }

func perm(r *rand.Rand, n int) []int64 {
	out := make([]int64, n)
	for i, p := range r.Perm(n) {
		out[i] = int64(p)
	}
	return out
}

// ascending returns k of 0 to n-1 in order.
func ascending(r *rand.Rand, n, k int) []int64 {
	chosen := map[int]bool{}
	for _, p := range r.Perm(n)[:k] {
		chosen[p] = true
	}
	var out []int64
	for i := range n {
		if chosen[i] {
			out = append(out, int64(i))
		}
	}
	return out
}

// one is a program of one op, of which args are the parameters' shapes.
func one(out, op string, args ...string) string {
	var b strings.Builder
	var names []string
	b.WriteString("ENTRY e {\n")
	for i, a := range args {
		fmt.Fprintf(&b, "  p%d = %s parameter(%d)\n", i, a, i)
		names = append(names, fmt.Sprintf("p%d", i))
	}
	name, attrs, _ := strings.Cut(op, ",")
	if attrs != "" {
		attrs = "," + attrs
	}
	fmt.Fprintf(&b, "  ROOT r = %s %s(%s)%s\n}\n", out, name, strings.Join(names, ", "), attrs)
	return b.String()
}

func (g movement) transpose() string {
	dims := g.dims(g.rank())
	p := perm(g.r, len(dims))
	out := make([]int64, len(dims))
	for i, d := range p {
		out[i] = dims[d]
	}
	return one(g.array(out), "transpose, dimensions={"+ints(p)+"}", g.array(dims))
}

func (g movement) broadcast() string {
	out := g.dims(g.rank())
	at := ascending(g.r, len(out), g.r.IntN(len(out)+1))
	var dims []int64
	for _, d := range at {
		n := out[d]
		if n != 1 && g.r.IntN(4) == 0 {
			n = 1
		}
		dims = append(dims, n)
	}
	return one(g.array(out), "broadcast, dimensions={"+ints(at)+"}", g.array(dims))
}

func (g movement) reverse() string {
	dims := g.dims(g.rank())
	at := perm(g.r, len(dims))[:g.r.IntN(len(dims)+1)]
	return one(g.array(dims), "reverse, dimensions={"+ints(at)+"}", g.array(dims))
}

func (g movement) concatenate() string {
	dims := g.dims(1 + g.r.IntN(4))
	d, sum := g.r.IntN(len(dims)), int64(0)
	var args []string
	for range 1 + g.r.IntN(4) {
		dims[d] = g.r.Int64N(g.most + 1)
		sum += dims[d]
		args = append(args, g.array(dims))
	}
	dims[d] = sum
	return one(g.array(dims), fmt.Sprintf("concatenate, dimensions={%d}", d), args...)
}

func (g movement) pad() string {
	dims := g.dims(g.rank())
	out := make([]int64, len(dims))
	var text []string
	for d, n := range dims {
		low, high, interior := g.r.Int64N(7)-3, g.r.Int64N(7)-3, max(g.r.Int64N(6)-3, 0)
		size := max(n+max(n-1, 0)*interior, 0)
		low = max(low, -size)
		out[d] = max(size+low+high, 0)
		text = append(text, fmt.Sprintf("%d_%d_%d", low, out[d]-size-low, interior))
	}
	attrs := ", padding=" + strings.Join(text, "x")
	if len(dims) == 0 {
		attrs = ", padding="
	}
	return one(g.array(out), "pad"+attrs, g.array(dims), g.array(nil))
}

func (g movement) slice() string {
	dims := g.dims(g.rank())
	out := make([]int64, len(dims))
	var text []string
	for d, n := range dims {
		start := g.r.Int64N(n + 1)
		limit, stride := start+g.r.Int64N(n-start+1), 1+max(g.r.Int64N(6)-2, 0)
		out[d] = (limit - start + stride - 1) / stride
		text = append(text, fmt.Sprintf("[%d:%d:%d]", start, limit, stride))
	}
	return one(g.array(out), "slice, slice={"+strings.Join(text, ", ")+"}", g.array(dims))
}

// indexTypes are types of indices.
var indexTypes = []shape.ElementType{shape.S8, shape.S16, shape.S32, shape.S64, shape.U8, shape.U16, shape.U32, shape.U64}

func (g movement) parts(dims []int64) (part []int64, starts []string) {
	t := indexTypes[g.r.IntN(len(indexTypes))]
	for _, n := range dims {
		part = append(part, g.r.Int64N(n+1))
		starts = append(starts, shape.Array(t).String())
	}
	return part, starts
}

func (g movement) dynamicSlice() string {
	dims := g.dims(g.rank())
	part, starts := g.parts(dims)
	args := append([]string{g.array(dims)}, starts...)
	return one(g.array(part), "dynamic-slice, dynamic_slice_sizes={"+ints(part)+"}", args...)
}

func (g movement) dynamicUpdateSlice() string {
	dims := g.dims(g.rank())
	part, starts := g.parts(dims)
	return one(g.array(dims), "dynamic-update-slice", append([]string{g.array(dims), g.array(part)}, starts...)...)
}

func (g movement) iota() string {
	if g.t == shape.Pred || g.t.Bits() < 4 {
		return g.reverse()
	}
	dims := g.dims(1 + g.r.IntN(4))
	return one(g.array(dims), fmt.Sprintf("iota, iota_dimension=%d", g.r.IntN(len(dims))))
}

func movements(g movement) map[string]func() string {
	return map[string]func() string{
		"transpose": g.transpose, "broadcast": g.broadcast, "reverse": g.reverse, "concatenate": g.concatenate,
		"pad": g.pad, "slice": g.slice, "dynamic-slice": g.dynamicSlice, "dynamic-update-slice": g.dynamicUpdateSlice,
		"iota": g.iota,
	}
}

// small makes indices near the bounds of small arrays, and elements of any bits for all else.
func small(r *rand.Rand) func(i int, s shape.Shape) *literal.Literal {
	return func(i int, s shape.Shape) *literal.Literal {
		l := anyBits(r, s)
		if len(s.Dims) == 0 && s.Type.IsInteger() && r.IntN(4) > 0 {
			v := r.IntN(12)
			for k := range l.Bytes() {
				l.Bytes()[k] = 0
			}
			l.Bytes()[0] = byte(v)
			if s.Type.Bits() < 8 {
				l.Bytes()[0] &= 1
			}
		}
		return l
	}
}

// TestMovement moves small arrays of every type.
func TestMovement(t *testing.T) {
	r := newRand(t)
	for _, typ := range arrayTypes() {
		for name, text := range movements(movement{r, typ, 9}) {
			for range 6 {
				t.Run(fmt.Sprintf("%s_%v", name, typ), func(t *testing.T) { same(t, r, text(), small(r)) })
			}
		}
	}
}

// TestMovementOfLarge moves arrays that take several tasks, whole vectors and stores past the cache, of every width.
func TestMovementOfLarge(t *testing.T) {
	r := newRand(t)
	for _, typ := range []shape.ElementType{shape.U8, shape.BF16, shape.F32, shape.F64, shape.C128} {
		for name, text := range movements(movement{r, typ, 90}) {
			for range 2 {
				program := text()
				for tries := 0; len(program) > 0 && tries < 50 && !fits(program); tries++ {
					program = text()
				}
				if fits(program) {
					t.Run(fmt.Sprintf("%s_%v", name, typ), func(t *testing.T) { same(t, r, program, nil) })
				}
			}
		}
	}
	for _, text := range []string{
		one("f32[1024,2048]", "transpose, dimensions={1,0}", "f32[2048,1024]"),
		one("u8[2048,4096]", "transpose, dimensions={1,0}", "u8[4096,2048]"),
		one("bf16[64,3136,32]", "transpose, dimensions={0,2,1}", "bf16[64,32,3136]"),
		one("f64[1000,999]", "transpose, dimensions={1,0}", "f64[999,1000]"),
		one("f32[8,12,512,64]", "transpose, dimensions={0,2,1,3}", "f32[8,512,12,64]"),
		one("bf16[3,70,500,40]", "transpose, dimensions={2,0,1,3}", "bf16[70,500,3,40]"),
		one("c128[512,600]", "transpose, dimensions={1,0}", "c128[600,512]"),
		one("f32[2048,18,64]", "broadcast, dimensions={0,2}", "f32[2048,64]"),
		one("s32[1500000]", "iota, iota_dimension=0"),
		one("bf16[600000,2]", "iota, iota_dimension=0"),
	} {
		same(t, r, text, nil)
	}
}

// TestNarrowMovement weaves a few lines together and takes them apart again, transposes many small matrices, and copies
// runs of a few bytes.
func TestNarrowMovement(t *testing.T) {
	r := newRand(t)
	for _, typ := range []shape.ElementType{shape.U8, shape.BF16, shape.F32, shape.F64, shape.C128} {
		g := movement{r, typ, 0}
		for n := int64(2); n <= 5; n++ {
			for _, m := range []int64{1, 3, 7, 64, 1001} {
				same(t, r, one(g.array([]int64{3, m, n}), "transpose, dimensions={0,2,1}", g.array([]int64{3, n, m})), nil)
				same(t, r, one(g.array([]int64{3, n, m}), "transpose, dimensions={0,2,1}", g.array([]int64{3, m, n})), nil)
			}
			same(t, r, one(g.array([]int64{300, n, 7}), "transpose, dimensions={0,2,1}", g.array([]int64{300, 7, n})), nil)
		}
		for n := int64(1); n <= 17; n++ {
			op := fmt.Sprintf("slice, slice={[0:3], [0:41:2], [0:%d]}", n)
			same(t, r, one(g.array([]int64{3, 21, n}), op, g.array([]int64{3, 41, n})), nil)
			op = fmt.Sprintf("slice, slice={[0:3], [1:41], [1:%d]}", n+1)
			same(t, r, one(g.array([]int64{3, 40, n}), op, g.array([]int64{3, 41, n + 1})), nil)
			same(t, r, one(g.array([]int64{21, n}), "broadcast, dimensions={1}", g.array([]int64{n})), nil)
			same(t, r, one(g.array([]int64{3, 41, n}), "broadcast, dimensions={0,1}", g.array([]int64{3, 41})), nil)
			same(t, r, one(g.array([]int64{21, n}), "reverse, dimensions={0}", g.array([]int64{21, n})), nil)
		}
	}
}

// fits reports whether the arrays of a program have 100 thousand to 4 million elements.
func fits(text string) bool {
	most := int64(0)
	for _, line := range strings.Split(text, "\n") {
		if _, rest, ok := strings.Cut(line, " = "); ok {
			s, _, err := shape.ParsePrefix(rest)
			if err != nil {
				return false
			}
			most = max(most, s.Size())
		}
	}
	return most >= 100_000 && most <= 4_000_000
}
