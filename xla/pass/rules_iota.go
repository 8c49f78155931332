package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// iotaRules use that the numbers of an iota are known, and sums of scalars that are spread: what generators of random
// numbers begin with.
var iotaRules = map[hlo.Opcode][]rule{
	hlo.Convert:           {convertIota},
	hlo.ShiftRightLogical: {shiftIota},
	hlo.Add:               {addScalars},
}

// counts returns how far an iota of integers counts, if its type and t hold all of its numbers.
func counts(in *hlo.Instruction, t shape.ElementType) (n int64, ok bool) {
	if in.Op != hlo.Iota || !t.IsInteger() || !in.Shape.Type.IsInteger() {
		return 0, false
	}
	n = in.Shape.Dims[in.Attrs.(*hlo.IotaAttrs).Dimension]
	_, last := integerRange(in.Shape.Type)
	_, most := integerRange(t)
	return n, n-1 <= last && n-1 <= most
}

// convertIota counts in the type wanted.
func convertIota(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if _, ok := counts(x, in.Shape.Type); !ok {
		return nil
	}
	return s.op(hlo.Iota, x.Attrs, shape.Array(in.Shape.Type, in.Shape.Dims...))
}

// shiftIota: numbers below 2^k shifted by k or more are 0.
func shiftIota(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	n, ok := counts(in.Operands[0], in.Shape.Type)
	by, known := integer(in.Operands[1])
	if !ok || !known || by < 0 || by < 62 && n > 1<<by {
		return nil
	}
	return s.zeros(in)
}

// addScalars: (x + spread a) + spread b = x + spread (a+b) for integers.
func addScalars(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !in.Shape.Type.IsInteger() || in.Shape.IsScalar() {
		return nil
	}
	return either(in, func(x, b *hlo.Instruction) *hlo.Instruction {
		if x.Op != hlo.Add || spread(b) == nil {
			return nil
		}
		return either(x, func(y, a *hlo.Instruction) *hlo.Instruction {
			if spread(a) == nil || spread(y) != nil {
				return nil
			}
			sum := s.plainOp(hlo.Add, spread(a), spread(b))
			return s.plainOp(hlo.Add, y, s.broadcast(sum, in.Shape.Dims, []int64{}))
		})
	})
}

// spread returns the scalar that in has everywhere, or nil.
func spread(in *hlo.Instruction) *hlo.Instruction {
	if in.Op == hlo.Broadcast && in.Operands[0].Shape.IsScalar() {
		return in.Operands[0]
	}
	return nil
}
