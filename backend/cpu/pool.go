package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/reduce"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// predExtremes are the ops that are extremes of predicates.
var predExtremes = map[hlo.Opcode]reduce.Op{hlo.Add: reduce.Maximum, hlo.Or: reduce.Maximum,
	hlo.Maximum: reduce.Maximum, hlo.Multiply: reduce.Minimum, hlo.And: reduce.Minimum, hlo.Minimum: reduce.Minimum}

// nativePool returns the native loop that reduces windows of terms elements of type t by op, 0 if there is none.
func nativePool(op hlo.Opcode, t shape.ElementType, terms int64) reduce.Pool {
	kind, known := plainTypes[t]
	o, simple := plainOps[op]
	if t == shape.Pred { // a bit is a number, too
		kind = reduce.U8
		o, simple = predExtremes[op]
	}
	sum := o == reduce.Add || o == reduce.Multiply
	if !run.Available() || !known || !simple || t.Bits() < 8 || t.IsFloat() && sum && terms > shortSum {
		return 0
	}
	if kind >= reduce.U16 && kind <= reduce.U64 && sum {
		kind -= reduce.U8 - reduce.S8
	}
	return reduce.PoolOf(run.Level(), o, kind)
}

// tapsPerNano is about how many elements of windows a native loop takes in a nanosecond.
const tapsPerNano = 4

// poolThunk is the thunk of a native loop over windows of x.
func poolThunk(l *exec.Lowering, x shape.Shape, plan kernel.Window, pool reduce.Pool) exec.Thunk {
	plan = plan.Wide()
	all := plan.Rows() * int64(len(plan.Line))
	nanos := plan.Out * plan.Terms / tapsPerNano
	w := reduce.Window{Plan: planOf(plan), Pool: pool, Grain: max(taskCost*all/max(nanos, 1), 1)}
	w.Tasks = (all + w.Grain - 1) / w.Grain
	bytes := widthOf(x)
	w.Operands = []reduce.Operand{{X: ref(l.Operand(0)), Init: ref(l.Operand(1)), Out: ref(l.Result()), XBytes: bytes,
		AccBytes: bytes, OutBytes: bytes}}
	uses := append(exec.Reads(l.Operand(0), l.Operand(1)), exec.Writes(l.Result())...)
	return recordThunk("loops pool", uses, w.Record())
}

var chooserRelations = map[hlo.Direction]reduce.Relation{hlo.Ge: reduce.GE, hlo.Gt: reduce.GT, hlo.Le: reduce.LE,
	hlo.Lt: reduce.LT}

// chosenBy returns the relation by which the computation c chooses, if that is all it does to numbers of a type that
// plain loops have.
func chosenBy(c *hlo.Computation, t shape.ElementType) (r reduce.Relation, kind reduce.Type, ok bool) {
	a, compares := c.Root.Attrs.(*hlo.CompareAttrs)
	kind, known := plainTypes[t]
	if !compares || !known || t.Bits() < 8 || c.Root.Op != hlo.Compare || a.Type == hlo.TotalOrder {
		return 0, 0, false
	}
	r, known = chooserRelations[a.Direction]
	return r, kind, known && c.Root.Operands[0] == c.Parameters[0] && c.Root.Operands[1] == c.Parameters[1]
}

// nativeChooser returns the native loop that chooses as the computation c on elements of type t does, 0 if there is
// none.
func nativeChooser(c *hlo.Computation, t shape.ElementType) uintptr {
	r, kind, ok := chosenBy(c, t)
	if !ok {
		return 0
	}
	return reduce.ChooserOf(run.Level(), kind, r)
}

// nativeSide returns the native loop that chooses as c does and adds, for places side by side, 0 if there is none.
func nativeSide(c *hlo.Computation, t shape.ElementType) uintptr {
	r, kind, ok := chosenBy(c, t)
	if !ok {
		return 0
	}
	return reduce.SideOf(run.Level(), kind, r)
}

// nativeAdder returns the native loop that adds as c does, 0 if there is none.
func nativeAdder(c *hlo.Computation, t shape.ElementType) uintptr {
	op, simple := simpleReducer(c)
	kind, known := plainTypes[t]
	if !simple || op != hlo.Add || !known || c.Root.Shape.Type != t {
		return 0
	}
	return reduce.AdderOf(run.Level(), kind)
}
