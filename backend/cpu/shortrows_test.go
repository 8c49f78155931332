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
			for _, rows := range []int64{7, 11} {
				agree(t, shortRows(r, et, n, rows))
			}
		}
	}
}

// shortRows is a program with operands that are the same in some rows of n elements, or in them.
func shortRows(r *rand.Rand, et shape.ElementType, n int, rows int64) program {
	text := fmt.Sprintf(`ENTRY e { a = %[1]s[5,19,%[4]d,%[2]d] parameter(0) b = %[1]s[5,%[4]d] parameter(1)
		c = %[1]s[%[2]d] parameter(2) d = %[1]s[19,%[2]d] parameter(3) g = %[1]s[5,19,%[4]d,20] parameter(4)
		h = %[1]s[%[4]d,%[2]d] parameter(5)
		u = %[1]s[5,19,%[4]d,%[2]d] broadcast(b), dimensions={0,2}
		v = %[1]s[5,19,%[4]d,%[2]d] broadcast(c), dimensions={3}
		w = %[1]s[5,19,%[4]d,%[2]d] broadcast(d), dimensions={1,3}
		s = %[1]s[5,19,%[4]d,%[2]d] slice(g), slice={[0:5], [0:19], [0:%[4]d], [2:%[3]d]}
		i = %[1]s[5,19,%[4]d,%[2]d] broadcast(h), dimensions={2,3}
		x = %[1]s[5,19,%[4]d,%[2]d] add(a, u) y = %[1]s[5,19,%[4]d,%[2]d] multiply(x, v)
		j = %[1]s[5,19,%[4]d,%[2]d] subtract(y, i)
		z = %[1]s[5,19,%[4]d,%[2]d] maximum(j, w) ROOT o = %[1]s[5,19,%[4]d,%[2]d] add(z, s) }`, et, n, n+2, rows)
	p := program{text: text}
	for _, dims := range [][]int64{{5, 19, rows, int64(n)}, {5, rows}, {int64(n)}, {19, int64(n)}, {5, 19, rows, 20},
		{rows, int64(n)}} {
		p.args = append(p.args, randomElements(r, et, dims...))
	}
	return p
}

// TestFusedSteps loads rows that begin and end within blocks, whose elements are a step apart: by one load after the
// other, each from where the one before ended.
func TestFusedSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 3))
	for _, et := range []shape.ElementType{shape.S8, shape.BF16, shape.F32, shape.F64} {
		for _, n := range []int{1, 3, 7, 15, 16, 33, 64, 130, 300} {
			text := fmt.Sprintf(`ENTRY e { a = %[1]s[3,11,%[3]d] parameter(0) b = %[1]s[3,11,%[4]d] parameter(1)
				c = %[1]s[3,11] parameter(2) d = %[1]s[11,%[2]d] parameter(3)
				even = %[1]s[3,11,%[2]d] slice(a), slice={[0:3], [0:11], [0:%[3]d:2]}
				odd = %[1]s[3,11,%[2]d] slice(a), slice={[0:3], [0:11], [1:%[3]d:2]}
				third = %[1]s[3,11,%[2]d] slice(b), slice={[0:3], [0:11], [2:%[4]d:3]}
				near = %[1]s[3,11,%[2]d] slice(a), slice={[0:3], [0:11], [%[2]d:%[3]d]}
				back = %[1]s[3,11,%[2]d] reverse(even), dimensions={1,2}
				i = %[1]s[3,11,%[2]d] iota(), iota_dimension=1
				u = %[1]s[3,11,%[2]d] broadcast(c), dimensions={0,1}
				v = %[1]s[3,11,%[2]d] broadcast(d), dimensions={1,2}
				o = %[1]s[3,11,%[2]d] add(even, odd) p = %[1]s[3,11,%[2]d] maximum(third, near)
				q = %[1]s[3,11,%[2]d] add(back, i) s = %[1]s[3,11,%[2]d] minimum(u, v)
				w = %[1]s[3,11,%[2]d] multiply(o, q) x = %[1]s[3,11,%[2]d] add(p, s)
				ROOT y = %[1]s[3,11,%[2]d] add(w, x) }`, et, n, 2*n, 3*n)
			var args []*literal.Literal
			for _, dims := range [][]int64{{3, 11, int64(2 * n)}, {3, 11, int64(3 * n)}, {3, 11}, {11, int64(n)}} {
				args = append(args, randomElements(r, et, dims...))
			}
			agree(t, program{text: text, args: args})
		}
	}
}

// TestGroupsOfRows loads several blocks at a time of rows that are shorter than those, or so long that they are read
// where they lie, up to where they end: parts of longer rows, and what is the same along the first dimension, along the
// middle one, and along several.
func TestGroupsOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 4))
	for _, et := range []shape.ElementType{shape.U8, shape.F16, shape.F32, shape.F64, shape.C64} {
		for _, n := range []int64{20, 48, 100, 257, 520, 1000, 2049} {
			agree(t, groupsOfRows(r, et, n))
		}
	}
}

func groupsOfRows(r *rand.Rand, et shape.ElementType, n int64) program {
	text := fmt.Sprintf(`ENTRY e { a = %[1]s[6,13,%[3]d] parameter(0) b = %[1]s[13,%[2]d] parameter(1)
		c = %[1]s[6,%[2]d] parameter(2) d = %[1]s[6] parameter(3) g = %[1]s[6,13] parameter(4)
		s = %[1]s[6,13,%[2]d] slice(a), slice={[0:6], [0:13], [0:%[2]d]}
		t = %[1]s[6,13,%[2]d] slice(a), slice={[0:6], [0:13], [40:%[3]d]}
		u = %[1]s[6,13,%[2]d] broadcast(b), dimensions={1,2}
		v = %[1]s[6,13,%[2]d] broadcast(c), dimensions={0,2}
		w = %[1]s[6,13,%[2]d] broadcast(d), dimensions={0}
		x = %[1]s[6,13,%[2]d] broadcast(g), dimensions={0,1}
		i = %[1]s[6,13,%[2]d] multiply(s, u) j = %[1]s[6,13,%[2]d] multiply(t, v)
		k = %[1]s[6,13,%[2]d] add(i, j) l = %[1]s[6,13,%[2]d] add(k, w)
		ROOT o = %[1]s[6,13,%[2]d] subtract(l, x) }`, et, n, n+40)
	p := program{text: text}
	for _, dims := range [][]int64{{6, 13, n + 40}, {13, n}, {6, n}, {6}, {6, 13}} {
		p.args = append(p.args, randomElements(r, et, dims...))
	}
	return p
}
