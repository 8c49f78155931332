// Package linalg has native factorizations of matrices: blocks of columns are packed and factored, and what follows is
// products in strips, on all threads. And it has triangular solves.
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

// Solve is the solutions of Batch triangular systems with M unknowns and K right-hand sides, Chunk of them at a time
// and PerTask chunks a task, of f64 if Wide, else of f32: op(a) x = b, or x op(a) = b unless Left.
type Solve struct {
	Dst, A, B run.Ref // Dst and B may be the same
	// Scratch is memory of Bytes bytes.
	Scratch                    run.Ref
	M, K, Batch                int64
	Chunk, PerTask             int64 // Chunk is a multiple of 16
	Left, Lower, Unit, Flipped bool  // Lower says what is read of a, Flipped that op is the transpose
	Wide                       bool
}

// Bytes is how much scratch memory the systems take.
func (s *Solve) Bytes() int64 {
	return s.Batch * ((s.K + s.Chunk - 1) / s.Chunk) * s.Chunk * s.M * (4 + 4*run.Bit(s.Wide))
}
