//go:build cgo

package linalg

// #cgo LDFLAGS: -lm
// #include "linalg.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

type luArgs struct {
	dst, src, pivots, info  run.Ref
	m, n, batch, wide, kind int64
}

type choleskyArgs struct {
	dst, src, info              run.Ref
	n, batch, lower, wide, kind int64
}

type solveArgs struct {
	dst, a, b, scratch         run.Ref
	m, k, batch, rowA, columnA int64
	left, lower, unit          int64
	chunk, perTask, wide, kind int64
}

// Record makes the record of l by the kernels of an instruction set.
func (l LU) Record(isa run.ISA) run.Record {
	return run.Pack(unsafe.Pointer(C.halo_lu), &luArgs{l.Dst, l.Src, l.Pivots, l.Info, l.M, l.N, l.Batch, run.Bit(l.Wide),
		int64(isa)})
}

// Record makes the record of c by the kernels of an instruction set.
func (c Cholesky) Record(isa run.ISA) run.Record {
	if !c.Report {
		c.Info.Slot = -1
	}
	return run.Pack(unsafe.Pointer(C.halo_cholesky), &choleskyArgs{c.Dst, c.Src, c.Info, c.N, c.Batch, run.Bit(c.Lower),
		run.Bit(c.Wide), int64(isa)})
}

// Record makes the record of s by the kernels of an instruction set. The transpose of a triangular matrix, and one on
// the right, are read as the other triangle.
func (s *Solve) Record(isa run.ISA) run.Record {
	row, column, lower := s.M, int64(1), s.Lower
	if s.Flipped == s.Left {
		row, column, lower = column, row, !lower
	}
	return run.Pack(unsafe.Pointer(C.halo_solve), &solveArgs{s.Dst, s.A, s.B, s.Scratch, s.M, s.K, s.Batch, row, column,
		run.Bit(s.Left), run.Bit(lower), run.Bit(s.Unit), s.Chunk, s.PerTask, run.Bit(s.Wide), int64(isa)})
}
