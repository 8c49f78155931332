package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
)

const (
	maxTrips    = 8    // rounds of a loop that is unrolled
	maxUnrolled = 1024 // instructions that come of one
)

// Unroll puts as many copies of a loop's body in its place as it has rounds, where those are few and the body only
// works on elements: then fusions reach from round to round, and what counts the rounds is constant in each.
func Unroll() Pass {
	return Pass{Name: "unroll", Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			for _, in := range e.old.Instructions {
				if in.Op != hlo.While || !flow[e.old] || e.isPinned(in) || !e.unroll(in) {
					e.keep(in)
				}
			}
		}), nil
	}}
}

func (e *editor) unroll(in *hlo.Instruction) bool {
	a := in.Attrs.(*hlo.WhileAttrs)
	l, ok := Trips(in)
	body := e.current(a.Body)
	if !ok || l.Trips > maxTrips || l.Trips*int64(len(body.Instructions)) > maxUnrolled || in.IsDynamic() ||
		!isOnElements(a.Condition, false) || !isOnElements(body, true) {
		return false
	}
	state := e.of(in.Operands[0])
	for range l.Trips {
		state = e.spliceIn(body, []*hlo.Instruction{state}, "")
	}
	e.replace(in, state)
	return true
}

// isOnElements reports whether all of c works on elements or only moves them within an array, and whether it does that
// to an array if so wanted.
func isOnElements(c *hlo.Computation, arrays bool) bool {
	found := !arrays
	for _, in := range c.Instructions {
		traits := in.Op.Info().Traits
		held := in.Common != nil && len(in.Common.Predecessors) > 0
		if !onElements[in.Op] && traits&hlo.Elementwise == 0 || in.HasSideEffect() || held {
			return false
		}
		found = found || traits&hlo.Elementwise != 0 && in.Shape.IsArray() && !in.Shape.IsScalar()
	}
	return found
}

// onElements are the ops that a body may have besides those on elements.
var onElements = [hlo.NumOps]bool{
	hlo.Parameter: true, hlo.Constant: true, hlo.Tuple: true, hlo.GetTupleElement: true, hlo.Broadcast: true,
	hlo.Iota: true, hlo.Slice: true, hlo.Reshape: true, hlo.Reverse: true, hlo.Copy: true, hlo.Clamp: true,
	hlo.BitcastConvert: true, hlo.Bitcast: true,
}
