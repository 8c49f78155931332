package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestShortRows loads rows of a few elements: each a single element, all the same, and parts of longer ones.
func TestShortRows(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2))
	for _, et := range []shape.ElementType{shape.S8, shape.BF16, shape.F32, shape.F64} {
		for _, n := range []int{2, 3, 5, 8, 15, 17} {
			text := fmt.Sprintf(`ENTRY e { a = %[1]s[5,19,7,%[2]d] parameter(0) b = %[1]s[5,7] parameter(1)
				c = %[1]s[%[2]d] parameter(2) d = %[1]s[19,%[2]d] parameter(3) g = %[1]s[5,19,7,20] parameter(4)
				u = %[1]s[5,19,7,%[2]d] broadcast(b), dimensions={0,2} v = %[1]s[5,19,7,%[2]d] broadcast(c), dimensions={3}
				w = %[1]s[5,19,7,%[2]d] broadcast(d), dimensions={1,3}
				s = %[1]s[5,19,7,%[2]d] slice(g), slice={[0:5], [0:19], [0:7], [2:%[3]d]}
				x = %[1]s[5,19,7,%[2]d] add(a, u) y = %[1]s[5,19,7,%[2]d] multiply(x, v)
				z = %[1]s[5,19,7,%[2]d] maximum(y, w) ROOT o = %[1]s[5,19,7,%[2]d] add(z, s) }`, et, n, n+2)
			var args []*literal.Literal
			for _, dims := range [][]int64{{5, 19, 7, int64(n)}, {5, 7}, {int64(n)}, {19, int64(n)}, {5, 19, 7, 20}} {
				args = append(args, randomElements(r, et, dims...))
			}
			agree(t, program{text: text, args: args})
		}
	}
}
