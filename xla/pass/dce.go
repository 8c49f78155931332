package pass

import "github.com/halo-xla/halo/xla/hlo"

// DCE removes instructions without effect that nobody uses, and computations that nobody calls. Parameters stay, and so
// do the ends of control dependencies.
func DCE() Pass {
	return Pass{Name: "dce", Run: func(m *hlo.Module) (*hlo.Module, error) {
		return edit(m, func(e *editor) {
			e.dirty = unused(e.old, e.pins) != nil
			e.keepAllIf(e.dirty)
		}), nil
	}}
}

// keepAllIf copies the old computation if it is to change or calls one that has changed.
func (e *editor) keepAllIf(change bool) {
	for _, in := range e.old.Instructions {
		change = change || e.calling(in) != nil
	}
	if change {
		e.keepAll()
	}
}
