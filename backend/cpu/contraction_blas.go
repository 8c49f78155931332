package cpu

import (
	"math"
	"unsafe"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// matrices is a contraction in the form that BLAS takes: row-major out = op(a) op(b), for each batch index. Offsets of
// matrices and strides of rows are in elements.
type matrices struct {
	m, n, k                   int
	strideA, strideB, strideC int
	transposeA, transposeB    bool
	swapped                   bool // a is the contraction's rhs
	a, b, c                   []int
}

// matricesOf returns the form, if the strides allow it.
func matricesOf(c *kernel.Contraction) (f matrices, ok bool) {
	a, b, out := c.LHS, c.RHS, c.Out
	if s, one := out.Columns.Stride(); !one || s > 1 { // columns are far apart: compute the transpose
		a, b, out.Rows, out.Columns = b, a, out.Columns, out.Rows
		f.swapped = true
	}
	f.m, f.n, f.k = out.Rows.Len(), out.Columns.Len(), a.Columns.Len()
	rowC, ok1 := out.Rows.Stride()
	columnC, ok2 := out.Columns.Stride()
	rowA, ok3 := a.Rows.Stride()
	columnA, ok4 := a.Columns.Stride()
	rowB, ok5 := b.Columns.Stride() // of op(b), k by n
	columnB, ok6 := b.Rows.Stride()
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || f.n > 1 && columnC != 1 {
		return f, false
	}
	f.strideC = leading(f.m, f.n, rowC)
	f.transposeA, f.strideA = form(f.m, f.k, rowA, columnA)
	f.transposeB, f.strideB = form(f.k, f.n, rowB, columnB)
	f.a, f.b, f.c = shifted(a.Batch, a.First), shifted(b.Batch, b.First), shifted(out.Batch, out.First)
	return f, f.strideA > 0 && f.strideB > 0 && f.strideC > 0 && f.fits()
}

// form says how a matrix of rows by columns lies in memory, whose neighbours are row and column apart: as it is or
// transposed, and the distance of what is a row then; 0 if neither.
func form(rows, columns, row, column int) (transpose bool, stride int) {
	if columns == 1 || column == 1 {
		if s := leading(rows, columns, row); s > 0 {
			return false, s
		}
	}
	if rows == 1 || row == 1 {
		return true, leading(columns, rows, column)
	}
	return false, 0
}

// leading returns the distance of rows that are so many elements long, 0 if they overlap. That of one row is any.
func leading(rows, length, stride int) int {
	switch {
	case rows == 1:
		return length
	case stride < length:
		return 0
	}
	return stride
}

// shifted are the places of a walk from a first one on.
func shifted(w kernel.Walk, first int) []int {
	list := w.Offsets()
	for i := range list {
		list[i] += first
	}
	return list
}

// fits says whether all sizes fit the libraries' 32-bit integers.
func (f *matrices) fits() bool {
	return max(f.m, f.n, f.k, f.strideA, f.strideB, f.strideC) <= math.MaxInt32
}

const (
	maxPieces  = 1 << 15
	taskFlops  = 4_000_000
	leastFlops = taskFlops / 16
)

// across says whether our kernel multiplies the vector b and columns of a, of elements of type t.
func (f *matrices) across(t shape.ElementType) bool {
	_, ours := vectorTypes[t]
	return ours && f.n == 1 && f.transposeA
}

// blocks returns the rows and columns of pieces, of elements of type t.
func (f *matrices) blocks(t shape.ElementType) (rows, columns int) {
	few := fewOf(f.m, f.n, f.k) / float64(len(f.a))
	if rows, columns = blocks(f.m, f.n, f.k, costOf(t)); rows*columns == f.m*f.n {
		rows, columns = blocksOf(f.m, f.n, fewBlock, few)
	}
	if f.across(t) {
		wide := gemm.VectorBytes / t.Bytes()
		pieces := (f.m + wide - 1) / wide
		rows = (f.m + 16*pieces - 1) / (16 * pieces) * 16
	}
	return rows, columns
}

// product lays the pieces out, of elements of type t, those of a of another; false if there are too many.
func (f *matrices) product(t, a shape.ElementType) (p gemm.Product, ok bool) {
	rows, columns := f.blocks(t)
	width := t.Bytes()
	if len(f.a)*((f.m+rows-1)/rows)*((f.n+columns-1)/columns) > maxPieces {
		return p, false
	}
	p = gemm.Product{K: int64(f.k), StrideA: int64(f.strideA), StrideB: int64(f.strideB), StrideC: int64(f.strideC),
		TransposeA: f.transposeA, TransposeB: f.transposeB,
		PerTask: perTask(rows, columns, f.k, float64(len(f.a))*flopsOf(f.m, f.n, f.k))}
	for i := range f.a {
		for m := 0; m < f.m; m += rows {
			for n := 0; n < f.n; n += columns {
				p.Pieces = append(p.Pieces, gemm.Piece{
					A: int64(a.Bytes() * (f.a[i] + pick(f.transposeA, m, m*f.strideA))),
					B: int64(width * (f.b[i] + pick(f.transposeB, n*f.strideB, n))),
					C: int64(width * (f.c[i] + m*f.strideC + n)),
					M: int64(min(rows, f.m-m)), N: int64(min(columns, f.n-n))})
			}
		}
	}
	return p, true
}

// perTask is how many pieces of so many rows and columns are a task of a product that takes all flops: those of
// taskFlops, or an eighth of all matrices.
func perTask(rows, columns, k int, all float64) int64 {
	task := float64(taskFlops)
	if min(rows, columns) > 1 {
		task = max(min(all/8, task), leastFlops)
	}
	return max(int64(task/max(flopsOf(rows, columns, k), 1)), 1)
}

func pick[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

// blasProduct multiplies matrices as they lie, piece by piece: by kernels of ours or by a library's.
func blasProduct(_ *exec.Lowering, c *contraction) *thunk {
	if c.lhsType != c.outType || c.rhsType != c.outType {
		return nil
	}
	f, ok := matricesOf(&c.Contraction)
	if !ok {
		return nil
	}
	fn, name, ours := f.multiplier(c.outType)
	if fn == nil {
		return nil
	}
	p, ok := f.product(c.outType, c.outType)
	if !ok {
		return nil
	}
	t := recordThunk(name, c.uses(), f.record(fn, p, c))
	if ours {
		return t
	}
	rows, columns := f.blocks(c.outType)
	return t.calling(productCalls(len(p.Pieces), rows, columns, f.k, c.outType))
}

// record is the record of c's product p.
func (f *matrices) record(fn unsafe.Pointer, p gemm.Product, c *contraction) run.Record {
	p.A, p.B, p.C = ref(c.lhs), ref(c.rhs), ref(c.out)
	if f.swapped {
		p.A, p.B = p.B, p.A
	}
	return gemm.Record(fn, p)
}

// smallProduct is up to how many products of elements our kernels that pack little are the quickest. Larger ones that
// they do have few rows, columns or terms.
const smallProduct = 160 * 160 * 160

// bySmall says whether our kernels for small products do f, of elements of type t.
func (f *matrices) bySmall(t shape.ElementType) bool {
	_, ok := vectorTypes[t]
	return ok && f.m*f.n*f.k <= smallProduct
}

// multiplier picks who multiplies matrices: we real ones, but oneDNN large ones of f32, and OpenBLAS complex ones.
func (f *matrices) multiplier(t shape.ElementType) (fn unsafe.Pointer, name string, ours bool) {
	v, ok := vectorTypes[t]
	switch {
	case t == shape.F32 && !f.bySmall(t) && onednn.Load() == nil:
		return onednn.Sgemm(), "onednn sgemm", false
	case ok:
		return gemm.Small(run.Level(), v), "loops small gemm", true
	case t == shape.C64 && openblas.Load() == nil:
		return openblas.Gemm[complex64](), "openblas cgemm", false
	case t == shape.C128 && openblas.Load() == nil:
		return openblas.Gemm[complex128](), "openblas zgemm", false
	}
	return nil, "", false
}

// vectorTypes are the types that our products with a vector and small ones know.
var vectorTypes = map[shape.ElementType]gemm.Type{shape.F32: gemm.F32, shape.F64: gemm.F64}

// byVector makes b a vector whose elements are side by side, if it or a is one. Of two vectors a stays a row.
func (f *matrices) byVector() bool {
	vector := f.n == 1 && (f.transposeB || f.strideB == 1)
	if f.m == 1 && !(vector && !f.transposeA) && (!f.transposeA || f.strideA == 1) {
		f.m, f.n = f.n, 1
		f.a, f.b, f.swapped = f.b, f.a, !f.swapped
		f.transposeA, f.transposeB = !f.transposeB, true
		f.strideA, f.strideB, f.strideC = f.strideB, f.k, 1
		return true
	}
	return vector
}
