package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerRunning runs a running reduction by the computation c along dimension d.
func lowerRunning(l *exec.Lowering, c *hlo.Computation, d int, reverse bool) (exec.Thunk, error) {
	t := operandShape(l, 0).Type
	if op, simple := simpleReducer(c); simple && len(l.In.Operands) == 2 && t == l.In.Shape.Type {
		x := summedParts(l, op)
		if ops, lines, ok := nativeRunning(op, x.Type); ok {
			// What a piece of a product of floats comes to may be no float, though the whole never is beyond one.
			whole := op == hlo.Multiply && t.IsFloat()
			return runningThunk(l, x, ops, lines, d, reverse, whole), nil
		}
	}
	return runningSweep(l, c, d, reverse)
}

// nativeRunning returns the native loops of a running reduction of elements of type t by op.
func nativeRunning(op hlo.Opcode, t shape.ElementType) (reduce.Loops, reduce.RunningLoops, bool) {
	kind, known := plainTypes[t]
	o, simple := plainOps[op]
	if t == shape.Pred { // a bit is a number, too
		kind = reduce.U8
		o, simple = predExtremes[op]
	}
	if !run.Available() || !known || !simple || t.Bits() < 8 {
		return reduce.Loops{}, reduce.RunningLoops{}, false
	}
	if kind >= reduce.U16 && kind <= reduce.U64 && (o == reduce.Add || o == reduce.Multiply) {
		kind -= reduce.U8 - reduce.S8
	}
	lines, ok := reduce.RunningLoopsOf(run.Level(), o, kind)
	ops, also := reduce.LoopsOf(run.Level(), o, kind)
	return ops, lines, ok && also
}

const (
	runningTask  = 256 << 10 // bytes that a task of a running reduction reads; they stay in the cache for a second look
	runningTasks = 8         // that are enough without chunks
)

// runningThunk returns the thunk of native loops over x; whole: what goes into one result is not cut into chunks.
func runningThunk(l *exec.Lowering, x shape.Shape, ops reduce.Loops, lines reduce.RunningLoops, d int,
	reverse, whole bool) exec.Thunk {
	r := reduce.Running{Ops: ops, Lines: lines, X: ref(l.Operand(0)), Init: ref(l.Operand(1)), Out: ref(l.Result()),
		Reverse: reverse, Grain: 1, Strips: 1, Chunks: 1}
	r.Outer, r.N, r.Inner = kernel.Around(x.Dims, d)
	r.Chunk, r.Strip = r.N, r.Inner
	if r.Inner > reduce.MostRunningStrip {
		r.Strip = reduce.MostRunningStrip
		r.Strips = (r.Inner + reduce.MostRunningStrip - 1) / reduce.MostRunningStrip
	}
	each := max(r.N*min(r.Inner, r.Strip)*widthOf(x), 1) // bytes of a strip
	if r.Strips == 1 {
		r.Grain = max(runningTask/each, 1)
	}
	if !whole && each > 4*runningTask && r.Outer*r.Strips < runningTasks {
		r.Chunk = max(r.N*runningTask/each, 1)
		r.Chunks = (r.N + r.Chunk - 1) / r.Chunk
	}
	uses := append(exec.Reads(l.Operand(0), l.Operand(1)), exec.Writes(l.Result())...)
	if r.Chunks > 1 {
		scratch := l.Scratch(r.Chunks * r.Outer * r.Inner * plainScratch)
		r.Scratch, uses = ref(scratch), append(uses, exec.Writes(scratch)...)
	}
	return recordThunk("loops running", uses, r.Record())
}
