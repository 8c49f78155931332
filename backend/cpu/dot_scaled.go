package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lowerScaledDot lowers a scaled dot to a contraction of f64 arrays, which hold the products with the scales exactly.
func lowerScaledDot(l *exec.Lowering) (exec.Thunk, error) {
	in := l.In
	a, lhs, rhs := in.Attrs.(*hlo.DotAttrs), in.Operands[0].Shape, in.Operands[1].Shape
	c := contraction{lhsType: shape.F64, rhsType: shape.F64, outType: in.Shape.Type, out: l.Result(),
		lhs: l.Scratch(8 * lhs.Size()), rhs: l.Scratch(8 * rhs.Size()),
		split: (*kernel.Split)(hlo.DotSplitOf(a.Algorithm, shape.F64, shape.F64, in.Shape.Type))}
	c.Contraction = kernel.NewDot(lhs.Dims, rhs.Dims, a.LHSBatch, a.LHSContracting, a.RHSBatch, a.RHSContracting)
	return sequence(scaleThunk(l, 0, c.lhs), scaleThunk(l, 1, c.rhs), contract(l, c)), nil
}

// scaleThunk multiplies operand i by its scales.
func scaleThunk(l *exec.Lowering, i int, dst exec.Slice) *thunk {
	src, scale := l.Operand(i), l.Operand(i+2)
	s, b := l.In.Operands[i].Shape, l.In.Operands[i+2].Shape
	return goThunk("go scale", append(exec.Reads(src, scale), exec.Writes(dst)...), func(r *exec.Run) error {
		if dst.Size > 0 {
			kernel.Scale(kernel.Cast[float64](r.Bytes(dst)), r.Bytes(src), r.Bytes(scale), s.Type, b.Type, s.Dims, b.Dims)
		}
		return nil
	})
}

// zeroByte is the byte of which the zero of t is made; F8E8M0FNU has NaN in its place.
func zeroByte(t shape.ElementType) byte {
	if t == shape.F8E8M0FNU {
		return 0xff
	}
	return 0
}
