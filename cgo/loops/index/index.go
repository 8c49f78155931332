// Package index has native kernels that gather and scatter: windows of an array at places that index vectors say.
package index

import (
	"github.com/halo-xla/halo/cgo/loops/move"
	"github.com/halo-xla/halo/cgo/loops/run"
)

// Batch is one dimension of the index vectors: N of them, Start integers apart in the indices, and in bytes apart in
// the windowed array, gather's result or scatter's updates, and in the operand.
type Batch struct{ N, Start, Windowed, Operand int64 }

// Entry is an entry of an index vector: it moves the window Stride bytes in the operand, from 0 to Last times. Wrap is
// added first to one below 0.
type Entry struct{ Stride, Last, Wrap int64 }

// Plan is where windows are.
type Plan struct {
	ISA           run.ISA
	Starts        run.Ref
	LogBytes      int // logarithm of the bytes of an index
	Signed        bool
	Count, Vector int64 // index vectors, and the distance of the entries in integers
	Batches       []Batch
	Entries       []Entry
}

// Window is how one window is copied: as a move.Box, of which it has the same fields.
type Window struct {
	Kind, LogWidth int
	Tasks          int64 // of one window
	Axes           []move.Axis
	Element        bool  // it is a single element
	Part           int64 // windows in a task
}

// MaxBag is how many windows are in a bag at most.
const MaxBag = 256

// Axis is one axis of a gather whose windows lie across one another, in the order of the destination: N steps, in bytes
// apart in destination and source, and Table places apart in the table of places. Part steps are in one task.
type Axis struct {
	N, Dst, Src, Table, Part int64
	_                        int64
}

type planArgs struct {
	starts                                     run.Ref
	kind, count, vector, batches, entries, isa int64
}

const signed = 8

func (p *Plan) pack(b []byte) []byte {
	a := planArgs{starts: p.Starts, kind: int64(p.LogBytes), count: p.Count, vector: p.Vector,
		batches: int64(len(p.Batches)), entries: int64(len(p.Entries)), isa: int64(p.ISA)}
	if p.Signed {
		a.kind |= signed
	}
	return append(append(run.Append(b, &a), run.Bytes(p.Batches)...), run.Bytes(p.Entries)...)
}
