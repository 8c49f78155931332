package linalg_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/linalg"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

func TestSolve(t *testing.T) {
	testfile.Native(t, run.Available())
	t.Run("f32", testSolves[float32])
	t.Run("f64", testSolves[float64])
}

// testSolves solves systems of sizes around those of tiles, vectors, chunks and blocks, in all forms.
func testSolves[T float](t *testing.T) {
	for _, s := range [][2]int64{{1, 1}, {5, 3}, {6, 16}, {7, 17}, {50, 33}, {97, 70}, {200, 20}} {
		for form := range 16 {
			x := linalg.Solve{M: s[0], K: s[1], Batch: 2, Left: form&1 != 0, Lower: form&2 != 0, Flipped: form&4 != 0,
				Unit: form&8 != 0, Chunk: 32, PerTask: 1 + int64(form&1)}
			testSolve[T](t, x)
		}
	}
}

// testSolve makes b of known solutions. The other triangle of a, and the diagonal if it is not read, are NaN.
func testSolve[T float](t *testing.T, s linalg.Solve) {
	r := rand.New(rand.NewPCG(1, uint64(s.M)))
	m, k := s.M, s.K
	a, x := make([]T, s.Batch*m*m), numbers[T](r, int(s.Batch*m*k))
	for i := range a {
		row, column := int64(i)/m%m, int64(i)%m
		switch {
		case row == column && !s.Unit:
			a[i] = T(2 + r.Float64())
		case row == column || (column > row) == s.Lower:
			a[i] = T(math.NaN())
		default:
			a[i] = T(r.NormFloat64() / float64(m))
		}
	}
	b := make([]T, len(x))
	for i := range b {
		system := int64(i) / (m * k)
		b[i] = side(&s, a[system*m*m:], x[system*m*k:], int64(i)%(m*k))
	}
	w, tolerance := wide[T](int(m))
	s.Dst, s.A, s.B, s.Scratch, s.Wide = run.Ref{Slot: 2}, run.Ref{Slot: 0}, run.Ref{Slot: 1}, run.Ref{Slot: 3}, w
	for _, isa := range run.Levels() {
		var first []T
		for _, threads := range []int{1, 3} {
			got, scratch := make([]T, len(x)), make([]byte, s.Bytes())
			execute(t, s.Record(isa), threads, at(a), at(b), at(got), at(scratch))
			for i := range got {
				if d := math.Abs(float64(got[i] - x[i])); !(d <= tolerance) {
					t.Fatalf("%v %+v: element %d: got %v, want %v", isa, s, i, got[i], x[i])
				}
			}
			if first == nil {
				first = got
			} else if !slices.Equal(got, first) {
				t.Fatalf("%v %+v: other bits with %d threads", isa, s, threads)
			}
		}
	}
}

// side is element i of op(a) x, or of x op(a).
func side[T float](s *linalg.Solve, a, x []T, i int64) T {
	unknown, other := i/s.K, i%s.K
	if !s.Left {
		unknown, other = i%s.M, i/s.M
	}
	var sum float64
	for q := range s.M {
		row, column, of := unknown, q, q*s.K+other
		if !s.Left {
			row, column, of = q, unknown, other*s.M+q
		}
		if s.Flipped {
			row, column = column, row
		}
		switch {
		case row == column && s.Unit:
			sum += float64(x[of])
		case row == column || (column < row) == s.Lower:
			sum += float64(a[row*s.M+column]) * float64(x[of])
		}
	}
	return T(sum)
}

// TestSolveSpecial: a diagonal of 0 makes infinities and NaN, one that has no reciprocal is divided by, and right-hand
// sides do not touch each other.
func TestSolveSpecial(t *testing.T) {
	testfile.Native(t, run.Available())
	const huge, tiny = 0x1p127, 0x1p-149
	a := []float32{0, 0, 0, huge}
	b := []float32{1, 0, float32(math.NaN()), huge, huge, huge}
	inf := float32(math.Inf(1))
	for _, isa := range run.Levels() {
		s := linalg.Solve{Dst: run.Ref{Slot: 2}, A: run.Ref{}, B: run.Ref{Slot: 1}, Scratch: run.Ref{Slot: 3}, M: 2, K: 3,
			Batch: 1, Left: true, Lower: true, Chunk: 16, PerTask: 1}
		got, scratch := make([]float32, 6), make([]byte, s.Bytes())
		execute(t, s.Record(isa), 1, at(a), at(b), at(got), at(scratch))
		if got[0] != inf || got[1] == got[1] || got[2] == got[2] { // 1/0, 0/0, NaN/0
			t.Errorf("%v: got %v, want infinity, NaN, NaN", isa, got[:3])
		}
		small, ones := []float32{tiny, 0, 0, huge}, []float32{tiny, 2 * tiny, 3 * tiny, huge, huge / 2, -huge}
		execute(t, s.Record(isa), 1, at(small), at(ones), at(got), at(scratch))
		if !slices.Equal(got, []float32{1, 2, 3, 1, 0.5, -1}) {
			t.Errorf("%v: got %v, want 1, 2, 3, 1, 0.5, -1", isa, got)
		}
	}
}
