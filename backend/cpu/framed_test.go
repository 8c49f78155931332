package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// TestFramed compares stencils and the edges around them with the evaluator: edges on some sides only, rows that are no
// whole blocks, more dimensions, narrow types, an edge that is an argument, and rows that are too short.
func TestFramed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		text string
		kind shape.ElementType
		dims []int64
	}{
		{`ENTRY e { x = f32[82,72] parameter(0)  v = f32[] parameter(1)
			a = f32[80,70] slice(x), slice={[0:80], [1:71]}  b = f32[80,70] slice(x), slice={[2:82], [2:72]}
			s = f32[80,70] add(a, b)  m = f32[80,70] multiply(s, a)  ROOT p = f32[82,72] pad(m, v), padding=1_1x1_1 }`,
			shape.F32, []int64{82, 72}},
		{`ENTRY e { x = f32[40,301] parameter(0)  v = f32[] parameter(1)  b = f32[40,300] broadcast(v), dimensions={}
			a = f32[40,300] slice(x), slice={[0:40], [1:301]}  s = f32[40,300] add(a, b)
			ROOT p = f32[42,303] pad(s, v), padding=0_2x3_0 }`, shape.F32, []int64{40, 301}},
		{`ENTRY e { x = f64[3,40,132] parameter(0)  v = f64[] parameter(1)
			a = f64[3,40,130] slice(x), slice={[0:3], [0:40], [2:132]}  s = f64[3,40,130] add(a, a)
			n = f64[3,40,130] negate(s)  ROOT p = f64[4,40,133] pad(n, v), padding=1_0x0_0x2_1 }`,
			shape.F64, []int64{3, 40, 132}},
		{`ENTRY e { x = s8[5,3,400] parameter(0)  v = s8[] parameter(1)  s = s8[5,3,400] add(x, x)
			m = s8[5,3,400] multiply(s, x)  ROOT p = s8[5,6,401] pad(m, v), padding=0_0x1_2x1_0 }`,
			shape.S8, []int64{5, 3, 400}},
		{`ENTRY e { x = bf16[70,128] parameter(0)  v = bf16[] parameter(1)  s = bf16[70,128] add(x, x)
			m = bf16[70,128] maximum(s, x)  ROOT p = bf16[72,128] pad(m, v), padding=2_0x0_0 }`,
			shape.BF16, []int64{70, 128}},
		{`ENTRY e { x = f32[300,20] parameter(0)  v = f32[] parameter(1)  s = f32[300,20] add(x, x)
			m = f32[300,20] multiply(s, x)  ROOT p = f32[302,22] pad(m, v), padding=1_1x1_1 }`,
			shape.F32, []int64{300, 20}},
	} {
		for _, threads := range []int{1, 2} {
			both(t, c.text, threads, 0, randomElements(r, c.kind, c.dims...), randomElements(r, c.kind))
		}
	}
}

// TestStencils compares random stencils with the evaluator: sums and products of neighbours, with edges of any width
// around them, over one task and over several.
func TestStencils(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	kinds := []shape.ElementType{shape.F32, shape.F32, shape.F64, shape.S32, shape.BF16, shape.S8}
	for i := range 48 {
		kind := kinds[i%len(kinds)]
		rank := 2 + r.IntN(2)
		outer, inner := make([]int64, rank), make([]int64, rank)
		low := make([]int64, rank)
		for d := range outer {
			inner[d] = 5 + r.Int64N(8)
			low[d] = r.Int64N(3)
			outer[d] = inner[d] + low[d] + r.Int64N(3)
		}
		inner[rank-1] += 14 + r.Int64N(250)
		inner[0] += 80
		if i%4 == 0 {
			inner[0] += 900
		}
		for _, d := range []int{0, rank - 1} {
			outer[d] = inner[d] + low[d] + r.Int64N(3)
		}
		m := stencil(r, kind, outer, inner, low)
		for _, threads := range []int{1, 2} {
			both(t, m, threads, 0, randomElements(r, kind, outer...), randomElements(r, kind))
		}
	}
}

// stencil is the text of a program that combines slices of an array of sizes outer and pads what comes out.
func stencil(r *rand.Rand, kind shape.ElementType, outer, inner, low []int64) string {
	var b strings.Builder
	s, full := shape.Array(kind, inner...).WithoutLayout(), shape.Array(kind, outer...).WithoutLayout()
	fmt.Fprintf(&b, "ENTRY e { x = %v parameter(0)  v = %v[] parameter(1)  c = %v constant(3)\n", full, kind,
		shape.Array(kind))
	fmt.Fprintf(&b, "k0 = %v broadcast(c), dimensions={}\n", s)
	names := []string{"k0"}
	for n := range 3 + r.IntN(4) {
		fmt.Fprintf(&b, "k%d = %v slice(x), slice={", n+1, s)
		for d := range outer {
			from := r.Int64N(outer[d] - inner[d] + 1)
			fmt.Fprintf(&b, "%s[%d:%d]", strings.Repeat(", ", min(d, 1)), from, from+inner[d])
		}
		b.WriteString("}\n")
		names = append(names, fmt.Sprintf("k%d", n+1))
	}
	for n := range 3 + r.IntN(6) {
		op := []string{"add", "subtract", "multiply"}[r.IntN(3)]
		fmt.Fprintf(&b, "m%d = %v %s(%s, %s)\n", n, s, op, names[r.IntN(len(names))], names[len(names)-1])
		names = append(names, fmt.Sprintf("m%d", n))
	}
	fmt.Fprintf(&b, "ROOT p = %v pad(%s, v), padding=", full, names[len(names)-1])
	for d := range outer {
		fmt.Fprintf(&b, "%s%d_%d", strings.Repeat("x", min(d, 1)), low[d],
			outer[d]-inner[d]-low[d])
	}
	b.WriteString(" }")
	return b.String()
}
