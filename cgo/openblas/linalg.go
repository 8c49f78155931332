package openblas

import "github.com/halo-xla/halo/cgo/loops/run"

// Cholesky is the factors of Batch matrices N by N, row-major: lower ones, or upper ones. N must fit 32 bits. What is
// not a factor is zero, and all of a matrix that is not positive is NaN. With Report the rest is left as it is in Src,
// and Info s32[Batch] has the first column, from 1, that is not positive, else 0.
type Cholesky struct {
	Dst, Src run.Ref // may be the same
	Info     run.Ref
	N, Batch int64
	Lower    bool
	Report   bool
}

// Solve is the solutions of Batch triangular systems with M unknowns and K right-hand sides, Chunk a task: op(a)
// x = b, or x op(a) = b. All sizes must fit 32 bits.
type Solve struct {
	Dst, A, B           run.Ref // Dst and B may be the same
	M, K, Batch, Chunk  int64
	Left, Lower, Unit   bool
	Transposed, Adjoint bool // op; Adjoint conjugates too
}

type choleskyArgs struct {
	dst, src, info          run.Ref
	n, batch, lower, report int64
}

type solveArgs struct {
	dst, a, b                           run.Ref
	m, k, batch                         int64
	left, lower, unit, transpose, chunk int64
}

// CholeskyRecord makes the record of c for elements of type T. It must not be called before Load succeeds.
func CholeskyRecord[T complex64 | complex128](c Cholesky) run.Record {
	return run.Pack(potrf[T](), &choleskyArgs{c.Dst, c.Src, c.Info, c.N, c.Batch, run.Bit(c.Lower), run.Bit(c.Report)})
}

// SolveRecord makes the record of s for elements of type T. It must not be called before Load succeeds.
func SolveRecord[T complex64 | complex128](s Solve) run.Record {
	transpose := int64(111)
	switch {
	case s.Adjoint:
		transpose = 113
	case s.Transposed:
		transpose = 112
	}
	return run.Pack(trsm[T](), &solveArgs{s.Dst, s.A, s.B, s.M, s.K, s.Batch, run.Bit(s.Left), run.Bit(s.Lower),
		run.Bit(s.Unit), transpose, s.Chunk})
}
