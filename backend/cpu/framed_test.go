package cpu_test

import (
	"math/rand/v2"
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
