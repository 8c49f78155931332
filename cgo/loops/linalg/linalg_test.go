package linalg_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/linalg"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
)

type float interface{ float32 | float64 }

func at[T any](v []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(v)) }

// execute runs a record on arrays.
func execute(t *testing.T, r run.Record, threads int, arrays ...unsafe.Pointer) {
	t.Helper()
	runtest.Execute(t, threads, arrays, r)
}

func numbers[T float](r *rand.Rand, n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.NormFloat64())
	}
	return v
}

// wide says whether T is f64, and how far results may be off for matrices of n.
func wide[T float](n int) (bool, float64) {
	if unsafe.Sizeof(T(0)) == 8 {
		return true, 1e-14 * float64(n+8)
	}
	return false, 4e-6 * float64(n+8)
}

// lu factors one matrix.
func lu[T float](t *testing.T, isa run.ISA, threads, m, n int, a []T) (f []T, pivots []int32, info int32) {
	f, pivots = make([]T, len(a)), make([]int32, min(m, n)+1)
	infos := make([]int32, 1)
	w, _ := wide[T](0)
	l := linalg.LU{Dst: run.Ref{Slot: 1}, Src: run.Ref{}, Pivots: run.Ref{Slot: 2}, Info: run.Ref{Slot: 3}, M: int64(m),
		N: int64(n), Batch: 1, Wide: w}
	execute(t, l.Record(isa), threads, at(a), at(f), at(pivots), at(infos))
	return f, pivots[:min(m, n)], infos[0]
}

// checkLU multiplies the factors and wants the rows of a, exchanged, and no factor of L greater than 1.
func checkLU[T float](t *testing.T, isa run.ISA, m, n int, a []T) {
	t.Helper()
	f, pivots, info := lu(t, isa, 1, m, n, a)
	again, morePivots, _ := lu(t, isa, 3, m, n, a)
	if !slices.Equal(f, again) || !slices.Equal(pivots, morePivots) || info != 0 {
		t.Fatalf("%v %d by %d: 1 and 3 threads differ, or info is %d", isa, m, n, info)
	}
	want, k := slices.Clone(a), min(m, n)
	for i, p := range pivots {
		for j := range n {
			x, y := i*n+j, (int(p)-1)*n+j
			want[x], want[y] = want[y], want[x]
		}
	}
	_, tolerance := wide[T](k)
	for i := range m {
		for j := range n {
			sum := 0.0
			for p := range min(i, j, k-1) + 1 {
				l := 1.0
				if p < i {
					l = float64(f[i*n+p])
				}
				sum += l * float64(f[p*n+j])
			}
			if i > j && math.Abs(float64(f[i*n+j])) > 1+1e-6 || !(math.Abs(sum-float64(want[i*n+j])) <= tolerance) {
				t.Fatalf("%v %d by %d at %d, %d: got %v, want %v, factor %v", isa, m, n, i, j, sum, want[i*n+j], f[i*n+j])
			}
		}
	}
}

var sizes = [][2]int{{1, 1}, {1, 5}, {5, 1}, {7, 7}, {8, 9}, {33, 32}, {40, 100}, {100, 40}, {65, 67}, {130, 131},
	{200, 330}, {1100, 90}}

func TestLU(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(2, 1))
	for _, s := range sizes {
		for _, isa := range run.Levels() {
			checkLU(t, isa, s[0], s[1], numbers[float32](r, s[0]*s[1]))
			checkLU(t, isa, s[0], s[1], numbers[float64](r, s[0]*s[1]))
		}
	}
	checkLU(t, run.Level(), 560, 545, numbers[float32](r, 560*545)) // in outer blocks of two sizes
	checkLU(t, run.Level(), 1061, 1030, numbers[float32](r, 1061*1030))
}

// TestSingular wants the first zero pivot, and the greatest element of a column as the pivot where NaN is another.
func TestSingular(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(3, 1))
	for _, isa := range run.Levels() {
		a := make([]float64, 70*70)
		for i := range 70 {
			a[i*70+i] = float64(i + 1)
		}
		a[40*70+40], a[60*70+60] = 0, 0
		if f, _, info := lu(t, isa, 1, 70, 70, a); info != 41 || f[69*70+69] != 70 {
			t.Errorf("%v: got info %d, last %v, want 41, 70", isa, info, f[69*70+69])
		}
		b := numbers[float32](r, 40*40)
		b[3*40], b[5*40], b[9*40] = float32(math.NaN()), -100, 100
		if f, pivots, _ := lu(t, isa, 1, 40, 40, b); pivots[0] != 6 || f[0] != -100 || f[39*40+39] == f[39*40+39] {
			t.Errorf("%v: got pivot %d, first %v, last %v, want 6, -100, NaN", isa, pivots[0], f[0], f[39*40+39])
		}
		c := numbers[float32](r, 40*40)
		c[38*40], c[21*40], c[37*40] = 50, 50, -50
		if _, pivots, _ := lu(t, isa, 1, 40, 40, c); pivots[0] != 22 {
			t.Errorf("%v: got pivot %d of equal ones, want the first, 22", isa, pivots[0])
		}
	}
}

