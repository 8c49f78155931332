package reduce

import "github.com/halo-xla/halo/cgo/loops/run"

// MostRunningStrip is how many inner elements a strip of a Running may have.
const MostRunningStrip = 2048

// Running is a running reduction by the loops of one op along the middle dimension of arrays Outer by N by Inner, from
// the end if Reverse. A task is Grain outer places, or a strip of Strip inner elements and a chunk of Chunk of the N.
// More Chunks than one leave accumulators of 8 bytes for each, outer and inner place in Scratch.
type Running struct {
	Ops                  Loops
	Lines                RunningLoops
	X, Init, Out         run.Ref
	Scratch              run.Ref
	Outer, N, Inner      int64
	Reverse              bool
	Grain, Strips, Strip int64
	Chunks, Chunk        int64
}

// RunningLoops are the native loops of a running reduction.
type RunningLoops struct{ address uintptr }

type runningArgs struct {
	ops, running                 uintptr
	x, init, out, scratch        run.Ref
	outer, n, inner, reverse     int64
	grain, strips, strip, chunks int64
	chunk, _                     int64
}

// Record makes the record of r.
func (r Running) Record() run.Record {
	a := runningArgs{ops: r.Ops.address, running: r.Lines.address, x: r.X, init: r.Init, out: r.Out, scratch: r.Scratch,
		outer: r.Outer, n: r.N, inner: r.Inner, grain: r.Grain, strips: r.Strips, strip: r.Strip, chunks: r.Chunks,
		chunk: r.Chunk}
	if r.Reverse {
		a.reverse = 1
	}
	return run.Pack(runningFunction(), &a)
}

// RunningLoopsOf returns the loops of an op on a type for an instruction set, and whether there are any.
func RunningLoopsOf(isa run.ISA, op Op, t Type) (RunningLoops, bool) {
	address := runningLoops(isa, op, t)
	return RunningLoops{address}, address != 0
}
