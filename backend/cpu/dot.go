package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// lowerDot lowers a dot to a contraction.
func lowerDot(l *exec.Lowering) (exec.Thunk, error) {
	in := l.In
	a, lhs, rhs := in.Attrs.(*hlo.DotAttrs), in.Operands[0].Shape, in.Operands[1].Shape
	c := kernel.NewDot(lhs.Dims, rhs.Dims, a.LHSBatch, a.LHSContracting, a.RHSBatch, a.RHSContracting)
	split := (*kernel.Split)(hlo.DotSplitOf(a.Algorithm, lhs.Type, rhs.Type, in.Shape.Type))
	return contract(l, contraction{c, lhs.Type, rhs.Type, in.Shape.Type, split, l.Operand(0), l.Operand(1), l.Result(),
		l.Constant(1)}), nil
}
