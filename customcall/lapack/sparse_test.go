package lapack_test

import (
	"math"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func TestSparse(t *testing.T) {
	// 0 2 0
	// 1 0 3
	columns, starts := vector(t, int32(1), 0, 2), vector(t, int32(0), 1, 3)
	for _, et := range []shape.ElementType{shape.F32, shape.F64, shape.C64, shape.S32, shape.U8} {
		values := literalOf(shape.F64, []int64{3}, matrix{3, 1, []complex128{2, 1, 3}})
		x := literalOf(shape.F64, []int64{3, 2}, matrix{3, 2, []complex128{1, 2, 3, 4, 5, 6}})
		want := literalOf(shape.F64, []int64{2, 2}, matrix{2, 2, []complex128{6, 8, 16, 20}})
		got := call(t, "cpu_csr_sparse_dense_ffi", "{}", []shape.Shape{of(et, nil, 2, 2)}, converted(t, values, et), columns,
			starts, converted(t, x, et))
		if !literal.Equal(got[0], converted(t, want, et)) {
			t.Errorf("got %v, want %v", got[0], want)
		}
		line := literalOf(shape.F64, []int64{3}, matrix{3, 1, []complex128{1, 3, 5}})
		got = call(t, "cpu_csr_sparse_dense_ffi", "{}", []shape.Shape{of(et, nil, 2)}, converted(t, values, et), columns,
			starts, converted(t, line, et))
		if w := literalOf(shape.F64, []int64{2}, matrix{2, 1, []complex128{6, 16}}); !literal.Equal(got[0], converted(t, w, et)) {
			t.Errorf("got %v, want %v", got[0], w)
		}
	}
}

func vector[T literal.Element](t *testing.T, list ...T) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(list, int64(len(list)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func converted(t *testing.T, l *literal.Literal, et shape.ElementType) *literal.Literal {
	t.Helper()
	out, err := literal.Convert(l, et)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The solutions of singular systems are those that XLA of jaxlib 0.12 gives.
func TestPerturbed(t *testing.T) {
	const tiny, eps = 0x1p-126, 0x1p-23
	for _, x := range []struct{ lower, middle, upper, right, want []float32 }{
		{[]float32{0, 1, 1}, []float32{0, 2, 3}, []float32{1, 1, 0}, []float32{1, 2, 3}, []float32{-2.0 / 3, 1, 2.0 / 3}},
		{[]float32{0, 0, 0}, []float32{0, 0, 0}, []float32{0, 0, 0}, []float32{1, 2, 3},
			[]float32{1 / tiny, 2 / (3 * tiny), 1 / tiny}},
		{[]float32{0, 1}, []float32{1, 1}, []float32{1, 0}, []float32{1, 2}, []float32{1 - 1/eps, 1 / eps}},
		{[]float32{0, 0, 0}, []float32{4, 0, 2}, []float32{0, 0, 0}, []float32{1, 1, 1}, []float32{.25, .25 / eps, .5}},
		{[]float32{0, 0, 0}, []float32{4, 1e-30, 2}, []float32{0, 0, 0}, []float32{1, 1, 1}, []float32{.25, 1e30, .5}},
	} {
		b, err := literal.FromSlice(x.right, int64(len(x.right)), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []string{"tridiagonal_solve_perturbed_ffi", "cu_tridiagonal_solve_perturbed"} {
			out := call(t, target, "{}", []shape.Shape{b.Shape()}, vector(t, x.lower...), vector(t, x.middle...),
				vector(t, x.upper...), b)
			for i, v := range matrices(out[0])[0].v {
				if w := float64(x.want[i]); math.Abs(real(v)-w) > 1e-6*math.Abs(w) {
					t.Errorf("%v: element %d is %g, want %g", x, i, real(v), w)
				}
			}
		}
	}
}
