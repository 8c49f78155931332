package pass

import (
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Arguments takes reductions apart that find the index of the least or greatest element along a dimension, if nobody
// asks for the element: the extreme is a reduction, and the first index of an element equal to it is another one. Both
// are of one op, which machines are fast at.
func Arguments() Pass {
	return Pass{Name: "arguments", Run: func(m *hlo.Module) (*hlo.Module, error) {
		return edit(m, func(e *editor) {
			taken := argumentUses(e.old)
			for _, in := range e.old.Instructions {
				if op, ok := argumentOp(in); ok && taken[in] != nil && !e.isPinned(in) {
					e.argument(in, op, taken[in])
					continue
				}
				if e.now[in.Index()] == nil {
					e.keep(in)
				}
			}
		}), nil
	}}
}

// argumentUses returns, for reductions of two arrays whose second result alone is used, the instructions that take it.
func argumentUses(c *hlo.Computation) map[*hlo.Instruction][]*hlo.Instruction {
	uses := map[*hlo.Instruction][]*hlo.Instruction{}
	for _, in := range c.Instructions {
		a, ok := in.Attrs.(*hlo.GetTupleElementAttrs)
		if ok && a.Index == 1 && in.Operands[0].Op == hlo.Reduce && len(in.Operands[0].Operands) == 4 {
			uses[in.Operands[0]] = append(uses[in.Operands[0]], in)
		}
	}
	for in, list := range uses {
		if in.Users() != len(list) || in == c.Root {
			delete(uses, in)
		}
	}
	return uses
}

// argumentOp returns the op of the extreme whose first index in finds.
func argumentOp(in *hlo.Instruction) (hlo.Opcode, bool) {
	a, ok := in.Attrs.(*hlo.ReduceAttrs)
	if !ok || len(in.Operands) != 4 || len(a.Dimensions) != 1 || in.IsDynamic() {
		return 0, false
	}
	x, index, init, first := in.Operands[0], in.Operands[1], in.Operands[2], in.Operands[3]
	i, counts := index.Attrs.(*hlo.IotaAttrs)
	value, known := init.Attrs.(*hlo.ConstantAttrs)
	_, starts := first.Attrs.(*hlo.ConstantAttrs)
	ordered := x.Shape.Type.IsFloat() || x.Shape.Type.IsInteger() || x.Shape.Type == shape.Pred
	if !counts || !known || !starts || !ordered || i.Dimension != a.Dimensions[0] || isNaN(value.Literal) {
		return 0, false
	}
	c := a.ToApply
	for d, op := range map[hlo.Direction]hlo.Opcode{hlo.Lt: hlo.Minimum, hlo.Gt: hlo.Maximum} {
		if finds(c, d, x.Shape.Type.IsFloat()) {
			return op, index.Shape.Type.IsInteger()
		}
	}
	return 0, false
}

func isNaN(l *literal.Literal) bool {
	w := l.Wide()
	return slices.ContainsFunc(w.F, math.IsNaN)
}

// finds reports whether c, of the element and index found so far and those of another place, keeps the first index of
// the element that stands in direction d to all others; of floats the first NaN's, if there are any.
func finds(c *hlo.Computation, d hlo.Direction, float bool) bool {
	if len(c.Parameters) != 4 || c.Root.Op != hlo.Tuple || c.Root.Operands[1].Op != hlo.Select {
		return false
	}
	p := choicePattern{c.Parameters, d, float}
	s := c.Root.Operands[1]
	return s.Operands[1] == p.in[1] && s.Operands[2] == p.in[3] && p.isFirst(s.Operands[0])
}

// choicePattern has the parts of a computation that chooses between two elements in[0] and in[2] with indices in[1]
// and in[3].
type choicePattern struct {
	in    []*hlo.Instruction
	d     hlo.Direction
	float bool
}

// isFirst: in is "better or (equal and index less)".
func (p choicePattern) isFirst(in *hlo.Instruction) bool {
	return joins(in, hlo.Or, p.isBetter, func(x *hlo.Instruction) bool {
		return joins(x, hlo.And, p.compares(0, 2, hlo.Eq), p.compares(1, 3, hlo.Lt))
	})
}

// isBetter: in is "x d y", of floats "x d y or x is not x".
func (p choicePattern) isBetter(in *hlo.Instruction) bool {
	plain := p.compares(0, 2, p.d)
	if !p.float {
		return plain(in)
	}
	return joins(in, hlo.Or, plain, p.compares(0, 0, hlo.Ne))
}

// compares: it is a comparison of two of the parameters.
func (p choicePattern) compares(x, y int, d hlo.Direction) func(in *hlo.Instruction) bool {
	return func(in *hlo.Instruction) bool {
		a, ok := in.Attrs.(*hlo.CompareAttrs)
		return ok && a.Direction == d && a.Type != hlo.TotalOrder && in.Operands[0] == p.in[x] && in.Operands[1] == p.in[y]
	}
}

// joins reports whether in is op of what f and g say, in either order.
func joins(in *hlo.Instruction, op hlo.Opcode, f, g func(in *hlo.Instruction) bool) bool {
	if in.Op != op {
		return false
	}
	x, y := in.Operands[0], in.Operands[1]
	return f(x) && g(y) || f(y) && g(x)
}

// argument makes what stands for the users of the index that in finds.
func (e *editor) argument(in *hlo.Instruction, op hlo.Opcode, users []*hlo.Instruction) {
	a := in.Attrs.(*hlo.ReduceAttrs)
	x, index, init, first := e.of(in.Operands[0]), e.of(in.Operands[1]), e.of(in.Operands[2]), e.of(in.Operands[3])
	t := x.Shape.Type
	reduce := func(op hlo.Opcode, x, init *hlo.Instruction) *hlo.Instruction {
		c := binaryComputation(op.String(), op, x.Shape.Type)
		return e.make(in, hlo.Reduce, &hlo.ReduceAttrs{Dimensions: a.Dimensions, ToApply: c}, shape.Shape{}, x, init)
	}
	compare := func(d hlo.Direction, x, y *hlo.Instruction) *hlo.Instruction {
		return e.make(in, hlo.Compare, &hlo.CompareAttrs{Direction: d}, shape.Shape{}, x, y)
	}
	spread := func(v *hlo.Instruction, s shape.Shape, to []int64) *hlo.Instruction {
		return e.make(in, hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: to}, shape.Array(v.Shape.Type, s.Dims...), v)
	}
	extreme := reduce(op, x, init)
	var kept []int64
	for d := range x.Shape.Dims {
		if int64(d) != a.Dimensions[0] {
			kept = append(kept, int64(d))
		}
	}
	is := compare(hlo.Eq, x, spread(extreme, x.Shape, kept))
	if t.IsFloat() {
		is = e.make(in, hlo.Or, nil, shape.Shape{}, is, compare(hlo.Ne, x, x))
	}
	count := e.shortIndex(in, index, first)
	last := e.make(in, hlo.Constant, &hlo.ConstantAttrs{Literal: literal.MaxValue(count.Shape.Type)}, shape.Shape{})
	at := e.make(in, hlo.Select, nil, shape.Shape{}, is, count, spread(last, x.Shape, []int64{}))
	found := reduce(hlo.Minimum, at, last)
	if count != index {
		found = e.make(in, hlo.Convert, nil, shape.Array(index.Shape.Type, found.Shape.Dims...), found)
	}
	start := e.make(in, hlo.Select, nil, shape.Shape{}, compare(hlo.Eq, extreme, spread(init, extreme.Shape, []int64{})),
		spread(first, extreme.Shape, []int64{}), found)
	found = e.make(in, hlo.Minimum, nil, shape.Shape{}, start, found)
	for _, u := range users {
		e.replace(u, found)
	}
}

// shortIndex is an index of 64 bits that begins at 0 as one of 32, which counts and compares several times as fast.
func (e *editor) shortIndex(in, index, first *hlo.Instruction) *hlo.Instruction {
	d := index.Attrs.(*hlo.IotaAttrs).Dimension
	if index.Shape.Type.Bits() <= 32 || index.Shape.Dims[d] > math.MaxInt32 || !isZero(first) {
		return index
	}
	return e.make(in, hlo.Iota, &hlo.IotaAttrs{Dimension: d}, shape.Array(shape.S32, index.Shape.Dims...))
}
