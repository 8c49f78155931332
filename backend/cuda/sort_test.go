//go:build cgo && linux

package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// sorted is the program of a sort of arrays by a comparison of the first one's elements.
func sorted(t *testing.T, compare string, dim int, arrays ...shape.Shape) *program {
	r := rand.New(rand.NewPCG(8, uint64(arrays[0].Size())))
	var params, types, names, args string
	p := &program{name: fmt.Sprintf("%v %s", arrays, compare), tol: literal.Tolerance{Bits: true}}
	for i, s := range arrays {
		params += fmt.Sprintf("a%d = %v[] parameter(%d)\nb%d = %v[] parameter(%d)\n", i, s.Type, 2*i, i, s.Type, 2*i+1)
		args += fmt.Sprintf("x%d = %v parameter(%d)\n", i, s, i)
		types, names = types+fmt.Sprintf(", %v", s), names+fmt.Sprintf(", x%d", i)
		p.args = append(p.args, randomLiteral(r, s, true))
	}
	result := types[2:]
	if len(arrays) > 1 {
		result = "(" + result + ")"
	}
	p.m = parsed(t, fmt.Sprintf(`HloModule m
c { %s ROOT l = pred[] compare(%s }
ENTRY e { %s ROOT r = %s sort(%s), dimensions={%d}, is_stable=true, to_apply=c }`, params, compare, args, result,
		names[2:], dim))
	return p
}

// TestSortsByDigits sorts arrays of all types, up and down, alone and with others, in lines of one tile, few and many.
func TestSortsByDigits(t *testing.T) {
	var list []*program
	number := func(n int64) shape.Shape { return shape.Array(shape.S32, n) }
	for i, ty := range arrayTypes() {
		if ty.IsComplex() {
			continue
		}
		total := ""
		if ty.IsFloat() {
			total = ", type=TOTALORDER"
		}
		list = append(list, sorted(t, "a0, b0), direction=LT"+total, 0, shape.Array(ty, 4500+int64(i))),
			sorted(t, "a0, b0), direction=GT"+total, 0, shape.Array(ty, 4099), number(4099)),
			sorted(t, "a0, b0), direction=LT"+total, 0, shape.Array(ty, 300)))
	}
	list = append(list,
		sorted(t, "b0, a0), direction=LT", 1, shape.Array(shape.S32, 30, 33, 5), shape.Array(shape.F64, 30, 33, 5)),
		sorted(t, "a0, b0), direction=LT", 1, shape.Array(shape.S16, 2, 4096), shape.Array(shape.U8, 2, 4096)),
		sorted(t, "b0, a0), direction=LT", 1, shape.Array(shape.S16, 3, 9000, 2), shape.Array(shape.C128, 3, 9000, 2)),
		sorted(t, "b0, a0), direction=GT", 1, shape.Array(shape.U64, 5, 2048)),
		sorted(t, "a0, b0), direction=LT, type=TOTALORDER", 0, shape.Array(shape.F32, 4097), number(4097), number(4097)),
		sorted(t, "a0, b0), direction=LT, type=TOTALORDER", 1, shape.Array(shape.BF16, 2, 270001)),
		sorted(t, "a0, b0), direction=GT", 0, shape.Array(shape.U64, 140000)))
	runAll(t, list, 12)
}

// TestSortsByKeys sorts by several keys: of one number, of two, in lines that are short, long and not neighbours.
func TestSortsByKeys(t *testing.T) {
	var list []*program
	for i, c := range []struct {
		dims  string
		dim   int
		types [3]string
	}{{"3,900", 1, [3]string{"pred", "s8", "f16"}}, {"5000", 0, [3]string{"f32", "s16", "u8"}},
		{"3,1500,2", 1, [3]string{"s4", "f64", "u32"}}, {"1025", 0, [3]string{"s8", "s8", "f64"}}} {
		text := fmt.Sprintf(`HloModule m
c { a = A[] parameter(0) b = A[] parameter(1) d = B[] parameter(2) e = B[] parameter(3) f = C[] parameter(4) g = C[] parameter(5)
  x = pred[] compare(a, b), direction=GT  y = pred[] compare(a, b), direction=EQ
  u = pred[] compare(d, e), direction=LT  v = pred[] compare(e, d), direction=EQ
  w = pred[] compare(g, f), direction=LT
  p = pred[] and(v, w)  q = pred[] or(p, u)  r = pred[] and(q, y)  ROOT s = pred[] or(x, r) }
ENTRY e { x = A[N] parameter(0)  y = B[N] parameter(1)  z = C[N] parameter(2)
  ROOT r = (A[N], B[N], C[N]) sort(x, y, z), dimensions={%d}, to_apply=c }`, c.dim)
		text = strings.NewReplacer("[N]", "["+c.dims+"]").Replace(text)
		for i, ty := range c.types {
			text = strings.ReplaceAll(text, "ABC"[i:i+1]+"[", ty+"[")
		}
		p := &program{name: fmt.Sprint(c), m: parsed(t, text), tol: literal.Tolerance{Bits: true}}
		r := rand.New(rand.NewPCG(uint64(i), 10))
		for _, param := range p.m.Entry.Parameters {
			p.args = append(p.args, randomLiteral(r, param.Shape, false))
		}
		list = append(list, p)
	}
	runAll(t, list, 4)
}

// TestTopK takes the first of lines of all types, by warps, by blocks and by sorting.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var list []*program
	add := func(ty shape.ElementType, rows, n, k int64, largest, anything bool) {
		s, v := shape.Array(ty, rows, n), shape.Array(ty, rows, k)
		p := &program{name: fmt.Sprintf("%v k=%d largest=%v", s, k, largest), tol: literal.Tolerance{Bits: true}}
		p.m = parsed(t, fmt.Sprintf("HloModule m\nENTRY e { x = %v parameter(0)  ROOT r = (%v, %v) topk(x), k=%d, largest=%v }",
			s, v, v.WithType(shape.S32), k, largest))
		p.args = append(p.args, randomLiteral(r, s, anything))
		list = append(list, p)
	}
	for i, ty := range arrayTypes() {
		if !ty.IsComplex() {
			add(ty, 3, 100+int64(i), 7, i%2 == 0, true)
		}
	}
	for _, anything := range []bool{false, true} {
		add(shape.F32, 11, 1024, 50, true, anything)
		add(shape.F32, 2, 1024, 1024, true, anything)
		add(shape.F32, 9, 33, 33, false, anything)
		add(shape.S32, 3, 5000, 300, false, anything)
		add(shape.F16, 2, 8192, 1, true, anything)
		add(shape.BF16, 2, 9000, 20, false, anything)
		add(shape.U8, 2, 3000, 2500, true, anything)
		add(shape.F64, 2, 1500, 20, true, anything)
	}
	add(shape.F32, 40, 1, 1, true, true)
	runAll(t, list, 30)
}
