package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Window is one WindowDim a dimension; its text is "{size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x2 rhs_dilate=2x1
// rhs_reversal=1x0}".
type Window []WindowDim

// WindowDim is a window along one dimension. Stride and the dilations of 0 mean 1. PadLow and PadHigh may be negative.
type WindowDim struct {
	Size, Stride    int64
	PadLow, PadHigh int64
	BaseDilation    int64 // of the input: lhs_dilate
	WindowDilation  int64 // of the kernel: rhs_dilate
	Reversal        bool
}

// PaddingKind is how builder methods without explicit padding pad their windows.
type PaddingKind uint8

const (
	// ValidPadding pads nothing.
	ValidPadding PaddingKind = iota
	// SamePadding pads so that the result has the size divided by the stride and rounded up; an odd element goes to the
	// end.
	SamePadding
)

// ReduceWindowAttrs are the attributes of reduce-window, row 102.
type ReduceWindowAttrs struct {
	Window  Window
	ToApply *Computation
}

// Fields lists the attributes.
func (a *ReduceWindowAttrs) Fields() []Field {
	return []Field{{"window", "", &a.Window, Always}, {"to_apply", "", &a.ToApply, Always}}
}

// ReduceWindow reduces every window of the operands as Reduce does: the window slides by windowStrides.
//
//	operands Ti[D...]   initValues Ti[]   result Ai[E...], a tuple of N for N > 1
//
// It fails as ReduceWindowWithGeneralPadding does. Law: row 102.
func (b *Builder) ReduceWindow(operands, initValues []*Instruction, computation *Computation,
	windowDimensions, windowStrides []int64, padding PaddingKind) *Instruction {
	operands = b.allPresent(ReduceWindow, operands)
	w, err := newWindow(windowDimensions, windowStrides, nil, nil, nil)
	if err != nil {
		return b.fail(ReduceWindow, "%w", err)
	}
	if len(operands) > 0 {
		w.pad(padding, operands[0].Shape.Dims)
	}
	return b.add(ReduceWindow, &ReduceWindowAttrs{w, computation}, shape.Shape{}, slices.Concat(operands, initValues)...)
}

// ReduceWindowWithGeneralPadding is ReduceWindow with padding of each dimension at low and high end, negative to
// crop, with dilation of the operands and of the window. Empty lists mean ones, empty padding none. Positions in
// padding and in the holes of a dilated operand are left out.
//
//	operands Ti[D...]   initValues Ti[]   result Ai[E...], a tuple of N for N > 1
//
// It fails if a list's length is not the operands' rank, a window size, stride or dilation is less than 1, or as
// Reduce does. Law: row 102, StableHLO reduce_window C1 to C16.
func (b *Builder) ReduceWindowWithGeneralPadding(operands, initValues []*Instruction, computation *Computation,
	windowDimensions, windowStrides, baseDilations, windowDilations []int64, padding [][2]int64) *Instruction {
	w, err := newWindow(windowDimensions, windowStrides, baseDilations, windowDilations, padding)
	if err != nil {
		return b.fail(ReduceWindow, "%w", err)
	}
	return b.add(ReduceWindow, &ReduceWindowAttrs{w, computation}, shape.Shape{}, slices.Concat(operands, initValues)...)
}

func inferReduceWindow(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*ReduceWindowAttrs)
	s, types, err := checkReduction(in, a.ToApply) // C1 to C3, C13
	if err != nil {
		return poison, err
	}
	out, err := a.Window.slide(s) // C4 to C12, C14 to C16
	if err != nil {
		return poison, err
	}
	return resultOf(out, types), nil
}

// SelectAndScatterAttrs are the attributes of select-and-scatter, row 104.
type SelectAndScatterAttrs struct {
	Window          Window
	Select, Scatter *Computation
}

// Fields lists the attributes.
func (a *SelectAndScatterAttrs) Fields() []Field {
	return []Field{{"window", "", &a.Window, Always}, {"select", "", &a.Select, Always},
		{"scatter", "", &a.Scatter, Always}}
}

// SelectAndScatter picks in each window of operand the element that select prefers to all later ones, and combines the
// window's element of source into the result at that place.
//
//	operand T[D...]   source T[E...]   initValue T[]   select (T, T) -> pred   scatter (A, A) -> A   result A[D...]
//
// E is what ReduceWindow gives. It fails as SelectAndScatterWithGeneralPadding does. Law: row 104.
func (b *Builder) SelectAndScatter(operand *Instruction, sel *Computation, windowDimensions, windowStrides []int64,
	padding PaddingKind, source, initValue *Instruction, scatter *Computation) *Instruction {
	b.present(SelectAndScatter, &operand)
	w, err := newWindow(windowDimensions, windowStrides, nil, nil, nil)
	if err != nil {
		return b.fail(SelectAndScatter, "%w", err)
	}
	w.pad(padding, operand.Shape.Dims)
	return b.add(SelectAndScatter, &SelectAndScatterAttrs{w, sel, scatter}, shape.Shape{}, operand, source, initValue)
}

// SelectAndScatterWithGeneralPadding is SelectAndScatter with padding of each dimension at low and high end; padding
// is never selected.
//
//	operand T[D...]   source T[E...]   initValue T[]   select (T, T) -> pred   scatter (A, A) -> A   result A[D...]
//
// It fails if a list's length is not the operand's rank, a window size or stride is less than 1, source has another
// shape, or a type or computation does not fit. Law: row 104, StableHLO select_and_scatter C1 to C12.
func (b *Builder) SelectAndScatterWithGeneralPadding(operand *Instruction, sel *Computation,
	windowDimensions, windowStrides []int64, padding [][2]int64, source, initValue *Instruction,
	scatter *Computation) *Instruction {
	w, err := newWindow(windowDimensions, windowStrides, nil, nil, padding)
	if err != nil {
		return b.fail(SelectAndScatter, "%w", err)
	}
	return b.add(SelectAndScatter, &SelectAndScatterAttrs{w, sel, scatter}, shape.Shape{}, operand, source, initValue)
}

func inferSelectAndScatter(in *Instruction) (shape.Shape, error) {
	a := in.Attrs.(*SelectAndScatterAttrs)
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	operand, source, init := in.Operands[0].Shape, in.Operands[1].Shape, in.Operands[2].Shape
	scalar := shape.Array(operand.Type)
	if source.Type != operand.Type { // C1
		return poison, fmt.Errorf("element types differ: operand is %v, source is %v", operand.Type, source.Type)
	}
	if !init.IsScalar() || init.Type != operand.Type { // C3
		return poison, fmt.Errorf("init value is %v, want %v", init, scalar)
	}
	for d, w := range a.Window {
		if orOne(w.BaseDilation) != 1 || orOne(w.WindowDilation) != 1 || w.Reversal { // row 104
			return poison, fmt.Errorf("window dim %d is dilated or reversed, want neither", d)
		}
	}
	want, err := a.Window.slide(operand) // C4 to C8
	if err != nil {
		return poison, err
	}
	if !compatibleDims(want, source) { // C2
		return poison, fmt.Errorf("source is %v, want %v, one element for each window", source, want.WithType(source.Type))
	}
	if err := checkScalarComputation(a.Select, []shape.Shape{scalar, scalar}, shape.Array(shape.Pred)); err != nil { // C9
		return poison, fmt.Errorf("select: %w", err)
	}
	types, err := checkReducer(a.Scatter, in.Operands[:1]) // C10
	if err != nil {
		return poison, fmt.Errorf("scatter: %w", err)
	}
	return operand.WithoutLayout().WithType(types[0]), nil // C11, C12
}
