// Package linalg has native factorizations of matrices: blocks of columns are packed and factored, and what follows is
// products in strips, on all threads.
package linalg

import "github.com/halo-xla/halo/cgo/loops/run"

// LU is P L U = A of Batch row-major matrices M by N, of f64 if Wide, else of f32. Pivots, s32[Batch, min(M, N)], are
// the rows exchanged in turn, counted from 1, and Info, s32[Batch], the first pivot that is zero, from 1, else 0. NaN
// is a pivot only where there is no choice left.
type LU struct {
	Dst, Src     run.Ref // may be the same
	Pivots, Info run.Ref
	M, N, Batch  int64
	Wide         bool
}

// Cholesky is the factor of Batch row-major matrices N by N, of f64 if Wide, else of f32: the lower one, or the upper.
// The other triangle becomes zero, and all of a matrix that is not positive NaN. With Report the rest is left as it is
// in Src, and Info, s32[Batch], has the first column, from 1, that is not positive, else 0.
type Cholesky struct {
	Dst, Src run.Ref // may be the same
	Info     run.Ref
	N, Batch int64
	Lower    bool
	Report   bool
	Wide     bool
}
