package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Gates takes slices before the ops on elements between a dot and them, if those slices are gates, as a recurrent cell
// has them: parts of one size of the last dimension, which are all that is read, by ops on elements. What is done with
// the dot's result is then of the gates' size, and can follow it part by part.
func Gates() Pass {
	return Pass{Name: "gates", Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			g := &gater{editor: e}
			if !flow[e.old] || !g.find() {
				e.keepAllIf(false)
				return
			}
			for _, in := range e.old.Instructions {
				switch {
				case g.between[in.Index()]:
				case in.Op == hlo.Slice && g.between[in.Operands[0].Index()]:
					e.replace(in, g.slice(in.Operands[0], in))
				default:
					e.keep(in)
				}
			}
		}), nil
	}}
}

// gater finds what lies between dots and gates.
type gater struct {
	*editor
	users   [][]*hlo.Instruction
	between []bool
	dots    []bool // what is made of a dot, or is one that nothing else reads
}

// find reports whether there is anything.
func (g *gater) find() bool {
	list := g.old.Instructions
	g.between, g.dots, g.users = make([]bool, len(list)), make([]bool, len(list)), make([][]*hlo.Instruction, len(list))
	for i, in := range list {
		g.dots[i] = in.Op == hlo.Dot && in.Users() == 1
		for _, o := range in.Operands {
			g.users[o.Index()] = append(g.users[o.Index()], in)
			g.dots[i] = g.dots[i] || g.dots[o.Index()] && g.isOnElements(in)
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if !g.isOnElements(list[i]) || len(g.users[i]) == 0 {
			continue
		}
		if user := g.users[i][0]; len(g.users[i]) == 1 {
			g.between[i] = g.between[user.Index()]
		} else {
			g.between[i] = g.dots[i] && areGates(g.users[i]) && !slices.ContainsFunc(g.users[i], g.leaves)
		}
	}
	return slices.Contains(g.between, true)
}

// isOnElements reports whether in computes elements from those of arrays of the same size, and may be replaced.
func (g *gater) isOnElements(in *hlo.Instruction) bool {
	if in.Op.Info().Traits&hlo.Elementwise == 0 || !plain(in.Shape) || in.IsDynamic() || in.HasSideEffect() ||
		g.isPinned(in) || in == g.old.Root || in.Shape.Rank() == 0 || len(in.Operands) == 0 || len(in.Called()) > 0 {
		return false
	}
	return !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return !o.Shape.SameDims(in.Shape) })
}

// leaves reports whether a gate is read by what is no op on elements: it is better taken out of a whole result then.
func (g *gater) leaves(gate *hlo.Instruction) bool {
	return gate == g.old.Root || slices.ContainsFunc(g.users[gate.Index()], func(user *hlo.Instruction) bool {
		return user.Op.Info().Traits&hlo.Elementwise == 0 && user.Op != hlo.Clamp
	})
}

// areGates reports whether all of a list are slices of one size of the last dimension, and none is there twice.
func areGates(list []*hlo.Instruction) bool {
	var starts []int64
	for _, in := range list {
		if !isGate(in, list[0].Shape) {
			return false
		}
		start := sliceDims(in)[in.Shape.Rank()-1].Start
		if slices.Contains(starts, start) {
			return false
		}
		starts = append(starts, start)
	}
	return true
}

// slice makes the slice of an old instruction that the gate in is.
func (g *gater) slice(of, in *hlo.Instruction) *hlo.Instruction {
	if !g.between[of.Index()] {
		return g.make(in, hlo.Slice, &hlo.SliceAttrs{Slice: slices.Clone(sliceDims(in))}, shape.Shape{}, g.of(of))
	}
	operands := make([]*hlo.Instruction, len(of.Operands))
	for i, o := range of.Operands {
		operands[i] = g.slice(o, in)
	}
	return g.make(of, of.Op, of.Attrs, shape.Array(of.Shape.Type, in.Shape.Dims...), operands...)
}