// cholesky factors one matrix; report asks for info.
func cholesky[T float](t *testing.T, isa run.ISA, threads, n int, lower, report bool, a []T) (f []T, info int32) {
	f = make([]T, len(a))
	infos := make([]int32, 1)
	w, _ := wide[T](0)
	c := linalg.Cholesky{Dst: run.Ref{Slot: 1}, Info: run.Ref{Slot: 2}, N: int64(n), Batch: 1, Lower: lower, Report: report,
		Wide: w}
	execute(t, c.Record(isa), threads, at(a), at(f), at(infos))
	return f, infos[0]
}

// positive makes a positive matrix, whose other triangle is noise.
func positive[T float](r *rand.Rand, n int, lower bool) []T {
	a := numbers[T](r, n*n)
	for i := range n {
		a[i*n+i] += T(2 * n)
		for j := range i {
			if lower {
				a[i*n+j] /= 2
			} else {
				a[j*n+i] /= 2
			}
		}
	}
	return a
}

func checkCholesky[T float](t *testing.T, isa run.ISA, n int, lower bool, a []T) {
	t.Helper()
	f, _ := cholesky(t, isa, 1, n, lower, false, a)
	kept, info := cholesky(t, isa, 3, n, lower, true, a)
	get := func(v []T, i, j int) float64 {
		if lower {
			return float64(v[i*n+j])
		}
		return float64(v[j*n+i])
	}
	_, tolerance := wide[T](n)
	for i := range n {
		for j := range n {
			if j > i {
				if get(f, i, j) != 0 || get(kept, i, j) != get(a, i, j) {
					t.Fatalf("%v %d: the other triangle is %v and %v, want 0 and %v", isa, n, get(f, i, j), get(kept, i, j),
						get(a, i, j))
				}
				continue
			}
			sum := 0.0
			for k := range j + 1 {
				sum += get(f, i, k) * get(f, j, k)
			}
			if math.Abs(sum-get(a, i, j)) > tolerance*float64(n) || get(kept, i, j) != get(f, i, j) || info != 0 {
				t.Fatalf("%v %d at %d, %d: got %v, want %v; info %d", isa, n, i, j, sum, get(a, i, j), info)
			}
		}
	}
}

func TestCholesky(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{1, 2, 7, 8, 31, 32, 33, 64, 97, 130, 259} {
		for _, isa := range run.Levels() {
			for _, lower := range []bool{true, false} {
				checkCholesky(t, isa, n, lower, positive[float32](r, n, lower))
				checkCholesky(t, isa, n, lower, positive[float64](r, n, lower))
			}
		}
	}
	for _, lower := range []bool{true, false} { // in outer blocks
		checkCholesky(t, run.Level(), 560, lower, positive[float32](r, 560, lower))
		checkCholesky(t, run.Level(), 1030, lower, positive[float32](r, 1030, lower))
	}
}

func TestNotPositive(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(5, 1))
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		a := positive[float64](r, 70, true)
		a[50*70+50] = bad
		if _, info := cholesky(t, run.Level(), 1, 70, true, true, a); info != 51 {
			t.Errorf("%v: got info %d, want 51", bad, info)
		}
		f, _ := cholesky(t, run.Level(), 1, 70, true, false, a)
		for _, x := range f {
			if x == x {
				t.Fatalf("%v: got %v, want NaN", bad, x)
			}
		}
	}
}

// TestBatch factors three matrices at once, in place, and wants what one alone gives.
func TestBatch(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(6, 1))
	const n, batch = 50, 3
	a := numbers[float64](r, batch*n*n)
	var want []float64
	var wantPivots []int32
	for b := range batch {
		f, p, _ := lu(t, run.Level(), 1, n, n, a[b*n*n:][:n*n])
		want, wantPivots = append(want, f...), append(wantPivots, p...)
	}
	pivots, infos := make([]int32, batch*n), make([]int32, batch)
	l := linalg.LU{Pivots: run.Ref{Slot: 1}, Info: run.Ref{Slot: 2}, M: n, N: n, Batch: batch, Wide: true}
	execute(t, l.Record(run.Level()), 2, at(a), at(pivots), at(infos))
	if !slices.Equal(a, want) || !slices.Equal(pivots, wantPivots) || !slices.Equal(infos, []int32{0, 0, 0}) {
		t.Error("a batch differs from its matrices alone")
	}
}

func BenchmarkFactor(b *testing.B) {
	testfile.Native(b, run.Available())
	const n = 512
	r := rand.New(rand.NewPCG(7, 1))
	x, y := numbers[float32](r, n*n), positive[float32](r, n, true)
	f, pivots, infos := make([]float32, n*n), make([]int32, n), make([]int32, 1)
	records := map[string]run.Record{
		"lu": linalg.LU{Src: run.Ref{Slot: 4}, Dst: run.Ref{Slot: 1}, Pivots: run.Ref{Slot: 2}, Info: run.Ref{Slot: 3}, M: n,
			N: n, Batch: 1}.Record(run.Level()),
		"cholesky": linalg.Cholesky{Src: run.Ref{}, Dst: run.Ref{Slot: 1}, N: n, Batch: 1, Lower: true}.Record(run.Level())}
	for name, record := range records {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprint(name, "/", threads), func(b *testing.B) {
				execute := runtest.Prepare(b, threads, []unsafe.Pointer{at(y), at(f), at(pivots), at(infos), at(x)}, record)
				for b.Loop() {
					execute()
				}
			})
		}
	}
}
