package batch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/batch"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/runtest"
	"github.com/halo-xla/halo/internal/testfile"
)

type float interface{ float32 | float64 }

// counts are numbers of matrices: less than any block, whole blocks, some more, and more than a task.
var counts = []int{1, 3, 16, 21, 300}

func ref(slot int32) run.Ref { return run.Ref{Slot: slot} }

// execute runs a record on arrays, first with one thread. It wants equal bits of three, and nothing written behind.
func execute[T float](t *testing.T, r run.Record, arrays ...[]T) {
	t.Helper()
	before := make([][]T, len(arrays))
	for i, a := range arrays {
		before[i] = guarded(a)
	}
	again := make([][]T, len(arrays))
	for i := range arrays {
		again[i] = guarded(arrays[i])
	}
	runtest.Execute(t, 1, addresses(before), r)
	runtest.Execute(t, 3, addresses(again), r)
	for i, a := range arrays {
		if !slices.Equal(run.Bytes(before[i]), run.Bytes(again[i])) {
			t.Fatalf("array %d: 1 and 3 threads differ", i)
		}
		if before[i][len(a)] != guard {
			t.Fatalf("array %d: written behind its end", i)
		}
		copy(a, before[i])
	}
}

const guard = 12345

func guarded[T float](a []T) []T { return append(slices.Clone(a), guard, guard, guard, guard) }

func addresses[T float](arrays [][]T) []unsafe.Pointer {
	var list []unsafe.Pointer
	for _, a := range arrays {
		list = append(list, unsafe.Pointer(unsafe.SliceData(a)))
	}
	return list
}

// integers are what lies at the beginning of an array.
func integers[T float](a []T) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(a))), len(a))
}

func numbers[T float](r *rand.Rand, n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(r.NormFloat64())
	}
	return v
}

// wide says whether T is f64, and how far results may be off.
func wide[T float]() (bool, float64) {
	if unsafe.Sizeof(T(0)) == 8 {
		return true, 1e-12
	}
	return false, 1e-3
}

// each runs a test for both types, all instruction sets and numbers of matrices.
func each(t *testing.T, narrow, long func(t *testing.T, isa run.ISA, count int)) {
	testfile.Native(t, run.Available())
	for _, isa := range run.Levels() {
		for _, count := range counts {
			narrow(t, isa, count)
			long(t, isa, count)
		}
	}
}

// near wants got to be want, made of numbers of a size.
func near[T float](t *testing.T, got T, want, size float64, what ...any) {
	t.Helper()
	if _, allowed := wide[T](); !(math.Abs(float64(got)-want) <= allowed*(1+size)) {
		t.Fatalf("%v: got %v, want %v", what, got, want)
	}
}

func TestProduct(t *testing.T) { each(t, products[float32], products[float64]) }

// products are of several sizes, each operand as it is or transposed.
func products[T float](t *testing.T, isa run.ISA, count int) {
	r := rand.New(rand.NewPCG(1, uint64(count)))
	for form, s := range [][3]int{{3, 3, 3}, {3, 1, 3}, {1, 3, 2}, {4, 4, 4}, {1, 1, 1}, {2, 7, 5}, {6, 5, 1}, {8, 6, 9}} {
		testProduct[T](t, r, isa, count, s[0], s[1], s[2], form&1 != 0, form&2 != 0, form&4 != 0)
	}
}

// matrix is one of rows by columns, or the transpose of one of columns by rows.
func matrix(slot int32, rows, columns int, transposed bool) batch.Matrix {
	m := batch.Matrix{At: ref(slot), Row: int64(columns), Column: 1}
	if transposed {
		m.Row, m.Column = 1, int64(rows)
	}
	return m
}

func testProduct[T float](t *testing.T, r *rand.Rand, isa run.ISA, count, m, n, k int, flipA, flipB, flipC bool) {
	t.Helper()
	w, _ := wide[T]()
	p := batch.Product{A: matrix(0, m, k, flipA), B: matrix(1, k, n, flipB), C: matrix(2, m, n, flipC), M: int64(m),
		N: int64(n), K: int64(k), Batch: int64(count), Wide: w}
	a, b, c := numbers[T](r, count*m*k), numbers[T](r, count*k*n), make([]T, count*m*n)
	execute(t, p.Record(isa), a, b, c)
	place := func(x batch.Matrix, i, j int) int { return i*int(x.Row) + j*int(x.Column) }
	for q := range count {
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += float64(a[q*m*k+place(p.A, i, l)]) * float64(b[q*k*n+place(p.B, l, j)])
				}
				near(t, c[q*m*n+place(p.C, i, j)], sum, 4*float64(k), isa, m, n, k, q, i, j)
			}
		}
	}
}

