//go:build cgo && linux

package cuda

import (
	"fmt"
	"math/rand/v2"
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
		list = append(list, sorted(t, "a0, b0), direction=LT"+total, 0, shape.Array(ty, 2500+int64(i))),
			sorted(t, "a0, b0), direction=GT"+total, 0, shape.Array(ty, 1030), number(1030)),
			sorted(t, "a0, b0), direction=LT"+total, 0, shape.Array(ty, 300)))
	}
	list = append(list,
		sorted(t, "b0, a0), direction=LT", 1, shape.Array(shape.S16, 3, 9000, 2), shape.Array(shape.C128, 3, 9000, 2)),
		sorted(t, "b0, a0), direction=GT", 1, shape.Array(shape.U8, 5, 2048)),
		sorted(t, "a0, b0), direction=LT, type=TOTALORDER", 0, shape.Array(shape.F32, 4096), number(4096), number(4096)),
		sorted(t, "a0, b0), direction=LT, type=TOTALORDER", 1, shape.Array(shape.BF16, 2, 140001)),
		sorted(t, "a0, b0), direction=GT", 0, shape.Array(shape.U64, 140000)))
	runAll(t, list, 12)
}
