package emit

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// Followed reports whether in, an op on elements or a fusion of such ops that reads the dot c, may be part of the
// kernel that makes c, where threads share sums and one of them goes on with each.
func Followed(c, in *hlo.Instruction) bool {
	if c.Op != hlo.Dot || skinnyOf(c) == nil {
		return false
	}
	a, ok := in.Attrs.(*hlo.FusionAttrs)
	if !ok {
		return fusible(in)
	}
	if _, heavy := nested(a.Calls); heavy {
		return false
	}
	i := slices.Index(in.Operands, c)
	return i == lastIndex(in.Operands, c) && inPlace(a.Calls, a.Calls.Parameters[i])
}

func lastIndex(list []*hlo.Instruction, x *hlo.Instruction) int {
	at := -1
	for i, y := range list {
		if y == x {
			at = i
		}
	}
	return at
}

// inPlace reports whether all that is made of x in its computation takes its element at each place there.
func inPlace(c *hlo.Computation, x *hlo.Instruction) bool {
	made := map[*hlo.Instruction]bool{x: true}
	for _, in := range c.Instructions {
		if !slices.ContainsFunc(in.Operands, func(o *hlo.Instruction) bool { return made[o] }) {
			continue
		}
		if in.Op.Info().Traits&hlo.Elementwise == 0 && in.Op != hlo.Convert || !in.Shape.SameDims(x.Shape) {
			return false
		}
		made[in] = true
	}
	return true
}

// emitFollowed makes kernels of a fusion of a dot and what follows it, and reports whether it is one.
func emitFollowed(e *Emission, in *hlo.Instruction, c *hlo.Computation) bool {
	i := slices.IndexFunc(c.Instructions, heavy)
	if i < 0 || !c.Root.Shape.IsArray() {
		return false
	}
	dot := c.Instructions[i]
	s := skinnyOf(dot)
	if s == nil || dot.Operands[0].Op != hlo.Parameter || dot.Operands[1].Op != hlo.Parameter || !inPlace(c, dot) {
		return false
	}
	for _, x := range c.Instructions {
		if _, calls := x.Attrs.(*hlo.FusionAttrs); calls || x != dot && heavy(x) {
			return false
		}
	}
	s.e, s.whole = e, in
	s.emit()
	return true
}