func TestTranspose(t *testing.T) { each(t, transposes[float32], transposes[float64]) }

func transposes[T float](t *testing.T, isa run.ISA, count int) {
	w, _ := wide[T]()
	for _, s := range [][2]int{{2, 2}, {3, 3}, {1, 3}, {5, 2}, {4, 9}, {22, 23}} {
		m, n := s[0], s[1]
		x := batch.Transpose{Dst: ref(1), Src: ref(0), M: int64(m), N: int64(n), Batch: int64(count), Wide: w}
		a, b := numbers[T](rand.New(rand.NewPCG(7, 1)), count*m*n), make([]T, count*m*n)
		a[0] = T(math.NaN())
		execute(t, x.Record(isa), a, b)
		want := make([]T, len(a))
		for i := range a {
			want[i/(m*n)*m*n+i%n*m+i/n%m] = a[i]
		}
		if !slices.Equal(run.Bytes(b), run.Bytes(want)) {
			t.Fatalf("%v %d of %d by %d: got %v, want %v", isa, count, m, n, b, want)
		}
	}
}

func TestCholesky(t *testing.T) { each(t, choleskies[float32], choleskies[float64]) }

// choleskies are of several sizes; of each three matrices the second is not positive and the third has a NaN.
func choleskies[T float](t *testing.T, isa run.ISA, count int) {
	r := rand.New(rand.NewPCG(2, uint64(count)))
	for form, n := range []int{1, 2, 3, 4, 7, 16, 31} {
		testCholesky[T](t, r, isa, count, n, form&1 != 0, form&2 != 0)
		testCholesky[T](t, r, isa, count, n, form&1 == 0, form&2 != 0)
	}
}

func testCholesky[T float](t *testing.T, r *rand.Rand, isa run.ISA, count, n int, lower, report bool) {
	t.Helper()
	w, _ := wide[T]()
	c := batch.Cholesky{Dst: ref(1), Src: ref(0), Info: ref(2), N: int64(n), Batch: int64(count), Lower: lower,
		Report: report, Wide: w}
	a, info := make([]T, count*n*n), make([]T, count)
	at := func(q, i, j int) int { // element i, j of the factor, or of the other triangle
		if lower {
			return q*n*n + i*n + j
		}
		return q*n*n + j*n + i
	}
	for q := range count {
		for i := range n {
			for j := range i {
				a[at(q, i, j)], a[at(q, j, i)] = T(r.NormFloat64()/float64(n)), T(math.NaN())
			}
			a[at(q, i, i)] = T(3 + r.Float64())
		}
		a[at(q, n/2, n/2)] = []T{a[at(q, n/2, n/2)], -1, T(math.NaN())}[q%3]
	}
	f := make([]T, len(a))
	execute(t, c.Record(isa), a, f, info)
	for q := range count {
		want := int32(0)
		if q%3 > 0 {
			want = int32(n/2 + 1)
		}
		if got := integers(info)[q]; report && got != want {
			t.Fatalf("%v %d of %d: got info %d, want %d", isa, q, n, got, want)
		}
		for i := range n {
			for j := range i + 1 {
				other := float64(f[at(q, j, i)])
				switch {
				case q%3 > 0 && !report && f[at(q, i, j)] == f[at(q, i, j)]:
					t.Fatalf("%v %d of %d: not NaN at %d, %d", isa, q, n, i, j)
				case q%3 == 0 && i > j && !report && other != 0 || i > j && report && other == other:
					t.Fatalf("%v %d of %d: other triangle is %v", isa, q, n, other)
				}
				sum := 0.0
				for k := range j + 1 {
					sum += float64(f[at(q, i, k)]) * float64(f[at(q, j, k)])
				}
				if q%3 == 0 {
					near(t, a[at(q, i, j)], sum, 1, isa, n, lower, q, i, j)
				}
			}
		}
	}
}

func TestLU(t *testing.T) { each(t, lus[float32], lus[float64]) }

func lus[T float](t *testing.T, isa run.ISA, count int) {
	r := rand.New(rand.NewPCG(3, uint64(count)))
	for _, s := range [][2]int{{1, 1}, {3, 3}, {4, 4}, {5, 2}, {2, 5}, {1, 7}, {16, 16}, {7, 8}} {
		testLU[T](t, r, isa, count, s[0], s[1])
	}
}

