package gemm_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

func TestPacked(t *testing.T) {
	testfile.Native(t, run.Available())
	t.Run("f32", func(t *testing.T) { testPacked[float32](t, gemm.F32) })
	t.Run("f64", func(t *testing.T) { testPacked[float64](t, gemm.F64) })
}

// testPacked multiplies two pairs of matrices whose neighbours lie in any way, of sizes around those of panels, tasks and
// packed terms. What lies between the rows of the result stays as it is.
func testPacked[T float32 | float64](t *testing.T, kind gemm.Type) {
	r, size := rand.New(rand.NewPCG(1, 3)), int64(unsafe.Sizeof(T(0)))
	for _, s := range [][3]int64{{1, 1, 1}, {12, 32, 16}, {13, 33, 17}, {6, 8, 4}, {97, 70, 530}, {50, 520, 40}, {5, 3, 1100}} {
		m, n, k := s[0], s[1], s[2]
		for form := range 5 {
			p := gemm.Packed{A: run.Ref{Slot: 0}, B: run.Ref{Slot: 1}, C: run.Ref{Slot: 2}, Scratch: run.Ref{Slot: 3}, M: m,
				N: n, K: k, RowA: k + 1, ColumnA: 1, RowB: n, ColumnB: 1, RowC: n + 2}
			if form&1 != 0 {
				p.RowA, p.ColumnA = 1, m+3
			}
			if form&2 != 0 {
				p.RowB, p.ColumnB = 1, k
			}
			if form == 4 {
				p.RowA, p.ColumnA, p.RowB, p.ColumnB = 2, 2*m, 3*n, 3
			}
			a, b := max(m*p.RowA, k*p.ColumnA)+k, max(k*p.RowB, n*p.ColumnB)+n
			x, y := integers[T](r, 2*a), integers[T](r, 2*b)
			p.Places = []gemm.Place{{}, {A: a * size, B: b * size, C: m * p.RowC * size}}
			want := integers[T](r, 2*m*p.RowC)
			before := slices.Clone(want)
			for place := range int64(2) {
				multiply(want[place*m*p.RowC:], x[place*a:], y[place*b:], &p)
			}
			for _, isa := range run.Levels() {
				scratch := make([]T, p.Bytes(isa, kind)/size)
				got := slices.Clone(before)
				execute(t, p.Record(isa, kind), 2, x, y, got, scratch)
				if !slices.Equal(got, want) { // sums of small integers are exact
					t.Fatalf("%v form %d %v: got %v, want %v", s, form, isa, got, want)
				}
			}
		}
	}
}

// multiply is a plain product.
func multiply[T float32 | float64](c, a, b []T, p *gemm.Packed) {
	for i := range p.M {
		for j := range p.N {
			var sum T
			for q := range p.K {
				sum += a[i*p.RowA+q*p.ColumnA] * b[q*p.RowB+j*p.ColumnB]
			}
			c[i*p.RowC+j] = sum
		}
	}
}
