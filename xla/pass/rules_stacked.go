package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const (
	// maxStacked bounds the arrays that a reduction of stacked ones takes element by element.
	maxStacked = 16
	// maxStackedOps bounds the operations that become of it.
	maxStackedOps = 256
)

// reduceStacked: a reduction of arrays that were stacked only for it does to whole arrays what its computation does to
// elements. So an index of the first that is true, as jnp.select looks for it, needs no array of all conditions.
func reduceStacked(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, n := in.Attrs.(*hlo.ReduceAttrs), len(in.Operands)/2
	first := in.Operands[0].Shape
	if len(a.Dimensions) != 1 || !slices.ContainsFunc(in.Operands[:n], isStack(a.Dimensions[0])) ||
		!elementwiseOn(a.ToApply, in.Operands) {
		return nil
	}
	d := a.Dimensions[0]
	count := first.Dims[d]
	if count > maxStacked || count*int64(len(a.ToApply.Instructions)) > maxStackedOps {
		return nil
	}
	dims := slices.Delete(slices.Clone(first.Dims), int(d), int(d)+1)
	acc := make([]*hlo.Instruction, n)
	for i := range acc {
		acc[i] = s.broadcast(in.Operands[n+i], dims, []int64{})
	}
	for k := range count {
		args := slices.Clone(acc)
		for _, x := range in.Operands[:n] {
			piece := s.layer(x, d, k, dims)
			if piece == nil {
				return nil
			}
			args = append(args, piece)
		}
		acc = s.onArrays(a.ToApply, args, dims)
	}
	if !in.Shape.IsTuple() {
		return acc[0]
	}
	return s.plainOp(hlo.Tuple, acc...)
}

// isStack returns whether an instruction is arrays side by side, each of size 1 along dimension d.
func isStack(d int64) func(x *hlo.Instruction) bool {
	return func(x *hlo.Instruction) bool {
		return x.Op == hlo.Concatenate && int64(x.Attrs.(*hlo.ConcatenateAttrs).Dimension) == d &&
			int64(len(x.Operands)) == x.Shape.Dims[d] && len(x.Operands) > 1
	}
}

// elementwiseOn reports whether all that c does is elementwise, on scalars of the operands' types. Narrow floats are
// rounded once in a reduction, not in each step.
func elementwiseOn(c *hlo.Computation, operands []*hlo.Instruction) bool {
	for i, p := range c.Parameters {
		t := p.Shape.Type
		if t != operands[i].Shape.Type || t.IsFloat() && t != shape.F32 && t != shape.F64 {
			return false
		}
	}
	for _, in := range c.Instructions {
		switch {
		case in.Op == hlo.Parameter || in.Op == hlo.Constant || in == c.Root && in.Op == hlo.Tuple:
		case in.Op.Info().Traits&hlo.Elementwise == 0 || !in.Shape.IsScalar():
			return false
		}
	}
	return true
}

// layer returns what x has at place k of dimension d, as an array of sizes dims; nil if that is no array by itself.
func (s *simplifier) layer(x *hlo.Instruction, d, k int64, dims []int64) *hlo.Instruction {
	switch {
	case isStack(d)(x):
		return s.reshape(x.Operands[k], dims)
	case x.Op == hlo.Iota && x.Shape.Type.IsInteger() && int64(x.Attrs.(*hlo.IotaAttrs).Dimension) == d:
		return s.filled(literal.ScalarOfInt(x.Shape.Type, k), shape.Array(x.Shape.Type, dims...))
	case spread(x) != nil:
		return s.broadcast(spread(x), dims, []int64{})
	}
	return nil
}

// onArrays makes the instructions of c, a computation on scalars, on arrays of sizes dims, and returns its results.
func (s *simplifier) onArrays(c *hlo.Computation, args []*hlo.Instruction, dims []int64) []*hlo.Instruction {
	now := map[*hlo.Instruction]*hlo.Instruction{}
	for i, p := range c.Parameters {
		now[p] = args[i]
	}
	for _, in := range c.Instructions {
		operands := make([]*hlo.Instruction, len(in.Operands))
		for i, o := range in.Operands {
			operands[i] = now[o]
		}
		switch in.Op {
		case hlo.Parameter:
		case hlo.Tuple:
			return operands
		case hlo.Constant:
			now[in] = s.filled(in.Attrs.(*hlo.ConstantAttrs).Literal, shape.Array(in.Shape.Type, dims...))
		default:
			now[in] = s.op(in.Op, in.Attrs, shape.Array(in.Shape.Type, dims...), operands...)
		}
	}
	return []*hlo.Instruction{now[c.Root]}
}
