package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Widen computes the dots and convolutions of narrow floats that wide reports in F32, where a backend has no products
// of the narrow type: operands are converted, which is exact, and sums are taken in F32 and rounded once, as the narrow
// op has it.
func Widen(wide func(in *hlo.Instruction) bool) Pass {
	var t ruleTable
	widen := func(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
		if !isNarrowFloat(in.Operands[0].Shape.Type) || !isNarrowFloat(in.Operands[1].Shape.Type) || !wide(in) {
			return nil
		}
		if a, ok := in.Attrs.(*hlo.DotAttrs); ok && a.Algorithm != "" {
			return nil
		}
		x, y := s.inF32(in.Operands[0]), s.inF32(in.Operands[1])
		out := s.op(in.Op, in.Attrs, shape.Array(shape.F32, in.Shape.Dims...), x, y)
		if in.Shape.Type == shape.F32 {
			return out
		}
		return s.op(hlo.Convert, nil, shape.Array(in.Shape.Type, in.Shape.Dims...), out)
	}
	t[hlo.Dot], t[hlo.Convolution] = []rule{widen}, []rule{widen}
	return rewritePass("widen", &t)
}

func isNarrowFloat(t shape.ElementType) bool { return t.IsFloat() && t.Bits() <= 16 }

func (s *simplifier) inF32(x *hlo.Instruction) *hlo.Instruction {
	return s.op(hlo.Convert, nil, shape.Array(shape.F32, x.Shape.Dims...), x)
}
