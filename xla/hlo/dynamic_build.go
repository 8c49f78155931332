package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// GetDimensionSize is the size of a dimension at run time.
//
//	operand T[D...]   result s32[]
//
// It fails if dimension is out of range or its size does not fit. Law: row 107.
func (b *Builder) GetDimensionSize(operand *Instruction, dimension int64) *Instruction {
	return b.add(GetDimensionSize, &DimensionAttrs{Dimension: OneDim(dimension)}, shape.Shape{}, operand)
}

// SetDimensionSize makes a dimension dynamic, with size as its size at run time and its present size as bound. A
// constant size equal to the bound makes it static.
//
//	operand T[A..., N, B...]   size s32[]   result T[A..., <=N, B...]
//
// It fails if dimension is out of range or size is no s32 scalar, and at run time if size is below 0 or above N. Law:
// row 108.
func (b *Builder) SetDimensionSize(operand, size *Instruction, dimension int64) *Instruction {
	return b.add(SetDimensionSize, &DimensionAttrs{Dimension: OneDim(dimension)}, shape.Shape{}, operand, size)
}

// RemoveDynamicDimension makes a dynamic dimension static at its bound; what is beyond its size becomes zero.
//
//	operand T[A..., <=N, B...]   result T[A..., N, B...]
//
// It fails if dimension is out of range or has no bound that fits an s32. Law: row 108.
func (b *Builder) RemoveDynamicDimension(operand *Instruction, dimension int64) *Instruction {
	b.present(SetDimensionSize, &operand)
	if err := checkDim("dimension", dimension, operand.Shape); err != nil {
		return b.fail(SetDimensionSize, "%w", err)
	}
	bound := operand.Shape.Dims[dimension]
	if bound > 1<<31-1 || bound < 0 {
		return b.fail(SetDimensionSize, "dimension %d of %v has no bound that fits an s32", dimension, operand.Shape)
	}
	return b.SetDimensionSize(operand, b.ConstantLiteral(literal.Scalar(int32(bound))), dimension)
}

// DynamicReshape is Reshape to sizes known at run time only: dimSizes are scalars, newSizeBounds their bounds;
// dimsAreDynamic says which of the result's dimensions may be smaller than the bound.
//
//	operand T[D...]   dimSizes integer[]...   result T[<=newSizeBounds...]
//
// It fails if the lists differ in length or sizes are no integer scalars, and at run time if the sizes do not fit.
// Law: HLO dynamic-reshape.
func (b *Builder) DynamicReshape(operand *Instruction, dimSizes []*Instruction, newSizeBounds []int64,
	dimsAreDynamic []bool) *Instruction {
	b.present(DynamicReshape, &operand)
	if len(newSizeBounds) != len(dimsAreDynamic) {
		return b.fail(DynamicReshape, "got %d bounds and %d dynamic flags, want the same number", len(newSizeBounds),
			len(dimsAreDynamic))
	}
	out := newDimList(operand.Shape.Type, len(newSizeBounds))
	for d, n := range newSizeBounds {
		out.add(n, dimsAreDynamic[d])
	}
	return b.add(DynamicReshape, nil, out.shape(), append([]*Instruction{operand}, dimSizes...)...)
}

// MhloDynamicReshape is Reshape to the sizes in a vector; s is what is known of the result.
//
//	operand T[D...]   outputShape integer[rank of s]   result s
//
// It fails if the vector has another size or types differ. Law: StableHLO dynamic_reshape C1 to C4.
func (b *Builder) MhloDynamicReshape(operand, outputShape *Instruction, s shape.Shape) *Instruction {
	return b.add(DynamicReshape, nil, s, operand, outputShape)
}

// MhloDynamicBroadcastInDim is BroadcastInDim to the sizes in a vector; s is what is known of the result.
//
//	operand T[D...]   outputDimensions integer[rank of s]   result s
//
// It fails as BroadcastInDim does, or if the vector has another size. Law: StableHLO dynamic_broadcast_in_dim.
func (b *Builder) MhloDynamicBroadcastInDim(operand, outputDimensions *Instruction, dims []int64,
	s shape.Shape) *Instruction {
	return b.add(DynamicBroadcastInDim, &DynamicBroadcastAttrs{Dimensions: dims}, s, operand, outputDimensions)
}

// DynamicIota is Iota of the sizes in a vector; s is what is known of the result.
//
//	outputShape integer[rank of s]   result s
//
// It fails as Iota does, or if the vector has another size. Law: StableHLO dynamic_iota.
func (b *Builder) DynamicIota(outputShape *Instruction, iotaDimension int64, s shape.Shape) *Instruction {
	return b.add(DynamicIota, &IotaAttrs{Dimension: iotaDimension}, s, outputShape)
}

// DynamicPad is Pad by three vectors; s is what is known of the result.
//
//	operand T[D...]   paddingValue T[]   low, high, interior integer[rank of operand]   result s
//
// It fails if vectors have other sizes or types differ, and at run time as Pad does. Law: StableHLO dynamic_pad.
func (b *Builder) DynamicPad(operand, paddingValue, low, high, interior *Instruction, s shape.Shape) *Instruction {
	return b.add(DynamicPad, nil, s, operand, paddingValue, low, high, interior)
}

// RealDynamicSlice is Slice by three vectors; s is what is known of the result.
//
//	operand T[D...]   starts, limits, strides integer[rank of operand]   result s
//
// It fails if vectors have other sizes or types, and at run time as Slice does. Law: StableHLO real_dynamic_slice.
func (b *Builder) RealDynamicSlice(operand, starts, limits, strides *Instruction, s shape.Shape) *Instruction {
	return b.add(RealDynamicSlice, nil, s, operand, starts, limits, strides)
}
