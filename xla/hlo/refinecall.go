package hlo

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// IsShapeAssertion reports whether in is a custom call that demands something of sizes.
func IsShapeAssertion(in *Instruction) bool { return isCallOf(in, "shape_assertion") }

func isCallOf(in *Instruction, target string) bool {
	a, ok := in.Attrs.(*CustomCallAttrs)
	return ok && a.Target == target
}

// IsMark reports whether in is a custom call that tells the compiler something and returns its operand.
func IsMark(in *Instruction) bool {
	a, ok := in.Attrs.(*CustomCallAttrs)
	return ok && len(in.Operands) == 1 && isMark(a.Target)
}

// callRefinement makes in, a copy of a custom call on operands of static shapes, static. sizes is as in Refine.
type callRefinement func(in *Instruction, sizes func(i int) (*literal.Literal, error)) error

// callRefinements are the custom calls whose sizes follow from their operands.
var callRefinements = map[string]callRefinement{
	"stablehlo.dynamic_top_k":             refineTopK,
	"stablehlo.dynamic_approx_top_k":      refineApproxTopK,
	"stablehlo.dynamic_reduce_window":     refineReduceWindow,
	"stablehlo.dynamic_rng_bit_generator": refineRngBitGenerator,
}

// RefineCustomCall is Refine for custom calls: those of which the sizes follow from operands, those that say which of
// their operands are the sizes of their results, and those of ops that keep their operand's shape. It fails with
// errors.ErrUnsupported for dynamic calls that are none of these.
func RefineCustomCall(in *Instruction, operands []*Instruction,
	sizes func(i int) (*literal.Literal, error)) (*Instruction, error) {
	c := *in
	c.Operands = slices.Clone(operands)
	a := in.Attrs.(*CustomCallAttrs)
	_, plain := opTargets[a.Target]
	indices, hinted := note(in, "indices_of_shape_operands")
	var err error
	switch f := callRefinements[a.Target]; {
	case f != nil && hinted:
		if err = refineHinted(&c, indices, sizes); err == nil {
			err = f(&c, sizes)
		}
	case f != nil:
		err = f(&c, sizes)
	case hinted:
		err = refineHinted(&c, indices, sizes)
	case !isDynamic(in):
	case plain && len(operands) == 1:
		c.Shape = operands[0].Shape
	case in.Shape.IsDynamic():
		err = fmt.Errorf("nothing says the sizes of its result %v: %w", in.Shape, errors.ErrUnsupported)
	default:
		err = c.dropOperands(nil)
	}
	if err != nil {
		return nil, errorf(in, "%w", err)
	}
	if c.Shape, err = Infer(&c); err != nil {
		return nil, err
	}
	if !agrees(c.Shape, in.Shape) {
		return nil, errorf(in, "got %v, want %v", c.Shape, in.Shape)
	}
	return &c, nil
}

// refineTopK takes k from the second operand.
func refineTopK(c *Instruction, sizes func(i int) (*literal.Literal, error)) error {
	if len(c.Operands) != 2 {
		return fmt.Errorf("got %d operands, want 2", len(c.Operands))
	}
	k, err := sizeOf(sizes, 1)
	if err != nil {
		return err
	}
	c.Op, c.Attrs, c.Operands, c.Shape = TopK, &TopKAttrs{K: k, Largest: true}, c.Operands[:1], shape.Shape{}
	return nil
}

// sizeList returns operand i, a list of integers; sizes is as in Refine.
func sizeList(sizes func(i int) (*literal.Literal, error), i int) ([]int64, error) {
	l, err := sizes(i)
	if err != nil {
		return nil, err
	}
	v, err := int64s(l)
	if err != nil {
		return nil, fmt.Errorf("operand %d: %w", i, err)
	}
	return v, nil
}

// sizeOf returns operand i, one integer; sizes is as in Refine.
func sizeOf(sizes func(i int) (*literal.Literal, error), i int) (int64, error) {
	l, err := sizes(i)
	if err != nil {
		return 0, err
	}
	n, err := scalarInt64(l)
	if err != nil {
		return 0, fmt.Errorf("operand %d: %w", i, err)
	}
	return n, nil
}

// refineApproxTopK takes k from the last operand and makes a call of ApproxTopK.
func refineApproxTopK(c *Instruction, sizes func(i int) (*literal.Literal, error)) error {
	last := len(c.Operands) - 1
	if last < 2 || last%2 != 0 {
		return fmt.Errorf("got %d operands, want arrays, as many initial values, and k", len(c.Operands))
	}
	if whole, ok := note(c, "aggregate_to_topk"); ok && whole != "true" {
		return fmt.Errorf("aggregate_to_topk is %s, want true: %w", whole, errors.ErrUnsupported)
	}
	k, err := sizeOf(sizes, last)
	if err != nil {
		return err
	}
	dim, err := reductionDim(c, c.Operands[0].Shape.Rank())
	if err != nil {
		return err
	}
	var results []shape.Shape
	for i, o := range c.Operands[:last/2] {
		if o.Shape.Rank() != c.Operands[0].Shape.Rank() {
			return fmt.Errorf("operand %d: got %v, want the rank of %v", i, o.Shape, c.Operands[0].Shape)
		}
		s := shape.Array(o.Shape.Type, slices.Clone(o.Shape.Dims)...)
		s.Dims[dim] = k
		results = append(results, s)
	}
	if c.Shape = shape.TupleOf(results...); len(results) == 1 {
		c.Shape = results[0]
	}
	a := *c.Attrs.(*CustomCallAttrs)
	a.Target, a.OperandLayouts = "ApproxTopK", nil
	c.Attrs, c.Operands = &a, c.Operands[:last]
	return nil
}

