package gemm_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

func TestSmall(t *testing.T) {
	testfile.Native(t, run.Available())
	t.Run("f32", func(t *testing.T) { testSmall[float32](t, gemm.F32) })
	t.Run("f64", func(t *testing.T) { testSmall[float64](t, gemm.F64) })
}

// testSmall multiplies two pairs of matrices, or so many that the next are asked for, in all four forms, with rows that
// are not dense, of sizes around those of vectors, tiles, panels and packed terms. What lies between the rows of the
// result and behind it stays as it is, and no operand is read beyond its end.
func testSmall[T float32 | float64](t *testing.T, kind gemm.Type) {
	r, size := rand.New(rand.NewPCG(1, 4)), int64(unsafe.Sizeof(T(0)))
	for _, s := range [][3]int64{{1, 1, 1}, {2, 3, 5}, {5, 7, 130}, {6, 8, 9}, {7, 15, 40}, {8, 16, 16}, {9, 17, 33},
		{13, 20, 300}, {23, 31, 3}, {33, 64, 65}, {64, 64, 64}, {63, 65, 129}, {70, 100, 128}, {3, 200, 257}, {31, 47, 31},
		{52, 50, 49}} {
		m, n, k, count := s[0], s[1], s[2], int64(2)
		if m == 52 {
			count = 64
		}
		for form := range 4 {
			p := gemm.Product{A: run.Ref{Slot: 0}, B: run.Ref{Slot: 1}, C: run.Ref{Slot: 2}, K: k, StrideA: k + 1, StrideB: n,
				StrideC: n + 2, TransposeA: form&1 != 0, TransposeB: form&2 != 0, PerTask: 1}
			rowA, columnA, rowB, columnB := p.StrideA, int64(1), p.StrideB, int64(1)
			if p.TransposeA {
				p.StrideA = m
				rowA, columnA = 1, p.StrideA
			}
			if p.TransposeB {
				p.StrideB = k + 3
				rowB, columnB = 1, p.StrideB
			}
			a, b := (m-1)*rowA+(k-1)*columnA+1, (k-1)*rowB+(n-1)*columnB+1
			x, y := integers[T](r, count*a), integers[T](r, count*b)
			for i := range count {
				p.Pieces = append(p.Pieces, gemm.Piece{A: i * a * size, B: i * b * size, C: i * m * p.StrideC * size, M: m, N: n})
			}
			const kept = -0.25
			want := make([]T, count*m*p.StrideC)
			for i := range want {
				want[i] = kept
			}
			first := append([]T(nil), want...)
			for _, q := range p.Pieces {
				for i := range m {
					for j := range n {
						var sum T
						for l := range k {
							sum += x[q.A/size+i*rowA+l*columnA] * y[q.B/size+l*rowB+j*columnB]
						}
						want[q.C/size+i*p.StrideC+j] = sum
					}
				}
			}
			for _, isa := range run.Levels() {
				got := append([]T(nil), first...)
				execute(t, gemm.Record(gemm.Small(isa, kind), p), 2, x, y, got)
				for i := range got {
					if got[i] != want[i] { // sums of small integers are exact
						t.Fatalf("%v form %d %v: element %d: got %v, want %v", s, form, isa, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestSmallSpecial: what is not a number stays in its row or column, also where columns are no whole vectors and what
// is packed is padded.
func TestSmallSpecial(t *testing.T) {
	testfile.Native(t, run.Available())
	const m, n, k = 5, 9, 3
	for _, transpose := range []bool{false, true} {
		x, y := make([]float32, m*k), make([]float32, n*k)
		x[2*k+1], y[4] = float32(math.NaN()), float32(math.Inf(1)) // row 2; column 1 transposed, else 4
		p := gemm.Product{A: run.Ref{Slot: 0}, B: run.Ref{Slot: 1}, C: run.Ref{Slot: 2}, K: k, StrideA: k, StrideB: n,
			StrideC: n, TransposeB: transpose, PerTask: 1, Pieces: []gemm.Piece{{M: m, N: n}}}
		column := 4
		if transpose {
			p.StrideB, column = k, 1
		}
		for _, isa := range run.Levels() {
			got := make([]float32, m*n)
			execute(t, gemm.Record(gemm.Small(isa, gemm.F32), p), 1, x, y, got)
			for i, v := range got { // 0 by infinity is NaN
				if want := i/n == 2 || i%n == column; math.IsNaN(float64(v)) != want || !want && v != 0 {
					t.Fatalf("%v transposed %t: element %d is %v, want NaN: %t", isa, transpose, i, v, want)
				}
			}
		}
	}
}
