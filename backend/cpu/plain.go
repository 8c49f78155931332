package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// plainOps are the native ops of reducers.
var plainOps = map[hlo.Opcode]reduce.Op{hlo.Add: reduce.Add, hlo.Multiply: reduce.Multiply, hlo.Minimum: reduce.Minimum,
	hlo.Maximum: reduce.Maximum, hlo.And: reduce.And, hlo.Or: reduce.Or, hlo.Xor: reduce.Xor}

// predOps are what the same mean on predicates.
var predOps = map[hlo.Opcode]reduce.Op{hlo.Add: reduce.Or, hlo.Multiply: reduce.And, hlo.Minimum: reduce.And,
	hlo.Maximum: reduce.Or, hlo.And: reduce.And, hlo.Or: reduce.Or, hlo.Xor: reduce.Xor}

// plainTypes are the native types of elements.
var plainTypes = map[shape.ElementType]reduce.Type{
	shape.Pred: reduce.S8, shape.S1: reduce.S8, shape.S2: reduce.S8, shape.S4: reduce.S8, shape.S8: reduce.S8,
	shape.S16: reduce.S16, shape.S32: reduce.S32, shape.S64: reduce.S64, shape.U1: reduce.U8, shape.U2: reduce.U8,
	shape.U4: reduce.U8, shape.U8: reduce.U8, shape.U16: reduce.U16, shape.U32: reduce.U32, shape.U64: reduce.U64,
	shape.F32: reduce.F32, shape.F64: reduce.F64, shape.BF16: reduce.BF16, shape.F16: reduce.F16}

// nativeLoops returns the native loops that reduce terms elements of type t by op. A product of few floats is rounded
// step by step, as the reference does it, since the order says whether it over- or underflows on the way.
func nativeLoops(op hlo.Opcode, t shape.ElementType, terms int64) (reduce.Loops, bool) {
	kind, known := plainTypes[t]
	o, simple := plainOps[op]
	if t == shape.Pred {
		o, simple = predOps[op]
	}
	if !run.Available() || !known || !simple || op == hlo.Multiply && t.IsFloat() && terms <= shortSum {
		return reduce.Loops{}, false
	}
	signs := o == reduce.Minimum || o == reduce.Maximum
	if kind >= reduce.U16 && kind <= reduce.U64 && !signs {
		kind -= reduce.U8 - reduce.S8
	}
	if kind == reduce.U8 && o >= reduce.And {
		kind = reduce.S8
	}
	return reduce.LoopsOf(run.Level(), o, kind)
}

const (
	plainTask    = 1 << 20 // bytes that a task of a plain reduction should read
	plainTasks   = 16      // that are enough without cutting what goes into one result
	plainScratch = 8       // bytes of an accumulator
	shortRun     = 128     // elements of a run that is not worth a reduction of its own where many go into a result
)

// isShort reports whether runs of so many elements, rows of which go into each result, are reduced as columns are, and
// what those come to in the end.
func isShort(run, rows int64) bool { return run > 0 && run <= shortRun && rows >= fewTerms }

// plainReduce returns the thunk of a reduction of x by native loops.
func plainReduce(l *exec.Lowering, x shape.Shape, plan kernel.Fold, loops reduce.Loops) exec.Thunk {
	each := int64(1)
	if last := len(plan.Kept) - 1; plan.RunReduced && last >= 0 && isShort(plan.Run, plan.Rows()) {
		each = plan.Run
		plan.Run, plan.RunReduced, plan.Kept = each*plan.Kept[last].N, false, plan.Kept[:last]
	}
	p := reduce.Plain{Ops: loops, X: ref(l.Operand(0)), Init: ref(l.Operand(1)), Out: ref(l.Result()),
		Kept: axesOf(plan.Kept), Reduced: axesOf(plan.Reduced), Run: plan.Run, RunReduced: plan.RunReduced,
		Bits: x.Type.Bits(), Each: each}
	splitPlain(&p, plan, widthOf(x))
	uses := append(exec.Reads(l.Operand(0), l.Operand(1)), exec.Writes(l.Result())...)
	if p.Chunks > 1 {
		scratch := l.Scratch(p.Chunks * kernel.Count(plan.Kept) * plan.Width() * plainScratch)
		p.Scratch, uses = ref(scratch), append(uses, exec.Writes(scratch)...)
	}
	return recordThunk("loops reduce", uses, p.Record())
}

// plainTaskOf is how many bytes a task of a reduction of so many should read: a quarter of what is not much, and more
// of what is, so that few accumulators are left to be merged.
func plainTaskOf(total int64) int64 {
	if total < 2*plainTask {
		return max(total/4, plainTask/4)
	}
	return min(max(plainTask, total/32), 4*plainTask)
}

// splitPlain divides a reduction of elements of some bytes into tasks: by results, and what goes into one into chunks
// if there are few.
func splitPlain(p *reduce.Plain, plan kernel.Fold, bytes int64) {
	kept, rows := kernel.Count(plan.Kept), plan.Rows()
	all := rows // that go into one result
	if rows == 1 && plan.RunReduced {
		all = plan.Run
	}
	p.Strips, p.Strip, p.Chunks, p.Chunk = 1, plan.Width(), 1, all
	if plan.Width() > reduce.MostStrip {
		p.Strip = reduce.MostStrip / p.Each * p.Each
		p.Strips = (plan.Width() + p.Strip - 1) / p.Strip
	}
	each := max(rows*plan.Run*bytes, 1) // of one kept place
	total := kept * each
	task := plainTaskOf(total)
	p.Grain = max(task/each, 1)
	if p.Grain > 1 && p.Strips == 1 || total < 2*task {
		return
	}
	if have := kept * p.Strips; have < plainTasks && p.Chunk > 1 {
		chunks := min((total/task+have-1)/have, p.Chunk)
		p.Chunk = (p.Chunk + chunks - 1) / chunks
		p.Chunks = (all + p.Chunk - 1) / p.Chunk
	}
}
