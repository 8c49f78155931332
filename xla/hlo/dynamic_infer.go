package hlo

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// constants returns the elements of an operand of integers that is a constant, and whether it is one.
func constants(in *Instruction) ([]int64, bool) {
	if in.Op != Constant {
		return nil, false
	}
	a, ok := in.Attrs.(*ConstantAttrs)
	if !ok || a.Literal == nil || !a.Literal.Shape().Type.IsInteger() {
		return nil, false
	}
	return indices(a.Literal), true
}

// checkSizes checks an operand that has n sizes: a vector of integers. If it is a constant it returns them.
func checkSizes(name string, in *Instruction, n int) ([]int64, error) {
	s := in.Shape
	if s.Rank() != 1 || !s.Type.IsInteger() || s.Dims[0] != int64(n) && !s.IsDynamicDim(0) {
		return nil, fmt.Errorf("%s: got %v, want a vector of %d integers", name, s, n)
	}
	v, ok := constants(in)
	if !ok {
		return nil, nil
	}
	if len(v) != n {
		return nil, fmt.Errorf("%s: got %d sizes, want %d", name, len(v), n)
	}
	return v, nil
}

// checkOutput checks the sizes that an operand called name gives for the declared result out, if they are constants.
func checkOutput(name string, in *Instruction, out shape.Shape) ([]int64, error) {
	sizes, err := checkSizes(name, in, len(out.Dims))
	for d, n := range sizes {
		if n < 0 {
			return nil, fmt.Errorf("%s: size of dimension %d: got %d, want 0 or more", name, d, n)
		}
		if !sizeFits(n, out, d) {
			return nil, fmt.Errorf("%s: size of dimension %d: got %d, the result is %v", name, d, n, out)
		}
	}
	return sizes, err
}

// sizeFits reports whether dimension d of a value declared as s can have n elements.
func sizeFits(n int64, s shape.Shape, d int) bool {
	switch {
	case isUnknown(s, d):
		return n >= 0
	case s.IsDynamicDim(d):
		return n >= 0 && n <= s.Dims[d]
	}
	return n == s.Dims[d]
}

func inferDynamicBroadcastInDim(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, a := in.Operands[0].Shape, in.Attrs.(*DynamicBroadcastAttrs)
	out, err := toldArray(in, operand.Type) // C1
	if err != nil {
		return poison, err
	}
	if err := checkBroadcastDims(operand, out, a.Dimensions); err != nil { // C2 to C5
		return poison, err
	}
	sizes, err := checkOutput("output_dimensions", in.Operands[1], out) // C7
	if err != nil {
		return poison, err
	}
	if sizes != nil {
		if err := checkBroadcastDims(operand, shape.Array(operand.Type, sizes...), a.Dimensions); err != nil { // C5
			return poison, err
		}
	}
	return out, checkKnownDims(operand, a)
}

// checkKnownDims checks the lists that say which operand dimensions expand and which do not.
func checkKnownDims(operand shape.Shape, a *DynamicBroadcastAttrs) error {
	both := append(append([]int64(nil), a.KnownExpanding...), a.KnownNonexpanding...)
	return checkDims("known expanding and nonexpanding dimensions", both, len(operand.Dims), true, false) // C8 to C10
}

func inferDynamicReshape(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	if len(in.Operands) < 2 && in.Shape.Rank() > 0 {
		return poison, fmt.Errorf("got no sizes, want %d", in.Shape.Rank())
	}
	operand := in.Operands[0].Shape
	out, err := toldArray(in, operand.Type) // C1
	if err != nil {
		return poison, err
	}
	sizes := in.Operands[1:]
	if len(sizes) != 1 || sizes[0].Shape.Rank() != 1 { // HLO has a scalar for each dimension
		return out, checkSizeScalars(sizes, out)
	}
	known, err := checkOutput("output_shape", sizes[0], out) // C3
	if err != nil {
		return poison, err
	}
	if known != nil {
		return out, checkSameCount(operand, shape.Array(operand.Type, known...)) // C2
	}
	if !out.IsDynamic() && !operand.IsDynamic() {
		return out, checkSameCount(operand, out) // C2
	}
	return out, nil
}

func checkSizeScalars(sizes []*Instruction, out shape.Shape) error {
	if len(sizes) != len(out.Dims) {
		return fmt.Errorf("got %d sizes, want %d, the rank of %v", len(sizes), len(out.Dims), out)
	}
	for i, s := range sizes {
		if !s.Shape.IsScalar() || !s.Shape.Type.IsInteger() {
			return fmt.Errorf("size of dimension %d: got %v, want an integer scalar", i, s.Shape)
		}
	}
	return nil
}

