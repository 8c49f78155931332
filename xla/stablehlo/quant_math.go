package stablehlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// dequantize returns (in - zero point) * scale in q's expressed type.
func (c *ctx) dequantize(op *Op, in *hlo.Instruction, q *QuantType) (*hlo.Instruction, error) {
	expressed, err := q.expressed(op)
	if err != nil {
		return nil, err
	}
	bits := 32 // room for the difference
	if q.Storage.Width == 32 {
		bits = 64
	}
	if in, err = c.integers(op, in, q, bits); err != nil {
		return nil, err
	}
	if in, err = c.convertTo(op, in, expressed); err != nil {
		return nil, err
	}
	scale, err := c.parameterLike(op, q.Scales, q, in)
	if err != nil {
		return nil, err
	}
	return c.derive(op, hlo.Multiply, nil, in, scale)
}

// quantize returns in / scale + zero point, put into q's storage range and rounded to nearest even.
func (c *ctx) quantize(op *Op, in *hlo.Instruction, q *QuantType) (*hlo.Instruction, error) {
	expressed, err := q.expressed(op)
	if err != nil {
		return nil, err
	}
	if in.Shape.Type != expressed {
		return nil, op.Errorf("operand has element type %v, want %v as %s", in.Shape.Type, expressed, q)
	}
	scale, err := c.parameterLike(op, q.Scales, q, in)
	if err != nil {
		return nil, err
	}
	if in, err = c.derive(op, hlo.Divide, nil, in, scale); err != nil {
		return nil, err
	}
	return c.store(op, in, q)
}

// store returns scaled values as q stores them: the zero point added, clamped, rounded and as integers.
func (c *ctx) store(op *Op, in *hlo.Instruction, q *QuantType) (*hlo.Instruction, error) {
	zero := make([]float64, len(q.ZeroPoints))
	for i, z := range q.ZeroPoints {
		zero[i] = float64(z)
	}
	z, err := c.parameterLike(op, zero, q, in)
	if err != nil {
		return nil, err
	}
	if in, err = c.derive(op, hlo.Add, nil, in, z); err != nil {
		return nil, err
	}
	low, err := c.constant(op, literal.ScalarOf(in.Shape.Type, float64(q.Min)))
	if err != nil {
		return nil, err
	}
	high, err := c.constant(op, literal.ScalarOf(in.Shape.Type, float64(q.Max)))
	if err != nil {
		return nil, err
	}
	if in, err = c.derive(op, hlo.Clamp, nil, low, in, high); err != nil {
		return nil, err
	}
	if in, err = c.derive(op, hlo.RoundNearestEven, nil, in); err != nil {
		return nil, err
	}
	storage, _ := elementType(q.Storage)
	return c.convertTo(op, in, storage)
}

// expressed returns the float type that q's values stand for.
func (q *QuantType) expressed(op *Op) (shape.ElementType, error) {
	t, ok := elementType(q.Expressed)
	if !ok || !t.IsFloat() {
		return t, op.Errorf("expressed type is %s, want a float type", q.Expressed)
	}
	return t, nil
}

// derive makes an instruction whose shape follows from its operands.
func (c *ctx) derive(op *Op, code hlo.Opcode, a hlo.Attrs, operands ...*hlo.Instruction) (*hlo.Instruction, error) {
	return c.add(op, code, a, shape.Shape{}, operands...)
}

func (c *ctx) convertTo(op *Op, in *hlo.Instruction, t shape.ElementType) (*hlo.Instruction, error) {
	if in.Shape.Type == t {
		return in, nil
	}
	return c.add(op, hlo.Convert, nil, in.Shape.WithType(t), in)
}

// parameterLike returns an array of like's shape and type with v, scales or zero points of q, for each element.
func (c *ctx) parameterLike(op *Op, v []float64, q *QuantType, like *hlo.Instruction) (*hlo.Instruction, error) {
	dims, own := q.ParamDims, q.Axes
	if q.Blocks != nil {
		return c.blocksLike(op, v, q, like)
	}
	if len(own) > 0 && slices.Max(v) == slices.Min(v) {
		v, dims, own = v[:1], nil, nil
	}
	l, err := c.numbers(op, v, like.Shape.Type, dims...)
	if err != nil {
		return nil, err
	}
	return c.spread(op, l, own, like)
}

// numbers makes a constant of type t.
func (c *ctx) numbers(op *Op, v []float64, t shape.ElementType, dims ...int64) (*hlo.Instruction, error) {
	l, err := literal.FromSlice(v, dims...)
	if len(dims) == 0 {
		l, err = literal.Scalar(v[0]), nil
	}
	if err != nil {
		return nil, op.Errorf("parameters of a quantised type: %v", err)
	}
	if l, err = literal.Convert(l, t); err != nil {
		return nil, err
	}
	return c.constant(op, l)
}

// spread broadcasts in to the sizes of like; dims says which of them in has.
func (c *ctx) spread(op *Op, in *hlo.Instruction, dims []int64, like *hlo.Instruction) (*hlo.Instruction, error) {
	told := like.Shape.WithoutLayout()
	if !told.IsDynamic() {
		return c.add(op, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: dims}, told, in)
	}
	sizes := make([]*hlo.Instruction, told.Rank())
	for d := range sizes {
		n, err := c.derive(op, hlo.GetDimensionSize, &hlo.DimensionAttrs{Dimension: hlo.OneDim(d)}, like)
		if err != nil {
			return nil, err
		}
		if sizes[d], err = c.add(op, hlo.Reshape, &hlo.ReshapeAttrs{}, shape.Array(shape.S32, 1), n); err != nil {
			return nil, err
		}
	}
	all, err := c.derive(op, hlo.Concatenate, &hlo.ConcatenateAttrs{}, sizes...)
	if err != nil {
		return nil, err
	}
	return c.add(op, hlo.DynamicBroadcastInDim, &hlo.DynamicBroadcastAttrs{Dimensions: dims}, told, in, all)
}

// blocksLike is parameterLike for parameters that blocks of elements share: each is repeated over its block.
func (c *ctx) blocksLike(op *Op, v []float64, q *QuantType, like *hlo.Instruction) (*hlo.Instruction, error) {
	in, err := c.numbers(op, v, like.Shape.Type, q.ParamDims...)
	if err != nil {
		return nil, err
	}
	if like.Shape.IsDynamic() {
		return nil, unsupported(op, "%s on a tensor of unknown size", q)
	}
	split, outer := shape.Shape{Type: like.Shape.Type}, []int64{}
	for d, n := range like.Shape.Dims {
		outer = append(outer, int64(len(split.Dims)))
		split.Dims = append(split.Dims, q.ParamDims[d], n/q.ParamDims[d])
	}
	if in, err = c.add(op, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: outer}, split, in); err != nil {
		return nil, err
	}
	return c.add(op, hlo.Reshape, &hlo.ReshapeAttrs{}, like.Shape.WithoutLayout(), in)
}
