//go:build cgo

package gemm

// #include "window.h"
import "C"

import (
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

type windowsArgs struct {
	a, panels, c                   run.Ref
	rows, taps, run, columns, rowC int64
	isa                            int64
}

// Record makes the record of the product by an instruction set, which must know f32. No size may be 0.
func (w *Windows) Record(isa run.ISA) run.Record {
	r := run.Pack(unsafe.Pointer(C.halo_windows), &windowsArgs{a: w.A, panels: w.Panels, c: w.C,
		rows: int64(len(w.Rows)), taps: int64(len(w.Taps)), run: w.Run, columns: w.Columns, rowC: w.RowC, isa: int64(isa)})
	offsets := slices.Concat(w.Rows, w.Taps)
	r.Args = append(r.Args, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(offsets))), 8*len(offsets))...)
	return r
}