// testLU multiplies the factors. Each third matrix is small integers, which have equal and zero pivots.
func testLU[T float](t *testing.T, r *rand.Rand, isa run.ISA, count, m, n int) {
	t.Helper()
	w, _ := wide[T]()
	least := min(m, n)
	l := batch.LU{Dst: ref(0), Src: ref(0), Pivots: ref(1), Info: ref(2), M: int64(m), N: int64(n), Batch: int64(count),
		Wide: w}
	a := numbers[T](r, count*m*n)
	for i := range a {
		if i/(m*n)%3 == 2 {
			a[i] = T(r.IntN(3) - 1)
		}
	}
	f, pivots, info := slices.Clone(a), make([]T, count*least), make([]T, count)
	execute(t, l.Record(isa), f, pivots, info)
	for q := range count {
		x, lu, zero := slices.Clone(a[q*m*n:(q+1)*m*n]), f[q*m*n:(q+1)*m*n], int32(0)
		for i, p := range integers(pivots)[q*least : (q+1)*least] {
			for j := range n {
				x[i*n+j], x[(int(p)-1)*n+j] = x[(int(p)-1)*n+j], x[i*n+j]
			}
			if lu[i*n+i] == 0 && zero == 0 {
				zero = int32(i + 1)
			}
		}
		if got := integers(info)[q]; got != zero {
			t.Fatalf("%v %d of %d by %d: got info %d, want %d", isa, q, m, n, got, zero)
		}
		for i := range m {
			for j := range n {
				sum := 0.0
				for k := range min(i, j, least-1) + 1 {
					factor := 1.0
					if k < i {
						factor = float64(lu[i*n+k])
					}
					sum += factor * float64(lu[k*n+j])
				}
				near(t, x[i*n+j], sum, 4, isa, m, n, q, i, j)
				if i > j && math.Abs(float64(lu[i*n+j])) > 1.000001 {
					t.Fatalf("%v %d of %d by %d: factor %v", isa, q, m, n, lu[i*n+j])
				}
			}
		}
	}
}

// The first of equal pivots counts, NaN is one only on the diagonal, and tiny ones divide.
func TestPivots(t *testing.T) {
	testfile.Native(t, run.Available())
	nan := math.NaN()
	for _, isa := range run.Levels() {
		a := []float64{1, 5, nan, 5, -2, 1, -2, 4, nan, 3, 2, 1, 1e-310, 1, 1e-310, 2, 0, 1, 0, 2}
		pivots, info := make([]float64, 10), make([]float64, 5)
		l := batch.LU{Dst: ref(0), Src: ref(0), Pivots: ref(1), Info: ref(2), M: 2, N: 2, Batch: 5, Wide: true}
		execute(t, l.Record(isa), a, pivots, info)
		if got, want := integers(pivots)[:10], []int32{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}; !slices.Equal(got, want) {
			t.Errorf("%v: got pivots %v, want %v", isa, got, want)
		}
		if got, want := integers(info)[:5], []int32{0, 0, 0, 0, 1}; !slices.Equal(got, want) {
			t.Errorf("%v: got info %v, want %v", isa, got, want)
		}
		if !slices.Equal(a[12:], []float64{1e-310, 1, 1, 1, 0, 1, 0, 2}) {
			t.Errorf("%v: got %v of tiny and zero pivots", isa, a[12:])
		}
	}
}

func TestSolve(t *testing.T) { each(t, solves[float32], solves[float64]) }

func solves[T float](t *testing.T, isa run.ISA, count int) {
	for i, s := range [][2]int64{{1, 1}, {3, 1}, {4, 4}, {7, 5}, {16, 9}, {2, 3}} {
		for form := i % 2; form < 16; form += 2 {
			testSolve[T](t, isa, batch.Solve{M: s[0], K: s[1], Batch: int64(count), Left: form&2 != 0, Lower: form&4 != 0,
				Flipped: form&8 != 0, Unit: form&1 != 0})
		}
	}
}

// testSolve multiplies the solutions. What is not read of a is NaN.
func testSolve[T float](t *testing.T, isa run.ISA, s batch.Solve) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, uint64(s.M)))
	m, k := int(s.M), int(s.K)
	a, b := numbers[T](r, int(s.Batch)*m*m), numbers[T](r, int(s.Batch)*m*k)
	for i := range a {
		switch row, column := i/m%m, i%m; {
		case row == column && s.Unit, row != column && (column > row) == s.Lower:
			a[i] = T(math.NaN())
		case row == column:
			a[i] = T(2 + r.Float64())
		default:
			a[i] /= T(m)
		}
	}
	s.A, s.B, s.Dst = ref(0), ref(1), ref(1)
	s.Wide, _ = wide[T]()
	x := slices.Clone(b)
	execute(t, s.Record(isa), a, x)
	element := func(q, i, j int) float64 { // of op(a), or of its transpose
		if s.Flipped == s.Left {
			i, j = j, i
		}
		switch {
		case i == j && s.Unit:
			return 1
		case i != j && (j > i) == s.Lower:
			return 0
		}
		return float64(a[q*m*m+i*m+j])
	}
	for q := range int(s.Batch) {
		for i := range m * k {
			row, next, first := i/k, k, i%k
			if !s.Left {
				row, next, first = i%m, 1, i/m*m
			}
			sum := 0.0
			for p := range m {
				if e := element(q, row, p); e != 0 {
					sum += e * float64(x[q*m*k+first+p*next])
				}
			}
			near(t, b[q*m*k+i], sum, 4, isa, s, q, i)
		}
	}
}

