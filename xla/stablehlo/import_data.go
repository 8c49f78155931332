package stablehlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// splatLimit is the number of elements above which a constant of one element becomes a scalar and a broadcast,
// so that a short text never takes much memory; maxSplats are the bytes that smaller ones may take in all.
const (
	splatLimit = 1 << 16
	maxSplats  = 16 << 20
)

// staysSplat reports whether a constant is a scalar and a broadcast.
func (c *ctx) staysSplat(op *Op, a *DenseAttr, s shape.Shape) bool {
	n, ok := s.CheckedSize()
	if k := op.shared(); !ok || n <= 1 || !a.isSplat() || k != nil && k.made != nil {
		return false
	}
	size := n * int64(s.Type.Bytes())
	if n > splatLimit || size > maxSplats-c.im.splats {
		return true
	}
	c.im.splats += size
	return false
}

// importConstant imports a constant: its value is the attribute.
func importConstant(c *ctx, op *Op) error {
	a, ok := op.Attr("value").(*DenseAttr)
	if !ok {
		return op.wrong("value", "dense<...>")
	}
	if len(op.Operands) != 0 || len(op.Results) != 1 {
		return op.Errorf("has operands, or not one result")
	}
	in, err := c.denseConstant(op, a)
	if err != nil {
		return err
	}
	s, err := declared(op)
	if err != nil {
		return err
	}
	if !s.Compatible(in.Shape) { // constant C1
		return op.Errorf("result is %s, want %s as its value", op.Results[0].Type, a.Type)
	}
	return c.finish(op, in)
}

// denseConstant makes a constant of elements.
func (c *ctx) denseConstant(op *Op, a *DenseAttr) (*hlo.Instruction, error) {
	s, err := shapeOf(a.Type)
	if err != nil {
		return nil, op.Errorf("value: %v", err)
	}
	if !c.staysSplat(op, a, s) {
		attrs, err := attrsOf(op, hlo.Constant, func(*Op, hlo.Opcode) (hlo.Attrs, error) {
			l, err := c.im.literal(a)
			return &hlo.ConstantAttrs{Literal: l}, err
		})
		if err != nil {
			return nil, err
		}
		return c.add(op, hlo.Constant, attrs, attrs.(*hlo.ConstantAttrs).Literal.Shape())
	}
	scalar := *a
	scalar.Type = &TensorType{Elem: a.Type.Elem}
	l, err := scalar.Literal()
	if err != nil {
		return nil, err
	}
	in, err := c.constant(op, l)
	if err != nil {
		return nil, err
	}
	return c.add(op, hlo.Broadcast, &hlo.BroadcastAttrs{}, s, in)
}

// importPad joins the three lists of a pad.
func importPad(c *ctx, op *Op) error {
	lists, err := threeLists(op, "edge_padding_low", "edge_padding_high", "interior_padding")
	if err != nil {
		return err
	}
	a := &hlo.PadAttrs{Padding: make(hlo.Padding, len(lists[0]))}
	for i := range a.Padding {
		a.Padding[i] = hlo.PadDim{Low: lists[0][i], High: lists[1][i], Interior: lists[2][i]}
	}
	return c.simple(op, hlo.Pad, a)
}

// importSlice joins the three lists of a slice.
func importSlice(c *ctx, op *Op) error {
	lists, err := threeLists(op, "start_indices", "limit_indices", "strides")
	if err != nil {
		return err
	}
	a := &hlo.SliceAttrs{Slice: make(hlo.SliceDims, len(lists[0]))}
	for i := range a.Slice {
		if lists[2][i] <= 0 { // slice C4
			return op.Errorf("stride of dimension %d is %d, want a positive number", i, lists[2][i])
		}
		a.Slice[i] = hlo.SliceDim{Start: lists[0][i], Limit: lists[1][i], Stride: lists[2][i]}
	}
	return c.simple(op, hlo.Slice, a)
}

// threeLists reads three lists, which have one element a dimension of the first operand.
func threeLists(op *Op, names ...string) ([3][]int64, error) {
	var lists [3][]int64
	for i, name := range names {
		var err error
		if lists[i], err = op.Ints(name); err != nil {
			return lists, err
		}
		if len(op.Operands) == 0 || len(lists[i]) != rankOf(op.Operands[0]) {
			return lists, op.wrong(name, "one element a dimension of the operand")
		}
	}
	return lists, nil
}

