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

// Record makes the record of l by the kernels of an instruction set.
func (l LU) Record(isa run.ISA) run.Record {
	return run.Pack(unsafe.Pointer(C.halo_lu), &luArgs{l.Dst, l.Src, l.Pivots, l.Info, l.M, l.N, l.Batch, bit(l.Wide),
		int64(isa)})
}

// Record makes the record of c by the kernels of an instruction set.
func (c Cholesky) Record(isa run.ISA) run.Record {
	if !c.Report {
		c.Info.Slot = -1
	}
	return run.Pack(unsafe.Pointer(C.halo_cholesky), &choleskyArgs{c.Dst, c.Src, c.Info, c.N, c.Batch, bit(c.Lower),
		bit(c.Wide), int64(isa)})
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
