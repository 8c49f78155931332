package exec

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// Lends reports whether the array result shall be a part of operand i where that lies, and if so the thunk must write
// the part's address to the result's place in the table of addresses each time it runs, before anything else, not
// bytes. It does if the operand is handed on by the computation as it came, so that nothing overwrites it while the
// result is read, and the result is read by thunks of the same computation alone.
func (l *Lowering) Lends(i int) bool {
	if l.comp == nil || !handedOn(l.comp, l.In.Operands[i]) || !readHere(l.comp, l.In) {
		return false
	}
	l.c.program.lent = append(l.c.program.lent, l.Result().Slot)
	return true
}

// forgetLent has the addresses of parts lent, which an earlier run has left, be those of nothing.
func (r *Run) forgetLent() {
	for _, s := range r.program.lent {
		r.memory.point(s, nil)
	}
}

// handedOn reports whether o is an element of c's parameter that its root has at the same place.
func handedOn(c *hlo.Computation, o *hlo.Instruction) bool {
	if o.Op != hlo.GetTupleElement || o.Operands[0].Op != hlo.Parameter || c.Root.Op != hlo.Tuple {
		return false
	}
	i, p := o.Attrs.(*hlo.GetTupleElementAttrs).Index, o.Operands[0]
	return i < int64(len(c.Root.Operands)) && handsOn(c.Root.Operands[i], p, i)
}

// readHere reports whether all that reads the bytes of in are machine's thunks of c, which make other bytes of them.
func readHere(c *hlo.Computation, in *hlo.Instruction) bool {
	return in != c.Root && !slices.ContainsFunc(c.Instructions, func(user *hlo.Instruction) bool {
		switch {
		case !slices.Contains(user.Operands, in):
			return false
		case user.Op == hlo.Reshape || user.Op == hlo.Bitcast:
			return !readHere(c, user)
		case user.Op == hlo.Fusion:
			return slices.ContainsFunc(user.Called()[0].Roots(), func(r *hlo.Instruction) bool { return r.Op == hlo.Parameter })
		}
		return Owns(user.Op)
	})
}
