package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Transposes lets transposes come before the operations that make elements wider than those of an array are, as of an
// image whose bytes become floats: fewer bytes move. All of Simplify's rules apply besides.
func Transposes() Pass {
	t := simplifications()
	t[hlo.Transpose] = append(slices.Clone(t[hlo.Transpose]), transposeOfWidened)
	return rewritePass("transposes", t)
}

func transposeOfWidened(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	return s.widened(in.Operands[0], permutation(in), in.Shape.Type.Bits())
}

// widened is the transpose of x, which comes of one array of elements with less than so many bits, or nil.
func (s *simplifier) widened(x *hlo.Instruction, perm []int64, bits int) *hlo.Instruction {
	k := slices.IndexFunc(x.Operands, isLarge)
	switch {
	case x.Op == hlo.Dot || x.Op == hlo.Convolution: // what follows it may be done to its elements while they are near
		return nil
	case x.Shape.Type.Bits() < bits && x.Shape.Type.Bits() >= 8:
		return s.transpose(x, perm)
	case x.Op.Info().Traits&hlo.Elementwise == 0 || x.Op == hlo.BitcastConvert || x.IsDynamic() || s.isPinned(x),
		s.users(x) > 1, k < 0, slices.ContainsFunc(x.Operands[k+1:], isLarge):
		return nil
	}
	turned := s.widened(x.Operands[k], perm, bits)
	if turned == nil {
		return nil
	}
	list := slices.Clone(x.Operands)
	for i, o := range list {
		switch {
		case i == k:
			list[i] = turned
		case !o.Shape.IsScalar():
			list[i] = s.transpose(o, perm)
		}
	}
	return s.op(x.Op, x.Attrs, shape.Array(x.Shape.Type, pick(x.Shape.Dims, perm)...), list...)
}

// isLarge reports whether in is an array that a transpose moves: of a broadcast, the operand is transposed.
func isLarge(in *hlo.Instruction) bool { return !in.Shape.IsScalar() && in.Op != hlo.Broadcast }
