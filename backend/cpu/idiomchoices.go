package cpu

import (
	"github.com/halo-xla/halo/xla/hlo"
)

// useChoices makes one stage of each select with a comparison that nothing else needs. Complex numbers are taken apart
// first.
func (f *fused) useChoices() {
	uses := f.uses()
	found := false
	for i := range f.nodes {
		nd := &f.nodes[i]
		if nd.op != hlo.Select || nd.stage != "" || nd.t.IsComplex() {
			continue
		}
		m := &f.nodes[nd.args[0]]
		if m.op == hlo.Compare && m.stage == "" && uses[nd.args[0]] == 1 && m.comparison() != "" {
			f.useChoice(nd, m)
			found = true
		}
	}
	if found {
		f.order()
	}
}

// useChoice makes a stage of select nd, whose predicate is m. What is computed last stays in the registers: the value
// where the comparison fails if the other one is there anyhow.
func (f *fused) useChoice(nd, m *node) {
	name, x, y := m.comparison(), m.args[0], m.args[1]
	if turned := swapped[name]; name[0] == 'g' {
		name, x, y = turned, y, x
	}
	held, other := nd.args[1], nd.args[2]
	nd.stage = "where_" + name
	if len(f.nodes[held].args) == 0 {
		held, other, nd.stage = other, held, "unless_"+name
	}
	nd.args = []int{held, other, x, y}
}

// comparison names the stage of a comparison; "" if that takes more than one.
func (nd *node) comparison() string {
	a, t := nd.in.Attrs.(*hlo.CompareAttrs), nd.from(0)
	name, equality := relations[a.Direction], a.Direction == hlo.Eq || a.Direction == hlo.Ne
	switch {
	case t.IsComplex() || t.IsFloat() && a.Type == hlo.TotalOrder:
		return ""
	case t.IsFloat():
		return name + "_f"
	case equality: // of bits
		return name
	case t.IsSigned():
		return name + "_s"
	}
	return name + "_u" // predicates are masks: true is all ones
}

// isChoice reports whether a node is a select with its comparison.
func (nd *node) isChoice() bool { return nd.op == hlo.Select && nd.stage != "" && len(nd.args) == 4 }

// choose emits a select with its comparison.
func (e *emitter) choose(nd *node) {
	e.hold(nd.args[0])
	other, x, y := e.memory(nd.args[1]), e.memory(nd.args[2]), e.memory(nd.args[3])
	e.steps = append(e.steps, step{name: nd.stage, a: x, b: y, c: other})
	e.held = none
}