func inferDynamicIota(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	out, err := toldArray(in, in.Shape.Type)
	if err != nil {
		return poison, err
	}
	if _, err := checkOutput("output_shape", in.Operands[0], out); err != nil { // C2
		return poison, err
	}
	return out, checkIota(out, in.Attrs.(*IotaAttrs).Dimension) // C1
}

func inferDynamicPad(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, value := in.Operands[0].Shape, in.Operands[1].Shape
	if !value.IsScalar() || value.Type != operand.Type { // C1
		return poison, fmt.Errorf("padding value: got %v, want a scalar %v", value, operand.Type)
	}
	out, err := toldArray(in, operand.Type)
	if err != nil {
		return poison, err
	}
	if len(out.Dims) != len(operand.Dims) {
		return poison, fmt.Errorf("result shape: got %v, want rank %d", out, len(operand.Dims))
	}
	var lists [3][]int64
	all := true
	for i, o := range in.Operands[2:] { // C2
		if lists[i], err = checkSizes(operandName(in, i+2), o, len(operand.Dims)); err != nil {
			return poison, err
		}
		all = all && lists[i] != nil
	}
	for d, n := range lists[2] { // C3
		if n < 0 {
			return poison, fmt.Errorf("interior padding of dimension %d: got %d, want 0 or more", d, n)
		}
	}
	if !all {
		return out, nil
	}
	return out, checkPadded(operand, out, paddingOf(lists[0], lists[1], lists[2]))
}

// checkPadded checks the declared result of a padding that is known. C4.
func checkPadded(operand, out shape.Shape, padding Padding) error {
	for d, p := range padding {
		if operand.IsDynamicDim(d) {
			continue
		}
		n, err := paddedSize(operand.Dims[d], p)
		if err != nil {
			return fmt.Errorf("dimension %d of %v: %w", d, operand, err)
		}
		if !sizeFits(n, out, d) {
			return fmt.Errorf("size of dimension %d: got %d, the result is %v", d, n, out)
		}
	}
	return nil
}

func paddingOf(low, high, interior []int64) Padding {
	out := make(Padding, len(low))
	for d := range out {
		out[d] = PadDim{low[d], high[d], interior[d]}
	}
	return out
}

func inferRealDynamicSlice(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand := in.Operands[0].Shape
	out, err := toldArray(in, operand.Type)
	if err != nil {
		return poison, err
	}
	if len(out.Dims) != len(operand.Dims) {
		return poison, fmt.Errorf("result shape: got %v, want rank %d", out, len(operand.Dims))
	}
	first := in.Operands[1].Shape
	for i, o := range in.Operands[1:] {
		if _, err := checkSizes(operandName(in, i+1), o, len(operand.Dims)); err != nil {
			return poison, err
		}
		if o.Shape.Type != first.Type {
			return poison, fmt.Errorf("%s is %v, want the type of the start indices, %v", operandName(in, i+1), o.Shape, first)
		}
	}
	return out, nil
}

func inferGetDimensionSize(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, dim := in.Operands[0].Shape, int64(in.Attrs.(*DimensionAttrs).Dimension)
	if err := checkDim("dimension", dim, operand); err != nil { // C1
		return poison, err
	}
	if n := operand.Dims[dim]; n > math.MaxInt32 { // row 107
		return poison, fmt.Errorf("dimension %d of %v has %d elements, want a size that fits an s32", dim, operand, n)
	}
	return shape.Array(shape.S32), nil
}

func inferSetDimensionSize(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, size := in.Operands[0].Shape, in.Operands[1]
	if s := size.Shape; !s.IsScalar() || s.Type != shape.S32 {
		return poison, fmt.Errorf("size: got %v, want s32[]", s)
	}
	dim := int64(in.Attrs.(*DimensionAttrs).Dimension)
	if err := checkDim("dimension", dim, operand); err != nil { // C1
		return poison, err
	}
	n, known := constants(size)
	out := newDimList(operand.Type, len(operand.Dims))
	for d := range operand.Dims {
		switch bound := operand.Dims[d]; {
		case int64(d) != dim:
			out.addOf(operand, int64(d))
		case known && bound != shape.Unbounded && (n[0] < 0 || n[0] > bound): // row 108
			return poison, fmt.Errorf("size: got %d, want 0 to %d", n[0], bound)
		default:
			out.add(bound, !known || n[0] != bound)
		}
	}
	if s := in.Shape.WithoutLayout(); s.SameDims(out.s) && s.Type == operand.Type {
		return s, nil // a dimension may be declared static whatever its size: then it is filled up
	}
	return out.shape(), nil
}
