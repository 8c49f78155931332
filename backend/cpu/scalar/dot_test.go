package scalar_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// counts returns an array of small whole numbers, some of them negative, whose sums of products are exact.
func counts(t shape.ElementType, dims ...int64) *literal.Literal {
	w := literal.MakeWide(shape.SignedClass, int(shape.Array(t, dims...).Size()))
	for i := range w.I {
		w.I[i] = int64(i*7%11) - 5*int64(i%2)*int64(1-boolean(t.IsUnsigned()))
	}
	return literal.FromWide(shape.Array(t, dims...), literal.ConvertWide(w, shape.S64, t))
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestDot holds dots of small arrays against the reference: with dimensions of any order, of batches, of no terms.
func TestDot(t *testing.T) {
	for _, typ := range []shape.ElementType{shape.F32, shape.F64, shape.BF16, shape.F16, shape.S32, shape.U8, shape.S64} {
		for _, c := range []struct {
			lhs, rhs, out []int64
			attrs         string
		}{
			{[]int64{3, 4}, []int64{4, 5}, []int64{3, 5}, "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
			{[]int64{4, 3}, []int64{5, 4}, []int64{3, 5}, "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
			{[]int64{4, 6}, []int64{6}, []int64{4}, "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
			{[]int64{6}, []int64{6}, nil, "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
			{[]int64{2}, []int64{3}, []int64{2, 3}, "lhs_contracting_dims={}, rhs_contracting_dims={}"},
			{[]int64{3, 0}, []int64{0, 2}, []int64{3, 2}, "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
			{[]int64{2, 3, 2, 2}, []int64{3, 2, 2, 4}, []int64{3, 2, 4},
				"lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={0,2}, rhs_contracting_dims={1,2}"},
		} {
			text := fmt.Sprintf(`HloModule m
ENTRY e {
  x = %v parameter(0)
  y = %v parameter(1)
  ROOT r = %v dot(x, y), %s
}
`, shape.Array(typ, c.lhs...), shape.Array(typ, c.rhs...), shape.Array(typ, c.out...), c.attrs)
			compileAndRun(t, text, counts(typ, c.lhs...), counts(typ, c.rhs...))
		}
	}
}

// TestDotOfZeros wants the sum of products of -0 to be 0, as it begins with that.
func TestDotOfZeros(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	x, err := literal.FromSlice([]float32{minus, minus})
	if err != nil {
		t.Fatal(err)
	}
	y, err := literal.FromSlice([]float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	compileAndRun(t, `HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] parameter(1)
  d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  one = f32[] constant(1)
  ROOT r = f32[] divide(one, d)
}
`, x, y)
}