func refineReduceWindow(c *Instruction, sizes func(i int) (*literal.Literal, error)) error {
	n := len(c.Operands) - 5
	if !isDynamicReduceWindow(c) {
		return fmt.Errorf("got %d operands, want arrays, as many initial values, and 5 lists", len(c.Operands))
	}
	w, err := dynamicWindow(sizes, c.Operands[0].Shape.Rank(), n)
	if err != nil {
		return err
	}
	c.Op, c.Attrs = ReduceWindow, &ReduceWindowAttrs{Window: w, ToApply: c.Called()[0]}
	c.Operands, c.Shape = c.Operands[:n], shape.Shape{}
	return nil
}

func refineRngBitGenerator(c *Instruction, sizes func(i int) (*literal.Literal, error)) error {
	if len(c.Operands) != 2 || !c.Shape.IsTuple() || len(c.Shape.Elems) != 2 {
		return fmt.Errorf("got %d operands and %v, want a state and sizes, and a state and bits", len(c.Operands), c.Shape)
	}
	dims, err := sizeList(sizes, 1)
	if err != nil {
		return err
	}
	bits := shape.Array(c.Shape.Elems[1].Type, dims...)
	if _, ok := bits.CheckedSize(); !ok {
		return fmt.Errorf("%v is too large or negative", bits)
	}
	c.Op, c.Attrs = RngBitGenerator, &RngBitGeneratorAttrs{Algorithm: algorithmOf(c)}
	c.Shape, c.Operands = shape.TupleOf(c.Operands[0].Shape, bits), c.Operands[:1]
	return nil
}

// refineHinted takes the sizes of the results from the operands with the given numbers, one for each result, and drops
// those operands.
func refineHinted(c *Instruction, text string, sizes func(i int) (*literal.Literal, error)) error {
	which, err := numbersIn(text, len(c.Operands))
	if err != nil {
		return fmt.Errorf("indices_of_shape_operands: %w", err)
	}
	results := slices.Clone(c.ResultShapes())
	if len(which) != len(results) {
		return fmt.Errorf("indices_of_shape_operands: got %d, want %d as results", len(which), len(results))
	}
	for k, i := range which {
		dims, err := sizeList(sizes, i)
		if err != nil {
			return err
		}
		s := shape.Array(results[k].Type, dims...)
		if _, ok := s.CheckedSize(); !ok || !agrees(s, results[k]) {
			return fmt.Errorf("operand %d: got the sizes %v for result %d, want %v", i, dims, k, results[k])
		}
		results[k] = s.WithLayout(results[k].Layout)
	}
	if c.Shape.IsTuple() {
		c.Shape = shape.TupleOf(results...)
	} else {
		c.Shape = results[0]
	}
	return c.dropOperands(which)
}

// numbersIn reads the integers of an attribute's text, which are below n: dense<[1, 2]> : tensor<2xi64>.
func numbersIn(text string, n int) ([]int, error) {
	text, _, _ = strings.Cut(text, " : ")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "dense<"), "array<i64:")
	var out []int
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[]{}<>, ", r) }) {
		i, err := strconv.Atoi(f)
		if err != nil || i < 0 || i >= n {
			return nil, fmt.Errorf("got %q, want numbers below %d", text, n)
		}
		out = append(out, i)
	}
	return out, nil
}

// dropOperands takes operands out of a custom call.
func (in *Instruction) dropOperands(which []int) error {
	a := *in.Attrs.(*CustomCallAttrs)
	if len(which) > 0 && a.OutputOperandAliasing != "" && slices.Min(which) < len(in.Operands)-len(which) {
		return fmt.Errorf("results share memory with operands after the sizes: %w", errors.ErrUnsupported)
	}
	var operands []*Instruction
	var layouts []shape.Shape
	for i, o := range in.Operands {
		if slices.Contains(which, i) {
			continue
		}
		operands = append(operands, o)
		if a.OperandLayouts != nil {
			layouts = append(layouts, o.Shape.WithoutLayout().WithLayout(a.OperandLayouts[i].Layout))
		}
	}
	a.OperandLayouts = layouts
	in.Operands, in.Attrs = operands, &a
	return nil
}
