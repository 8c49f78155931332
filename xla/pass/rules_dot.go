package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// dotRules let dots read their operands as they lie: transposes become dimension numbers. Dots without sums are
// products.
var dotRules = map[hlo.Opcode][]rule{
	hlo.Dot:       {dotOfTranspose(0), dotOfTranspose(1), outerProduct},
	hlo.Transpose: {transposeOfDot},
}

// dotOfTranspose: the dot's dimensions are those of the transpose's operand. The dimensions that are left must come in
// their order, which is that of the result.
func dotOfTranspose(k int) rule {
	return func(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
		o := in.Operands[k]
		if o.Op != hlo.Transpose {
			return nil
		}
		perm, a := permutation(o), *in.Attrs.(*hlo.DotAttrs)
		batch, contracting := &a.LHSBatch, &a.LHSContracting
		if k == 1 {
			batch, contracting = &a.RHSBatch, &a.RHSContracting
		}
		if !slices.IsSorted(pick(perm, freeDims(o.Shape.Rank(), *batch, *contracting))) {
			return nil
		}
		*batch, *contracting = pick(perm, *batch), pick(perm, *contracting)
		operands := slices.Clone(in.Operands)
		operands[k] = o.Operands[0]
		return s.op(hlo.Dot, &a, shape.Array(in.Shape.Type, in.Shape.Dims...), operands...)
	}
}

// largeOuter is how many elements a dot of one term has to be a product: smaller ones are in the caches, and quicker as
// dots.
const largeOuter = 1 << 18

// outerProduct: a dot of one term is a product that is added to 0, which makes a 0 of -0.
func outerProduct(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, x, y := in.Attrs.(*hlo.DotAttrs), in.Operands[0], in.Operands[1]
	t := in.Shape.Type
	if t != shape.F32 && t != shape.F64 || x.Shape.Type != t || y.Shape.Type != t || a.Algorithm != "" ||
		in.Shape.Size() < largeOuter {
		return nil
	}
	for _, d := range a.LHSContracting {
		if x.Shape.Dims[d] != 1 {
			return nil
		}
	}
	free := len(freeDims(x.Shape.Rank(), a.LHSBatch, a.LHSContracting))
	product := s.plainOp(hlo.Multiply, s.spread(x, in.Shape.Dims, a.LHSBatch, a.LHSContracting, 0),
		s.spread(y, in.Shape.Dims, a.RHSBatch, a.RHSContracting, free))
	return s.plainOp(hlo.Add, product, s.zeros(in))
}

// spread makes a dot's operand, whose contracting dimensions are 1, as large as the result: its free dimensions stand
// there behind the batch ones and so many others.
func (s *simplifier) spread(x *hlo.Instruction, dims, batch, contracting []int64, others int) *hlo.Instruction {
	var left, to []int64
	next := int64(len(batch) + others)
	for d := range int64(x.Shape.Rank()) {
		if slices.Contains(contracting, d) {
			continue
		}
		left = append(left, x.Shape.Dims[d])
		if k := slices.Index(batch, d); k >= 0 {
			to = append(to, int64(k))
			continue
		}
		to = append(to, next)
		next++
	}
	return s.broadcast(s.reshape(x, left), dims, to)
}

// freeDims are the dimensions of a dot's operand that are neither batch nor contracting ones.
func freeDims(rank int, lists ...[]int64) []int64 {
	dims := []int64{}
	for d := range int64(rank) {
		if !slices.ContainsFunc(lists, func(l []int64) bool { return slices.Contains(l, d) }) {
			dims = append(dims, d)
		}
	}
	return dims
}

// transposeOfDot: a transpose that swaps the dimensions left of lhs with those left of rhs is the dot the other way
// round, whose products and their order are the same.
func transposeOfDot(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	a, ok := o.Attrs.(*hlo.DotAttrs)
	if !ok || o.Op != hlo.Dot || s.users(o) != 1 || a.Algorithm != "" {
		return nil
	}
	b := int64(len(a.LHSBatch))
	m := int64(o.Operands[0].Shape.Rank()) - b - int64(len(a.LHSContracting))
	swapped := []int64{}
	for d := range int64(o.Shape.Rank()) {
		swapped = append(swapped, d)
	}
	swapped = slices.Concat(swapped[:b], swapped[b+m:], swapped[b:b+m])
	if !slices.Equal(permutation(in), swapped) {
		return nil
	}
	other := &hlo.DotAttrs{LHSBatch: a.RHSBatch, LHSContracting: a.RHSContracting, RHSBatch: a.LHSBatch,
		RHSContracting: a.LHSContracting, Precision: slices.Clone(a.Precision)}
	slices.Reverse(other.Precision)
	return s.op(hlo.Dot, other, shape.Array(in.Shape.Type, in.Shape.Dims...), o.Operands[1], o.Operands[0])
}
