package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// ConvolutionAttrs are the attributes of convolution, rows 93 and 94.
type ConvolutionAttrs struct {
	Window            Window
	DimLabels         DimLabels
	FeatureGroupCount int64
	BatchGroupCount   int64
	Precision         Precision
}

// Fields lists the attributes.
func (a *ConvolutionAttrs) Fields() []Field {
	return []Field{
		{"window", "", &a.Window, Set},
		{"dim_labels", "dimension_numbers", &a.DimLabels, Always},
		{"feature_group_count", "feature_group_count", &a.FeatureGroupCount, One},
		{"batch_group_count", "batch_group_count", &a.BatchGroupCount, One},
		{"operand_precision", "precision_config", &a.Precision, Set},
	}
}

// DimLabels says which dimension is batch, feature and spatial: "b01f_01io->b01f".
type DimLabels struct {
	InputBatch, InputFeature   int64
	InputSpatial               []int64
	KernelInput, KernelOutput  int64
	KernelSpatial              []int64
	OutputBatch, OutputFeature int64
	OutputSpatial              []int64
	// Unknown lists dimensions that text marks "?": they are in none of the above.
	InputUnknown, KernelUnknown, OutputUnknown []int64
}

func inferConvolution(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*ConvolutionAttrs)
	t, w, err := checkConvolution(in, a)
	if err != nil {
		return poison, err
	}
	out, err := convolutionDims(in, a, w)
	return out.WithType(t), err
}

// inferDynamicConvolution: the padding is an operand, so the spatial sizes are those that are told, or unknown.
func inferDynamicConvolution(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*ConvolutionAttrs)
	t, w, err := checkConvolution(in, a)
	if err != nil {
		return poison, err
	}
	p, want := in.Operands[2].Shape, shape.Array(shape.S64, int64(len(w)), 2)
	if !p.Type.IsInteger() || !compatibleDims(p, want) { // StableHLO dynamic_conv C4
		return poison, fmt.Errorf("padding is %v, want integers of sizes [%d,2]", p, len(w))
	}
	out, err := convolutionDims(in, a, w)
	if err != nil {
		return poison, err
	}
	for _, d := range a.DimLabels.OutputSpatial {
		out.Dims[d] = shape.Unbounded
		if d < int64(len(in.Shape.Dims)) && !in.Shape.IsDynamicDim(int(d)) {
			out.Dims[d] = in.Shape.Dims[d]
		}
	}
	out.Dynamic = nil
	return out.WithType(t), nil
}

// checkConvolution checks all but sizes. It returns the result's type and the window with the sizes of the kernel.
func checkConvolution(in *Instruction, a *ConvolutionAttrs) (shape.ElementType, Window, error) {
	if err := checkArrays(in); err != nil {
		return 0, nil, err
	}
	lhs, rhs, l := in.Operands[0].Shape, in.Operands[1].Shape, &a.DimLabels
	if lhs.Rank() != rhs.Rank() || lhs.Rank() < 2 { // C1
		return 0, nil, fmt.Errorf("ranks: lhs is %v, rhs is %v, want the same rank of 2 or more", lhs, rhs)
	}
	t, err := dotType(in) // C27
	if err != nil {
		return 0, nil, err
	}
	if err := a.Precision.check(2); err != nil { // C24
		return 0, nil, err
	}
	for _, s := range []struct {
		name          string
		first, second int64
		spatial       []int64
	}{
		{"input dimension numbers", l.InputBatch, l.InputFeature, l.InputSpatial},     // C12, C13
		{"kernel dimension numbers", l.KernelInput, l.KernelOutput, l.KernelSpatial},  // C17, C18
		{"output dimension numbers", l.OutputBatch, l.OutputFeature, l.OutputSpatial}, // C19, C20
	} {
		if err := checkPermutation(s.name, append([]int64{s.first, s.second}, s.spatial...), lhs.Rank()); err != nil {
			return 0, nil, err
		}
	}
	w, err := a.kernelWindow(rhs)
	if err != nil {
		return 0, nil, err
	}
	return t, w, a.checkGroups(lhs, rhs)
}

