package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// evalDynamicRngBitGenerator is rng-bit-generator with the sizes of the bits as its second operand.
func evalDynamicRngBitGenerator(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	dims, err := int64s(args[1])
	if err != nil {
		return nil, fmt.Errorf("sizes: %w", err)
	}
	if !in.Shape.IsTuple() || len(in.Shape.Elems) != 2 {
		return nil, fmt.Errorf("the result's shape is %v, want (state, bits)", in.Shape)
	}
	a := &RngBitGeneratorAttrs{Algorithm: algorithmOf(in)}
	bits := shape.Array(in.Shape.Elems[1].Type, dims...)
	if _, ok := bits.CheckedSize(); !ok {
		return nil, fmt.Errorf("sizes: %v is too large or negative", bits)
	}
	return e.do(RngBitGenerator, a, shape.TupleOf(args[0].Shape(), bits), args[0])
}

// isDynamicReduceWindow reports whether a call has N operands, N initial values, five lists and a computation.
func isDynamicReduceWindow(in *Instruction) bool {
	n := len(in.Operands) - 5
	return n >= 2 && n%2 == 0 && len(in.Called()) == 1
}

// evalDynamicReduceWindow is reduce-window with window sizes, strides, base and window dilations and padding pairs as
// its last five operands.
func evalDynamicReduceWindow(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	n := len(args) - 5
	w, err := dynamicWindow(func(i int) (*literal.Literal, error) { return args[i], nil }, args[0].Shape().Rank(), n)
	if err != nil {
		return nil, err
	}
	return e.do(ReduceWindow, &ReduceWindowAttrs{Window: w, ToApply: in.Called()[0]}, shape.Shape{}, args[:n]...)
}

// dynamicWindow is the window that five lists say: sizes, strides, base and window dilations, and pairs of padding.
// They are the operands from number first on; sizes returns them, or fails if they are not known.
func dynamicWindow(sizes func(i int) (*literal.Literal, error), rank, first int) (Window, error) {
	var lists [5][]int64
	for i := range lists {
		var err error
		if lists[i], err = sizeList(sizes, first+i); err != nil {
			return nil, err
		}
		want := rank
		if i == 4 {
			want = 2 * rank
		}
		if n := len(lists[i]); n != want {
			return nil, fmt.Errorf("operand %d has %d elements, want %d", first+i, n, want)
		}
	}
	var w Window
	for d := range rank {
		w = append(w, WindowDim{
			Size: lists[0][d], Stride: lists[1][d], BaseDilation: lists[2][d], WindowDilation: lists[3][d],
			PadLow: lists[4][2*d], PadHigh: lists[4][2*d+1],
		})
	}
	return w, nil
}
