package hlo

import (
	"fmt"
	"strings"

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
	a := &RngBitGeneratorAttrs{Algorithm: RngDefault}
	algorithm, _ := note(in, "rng_algorithm")
	switch {
	case strings.Contains(algorithm, "THREE_FRY"):
		a.Algorithm = RngThreeFry
	case strings.Contains(algorithm, "PHILOX"):
		a.Algorithm = RngPhilox
	}
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
	rank := args[0].Shape().Rank()
	lists := make([][]int64, 5)
	for i := range lists {
		v, err := int64s(args[n+i])
		if err != nil {
			return nil, err
		}
		want := rank
		if i == 4 {
			want = 2 * rank
		}
		if len(v) != want {
			return nil, fmt.Errorf("operand %d has %d elements, want %d", n+i, len(v), want)
		}
		lists[i] = v
	}
	a := &ReduceWindowAttrs{ToApply: in.Called()[0]}
	for d := range rank {
		a.Window = append(a.Window, WindowDim{
			Size: lists[0][d], Stride: lists[1][d], BaseDilation: lists[2][d], WindowDilation: lists[3][d],
			PadLow: lists[4][2*d], PadHigh: lists[4][2*d+1],
		})
	}
	return e.do(ReduceWindow, a, shape.Shape{}, args[:n]...)
}
