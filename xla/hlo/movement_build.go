package hlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Broadcast puts new dimensions of the given sizes in front of operand's: out[i..., j...] = operand[j...].
//
//	operand T[D...]   result T[sizes..., D...]
//
// It fails if a size is negative or operand is no array. Law: row 55.
func (b *Builder) Broadcast(operand *Instruction, sizes []int64) *Instruction {
	b.present(Broadcast, &operand)
	out := newDimList(operand.Shape.Type, len(sizes)+operand.Shape.Rank())
	for _, n := range sizes {
		out.add(n, false)
	}
	dims := make([]int64, operand.Shape.Rank())
	for d := range dims {
		out.addOf(operand.Shape, int64(d))
		dims[d] = int64(len(sizes) + d)
	}
	return b.add(Broadcast, &BroadcastAttrs{Dimensions: dims}, out.shape(), operand)
}

// BroadcastInDim makes dimension i of operand dimension dims[i] of a result of the given sizes. A dimension of size 1
// stretches: it is dropped by a reshape first, so that the broadcast itself changes no size.
//
//	operand T[D...]   result T[sizes...]
//
// It fails if dims has not operand's rank, is not ascending or out of range, or if a size is neither 1 nor the
// result's. Law: row 56.
func (b *Builder) BroadcastInDim(operand *Instruction, sizes, dims []int64) *Instruction {
	b.present(Broadcast, &operand)
	s := shape.Array(operand.Shape.Type, sizes...)
	if !slices.IsSorted(dims) {
		return b.fail(Broadcast, "broadcast dimensions: got %s, want ascending ones", list(dims))
	}
	if !operand.Shape.IsArray() || checkBroadcastDims(operand.Shape, s, dims) != nil {
		return b.add(Broadcast, &BroadcastAttrs{Dimensions: dims}, s, operand)
	}
	kept := newDimList(operand.Shape.Type, len(dims))
	var to []int64
	for i, d := range dims {
		if operand.Shape.IsDynamicDim(i) {
			s.Dynamic = append(s.Dynamic, make([]bool, len(sizes)-len(s.Dynamic))...)
			s.Dynamic[d] = !isUnknown(operand.Shape, i)
		}
		if operand.Shape.Dims[i] != 1 || sizes[d] == 1 {
			kept.addOf(operand.Shape, int64(i))
			to = append(to, d)
		}
	}
	if len(to) < len(dims) {
		operand = b.ReshapeTo(kept.shape(), operand)
	}
	return b.add(Broadcast, &BroadcastAttrs{Dimensions: to}, s, operand)
}

// Reshape gives operand new sizes, elements in row-major order; layouts do not matter. It is today's form.
//
//	operand T[D...]   result T[newSizes...]
//
// It fails if the numbers of elements differ. Law: row 57.
func (b *Builder) Reshape(operand *Instruction, newSizes []int64) *Instruction {
	b.present(Reshape, &operand)
	return b.ReshapeTo(shape.Array(operand.Shape.Type, newSizes...), operand)
}

// ReshapeTo is Reshape to the sizes of s, which may have bounded dynamic dimensions.
//
//	operand T[D...]   result s
//
// It fails if the numbers of elements or the element types differ. Law: row 57.
func (b *Builder) ReshapeTo(s shape.Shape, operand *Instruction) *Instruction {
	return b.add(Reshape, &ReshapeAttrs{}, s, operand)
}

// ReshapeInOrder is the form of 2017 and 2021: dimensions lists all of operand's from slowest to fastest, the order
// in which they collapse to a vector, which newSizes then splits. It is Transpose, then Reshape.
//
//	operand T[D...]   result T[newSizes...]
//
// It fails if dimensions is no permutation or the numbers of elements differ. Law: row 57.
func (b *Builder) ReshapeInOrder(operand *Instruction, dimensions, newSizes []int64) *Instruction {
	return b.Reshape(b.Transpose(operand, dimensions), newSizes)
}

// ReshapeWithInferredDimension is Reshape in which, if operand has dynamic dimensions, inferredDimension is the one
// of the result that takes what is left at run time; -1 says none.
//
//	operand T[D...]   result T[newSizes...]
//
// It fails as Reshape does, or if inferredDimension is out of range. Law: row 57, the form of 2021.
func (b *Builder) ReshapeWithInferredDimension(operand *Instruction, newSizes []int64,
	inferredDimension int64) *Instruction {
	b.present(Reshape, &operand)
	s := shape.Array(operand.Shape.Type, newSizes...)
	if inferredDimension == -1 {
		return b.ReshapeTo(s, operand)
	}
	if err := checkDim("inferred dimension", inferredDimension, s); err != nil {
		return b.fail(Reshape, "%w", err)
	}
	a := &ReshapeAttrs{}
	if operand.Shape.IsDynamic() {
		s.Dynamic = make([]bool, len(newSizes))
		s.Dynamic[inferredDimension] = true
		a.InferredDimension = Optional{inferredDimension, true}
	}
	return b.add(Reshape, a, s, operand)
}

