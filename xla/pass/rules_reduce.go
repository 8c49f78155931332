package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// reduceRules take reductions over nothing apart, those of stacked arrays, and of several arrays that have nothing to
// do with each other, and reductions of transposes from before the transpose. Padding becomes a window's.
var reduceRules = map[hlo.Opcode][]rule{
	hlo.Reduce:       {reduceEmpty, reduceOnes, reduceDiagonal, reduceTranspose, reduceStacked, reduceApart},
	hlo.ReduceWindow: {windowOfPad},
}

func zeroOf(t shape.ElementType) *literal.Literal { return literal.Zero(t) }

func integerOf(t shape.ElementType, n int64) *literal.Literal { return literal.ScalarOfInt(t, n) }

// reducerOp returns the op of a computation that is nothing but that op on its two parameters.
func reducerOp(c *hlo.Computation) (hlo.Opcode, bool) {
	r := c.Root
	if len(c.Parameters) != 2 || len(c.Instructions) != 3 || !commutes(r) || len(r.Operands) != 2 {
		return 0, false
	}
	p, q := c.Parameters[0], c.Parameters[1]
	x, y := r.Operands[0], r.Operands[1]
	return r.Op, x == p && y == q || x == q && y == p
}

// reduceEmpty: a reduction of no elements is its init value.
func reduceEmpty(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x := in.Operands[0]
	if len(in.Operands) != 2 || !slices.Contains(x.Shape.Dims, 0) || in.Shape.Type != x.Shape.Type {
		return nil
	}
	return s.broadcast(in.Operands[1], in.Shape.Dims, []int64{})
}

// reduceOnes: a reduction along dimensions of size 1, or none, applies the op once.
func reduceOnes(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, x := in.Attrs.(*hlo.ReduceAttrs), in.Operands[0]
	op, ok := reducerOp(a.ToApply)
	if len(in.Operands) != 2 || !ok || in.Shape.Type != x.Shape.Type {
		return nil
	}
	for _, d := range a.Dimensions {
		if x.Shape.Dims[d] != 1 {
			return nil
		}
	}
	init := s.broadcast(in.Operands[1], in.Shape.Dims, []int64{})
	return s.plainOp(op, init, s.reshape(x, in.Shape.Dims))
}

// reduceTranspose: the elements that are left stay in their order, or are transposed after the reduction, when they are
// fewer. Sums may be taken in any order.
func reduceTranspose(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, n := in.Attrs.(*hlo.ReduceAttrs), len(in.Operands)/2
	first := in.Operands[0]
	if first.Op != hlo.Transpose || !plain(in.Shape) || len(a.Dimensions) == 0 {
		return nil
	}
	if _, ok := reducerOp(a.ToApply); !ok || n != 1 {
		return nil
	}
	perm := permutation(first)
	dims := slices.Sorted(slices.Values(pick(perm, a.Dimensions)))
	r := s.op(hlo.Reduce, &hlo.ReduceAttrs{Dimensions: dims, ToApply: a.ToApply}, shape.Shape{}, first.Operands[0],
		in.Operands[1])
	var left []int64 // the transpose's dimensions that stay, as numbers of the operand's
	for d, from := range perm {
		if !slices.Contains(a.Dimensions, int64(d)) {
			left = append(left, from)
		}
	}
	order := slices.Sorted(slices.Values(left))
	after := make([]int64, len(left))
	for i, from := range left {
		after[i] = int64(slices.Index(order, from))
	}
	return s.transpose(r, after)
}

// reduceApart: where each result follows from its own accumulator and element alone, each is a reduction of its own.
func reduceApart(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, n := in.Attrs.(*hlo.ReduceAttrs), len(in.Operands)/2
	if n < 2 || a.ToApply.Root.Op != hlo.Tuple {
		return nil
	}
	parts := make([]*hlo.Instruction, n)
	for i := range parts {
		c := partOf(a.ToApply, i)
		if c == nil {
			return nil
		}
		parts[i] = s.op(hlo.Reduce, &hlo.ReduceAttrs{Dimensions: a.Dimensions, ToApply: c}, shape.Shape{}, in.Operands[i],
			in.Operands[n+i])
	}
	return s.op(hlo.Tuple, nil, shape.Shape{}, parts...)
}

// partOf makes the computation of element i of c's tuple; nil if it reads other parameters than its own two.
func partOf(c *hlo.Computation, i int) *hlo.Computation {
	n := len(c.Parameters) / 2
	now := make([]*hlo.Instruction, len(c.Instructions))
	var list []*hlo.Instruction
	add := func(in *hlo.Instruction, attrs hlo.Attrs, operands []*hlo.Instruction) {
		copied := *in
		copied.Attrs, copied.Operands = attrs, operands
		now[in.Index()] = &copied
		list = append(list, &copied)
	}
	add(c.Parameters[i], &hlo.ParameterAttrs{}, nil)
	add(c.Parameters[n+i], &hlo.ParameterAttrs{Number: 1}, nil)
	for _, in := range c.Instructions {
		operands := pickNew(now, in.Operands)
		if in.Op != hlo.Parameter && in.Op != hlo.Tuple && operands != nil {
			add(in, in.Attrs, operands)
		}
	}
	root := now[c.Root.Operands[i].Index()]
	if root == nil {
		return nil
	}
	part, err := hlo.NewComputation(c.Name, list, root)
	if err != nil {
		panic(bug{err})
	}
	return part
}

// pickNew returns what stands for the operands, nil if nothing does for one.
func pickNew(now, operands []*hlo.Instruction) []*hlo.Instruction {
	list := make([]*hlo.Instruction, len(operands))
	for i, o := range operands {
		if list[i] = now[o.Index()]; list[i] == nil {
			return nil
		}
	}
	return list
}
