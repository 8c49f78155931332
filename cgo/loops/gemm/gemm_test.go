package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
)

// execute runs a record on arrays.
func execute[T any](t *testing.T, r run.Record, threads int, arrays ...[]T) {
	t.Helper()
	runtest.Execute(t, threads, runtest.Slots(arrays...), r)
}

// steps is a walk over n places that are stride apart.
func steps(n, stride int64) []gemm.Step { return []gemm.Step{{N: n, Stride: stride}} }

// TestContract multiplies f64 matrices in all four forms, of sizes around those of tiles, vectors and chunks, by the
// kernels of every instruction set that the machine has.
func TestContract(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range [][4]int64{{1, 1, 1, 1}, {2, 13, 33, 9}, {1, 200, 70, 300}, {3, 1, 100, 700}, {1, 1, 5, 5000},
		{1, 37, 1, 20}} {
		b, m, n, k := s[0], s[1], s[2], s[3]
		x, y := numbers(r, b*m*k), numbers(r, b*n*k)
		for form := range 4 {
			l, rhs := gemm.Operand{Ref: run.Ref{Slot: 0}, Type: gemm.F64, Batch: steps(b, m*k)},
				gemm.Operand{Ref: run.Ref{Slot: 1}, Type: gemm.F64, Batch: steps(b, n*k)}
			at := [4]int64{k, 1, k, 1} // of row and column of lhs, of rhs
			if form&1 != 0 {
				at[0], at[1] = 1, m
			}
			if form&2 != 0 {
				at[2], at[3] = 1, n
			}
			l.Rows, l.Columns = steps(m, at[0]), steps(k, at[1])
			rhs.Rows, rhs.Columns = steps(n, at[2]), steps(k, at[3])
			c := gemm.Contraction{LHS: l, RHS: rhs, B: b, M: m, N: n, K: k, TileM: min(m, 48), TileN: min(n, 64), PerTask: 1,
				Sum: gemm.SumF64, Out: gemm.Operand{Ref: run.Ref{Slot: 2}, Type: gemm.F64, Batch: steps(b, m*n),
					Rows: steps(m, n), Columns: steps(n, 1)}}
			want := make([]float64, b*m*n)
			for i := range want {
				b, i, j := int64(i)/(m*n), int64(i)/n%m, int64(i)%n
				for p := range k {
					want[b*m*n+i*n+j] += x[b*m*k+i*at[0]+p*at[1]] * y[b*n*k+j*at[2]+p*at[3]]
				}
			}
			for _, isa := range run.Levels() {
				got := make([]float64, len(want))
				execute(t, gemm.Contract(isa, c), 2, x, y, got)
				for i := range got {
					if got[i] != want[i] { // sums of small integers are exact
						t.Fatalf("%v form %d %v: element %d: got %v, want %v", s, form, isa, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// numbers are small integers.
func numbers(r *rand.Rand, n int64) []float64 { return integers[float64](r, n) }

func integers[T float32 | float64](r *rand.Rand, n int64) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.IntN(17) - 8)
	}
	return v
}

func TestVectors(t *testing.T) {
	testfile.Native(t, run.Available())
	nan, upper := math.NaN(), func(f float32) uint16 { return uint16(math.Float32bits(f) >> 16) }
	t.Run("f32", func(t *testing.T) {
		testVectors[float32](t, gemm.F32, -8, float32(nan), func(n int) float32 { return float32(n) })
	})
	t.Run("f64", func(t *testing.T) {
		testVectors[float64](t, gemm.F64, -8, nan, func(n int) float64 { return float64(n) })
	})
	t.Run("bf16", func(t *testing.T) {
		testVectors[float32](t, gemm.BF16, -8, upper(float32(nan)), func(n int) uint16 { return upper(float32(n)) })
	})
	t.Run("s8", func(t *testing.T) { testVectors[float32](t, gemm.S8, -128, -1, func(n int) int8 { return int8(n) }) })
	t.Run("u8", func(t *testing.T) { testVectors[float32](t, gemm.U8, 239, 1, func(n int) uint8 { return uint8(n) }) })
}

// testVectors multiplies matrices of integers from lowest on in both forms, with gaps between rows and results that are
// apart, of sizes around those of vectors and blocks. What lies in gaps and behind a matrix must not matter.
func testVectors[T float32 | float64, E any](t *testing.T, kind gemm.Type, lowest int, gap E, of func(n int) E) {
	r, size := rand.New(rand.NewPCG(1, 2)), int64(unsafe.Sizeof(T(0)))
	for _, s := range [][2]int64{{1, 1}, {8, 16}, {9, 17}, {23, 5}, {3, 100}, {530, 21}, {64, 8}, {24, 3}, {19, 15},
		{33, 47}} {
		rows, k := s[0], s[1]
		for _, transpose := range []bool{false, true} {
			down, along := k+3, int64(1)
			if transpose {
				down, along = 1, rows+2
			}
			m, x, want := slices.Repeat([]E{gap}, int(rows*down+k*along)), integers[T](r, k), make([]T, 2*rows)
			for i := range rows {
				for q := range k {
					n := lowest + r.IntN(17)
					m[i*down+q*along] = of(n)
					want[2*i] += T(n) * x[q]
				}
			}
			p := gemm.Product{A: run.Ref{Slot: 0}, B: run.Ref{Slot: 1}, C: run.Ref{Slot: 2}, K: k, StrideA: max(down, along),
				StrideB: 1, StrideC: 2, TransposeA: transpose, PerTask: 1}
			for first := int64(0); first < rows; first += 11 {
				p.Pieces = append(p.Pieces, gemm.Piece{A: first * down * int64(unsafe.Sizeof(gap)), C: first * 2 * size,
					M: min(11, rows-first), N: 1})
			}
			for _, isa := range run.Levels() {
				got := make([]T, 2*rows)
				runtest.Execute(t, 2, append(runtest.Slots(m), runtest.Slots(x, got)...), gemm.Record(gemm.Vectors(isa, kind), p))
				if !slices.Equal(got, want) { // sums of small integers are exact
					t.Fatalf("%v transposed %v %v: got %v, want %v", s, transpose, isa, got, want)
				}
			}
		}
	}
}

// TestVectorsAlone wants the product of a row and a vector to have the same bits whatever rows are made with it.
func TestVectorsAlone(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(1, 3))
	const rows = 21
	for k := int64(1); k < 70; k++ {
		m, x := make([]float32, rows*k), make([]float32, k)
		for _, v := range [][]float32{m, x} {
			for i := range v {
				v[i] = float32(r.NormFloat64())
			}
		}
		for _, isa := range run.Levels() {
			product := func(each int64) []float32 {
				p := gemm.Product{A: run.Ref{Slot: 0}, B: run.Ref{Slot: 1}, C: run.Ref{Slot: 2}, K: k, StrideA: k, StrideB: 1,
					StrideC: 1, PerTask: 1}
				for first := int64(0); first < rows; first += each {
					p.Pieces = append(p.Pieces, gemm.Piece{A: first * k * 4, C: first * 4, M: min(each, rows-first), N: 1})
				}
				y := make([]float32, rows)
				execute(t, gemm.Record(gemm.Vectors(isa, gemm.F32), p), 1, m, x, y)
				return y
			}
			if alone, got := product(1), product(rows); !slices.Equal(got, alone) {
				t.Fatalf("%d terms %v: got %v, rows alone %v", k, isa, got, alone)
			}
		}
	}
}

// A dot product of two vectors.
func ExampleContract() {
	if !run.Available() {
		fmt.Println("11")
		return
	}
	vector := func(slot int32) gemm.Operand {
		return gemm.Operand{Ref: run.Ref{Slot: slot}, Type: gemm.F64, Columns: []gemm.Step{{N: 2, Stride: 1}}}
	}
	c := gemm.Contraction{LHS: vector(0), RHS: vector(1), Out: gemm.Operand{Ref: run.Ref{Slot: 2}, Type: gemm.F64},
		B: 1, M: 1, N: 1, K: 2, TileM: 1, TileN: 1, PerTask: 1, Sum: gemm.SumF64}
	out := []float64{0}
	execute(&testing.T{}, gemm.Contract(run.Base, c), 1, []float64{1, 2}, []float64{3, 4}, out)
	fmt.Println(out[0])
	// Output: 11
}

// TestTasks runs tasks of two records, of which the second reads what the first wrote.
func TestTasks(t *testing.T) {
	testfile.Native(t, run.Available())
	const tasks, n = 5, 3
	from, between, to := make([]float64, tasks*n), make([]float64, tasks*n), make([]float64, tasks*n)
	var list [][]run.Record
	for i := range int64(tasks) {
		at := func(slot int32) run.Ref { return run.Ref{Slot: slot, Offset: 8 * n * i} }
		list = append(list, []run.Record{run.Copy(at(1), at(0), 8*n), run.Copy(at(2), at(1), 8*n)})
	}
	for i := range from {
		from[i] = float64(i + 1)
	}
	for _, threads := range []int{1, 3} {
		clear(to)
		execute(t, gemm.Tasks(list), threads, from, between, to)
		for i, x := range to {
			if x != float64(i+1) {
				t.Fatalf("%d threads: element %d: got %v, want %d", threads, i, x, i+1)
			}
		}
	}
	execute(t, gemm.Tasks(nil), 2, from, between, to) // nothing to do
}
