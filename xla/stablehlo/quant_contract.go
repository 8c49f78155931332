package stablehlo

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// quantContract imports dot, dot_general, convolution and dynamic_conv. Where no scale changes along what is summed,
// the integers are multiplied and summed exactly and the sums scaled once; else the operands are dequantised first.
func (c *ctx) quantContract(op *Op, base string) error {
	lhs, rhs, result := quantOf(op.Operands[0]), quantOf(op.Operands[1]), quantOf(op.Results[0])
	if lhs == nil || rhs == nil || result == nil || len(lhs.Axes) > 0 || rhs.Blocks != nil || result.Blocks != nil {
		return c.quantMath(op)
	}
	axis := int64(-1)
	if len(rhs.Axes) > 0 {
		var err error
		if axis, err = resultAxis(op, base, rhs.Axes[0]); err != nil {
			return err
		}
		if axis < 0 {
			return c.quantMath(op)
		}
	}
	if len(result.Axes) > 0 && (result.Axes[0] != axis || len(result.Scales) != len(rhs.Scales)) {
		return c.quantMath(op)
	}
	sum, err := c.integerSums(op, lhs, rhs)
	if err != nil {
		return err
	}
	in, err := c.rescale(op, sum, lhs, rhs, result, axis)
	if err != nil {
		return err
	}
	return c.finish(op, in)
}

// integerSums does op on the integers of its operands without their zero points.
func (c *ctx) integerSums(op *Op, lhs, rhs *QuantType) (*hlo.Instruction, error) {
	bits := 32
	if lhs.Storage.Width > 8 || rhs.Storage.Width > 8 {
		bits = 64
	}
	f := *op
	f.Operands = slices.Clone(op.Operands)
	for i, q := range []*QuantType{lhs, rhs} {
		in, err := c.value(op.Operands[i])
		if err != nil {
			return nil, err
		}
		f.Operands[i] = withElem(op.Operands[i], IntType{Width: bits})
		if in, err = c.integers(op, in, q, bits); err != nil {
			return nil, err
		}
		c.set(f.Operands[i], in)
	}
	f.Results = []*Value{withElem(op.Results[0], IntType{Width: bits})}
	if err := c.plainRow(&f)(c, &f); err != nil {
		return nil, err
	}
	return c.get(f.Results[0]), nil
}

// rescale returns sums of products, whose scale is that of lhs times that of rhs, as result stores them. axis is the
// dimension of the sums along which rhs's scales differ, -1 for none.
func (c *ctx) rescale(op *Op, sum *hlo.Instruction, lhs, rhs, result *QuantType, axis int64) (*hlo.Instruction, error) {
	factor := &QuantType{Expressed: result.Expressed}
	if axis >= 0 {
		factor.Axes, factor.ParamDims = []int64{axis}, []int64{int64(len(rhs.Scales))}
	}
	same := true
	for i, s := range rhs.Scales {
		to := result.Scales[0]
		if len(result.Scales) > 1 {
			to = result.Scales[i]
		}
		f := lhs.Scales[0] * s / to
		factor.Scales = append(factor.Scales, f)
		same = same && f > 1-1e-9 && f < 1+1e-9
	}
	storage, _ := elementType(result.Storage)
	if same && sum.Shape.Type == storage && slices.Max(result.ZeroPoints) == 0 && slices.Min(result.ZeroPoints) == 0 {
		return sum, nil // exact, where the expressed type would have too few digits
	}
	expressed, err := result.expressed(op)
	if err != nil {
		return nil, err
	}
	in, err := c.convertTo(op, sum, expressed)
	if err != nil {
		return nil, err
	}
	if !same {
		scale, err := c.parameterLike(op, factor.Scales, factor, in)
		if err != nil {
			return nil, err
		}
		if in, err = c.derive(op, hlo.Multiply, nil, in, scale); err != nil {
			return nil, err
		}
	}
	return c.store(op, in, result)
}

// resultAxis returns which dimension of the result dimension axis of rhs becomes, -1 if it is summed over.
func resultAxis(op *Op, base string, axis int64) (int64, error) {
	if strings.HasSuffix(base, "conv") || base == "convolution" {
		l, err := dimLabels(op)
		if err != nil {
			return 0, err
		}
		if axis != l.KernelOutput {
			return -1, nil
		}
		return l.OutputFeature, nil
	}
	a := &hlo.DotAttrs{RHSContracting: []int64{0}}
	if base == "dot_general" {
		if err := setNumbers(op, "dot_dimension_numbers", "dot", a); err != nil {
			return 0, err
		}
	}
	if i := slices.Index(a.RHSBatch, axis); i >= 0 {
		return int64(i), nil
	}
	if slices.Contains(a.RHSContracting, axis) {
		return -1, nil
	}
	at := int64(rankOf(op.Operands[0]) - len(a.RHSContracting))
	for d := range axis {
		if !slices.Contains(a.RHSBatch, d) && !slices.Contains(a.RHSContracting, d) {
			at++
		}
	}
	return at, nil
}
