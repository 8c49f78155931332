package pass

import (
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// gatherFlat: single elements of dimensions side by side, whose indices are put together of an array for each, are
// elements of the dimensions as one. Where an index is clamped, it is before they become one, and what computes it
// need not be written side by side with the others.
func gatherFlat(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, x := *in.Attrs.(*hlo.GatherAttrs), in.Operands[0]
	b := sideBySide(a.StartIndexMap, a.CollapsedSliceDims, x.Shape.Dims)
	indices := s.apart(in.Operands[1], a.IndexVectorDim, b)
	if indices == nil || !plain(in.Shape) {
		return nil
	}
	at := s.place(indices, a.StartIndexMap, x.Shape.Dims)
	a.SliceSizes = b.product(a.SliceSizes)
	a.StartIndexMap = []int64{b.first}
	a.CollapsedSliceDims, a.OperandBatchingDims = b.number(a.CollapsedSliceDims), b.number(a.OperandBatchingDims)
	a.IndicesAreSorted = false
	return s.op(hlo.Gather, &a, shape.Shape{}, s.reshape(x, b.product(x.Shape.Dims)), at)
}

// scatterFlat: as gatherFlat. What does not lie in all dimensions is left out.
func scatterFlat(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, x := *in.Attrs.(*hlo.ScatterAttrs), in.Operands[0]
	b := sideBySide(a.ScatterDimsToOperandDims, a.InsertedWindowDims, x.Shape.Dims)
	if len(in.Operands) != 3 || !plain(in.Shape) {
		return nil
	}
	indices := s.apart(in.Operands[1], a.IndexVectorDim, b)
	if indices == nil {
		return nil
	}
	at := s.place(indices, a.ScatterDimsToOperandDims, x.Shape.Dims)
	for k, i := range indices {
		at = s.orOutside(at, i, x.Shape.Dims[a.ScatterDimsToOperandDims[k]]-1)
	}
	a.ScatterDimsToOperandDims = []int64{b.first}
	a.InsertedWindowDims, a.InputBatchingDims = b.number(a.InsertedWindowDims), b.number(a.InputBatchingDims)
	a.IndicesAreSorted = false
	y := s.op(hlo.Scatter, &a, shape.Shape{}, s.reshape(x, b.product(x.Shape.Dims)), at, in.Operands[2])
	return s.reshape(y, in.Shape.Dims)
}

// block is n dimensions from first on that become one.
type block struct{ first, n int64 }

// sideBySide returns the block of the dimensions that indices are for, if these are single elements of sizes dims; none
// if there is no such block.
func sideBySide(indexed, single, dims []int64) block {
	if len(indexed) < 2 {
		return block{}
	}
	b := block{slices.Min(indexed), int64(len(indexed))}
	for _, d := range indexed {
		if d >= b.first+b.n || !slices.Contains(single, d) {
			return block{}
		}
	}
	if size := shape.Product(dims[b.first : b.first+b.n]); size <= 0 || size > math.MaxInt32 {
		return block{}
	}
	return b
}

// product returns the sizes dims with those of b as one.
func (b block) product(dims []int64) []int64 {
	size := shape.Product(dims[b.first : b.first+b.n])
	return slices.Concat(dims[:b.first], []int64{size}, dims[b.first+b.n:])
}

// number returns the dimensions dims as they count when those of b are one.
func (b block) number(dims []int64) []int64 {
	list := make([]int64, 0, len(dims))
	for _, d := range dims {
		switch {
		case d >= b.first+b.n:
			d -= b.n - 1
		case d > b.first:
			d = b.first
		}
		list = append(list, d)
	}
	return slices.Compact(list)
}

// apart returns the arrays of which indices are put together, one for each dimension of b, in 32 bits at least, or nil.
func (s *simplifier) apart(indices *hlo.Instruction, dim int64, b block) []*hlo.Instruction {
	if b.n == 0 || indices.Op != hlo.Concatenate || int64(len(indices.Operands)) != b.n ||
		int64(indices.Attrs.(*hlo.ConcatenateAttrs).Dimension) != dim {
		return nil
	}
	list := slices.Clone(indices.Operands)
	for k, i := range list {
		if i.Shape.Type.Bits() < 32 {
			list[k] = s.toS32(i)
		}
	}
	return list
}

// toS32 converts integers.
func (s *simplifier) toS32(i *hlo.Instruction) *hlo.Instruction {
	if i.Shape.Type == shape.S32 {
		return i
	}
	return s.op(hlo.Convert, nil, shape.Array(shape.S32, i.Shape.Dims...), i)
}

// place returns the sum of indices, each clamped to dimension dim[k] of dims and times the elements behind it.
func (s *simplifier) place(indices []*hlo.Instruction, dim, dims []int64) *hlo.Instruction {
	var sum *hlo.Instruction
	last := slices.Max(dim)
	for k, i := range indices {
		i = s.within(i, dims[dim[k]]-1)
		if step := shape.Product(dims[dim[k]+1 : last+1]); step > 1 {
			i = s.plainOp(hlo.Multiply, i, s.filled(integerOf(shape.S32, step), i.Shape))
		}
		if sum != nil {
			i = s.plainOp(hlo.Add, sum, i)
		}
		sum = i
	}
	return sum
}

// within returns the integers i clamped to 0 to last, as s32.
func (s *simplifier) within(i *hlo.Instruction, last int64) *hlo.Instruction {
	t := i.Shape.Type
	return s.toS32(s.plainOp(hlo.Clamp, s.constant(zeroOf(t)), i, s.constant(integerOf(t, last))))
}

// orOutside returns at, or -1 where index i is not from 0 to last.
func (s *simplifier) orOutside(at, i *hlo.Instruction, last int64) *hlo.Instruction {
	t, a := i.Shape.Type, &hlo.CompareAttrs{Direction: hlo.Le}
	limit := s.filled(integerOf(t, last), i.Shape)
	ok := s.op(hlo.Compare, a, shape.Shape{}, i, limit)
	if t.IsSigned() {
		ok = s.plainOp(hlo.And, s.op(hlo.Compare, a, shape.Shape{}, s.zeros(i), i), ok)
	}
	return s.plainOp(hlo.Select, ok, at, s.filled(integerOf(shape.S32, -1), at.Shape))
}
