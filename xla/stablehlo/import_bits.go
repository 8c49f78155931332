package stablehlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// importBitcastConvert imports a change of type that keeps the bits. In MLIR a boolean is one bit, so that 32 of
// them make
// an i32; in HLO it is a byte, so the bits are shifted in and out. Law: StableHLO bitcast_convert C1, C2.
func importBitcastConvert(c *ctx, op *Op) error {
	if len(op.Operands) != 1 {
		return op.Errorf("has %d operands, want one", len(op.Operands))
	}
	in, err := c.value(op.Operands[0])
	if err != nil {
		return err
	}
	to, err := declared(op)
	if err != nil {
		return err
	}
	from := in.Shape
	switch {
	case from.Type == shape.Pred && to.Type != shape.Pred && to.IsArray():
		return c.joinBits(op, in, to)
	case to.Type == shape.Pred && from.Type != shape.Pred && from.IsArray():
		return c.splitBits(op, in, to)
	}
	return c.simple(op, hlo.BitcastConvert, nil)
}

// unsignedOf returns the unsigned type of a width of at most 64 bits.
func unsignedOf(bits int) (shape.ElementType, bool) {
	types := map[int]shape.ElementType{
		2: shape.U2, 4: shape.U4, 8: shape.U8, 16: shape.U16, 32: shape.U32, 64: shape.U64,
	}
	t, ok := types[bits]
	return t, ok
}

// bitShapes compares the shape of booleans, whose last dimension is a word's bits, with that of the words.
func bitShapes(op *Op, bits, words shape.Shape) (shape.ElementType, error) {
	width := words.Type.Bits()
	t, ok := unsignedOf(width)
	if !ok {
		return t, unsupported(op, "elements of %d bits", width)
	}
	if bits.IsDynamic() || words.IsDynamic() {
		return t, unsupported(op, "dimensions of unknown size")
	}
	if !slices.Equal(bits.Dims, append(slices.Clone(words.Dims), int64(width))) {
		return t, op.Errorf("%s and %s have not the same bits, want a last dimension of %d", bits, words, width)
	}
	return t, nil
}

// joinBits makes words of booleans: the sum of each shifted to its place.
func (c *ctx) joinBits(op *Op, in *hlo.Instruction, to shape.Shape) error {
	t, err := bitShapes(op, in.Shape, to)
	if err != nil {
		return err
	}
	wide := in.Shape.WithType(t)
	bit, err := c.add(op, hlo.Convert, nil, wide, in)
	if err != nil {
		return err
	}
	place, err := c.add(op, hlo.Iota, &hlo.IotaAttrs{Dimension: int64(wide.Rank() - 1)}, wide)
	if err != nil {
		return err
	}
	shifted, err := c.add(op, hlo.ShiftLeft, nil, noShape, bit, place)
	if err != nil {
		return err
	}
	a := &hlo.ReduceAttrs{Dimensions: []int64{int64(wide.Rank() - 1)}}
	if a.ToApply, err = c.sumOf(op, t); err != nil {
		return err
	}
	zero, err := c.constant(op, literal.Zero(t))
	if err != nil {
		return err
	}
	out, err := c.add(op, hlo.Reduce, a, noShape, shifted, zero)
	if err != nil {
		return err
	}
	if out, err = c.add(op, hlo.BitcastConvert, nil, to, out); err != nil {
		return err
	}
	return c.finish(op, out)
}

// splitBits makes booleans of words: each bit shifted to the lowest place, the rest cut off.
func (c *ctx) splitBits(op *Op, in *hlo.Instruction, to shape.Shape) error {
	t, err := bitShapes(op, to, in.Shape)
	if err != nil {
		return err
	}
	word, err := c.add(op, hlo.BitcastConvert, nil, in.Shape.WithType(t), in)
	if err != nil {
		return err
	}
	wide := to.WithType(t)
	dims := make([]int64, in.Shape.Rank())
	for i := range dims {
		dims[i] = int64(i)
	}
	if word, err = c.add(op, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: dims}, wide, word); err != nil {
		return err
	}
	place, err := c.add(op, hlo.Iota, &hlo.IotaAttrs{Dimension: int64(wide.Rank() - 1)}, wide)
	if err != nil {
		return err
	}
	if word, err = c.add(op, hlo.ShiftRightLogical, nil, noShape, word, place); err != nil {
		return err
	}
	one, err := c.constant(op, literal.One(t))
	if err != nil {
		return err
	}
	ones, err := c.add(op, hlo.Broadcast, &hlo.BroadcastAttrs{}, wide, one)
	if err != nil {
		return err
	}
	if word, err = c.add(op, hlo.And, nil, noShape, word, ones); err != nil {
		return err
	}
	out, err := c.add(op, hlo.Convert, nil, to, word)
	if err != nil {
		return err
	}
	return c.finish(op, out)
}

// importConvert imports a change of type. Of a complex number only the real part is converted to what is not complex.
func importConvert(c *ctx, op *Op) error {
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	told, err := declared(op)
	if err != nil {
		return err
	}
	if len(operands) == 1 && operands[0].Shape.Type.IsComplex() && told.IsArray() && !told.Type.IsComplex() {
		if operands[0], err = c.add(op, hlo.Real, nil, noShape, operands[0]); err != nil {
			return err
		}
	}
	in, err := c.add(op, hlo.Convert, nil, told, operands...)
	if err != nil {
		return err
	}
	return c.oneOrTuple(op, in)
}

// exportConvert writes a conversion. One of complex numbers to others takes their real parts first, as the importer
// has it.
func exportConvert(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	if from := in.Operands[0].Shape; from.Type.IsComplex() && !in.Shape.Type.IsComplex() {
		part, err := b.value("stablehlo.real", from.WithType(from.Type.Component()), operands)
		if err != nil {
			return node{}, err
		}
		operands = []*Value{part}
	}
	return b.op(in, "stablehlo.convert", in.Shape, operands)
}

// importCompare imports a comparison. A comparison type of the wrong kind says nothing and is dropped, as StableHLO's
// verifier lets it pass.
func importCompare(c *ctx, op *Op) error {
	a := &hlo.CompareAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	if len(op.Operands) == 2 {
		in, err := c.value(op.Operands[0])
		if err != nil {
			return err
		}
		a.Type = comparisonType(a.Type, in.Shape.Type)
	}
	return c.simple(op, hlo.Compare, a)
}

// comparisonType returns t if it is a type of comparisons of e, else the one that follows from e.
func comparisonType(t hlo.ComparisonType, e shape.ElementType) hlo.ComparisonType {
	float := e.IsFloat() || e.IsComplex()
	if wantsFloat := t == hlo.FloatComparison || t == hlo.TotalOrder; float != wantsFloat {
		return hlo.DefaultComparison
	}
	return t
}

// exportCompare writes a comparison without a type of the wrong kind, which XLA's protos have for integers.
func exportCompare(b *writer, in *hlo.Instruction) (node, error) {
	a := *in.Attrs.(*hlo.CompareAttrs)
	a.Type = comparisonType(a.Type, in.Operands[0].Shape.Type)
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	attrs, err := fieldAttrs(&a)
	if err != nil {
		return node{}, err
	}
	return b.op(in, "stablehlo.compare", in.Shape, operands, attrs...)
}