// kernelWindow returns the window with the kernel's sizes. It fails if the window has other ones.
func (a *ConvolutionAttrs) kernelWindow(rhs shape.Shape) (Window, error) {
	if len(a.Window) != len(a.DimLabels.KernelSpatial) { // C2 to C9
		return nil, fmt.Errorf("window has %d dimensions, want %d", len(a.Window), len(a.DimLabels.KernelSpatial))
	}
	w := slices.Clone(a.Window)
	for i, d := range a.DimLabels.KernelSpatial {
		n := rhs.Dims[d]
		if w[i].Size != n && w[i].Size > 0 && !rhs.IsDynamicDim(int(d)) {
			return nil, fmt.Errorf("window dim %d: size is %d, want %d as rhs dim %d", i, w[i].Size, n, d)
		}
		if w[i].Size = n; n == shape.Unbounded {
			w[i].Size = 1 // places of an unknown kernel are not counted
		}
	}
	return w, nil
}

// checkGroups checks the features and the groups; row 94.
func (a *ConvolutionAttrs) checkGroups(lhs, rhs shape.Shape) error {
	l, f, g := &a.DimLabels, a.FeatureGroupCount, a.BatchGroupCount
	switch {
	case f < 1: // C21
		return fmt.Errorf("feature_group_count is %d, want 1 or more", f)
	case g < 1: // C22
		return fmt.Errorf("batch_group_count is %d, want 1 or more", g)
	case f > 1 && g > 1: // C23
		return fmt.Errorf("feature_group_count is %d and batch_group_count is %d, want one of them to be 1", f, g)
	}
	for _, c := range []struct {
		what  string
		s     shape.Shape
		d     int64
		group string
		count int64
	}{
		{"lhs batch", lhs, l.InputBatch, "batch_group_count", g},              // C10
		{"lhs feature", lhs, l.InputFeature, "feature_group_count", f},        // C11
		{"rhs output feature", rhs, l.KernelOutput, "batch_group_count", g},   // C15
		{"rhs output feature", rhs, l.KernelOutput, "feature_group_count", f}, // C16
	} {
		if n := c.s.Dims[c.d]; n != shape.Unbounded && n%c.count != 0 {
			return fmt.Errorf("%s dim %d is %d, want a multiple of %s %d", c.what, c.d, n, c.group, c.count)
		}
	}
	in, k := lhs.Dims[l.InputFeature], rhs.Dims[l.KernelInput]
	if in != shape.Unbounded && k != shape.Unbounded && in != k*f && in/f != k { // C14
		return fmt.Errorf("features differ: lhs dim %d is %d, rhs dim %d is %d with feature_group_count %d",
			l.InputFeature, in, l.KernelInput, k, f)
	}
	return nil
}

// convolutionDims returns the result's dimensions. StableHLO convolution C25, C26.
func convolutionDims(in *Instruction, a *ConvolutionAttrs, w Window) (shape.Shape, error) {
	lhs, rhs, l := in.Operands[0].Shape, in.Operands[1].Shape, &a.DimLabels
	dims := make([]shape.Shape, lhs.Rank()) // each of rank 1
	dims[l.OutputBatch] = appendDim(shape.Shape{}, lhs, int(l.InputBatch))
	if n := dims[l.OutputBatch].Dims; n[0] != shape.Unbounded {
		n[0] /= a.BatchGroupCount
	}
	dims[l.OutputFeature] = appendDim(shape.Shape{}, rhs, int(l.KernelOutput))
	for i, d := range l.OutputSpatial {
		from := appendDim(shape.Shape{}, lhs, int(l.InputSpatial[i]))
		k := int(l.KernelSpatial[i])
		out, err := w[i : i+1].slide(from)
		if err != nil {
			return poison, err
		}
		if rhs.IsDynamicDim(k) {
			out.Dims[0], out.Dynamic = shape.Unbounded, nil
		}
		dims[d] = out
	}
	var out shape.Shape
	for _, d := range dims {
		out = appendDim(out, d, 0)
	}
	return out, nil
}
