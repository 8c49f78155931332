package hlo

import "github.com/halo-xla/halo/xla/shape"

// Slice takes the elements start, start+stride, ... below limit of each dimension. strides nil means all 1, as in 2017.
//
//	operand T[D...]   result T[ceil((limit-start)/stride)...]
//
// It fails unless the lists have operand's rank, 0 <= start <= limit <= D and stride >= 1. Law: row 61.
func (b *Builder) Slice(operand *Instruction, startIndices, limitIndices, strides []int64) *Instruction {
	if strides == nil {
		strides = make([]int64, len(startIndices))
		for d := range strides {
			strides[d] = 1
		}
	}
	if len(limitIndices) != len(startIndices) || len(strides) != len(startIndices) {
		return b.fail(Slice, "got %d start indices, %d limit indices and %d strides, want the same number",
			len(startIndices), len(limitIndices), len(strides))
	}
	s := make(SliceDims, len(startIndices))
	for d := range s {
		s[d] = SliceDim{startIndices[d], limitIndices[d], strides[d]}
	}
	return b.add(Slice, &SliceAttrs{Slice: s}, shape.Shape{}, operand)
}

// SliceInDim is Slice of one dimension, the others taken whole.
//
//	operand T[A..., N, B...]   result T[A..., ceil((limit-start)/stride), B...]
//
// It fails if dimension is out of range, or as Slice does. Law: row 61.
func (b *Builder) SliceInDim(operand *Instruction, start, limit, stride, dimension int64) *Instruction {
	b.present(Slice, &operand)
	if err := checkDim("sliced dimension", dimension, operand.Shape); err != nil {
		return b.fail(Slice, "%w", err)
	}
	s := make(SliceDims, operand.Shape.Rank())
	for d, n := range operand.Shape.Dims {
		s[d] = SliceDim{0, n, 1}
	}
	s[dimension] = SliceDim{start, limit, stride}
	return b.add(Slice, &SliceAttrs{Slice: s}, shape.Shape{}, operand)
}

// DynamicSlice takes a window of sliceSizes whose start is known at run time only. Starts are moved so that the window
// lies in operand. startIndices is one integer scalar a dimension, or one vector of them, the form before 2018.
//
//	operand T[D...]   result T[sliceSizes...]
//
// It fails if the number or types of the indices do not fit or a size is not in 0 to D. Law: row 62.
func (b *Builder) DynamicSlice(operand *Instruction, startIndices []*Instruction, sliceSizes []int64) *Instruction {
	operands := append([]*Instruction{operand}, startIndices...)
	return b.add(DynamicSlice, &DynamicSliceAttrs{Sizes: sliceSizes}, shape.Shape{}, operands...)
}

// DynamicUpdateSlice is operand with update written over the window at startIndices, which are those of DynamicSlice.
//
//	operand T[D...]   update T[U...]   result T[D...]
//
// It fails if the element types or ranks differ or update is larger than operand. Law: row 63.
func (b *Builder) DynamicUpdateSlice(operand, update *Instruction, startIndices []*Instruction) *Instruction {
	operands := append([]*Instruction{operand, update}, startIndices...)
	return b.add(DynamicUpdateSlice, nil, shape.Shape{}, operands...)
}