// importBroadcast imports the old broadcast, which puts dimensions before those of its operand.
func importBroadcast(c *ctx, op *Op) error {
	sizes, err := op.Ints("broadcast_sizes")
	if err != nil {
		return err
	}
	if len(op.Operands) != 1 {
		return op.Errorf("has %d operands, want one", len(op.Operands))
	}
	in, err := c.value(op.Operands[0])
	if err != nil {
		return err
	}
	told := in.Shape.WithoutLayout()
	told.Dims = append(slices.Clone(sizes), told.Dims...) // broadcast_sizes and then the operand's
	if told.Dynamic != nil {
		told.Dynamic = append(make([]bool, len(sizes)), told.Dynamic...)
	}
	if slices.ContainsFunc(sizes, func(n int64) bool { return n < 0 }) {
		return op.wrong("broadcast_sizes", "sizes that are not negative")
	}
	dims := make([]int64, in.Shape.Rank())
	for i := range dims {
		dims[i] = int64(len(sizes) + i)
	}
	out, err := c.add(op, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: dims}, told, in)
	if err != nil {
		return err
	}
	return c.declare(op, out)
}

// declare makes an instruction the result of an op after comparing their shapes.
func (c *ctx) declare(op *Op, in *hlo.Instruction) error {
	want, err := declared(op)
	if err != nil {
		return err
	}
	if !refines(in.Shape, want) {
		return op.Errorf("result: got %s, want %s", want, in.Shape)
	}
	return c.finish(op, in)
}

// refines reports whether two shapes may be of one value: dimensions unknown in either match any size.
func refines(a, b shape.Shape) bool {
	if a.Type != b.Type || len(a.Dims) != len(b.Dims) || len(a.Elems) != len(b.Elems) {
		return false
	}
	for d := range a.Dims {
		if a.Dims[d] != b.Dims[d] && !a.IsDynamicDim(d) && !b.IsDynamicDim(d) {
			return false
		}
	}
	for i := range a.Elems {
		if !refines(a.Elems[i], b.Elems[i]) {
			return false
		}
	}
	return true
}

// importRng drops the operand that says the shape, which is the result's.
func importRng(c *ctx, op *Op) error {
	a := &hlo.RngAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	if len(op.Operands) != 3 {
		return op.Errorf("has %d operands, want a, b and the shape", len(op.Operands))
	}
	if err := checkRngShape(op); err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	told, err := declared(op)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.Rng, a, told, operands[:2]...)
	if err != nil {
		return err
	}
	return c.finish(op, in)
}

// importRngBitGenerator leaves out states of other types than HLO's vectors of u32 or u64, which StableHLO's
// verifier allows.
func importRngBitGenerator(c *ctx, op *Op) error {
	if len(op.Operands) == 1 {
		in, err := c.value(op.Operands[0])
		if err != nil {
			return err
		}
		if s := in.Shape; s.Type != shape.U64 && s.Type != shape.U32 || s.Rank() != 1 {
			return unsupported(op, "a state of type %s", op.Operands[0].Type)
		}
	}
	return importGeneric(c, op, opcodeOf(op))
}

// checkRngShape compares the shape operand with the result, where it is a constant.
func checkRngShape(op *Op) error {
	t, ok := op.Operands[2].Type.(*TensorType)
	if !ok || len(t.Dims) != 1 {
		return op.Errorf("shape is %s, want a list", op.Operands[2].Type)
	}
	result, ok := op.Results[0].Type.(*TensorType)
	def := op.Operands[2].Op
	if !ok || def == nil || !slices.Contains(spellings(def.Name), "stablehlo.constant") {
		return nil
	}
	sizes, err := def.Ints("value")
	if err != nil {
		return err
	}
	if len(sizes) != len(result.Dims) {
		return op.Errorf("shape operand is %v, want the sizes of the result %s", sizes, result)
	}
	for i, n := range sizes {
		if result.Dims[i] != Dynamic && result.Dims[i] != n { // rng C4
			return op.Errorf("shape operand is %v, want the sizes of the result %s", sizes, result)
		}
	}
	return nil
}

// importTopK sets what only HLO says: the largest elements are wanted unless an attribute says otherwise.
func importTopK(c *ctx, op *Op) error {
	k, err := op.Int("k")
	if err != nil {
		return err
	}
	a := &hlo.TopKAttrs{K: k, Largest: true}
	if op.Attr("largest") != nil {
		if a.Largest, err = op.Bool("largest"); err != nil {
			return err
		}
	}
	return c.simple(op, hlo.TopK, a)
}

// importConstraint drops a constraint on sharding, which a program for one device meets.
func importConstraint(c *ctx, op *Op) error { return c.simple(op, hlo.Copy, nil) }
