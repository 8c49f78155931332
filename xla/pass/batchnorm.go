package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ExpandBatchNorm writes batch normalisation in terms of elementwise ops and sums. Statistics and gradients are taken
// in a wider type than the operand's where there is one, the variance in a second pass over the differences from the
// mean: the difference of the means of squares would lose all digits where the mean is large.
func ExpandBatchNorm() Pass {
	var t ruleTable
	t[hlo.BatchNormInference] = []rule{expandInference}
	t[hlo.BatchNormTraining] = []rule{expandTraining}
	t[hlo.BatchNormGrad] = []rule{expandGrad}
	return rewritePass("batchnorm", &t)
}

// normalisation makes the ops of one batch normalisation.
type normalisation struct {
	*simplifier
	dims    []int64 // of the operand
	feature int64
	wide    shape.ElementType // the type of statistics
	count   float64           // elements a feature
	epsilon float64
	sum     *hlo.Computation
}

func newNormalisation(s *simplifier, in *hlo.Instruction, wide shape.ElementType) *normalisation {
	a, x := in.Attrs.(*hlo.BatchNormAttrs), in.Operands[0].Shape
	n := &normalisation{simplifier: s, dims: x.Dims, feature: a.FeatureIndex, wide: wide, count: 1,
		epsilon: float64(float32(a.Epsilon))}
	for d, size := range x.Dims {
		if int64(d) != a.FeatureIndex {
			n.count *= float64(size)
		}
	}
	n.sum = binaryComputation("sum", hlo.Add, wide)
	return n
}

// binaryComputation makes a computation of op on two scalars.
func binaryComputation(name string, op hlo.Opcode, t shape.ElementType) *hlo.Computation {
	s := shape.Array(t)
	list := []*hlo.Instruction{
		{Name: "x", Op: hlo.Parameter, Shape: s, Attrs: &hlo.ParameterAttrs{}},
		{Name: "y", Op: hlo.Parameter, Shape: s, Attrs: &hlo.ParameterAttrs{Number: 1}},
	}
	operands := []*hlo.Instruction{list[0], list[1]}
	list = append(list, &hlo.Instruction{Name: op.String(), Op: op, Shape: s, Operands: operands})
	c, err := hlo.NewComputation(name, list, list[2])
	if err != nil {
		panic(bug{err})
	}
	return c
}

// wider is the type in which sums over elements of type t are taken.
func wider(t shape.ElementType) shape.ElementType {
	if t.Bits() <= 16 {
		return shape.F32
	}
	return shape.F64
}

func (n *normalisation) as(x *hlo.Instruction, t shape.ElementType) *hlo.Instruction {
	if x.Shape.Type == t {
		return x
	}
	return n.op(hlo.Convert, nil, x.Shape.WithType(t), x)
}

// spread repeats a vector of one element a feature over the operand's dimensions.
func (n *normalisation) spread(v *hlo.Instruction) *hlo.Instruction {
	return n.broadcast(v, n.dims, []int64{n.feature})
}

// deviation is the square root of the variance and epsilon.
func (n *normalisation) deviation(variance *hlo.Instruction) *hlo.Instruction {
	e := n.filled(literal.ScalarOf(variance.Shape.Type, n.epsilon), variance.Shape)
	return n.plainOp(hlo.Sqrt, n.plainOp(hlo.Add, variance, e))
}

// total sums x over all dimensions but the feature's.
func (n *normalisation) total(x *hlo.Instruction) *hlo.Instruction {
	a := &hlo.ReduceAttrs{ToApply: n.sum, Dimensions: []int64{}}
	for d := range int64(len(n.dims)) {
		if d != n.feature {
			a.Dimensions = append(a.Dimensions, d)
		}
	}
	return n.op(hlo.Reduce, a, shape.Shape{}, x, n.constant(literal.Zero(n.wide)))
}

// mean divides a sum by the number of elements; of none it is NaN.
func (n *normalisation) mean(sum *hlo.Instruction) *hlo.Instruction {
	return n.plainOp(hlo.Divide, sum, n.filled(literal.ScalarOf(n.wide, n.count), sum.Shape))
}

// scaled is (x-mean) * (scale/deviation) + offset.
func (n *normalisation) scaled(x, scale, offset, mean, variance *hlo.Instruction) *hlo.Instruction {
	factor := n.plainOp(hlo.Divide, scale, n.deviation(variance))
	centred := n.plainOp(hlo.Subtract, x, n.spread(mean))
	return n.plainOp(hlo.Add, n.plainOp(hlo.Multiply, centred, n.spread(factor)), n.spread(offset))
}

func expandInference(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	t := in.Operands[0].Shape.Type
	wide := t
	if t.Bits() <= 16 {
		wide = shape.F32
	}
	n := newNormalisation(s, in, wide)
	var x [5]*hlo.Instruction
	for i, o := range in.Operands {
		x[i] = n.as(o, wide)
	}
	return n.as(n.scaled(x[0], x[1], x[2], x[3], x[4]), t)
}

func expandTraining(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	t := in.Operands[0].Shape.Type
	n := newNormalisation(s, in, wider(t))
	x, scale, offset := n.as(in.Operands[0], n.wide), n.as(in.Operands[1], n.wide), n.as(in.Operands[2], n.wide)
	mean := n.mean(n.total(x))
	centred := n.plainOp(hlo.Subtract, x, n.spread(mean))
	variance := n.mean(n.total(n.plainOp(hlo.Multiply, centred, centred)))
	out := n.scaled(x, scale, offset, mean, variance)
	return n.plainOp(hlo.Tuple, n.as(out, t), n.as(mean, t), n.as(variance, t))
}

// expandGrad is the derivative of training, the statistics' share included.
func expandGrad(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	t := in.Operands[0].Shape.Type
	n := newNormalisation(s, in, wider(t))
	var v [5]*hlo.Instruction
	for i, o := range in.Operands {
		v[i] = n.as(o, n.wide)
	}
	x, scale, mean, variance, dy := v[0], v[1], v[2], v[3], v[4]
	inverse := n.plainOp(hlo.Divide, n.ones(mean), n.deviation(variance))
	normal := n.plainOp(hlo.Multiply, n.plainOp(hlo.Subtract, x, n.spread(mean)), n.spread(inverse))
	sumDy, sumDyX := n.total(dy), n.total(n.plainOp(hlo.Multiply, dy, normal))
	rest := n.plainOp(hlo.Subtract, n.plainOp(hlo.Subtract, dy, n.spread(n.mean(sumDy))),
		n.plainOp(hlo.Multiply, normal, n.spread(n.mean(sumDyX))))
	dx := n.plainOp(hlo.Multiply, n.spread(n.plainOp(hlo.Multiply, scale, inverse)), rest)
	return n.plainOp(hlo.Tuple, n.as(dx, t), n.as(sumDyX, t), n.as(sumDy, t))
}