// Collapse makes one dimension of neighbours; none or one of them is the identity.
//
//	operand T[A..., B..., C...]   result T[A..., product of B, C...]
//
// It fails unless dimensions are ascending and consecutive. Law: row 58.
func (b *Builder) Collapse(operand *Instruction, dimensions []int64) *Instruction {
	b.present(Reshape, &operand)
	if len(dimensions) <= 1 {
		return operand
	}
	s := operand.Shape
	if err := checkDims("collapsed dimensions", dimensions, s.Rank(), true, true); err != nil {
		return b.fail(Reshape, "%w", err)
	}
	first, last := dimensions[0], dimensions[len(dimensions)-1]
	if last-first != int64(len(dimensions)-1) {
		return b.fail(Reshape, "collapsed dimensions: got %s, want consecutive ones", list(dimensions))
	}
	out, n, dynamic := newDimList(s.Type, s.Rank()), int64(1), false
	for d := range s.Dims {
		if int64(d) < first || int64(d) > last {
			out.addOf(s, int64(d))
			continue
		}
		n, dynamic = n*s.Dims[d], dynamic || s.IsDynamicDim(d)
		if int64(d) == last {
			out.add(n, dynamic)
		}
	}
	return b.ReshapeTo(out.shape(), operand)
}

// Transpose permutes dimensions: dimension i of the result is dimension permutation[i] of operand.
//
//	operand T[D...]   result T[D in the order of permutation]
//
// It fails if permutation is none. Law: row 59.
func (b *Builder) Transpose(operand *Instruction, permutation []int64) *Instruction {
	return b.add(Transpose, &TransposeAttrs{Dimensions: permutation}, shape.Shape{}, operand)
}

// Rev reverses the order of the elements along dimensions: index i becomes size-1-i.
//
//	operand T[D...]   result T[D...]
//
// It fails if a dimension is out of range or there twice. Law: row 60.
func (b *Builder) Rev(operand *Instruction, dimensions []int64) *Instruction {
	return b.add(Reverse, &ReverseAttrs{Dimensions: dimensions}, shape.Shape{}, operand)
}

// ConcatInDim joins operands, at least one, along dimension.
//
//	operands T[A..., N_i, B...]   result T[A..., sum of N_i, B...]
//
// It fails if the other sizes or the element types differ or operands have rank 0. Law: row 64.
func (b *Builder) ConcatInDim(operands []*Instruction, dimension int64) *Instruction {
	return b.add(Concatenate, &ConcatenateAttrs{Dimension: OneDim(dimension)}, shape.Shape{}, operands...)
}

// Pad puts the scalar paddingValue around and between the elements of operand: first between neighbours, then at the
// edges, where negative numbers crop.
//
//	operand T[N...]   paddingValue T[]   result T[low + N + max(N-1, 0)*interior + high, ...]
//
// It fails if interior padding or a size becomes negative, or if types or the number of dimensions differ. Law: row
// 65.
func (b *Builder) Pad(operand, paddingValue *Instruction, padding Padding) *Instruction {
	return b.add(Pad, &PadAttrs{Padding: padding}, shape.Shape{}, operand, paddingValue)
}

// PadInDim is Pad at the two edges of one dimension.
//
//	operand T[A..., N, B...]   paddingValue T[]   result T[A..., low+N+high, B...]
//
// It fails if dimension is out of range, or as Pad does. Law: row 65.
func (b *Builder) PadInDim(operand, paddingValue *Instruction, dimension, low, high int64) *Instruction {
	b.present(Pad, &operand)
	if err := checkDim("padded dimension", dimension, operand.Shape); err != nil {
		return b.fail(Pad, "%w", err)
	}
	padding := make(Padding, operand.Shape.Rank())
	padding[dimension] = PadDim{Low: low, High: high}
	return b.Pad(operand, paddingValue, padding)
}

// Iota is an array of shape s whose elements are their indices along iotaDimension. Floats are rounded from the
// integer, complex numbers get it as real part, narrow integers wrap.
//
//	result s
//
// It fails for predicates, scalars and an iotaDimension out of range. Law: row 70.
func (b *Builder) Iota(s shape.Shape, iotaDimension int64) *Instruction {
	return b.add(Iota, &IotaAttrs{Dimension: iotaDimension}, s)
}

// IotaVector is Iota(type, size): a vector 0, 1, ...
//
//	result t[size]
//
// It fails as Iota does. Law: row 70, the form of 2021.
func (b *Builder) IotaVector(t shape.ElementType, size int64) *Instruction {
	return b.Iota(shape.Array(t, size), 0)
}
