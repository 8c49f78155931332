//go:build cgo

package gemm

// #include "gemm.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// This does not compile unless C has as much memory as a contraction may want.
var _ = [...][1]int{
	{C.GEMM_STEPS - MaxSteps: 0}, {C.GEMM_ROWS - MaxTileM: 0}, {C.GEMM_COLUMNS - MaxTileN: 0},
}

type walkArgs struct {
	steps int64
	step  [MaxSteps]Step
}

type operandArgs struct {
	first, kind          int64
	batch, rows, columns walkArgs
}

type contractionArgs struct {
	lhs, rhs, out         run.Ref
	b, m, n, k            int64
	tileM, tileN, perTask int64
	sum, isa, lanes       int64
	l, r, o               operandArgs
}

// Contract makes the record of a contraction by the kernels of an instruction set.
func Contract(isa run.ISA, c Contraction) run.Record {
	a := contractionArgs{lhs: c.LHS.Ref, rhs: c.RHS.Ref, out: c.Out.Ref, b: c.B, m: c.M, n: c.N, k: c.K, tileM: c.TileM,
		tileN: c.TileN, perTask: c.PerTask, sum: int64(c.Sum), isa: int64(isa), l: c.LHS.native(), r: c.RHS.native(),
		o: c.Out.native()}
	if c.Lanes {
		a.lanes = 1
	}
	return run.Pack(unsafe.Pointer(C.halo_gemm), &a)
}

func (o *Operand) native() operandArgs {
	return operandArgs{o.First, int64(o.Type), native(o.Batch), native(o.Rows), native(o.Columns)}
}

func native(steps []Step) walkArgs {
	w := walkArgs{steps: int64(len(steps))}
	copy(w.step[:], steps)
	return w
}