func TestQR(t *testing.T) { each(t, reflections[float32], reflections[float64]) }

func reflections[T float](t *testing.T, isa run.ISA, count int) {
	r := rand.New(rand.NewPCG(5, uint64(count)))
	for _, s := range [][2]int{{1, 1}, {3, 3}, {8, 4}, {5, 1}, {16, 16}, {2, 2}, {7, 6}} {
		testQR[T](t, r, isa, count, s[0], s[1])
	}
}

// testQR multiplies Q and R, and the columns of Q. Some matrices are tiny, huge, zero below the diagonal or all zero.
func testQR[T float](t *testing.T, r *rand.Rand, isa run.ISA, count, m, n int) {
	t.Helper()
	w, _ := wide[T]()
	a, scales := numbers[T](r, count*m*n), []float64{1, 1e-25, 1e25, 1, 0}
	if w {
		scales = []float64{1, 1e-200, 1e200, 1, 0}
	}
	for i := range a {
		q, row, column := i/(m*n), i/n%m, i%n
		if a[i] = T(float64(a[i]) * scales[q%5]); q%5 == 3 && row > column {
			a[i] = 0
		}
	}
	f, factors := slices.Clone(a), make([]T, count*n)
	qr := batch.QR{Dst: ref(0), Src: ref(0), Factors: ref(1), M: int64(m), N: int64(n), Batch: int64(count), Wide: w}
	execute(t, qr.Record(isa), f, factors)
	q := slices.Clone(f)
	all := batch.Q{Dst: ref(0), Src: ref(0), Factors: ref(1), M: int64(m), N: int64(n), K: int64(n), Each: int64(n),
		Batch: int64(count), Wide: w}
	execute(t, all.Record(isa), q, factors)
	for b := range count {
		x, y, scale := q[b*m*n:(b+1)*m*n], f[b*m*n:(b+1)*m*n], scales[b%5]
		for i := range n {
			if scale == 0 || b%5 == 3 && factors[b*n+i] != 0 && m == n {
				near(t, factors[b*n+i], 0, 0, "factor", isa, m, n, b, i)
			}
			for j := range n {
				sum := 0.0
				for p := range m {
					sum += float64(x[p*n+i]) * float64(x[p*n+j])
				}
				near(t, T(sum), float64(bit(i == j)), 0, "Q", isa, m, n, b, i, j)
			}
		}
		for i := range m * n {
			sum := 0.0
			for p := range i%n + 1 {
				sum += float64(x[i/n*n+p]) * float64(y[p*n+i%n])
			}
			if scale == 0 {
				scale = 1
			}
			near(t, T(float64(a[b*m*n+i])/scale), sum/scale, float64(m), "QR", isa, m, n, b, i)
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Matrices have the same bits wherever they stand among others.
func TestAlone(t *testing.T) {
	testfile.Native(t, run.Available())
	for _, isa := range run.Levels() {
		r := rand.New(rand.NewPCG(6, 1))
		one := numbers[float32](r, 25)
		many := slices.Concat(numbers[float32](r, 25*9), one, numbers[float32](r, 25*30))
		for i := range many[:25*9] {
			many[i] *= 1e-30
		}
		alone := slices.Clone(one)
		for _, a := range [][]float32{alone, many} {
			qr := batch.QR{Dst: ref(0), Src: ref(0), Factors: ref(1), M: 5, N: 5, Batch: int64(len(a) / 25)}
			execute(t, qr.Record(isa), a, make([]float32, len(a)))
		}
		if !slices.Equal(alone, many[25*9:25*10]) {
			t.Errorf("%v: got %v among others, %v alone", isa, many[25*9:25*10], alone)
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		elements []int64
		want     bool
	}{{[]int64{1}, true}, {[]int64{1020, 1}, true}, {[]int64{1021, 1}, false}, {[]int64{0}, false},
		{[]int64{-1, 5}, false}, {[]int64{math.MaxInt64, math.MaxInt64}, false}} {
		if got := batch.Fits(c.elements...); got != c.want {
			t.Errorf("%v: got %v, want %v", c.elements, got, c.want)
		}
	}
}
