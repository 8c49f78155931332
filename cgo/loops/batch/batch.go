// Package batch has native linear algebra for many small matrices of f32 or f64: each lane of a vector works on another
// matrix. What is said of a matrix is of Batch of them, one behind the other, of f64 if Wide.
package batch

import "github.com/halo-xla/halo/cgo/loops/run"

// Matrix is an operand or the result of a product, whose matrices are dense; neighbours in a column are Row elements
// apart, and those in a row Column.
type Matrix struct {
	At          run.Ref
	Row, Column int64
}

// Product is C = A B of matrices M by K, K by N and M by N.
type Product struct {
	A, B, C        Matrix
	M, N, K, Batch int64
	Wide           bool
}

// LU is P L U = A of row-major matrices M by N. Pivots, s32[Batch, min(M, N)], are the rows exchanged in turn, counted
// from 1, and Info, s32[Batch], the first pivot that is zero, from 1, else 0. NaN is a pivot only on the diagonal.
type LU struct {
	Dst, Src     run.Ref // may be the same
	Pivots, Info run.Ref
	M, N, Batch  int64
	Wide         bool
}

// Cholesky is the factor of matrices N by N, the lower one or the upper. The other triangle becomes zero, and all of a
// matrix that is not positive NaN. With Report the other triangle stays, and Info, s32[Batch], has the first column,
// from 1, that is not positive, else 0; it and what depends on it are NaN.
type Cholesky struct {
	Dst, Src run.Ref // may be the same
	Info     run.Ref
	N, Batch int64
	Lower    bool
	Report   bool
	Wide     bool
}

// Solve is the solutions of triangular systems with M unknowns and K right-hand sides: op(a) x = b, or x op(a) = b
// unless Left.
type Solve struct {
	Dst, A, B                  run.Ref // Dst and B may be the same
	M, K, Batch                int64
	Left, Lower, Unit, Flipped bool // Lower says what is read of a, Flipped that op is the transpose
	Wide                       bool
}

// QR is the factorization of row-major matrices M by N: R, the reflectors below it, and their factors, min(M, N) each,
// as LAPACK's geqrf has them.
type QR struct {
	Dst, Src    run.Ref // may be the same
	Factors     run.Ref
	M, N, Batch int64
	Wide        bool
}

// Q is the first N columns of the product of K reflectors, which are the columns of row-major matrices M by N; Factors
// has Each for a matrix, of which K count.
type Q struct {
	Dst, Src             run.Ref // may be the same
	Factors              run.Ref
	M, N, K, Each, Batch int64
	Wide                 bool
}

// Transpose makes matrices N by M of row-major matrices M by N, of elements of 8 bytes if Wide, else of 4.
type Transpose struct {
	Dst, Src    run.Ref
	M, N, Batch int64
	Wide        bool
}

// Fits says whether parts of so many elements for each matrix fit the memory that there is for a block of matrices.
func Fits(elements ...int64) bool {
	sum := int64(0)
	for _, e := range elements {
		if e < 1 || e > most {
			return false
		}
		sum += max(e, 4)
	}
	return sum <= most
}

// most is how many elements the parts of a matrix may have: C's BATCH_ELEMENTS.
const most = 1024
