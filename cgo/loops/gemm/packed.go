package gemm

import "github.com/halo-xla/halo/cgo/loops/run"

// Packed is c[i, j] = sum over p < K of a[i, p] b[p, j] for i < M and j < N, for each place, by kernels of our own that
// bring both operands into their own order first. Elements that are neighbours along an index are so many apart; those
// of a row of c are side by side.
type Packed struct {
	A, B, C run.Ref
	// Scratch is memory of Bytes bytes.
	Scratch                            run.Ref
	M, N, K                            int64
	RowA, ColumnA, RowB, ColumnB, RowC int64
	Places                             []Place
}

// Place is where the matrices of one product begin, in bytes behind the operands.
type Place struct{ A, B, C int64 }
