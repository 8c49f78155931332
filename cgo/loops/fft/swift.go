package fft

import "github.com/halo-xla/halo/cgo/loops/run"

// Swift is a transform whose arithmetic is free within the error of the type: of Outer arrays of N by Inner numbers
// along their columns, or, if Inner is 0, of Outer contiguous lines of N numbers in time.
type Swift struct {
	Dst, Src, Plan, Work run.Ref
	Outer, Inner, N      int64
	Root                 int64 // of the plan, an offset in Plan
	Kind                 Kind  // Complex if Inner is not 0
	Forward, Wide        bool
	// Work has SharedBytes and then WorkBytes for each task. If SharedBytes is not 0, lines are long: parts of them are
	// tasks.
	SharedBytes, WorkBytes, Tasks int64
	Together                      bool // lines become columns: their plan says so
	Staged                        bool // contiguous lines are copied to the end of work, transformed and copied back
	ISA                           run.ISA
	Scale                         float64 // of the results
}

type swiftArgs struct {
	dst, src, plan, work run.Ref
	outer, inner, n      int64
	root, kind, forward  int64
	workBytes, tasks     int64
	sharedBytes          int64
	together, staged     int64
	wide, isa            int64
	scale                float64
}

// Record makes the record of t.
func (t Swift) Record() run.Record {
	return run.Pack(swiftFunction(), &swiftArgs{dst: t.Dst, src: t.Src, plan: t.Plan, work: t.Work, outer: t.Outer,
		inner: t.Inner, n: t.N, root: t.Root, kind: int64(t.Kind), forward: run.Bit(t.Forward), workBytes: t.WorkBytes,
		tasks: t.Tasks, sharedBytes: t.SharedBytes, together: run.Bit(t.Together), staged: run.Bit(t.Staged),
		wide: run.Bit(t.Wide), isa: int64(t.ISA), scale: t.Scale})
}
