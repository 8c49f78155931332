package emit

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// pointwise returns a convolution whose window is one place as a product of matrices without a copy: of places by
// features with the weights where features lie last in memory, of the weights with features by places for each of a
// batch where space does. It returns nil if in is none, or its arrays lie otherwise.
func pointwise(in *hlo.Instruction, a *hlo.ConvolutionAttrs) *Gemm {
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	if !onePlace(in, a) || lhs.Type != rhs.Type || !gemmSums[[2]shape.ElementType{lhs.Type, in.Shape.Type}] {
		return nil
	}
	n, from, weights, to := &a.DimLabels, shape.Strides(lhs.Dims), shape.Strides(rhs.Dims), shape.Strides(in.Shape.Dims)
	k, features := lhs.Dims[n.InputFeature], in.Shape.Dims[n.OutputFeature]
	w := Matrix{Buffer{Operand, 1}, rhs.Type, weights[n.KernelInput], weights[n.KernelOutput], 0}
	if k == 1 || features == 1 || min(w.Row, w.Column) != 1 {
		return nil
	}
	of, at := slices.Concat([]int64{n.InputBatch}, n.InputSpatial), slices.Concat([]int64{n.OutputBatch}, n.OutputSpatial)
	if len(n.InputSpatial) > 0 && n.InputSpatial[0] < n.InputBatch {
		of, at = slices.Concat(of[1:], of[:1]), slices.Concat(at[1:], at[:1])
	}
	places, step, ok := oneDimension(lhs.Dims, of)
	_, stepTo, okTo := oneDimension(in.Shape.Dims, at)
	x := Matrix{Buffer{Operand, 0}, lhs.Type, step, from[n.InputFeature], 0}
	if ok && okTo && to[n.OutputFeature] == 1 && stepTo == features && min(x.Row, x.Column) == 1 {
		y := Matrix{Buffer{Result, 0}, in.Shape.Type, features, 1, 0}
		return &Gemm{M: places, N: features, K: k, Batch: 1, A: x, B: w, C: y}
	}
	places, step, ok = oneDimension(lhs.Dims, n.InputSpatial)
	_, stepTo, okTo = oneDimension(in.Shape.Dims, n.OutputSpatial)
	w.Row, w.Column = w.Column, w.Row
	x = Matrix{Buffer{Operand, 0}, lhs.Type, from[n.InputFeature], step, from[n.InputBatch]}
	if !ok || !okTo || stepTo != 1 || to[n.OutputFeature] != places || min(x.Row, x.Column) != 1 {
		return nil
	}
	y := Matrix{Buffer{Result, 0}, in.Shape.Type, places, 1, to[n.OutputBatch]}
	return &Gemm{M: features, N: places, K: k, Batch: lhs.Dims[n.InputBatch], A: w, B: x, C: y}
}

// onePlace reports whether each place of a convolution's result is made of one place of its operand, the same.
func onePlace(in *hlo.Instruction, a *hlo.ConvolutionAttrs) bool {
	if in.Op != hlo.Convolution || a.FeatureGroupCount > 1 || a.BatchGroupCount > 1 || len(a.DimLabels.InputUnknown) > 0 {
		return false
	}
	for i, w := range a.Window {
		size := in.Operands[1].Shape.Dims[a.DimLabels.KernelSpatial[i]]
		if size != 1 || max(w.Stride, w.BaseDilation) > 1 || w.PadLow != 0 || w.PadHigh != 0 {
			return false
		}
	}
	return true
}
