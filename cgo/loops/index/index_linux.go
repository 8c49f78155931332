//go:build cgo

package index

// #include "index.h"
// #include "scatter.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/move"
	"github.com/halo-xla/halo/cgo/loops/run"
)

type gatherArgs struct {
	dst, src                       run.Ref
	logWidth, element, part, tasks int64
	loop                           uintptr
	axes                           int64
}

// Gather makes the record that copies the windows of src to their places in dst, moved so that they lie in src.
func (p *Plan) Gather(isa run.ISA, dst, src run.Ref, w Window) run.Record {
	a := gatherArgs{dst: dst, src: src, logWidth: int64(w.LogWidth), element: run.Bit(w.Element), part: w.Part,
		tasks: w.Tasks, loop: move.Loop(isa, w.Kind, w.LogWidth), axes: int64(len(w.Axes))}
	b := append(p.pack(run.Append(nil, &a)), run.Bytes(w.Axes)...)
	return run.Record{Fn: unsafe.Pointer(C.halo_gather), Args: b}
}

type columnArgs struct {
	dst, src, table          run.Ref
	logWidth, axes, tasks, _ int64
}

// GatherColumns makes the record of a gather whose windows lie across one another: along axes, in tasks of their parts.
// table is memory for Count numbers.
func (p *Plan) GatherColumns(dst, src, table run.Ref, logWidth int, tasks int64, axes []Axis) run.Record {
	a := columnArgs{dst: dst, src: src, table: table, logWidth: int64(logWidth), axes: int64(len(axes)), tasks: tasks}
	b := append(p.pack(run.Append(nil, &a)), run.Bytes(axes)...)
	return run.Record{Fn: unsafe.Pointer(C.halo_gather_columns), Args: b}
}

// Scatter makes the record of some scatters, one after the other.
func Scatter(list ...Body) run.Record {
	counts := [2]int64{int64(len(list))}
	b := run.Append(nil, &counts)
	for i := range list {
		b = append(b, list[i].pack()...)
	}
	return run.Record{Fn: unsafe.Pointer(C.halo_scatter), Args: b}
}
