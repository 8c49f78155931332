package hlo

import (
	"github.com/halo-xla/halo/xla/shape"
)

// ConvOptions are what the later generations added to convolutions.
type ConvOptions struct {
	// FeatureGroupCount splits input and output features into groups that do not see each other; 0 means 1.
	FeatureGroupCount int64
	// BatchGroupCount splits the batch: each group of output features sees one part; 0 means 1.
	BatchGroupCount int64
	Precision       Precision
	// PreferredElementType is the type of sums and result; Invalid means the operands'.
	PreferredElementType shape.ElementType
	// WindowReversal says along which spatial dimensions the kernel is flipped; empty means none. ConvGeneralDilated only.
	WindowReversal []bool
}

// DefaultConvDimensionNumbers returns the labels of n spatial dimensions in the default order: lhs is batch, feature,
// spatial..., rhs output feature, input feature, spatial..., and the result as lhs. Row 93.
func DefaultConvDimensionNumbers(n int) DimLabels {
	spatial := make([]int64, n)
	for i := range spatial {
		spatial[i] = int64(i) + 2
	}
	return DimLabels{
		InputBatch: 0, InputFeature: 1, InputSpatial: spatial,
		KernelOutput: 0, KernelInput: 1, KernelSpatial: spatial,
		OutputBatch: 0, OutputFeature: 1, OutputSpatial: spatial,
	}
}

// Conv slides the kernel rhs over lhs and sums the products over window and input features.
//
//	lhs T[N, C, D...]   rhs T[O, C, K...]   result T[N, O, E...]
//
// The kernel is not flipped. It fails as ConvGeneralDilated does. Law: row 93.
func (b *Builder) Conv(lhs, rhs *Instruction, windowStrides []int64, padding PaddingKind,
	opts ...ConvOptions) *Instruction {
	return b.ConvWithGeneralDimensions(lhs, rhs, windowStrides, padding, b.convDefault(lhs), opts...)
}

// convDefault returns the default labels for the rank of lhs.
func (b *Builder) convDefault(lhs *Instruction) DimLabels {
	b.present(Convolution, &lhs)
	return DefaultConvDimensionNumbers(max(lhs.Shape.Rank()-2, 0))
}

// ConvWithGeneralPadding is Conv with padding of each spatial dimension at low and high end, negative to crop.
//
//	lhs T[N, C, D...]   rhs T[O, C, K...]   result T[N, O, E...]
//
// It fails as ConvGeneralDilated does. Law: row 94.
func (b *Builder) ConvWithGeneralPadding(lhs, rhs *Instruction, windowStrides []int64, padding [][2]int64,
	opts ...ConvOptions) *Instruction {
	return b.ConvGeneral(lhs, rhs, windowStrides, padding, b.convDefault(lhs), opts...)
}

// ConvWithGeneralDimensions is Conv with dimensions in any order.
//
//	lhs T[N, C, D...]   rhs T[O, C, K...]   result T[N, O, E...] in the order of dimensionNumbers
//
// It fails as ConvGeneralDilated does. Law: row 94.
func (b *Builder) ConvWithGeneralDimensions(lhs, rhs *Instruction, windowStrides []int64, padding PaddingKind,
	dimensionNumbers DimLabels, opts ...ConvOptions) *Instruction {
	b.present(Convolution, &lhs, &rhs)
	w, in := b.convWindow(Convolution, rhs, windowStrides, nil, nil, nil, dimensionNumbers, opts)
	if in != nil {
		return in
	}
	sizes := make([]int64, 0, len(w))
	for _, d := range dimensionNumbers.InputSpatial {
		if d >= 0 && d < int64(lhs.Shape.Rank()) {
			sizes = append(sizes, lhs.Shape.Dims[d])
		}
	}
	w.pad(padding, sizes)
	return b.conv(Convolution, w, dimensionNumbers, opts, lhs, rhs)
}

// ConvGeneral is Conv with padding and with dimensions in any order.
//
//	lhs T[N, C, D...]   rhs T[O, C, K...]   result T[N, O, E...] in the order of dimensionNumbers
//
// It fails as ConvGeneralDilated does. Law: row 94.
func (b *Builder) ConvGeneral(lhs, rhs *Instruction, windowStrides []int64, padding [][2]int64,
	dimensionNumbers DimLabels,
	opts ...ConvOptions) *Instruction {
	return b.ConvGeneralDilated(lhs, rhs, windowStrides, padding, nil, nil, dimensionNumbers, opts...)
}

// ConvGeneralDilated is ConvGeneral with dilation of lhs, a transposed convolution, and of rhs. Empty lists mean
// ones, empty padding none. Padding and holes are left out of the sums.
//
//	lhs T[N, C, D...]   rhs T[O, C/groups, K...]   result T[N/groups of the batch, O, E...]
//
// It fails if ranks differ, dimension numbers are no permutation, a list has another length than there are spatial
// dimensions, a stride, dilation or kernel size is less than 1, features do not match, a group count does not divide
// what it splits, both group counts are above 1, or element types differ. Law: row 94, StableHLO convolution C1 to
// C27.
func (b *Builder) ConvGeneralDilated(lhs, rhs *Instruction, windowStrides []int64, padding [][2]int64,
	lhsDilation, rhsDilation []int64, dimensionNumbers DimLabels, opts ...ConvOptions) *Instruction {
	w, in := b.convWindow(Convolution, rhs, windowStrides, lhsDilation, rhsDilation, padding, dimensionNumbers, opts)
	if in != nil {
		return in
	}
	return b.conv(Convolution, w, dimensionNumbers, opts, lhs, rhs)
}

// convWindow makes the window of a convolution, or returns the instruction that stands for the fault.
func (b *Builder) convWindow(op Opcode, rhs *Instruction, strides, lhsDilation, rhsDilation []int64, padding [][2]int64,
	l DimLabels, opts []ConvOptions) (Window, *Instruction) {
	b.present(op, &rhs)
	sizes := make([]int64, len(l.KernelSpatial))
	for i, d := range l.KernelSpatial {
		if d >= 0 && d < int64(rhs.Shape.Rank()) {
			sizes[i] = rhs.Shape.Dims[d]
		}
	}
	w, err := newWindow(sizes, strides, lhsDilation, rhsDilation, padding)
	if err != nil {
		return nil, b.fail(op, "%w", err)
	}
	for _, o := range opts {
		if n := len(o.WindowReversal); n != 0 && n != len(w) {
			return nil, b.fail(op, "window reversal: got %d values, want %d", n, len(w))
		}
		for d, r := range o.WindowReversal {
			w[d].Reversal = r
		}
	}
	return w, nil
}

func (b *Builder) conv(op Opcode, w Window, l DimLabels, opts []ConvOptions, operands ...*Instruction) *Instruction {
	a := &ConvolutionAttrs{Window: w, DimLabels: l}
	var given shape.Shape
	for _, o := range opts {
		a.FeatureGroupCount, a.BatchGroupCount, a.Precision = o.FeatureGroupCount, o.BatchGroupCount, o.Precision
		given.Type = o.PreferredElementType
	}
	return b.add(op, a, given, operands...)
}
