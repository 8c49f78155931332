package hlo

import "github.com/halo-xla/halo/xla/shape"

// Gather takes slices of input, one for each index vector in startIndices, and puts them together. Starts are moved so
// that slices lie in input; negative ones count as 0. SliceSizes in a are the sizes of the slices.
//
//	input T[D...]   startIndices integer[S...]   result T[S without the vector, slices at offset dims]
//
// It fails if dimension numbers are out of range, repeated or out of order, or do not fit together. Law: row 68,
// StableHLO gather C1 to C23.
func (b *Builder) Gather(input, startIndices *Instruction, a GatherAttrs) *Instruction {
	return b.add(Gather, &a, shape.Shape{}, input, startIndices)
}

// DynamicGather is Gather whose slice sizes are a vector of integers; s is what is known of the result.
//
//	input T[D...]   startIndices integer[S...]   sliceSizes integer[rank of input]   result s
//
// It fails as Gather does, or if s cannot be the result. Law: StableHLO dynamic_gather.
func (b *Builder) DynamicGather(input, startIndices, sliceSizes *Instruction, a DynamicGatherAttrs,
	s shape.Shape) *Instruction {
	return b.add(DynamicGather, &a, s, input, startIndices, sliceSizes)
}

// Scatter is the inputs with updates folded in: window by window, in row-major order of the updates, each element x of
// input becomes a.ToApply(x, update). A window that does not lie in the input as a whole is left out. The result is one
// array, or a tuple for several inputs; it has the computation's element types, which may be wider than the inputs'.
//
//	inputs T_i[D...]   scatterIndices integer[S...]   updates T_i[S without the vector, windows]
//
// It fails if dimension numbers are out of range, repeated or out of order, or do not fit together, or if the
// computation is not one of scalars. Law: row 69, StableHLO scatter C1 to C25.
func (b *Builder) Scatter(inputs []*Instruction, scatterIndices *Instruction, updates []*Instruction,
	a ScatterAttrs) *Instruction {
	operands := append(append(append([]*Instruction(nil), inputs...), scatterIndices), updates...)
	return b.add(Scatter, &a, shape.Shape{}, operands...)
}
