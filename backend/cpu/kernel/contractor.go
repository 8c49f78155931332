package kernel

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/halo-xla/halo/xla/shape"
)

// summand is a type that sums of products are made in. Integers wrap, so that two types stand for all.
type summand interface {
	uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// Contractor multiplies and sums: a contraction with its element types. It is immutable.
type Contractor struct {
	// Tasks is the number of tasks; Run does one. They write disjoint parts of the result, all of it together.
	Tasks int64
	// Run computes the elements of out that belong to a task. The arrays are dense.
	Run func(out, lhs, rhs []byte, task int64)
}

// Split is how a dot algorithm takes an operand: as the sum of Parts numbers, each rounded by Round, of which the
// products in Pairs are summed, and the sum rounded by Sum.
type Split struct {
	Parts      int
	Round, Sum func(float64) float64
	Pairs      [][2]int
}

// NewContractor makes a contractor for operands of types lhs and rhs and a result of type out. Floats are summed in f32
// or wider, integers wrap, and predicates give true where a product is true. A split, if not nil, is for floats.
func NewContractor(c Contraction, lhs, rhs, out shape.ElementType, split *Split) *Contractor {
	if split != nil {
		return contractorOf(c, splitLoader(lhs, split, 0), splitLoader(rhs, split, 1), splitStorer(out, split),
			len(split.Pairs), multiplyFloat64)
	}
	switch SumType(lhs, rhs, out) {
	case shape.U32:
		return contractorOf(c, integerLoader[uint32](lhs), integerLoader[uint32](rhs), integerStorer[uint32](out), 1,
			multiply[uint32])
	case shape.U64:
		return contractorOf(c, integerLoader[uint64](lhs), integerLoader[uint64](rhs), integerStorer[uint64](out), 1,
			multiply[uint64])
	case shape.F32:
		return contractorOf(c, floatLoader[float32](lhs), floatLoader[float32](rhs), floatStorer[float32](out), 1,
			multiplyFloat32)
	case shape.F64:
		return contractorOf(c, floatLoader[float64](lhs), floatLoader[float64](rhs), floatStorer[float64](out), 1,
			multiplyFloat64)
	case shape.C64:
		return contractorOf(c, complexLoader[complex64](lhs), complexLoader[complex64](rhs), complexStorer[complex64](out),
			1, multiply[complex64])
	}
	return contractorOf(c, complexLoader[complex128](lhs), complexLoader[complex128](rhs),
		complexStorer[complex128](out), 1, multiply[complex128])
}

// SumType is the type in which products are summed.
func SumType(lhs, rhs, out shape.ElementType) shape.ElementType {
	wide := false // more digits than f32 has
	for _, t := range []shape.ElementType{lhs, rhs, out} {
		wide = wide || t == shape.F64 || t == shape.C128 || !t.IsFloat() && !t.IsComplex() && t.Bits() > 16
	}
	switch {
	case out.IsComplex() && wide:
		return shape.C128
	case out.IsComplex():
		return shape.C64
	case out.IsFloat() && wide:
		return shape.F64
	case out.IsFloat():
		return shape.F32
	case out.Bits() > 32:
		return shape.U64
	}
	return shape.U32
}

// tiling is a contractor's plan: batch by tiles of the result, some tiles a task.
type tiling[T summand] struct {
	c              Contraction
	b, m, n, k     int
	side, chunk    int // of tiles; terms of a sum that are summed before the next
	copies         int // of every term, for split operands
	tilesM, tilesN int
	perTask        int
	lhs, rhs       rowLoader[T]
	store          storer[T]
	multiply       func(out, lhs, rhs []T, m, n, k int)
	lb, rb, ob     []int // offsets of batch indices
	lm, rn         []int
	lk, rk         []int
	om, on         []int
	runL, runR     int
	runO           int
	buffers        sync.Pool
}

// taskTerms is how many products make a task worth while.
const taskTerms = 1 << 16

func contractorOf[T summand](c Contraction, lhs, rhs rowLoader[T], store storer[T], copies int,
	multiply func(out, lhs, rhs []T, m, n, k int)) *Contractor {
	t := &tiling[T]{c: c, lhs: lhs, rhs: rhs, store: store, multiply: multiply, copies: copies,
		lb: c.LHS.Batch.Offsets(), rb: c.RHS.Batch.Offsets(), ob: c.Out.Batch.Offsets(),
		lm: c.LHS.Rows.Offsets(), rn: c.RHS.Rows.Offsets(), lk: c.LHS.Columns.Offsets(), rk: c.RHS.Columns.Offsets(),
		om: c.Out.Rows.Offsets(), on: c.Out.Columns.Offsets(), runO: c.Out.Columns.run()}
	t.b, t.m, t.n, t.k = c.Sizes()
	if t.b*t.m*t.n == 0 {
		return &Contractor{Run: func(_, _, _ []byte, _ int64) {}}
	}
	if lanes := t.lanes(); lanes != nil {
		return lanes
	}
	t.side, t.chunk = tileSide(t.k), 512
	t.runL, t.runR = gcd(c.LHS.Columns.run(), t.chunk), gcd(c.RHS.Columns.run(), t.chunk)
	t.tilesM, t.tilesN = (t.m+t.side-1)/t.side, (t.n+t.side-1)/t.side
	t.perTask = max(taskTerms/(min(t.m, t.side)*min(t.n, t.side)*max(t.k, 1)), 1)
	return &Contractor{ceilDiv(int64(t.b*t.tilesM*t.tilesN), int64(t.perTask)), t.run}
}

// tileSide is the number of rows and columns of a tile: fewer for long sums, so that no task is long.
func tileSide(k int) int {
	switch {
	case k <= 4096:
		return 64
	case k <= 1<<16:
		return 32
	}
	return 8
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (t *tiling[T]) run(out, lhs, rhs []byte, task int64) {
	work := t.buffer()
	defer t.buffers.Put(work)
	tiles := t.b * t.tilesM * t.tilesN
	for i := int(task) * t.perTask; i < min((int(task)+1)*t.perTask, tiles); i++ {
		t.tile(*work, out, lhs, rhs, i/(t.tilesM*t.tilesN), i/t.tilesN%t.tilesM, i%t.tilesN)
	}
}

// buffer returns memory for the packed rows of a tile and its sums.
func (t *tiling[T]) buffer() *[]T {
	if b, ok := t.buffers.Get().(*[]T); ok {
		return b
	}
	m, n, k := min(t.side, t.m), min(t.side, t.n), min(t.chunk, t.k)*t.copies
	b := make([]T, (m+n)*k+m*n)
	return &b
}

// tile computes one tile of the result.
func (t *tiling[T]) tile(work []T, out, lhs, rhs []byte, b, i, j int) {
	rows, columns := part(t.lm, i, t.side), part(t.rn, j, t.side)
	m, n := len(rows), len(columns)
	sums, work := work[:m*n], work[m*n:]
	clear(sums)
	for first := 0; first < t.k; first += t.chunk {
		end := min(first+t.chunk, t.k)
		k := (end - first) * t.copies
		x, y := work[:m*k], work[m*k:][:n*k]
		for r, o := range rows {
			t.lhs(x[r*k:(r+1)*k], lhs, t.c.LHS.First+t.lb[b]+o, t.lk[first:end], t.runL)
		}
		for r, o := range columns {
			t.rhs(y[r*k:(r+1)*k], rhs, t.c.RHS.First+t.rb[b]+o, t.rk[first:end], t.runR)
		}
		t.multiply(sums, x, y, m, n, k)
	}
	offsets, run := part(t.on, j, t.side), gcd(t.runO, t.side)
	if n%run != 0 {
		run = 1
	}
	for r, o := range part(t.om, i, t.side) {
		t.store(out, sums[r*n:(r+1)*n], t.c.Out.First+t.ob[b]+o, offsets, run)
	}
}

// part returns tile i of a list.
func part(list []int, i, side int) []int { return list[i*side : min((i+1)*side, len(list))] }

// multiply adds to out, m by n, the products of the rows of x, m by k, with the rows of y, n by k.
func multiply[T summand](out, x, y []T, m, n, k int) {
	for i := range m {
		a, row := x[i*k:(i+1)*k], out[i*n:(i+1)*n]
		j := 0
		for ; j+4 <= n; j += 4 {
			s0, s1, s2, s3 := row[j], row[j+1], row[j+2], row[j+3]
			b0, b1, b2, b3 := y[j*k:][:len(a)], y[(j+1)*k:][:len(a)], y[(j+2)*k:][:len(a)], y[(j+3)*k:][:len(a)]
			for p, v := range a {
				s0 += v * b0[p]
				s1 += v * b1[p]
				s2 += v * b2[p]
				s3 += v * b3[p]
			}
			row[j], row[j+1], row[j+2], row[j+3] = s0, s1, s2, s3
		}
		for ; j < n; j++ {
			b, s := y[j*k:][:len(a)], row[j]
			for p, v := range a {
				s += v * b[p]
			}
			row[j] = s
		}
	}
}

func multiplyFloat32(out, x, y []float32, m, n, k int) {
	gonum.Implementation{}.Sgemm(blas.NoTrans, blas.Trans, m, n, k, 1, x, k, y, k, 1, out, n)
}

func multiplyFloat64(out, x, y []float64, m, n, k int) {
	gonum.Implementation{}.Dgemm(blas.NoTrans, blas.Trans, m, n, k, 1, x, k, y, k, 1, out, n)
}
