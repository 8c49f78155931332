// Package gemm has native matrix products: records in the form of BLAS, which libraries take and kernels of our own for
// small products, and kernels that pack what they multiply.
package gemm

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Product is what a BLAS computes: c = op(a) op(b), row-major, for each piece. op(a) is m by K, op(b) K by n; strides
// are distances of rows in elements. With a transpose the matrix in memory is n by K, or K by m.
type Product struct {
	A, B, C                   run.Ref
	K                         int64
	StrideA, StrideB, StrideC int64
	TransposeA, TransposeB    bool
	Pieces                    []Piece
	// PerTask is how many pieces make a task.
	PerTask int64
}

// Piece is a product of M by N elements, whose matrices begin so many bytes behind the operands. Pieces write disjoint
// parts of c.
type Piece struct{ A, B, C, M, N int64 }

type blasArgs struct {
	a, b, c                run.Ref
	k, lda, ldb, ldc       int64
	transposeA, transposeB int64
	pieces, perTask        int64
}

// VectorBytes are the sums that products of a vector and a matrix, whose columns are side by side, make at once: memory
// is read from row to row, and faster the longer the rows are, as long as their sums are in the nearest cache.
const VectorBytes = 16 << 10

// Record makes the record of a product that the C function fn computes, which is of the type of halo_record.fn and
// takes the record of blas.h.
func Record(fn unsafe.Pointer, p Product) run.Record {
	a := blasArgs{a: p.A, b: p.B, c: p.C, k: p.K, lda: p.StrideA, ldb: p.StrideB, ldc: p.StrideC,
		transposeA: run.Bit(p.TransposeA), transposeB: run.Bit(p.TransposeB), pieces: int64(len(p.Pieces)),
		perTask: p.PerTask}
	r := run.Pack(fn, &a)
	r.Args = append(r.Args, run.Bytes(p.Pieces)...)
	return r
}
