package pass

import (
	"context"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// maxPrecomputed bounds the bytes of the constants that Precompute makes in one computation.
const maxPrecomputed = 2 << 30

// maxMatrix bounds the bytes of the constants that dots multiply by, whatever those are made of: backends pack what
// they know, and leave out zeros.
const maxMatrix = 1 << 20

// Precompute does what follows from constants alone while the program is compiled, by run, which runs a module without
// parameters: conversions and transposes of weights that are too large for Fold, factors made of them. Constants grow
// by no more than twice what they were made of, but for small matrices that dots multiply by. What run fails on stays
// in the program, as it does if its context ends.
func Precompute(run func(ctx context.Context, m *hlo.Module) (*literal.Literal, error)) Pass {
	return Pass{Name: "precompute", Within: func(ctx context.Context, m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			var values map[*hlo.Instruction]*literal.Literal
			if flow[e.old] {
				values = precomputed(ctx, e, run)
			}
			if values == nil {
				e.keepAllIf(false)
				return
			}
			for _, in := range e.old.Instructions {
				if l := values[in]; l != nil {
					n := e.make(in, hlo.Constant, &hlo.ConstantAttrs{Literal: l}, shape.Shape{})
					inherit(n, in)
					e.replace(in, n)
					continue
				}
				e.keep(in)
			}
		}), nil
	}}
}

// precomputed runs what can be computed in e's computation and returns the values that others use.
func precomputed(ctx context.Context, e *editor,
	run func(ctx context.Context, m *hlo.Module) (*literal.Literal, error)) map[*hlo.Instruction]*literal.Literal {
	list := precomputable(e)
	if len(list) == 0 {
		return nil
	}
	c := excerpt(e, list)
	out, err := run(ctx, hlo.NewModule("constants", c))
	if err != nil || len(out.Elems()) != len(list) {
		return nil
	}
	values := map[*hlo.Instruction]*literal.Literal{}
	for i, in := range list {
		values[in] = out.Elems()[i].RowMajor()
	}
	return values
}

// precomputable lists the instructions whose values follow from constants and that others use.
func precomputable(e *editor) []*hlo.Instruction {
	fixed := make([]bool, len(e.old.Instructions))
	source := make([]int64, len(fixed)) // bytes of the constants that a value is made of
	wanted := make([]bool, len(fixed))
	most := make([]int64, len(fixed)) // bytes that a value may have as a constant
	for i, in := range e.old.Instructions {
		fixed[i], source[i] = e.follows(in, fixed, source)
		most[i] = 2 * source[i]
		for _, o := range in.Operands {
			wanted[o.Index()] = wanted[o.Index()] || !fixed[i]
			if in.Op == hlo.Dot && source[o.Index()] > 0 {
				most[o.Index()] = max(most[o.Index()], maxMatrix)
			}
		}
	}
	wanted[e.old.Root.Index()] = true
	var list []*hlo.Instruction
	total := int64(0)
	for i, in := range slices.Backward(e.old.Instructions) {
		size, err := in.Shape.ByteSize()
		switch {
		case !fixed[i] || !wanted[i] || in.Op == hlo.Constant || in.Op == hlo.Iota:
		case in.Op != hlo.Broadcast && in.Op != hlo.Reshape && err == nil && source[i] > 0 && size <= most[i] &&
			total+size <= maxPrecomputed:
			list, total = append(list, in), total+size
		default: // it stays in the program and wants its operands
			for _, o := range in.Operands {
				wanted[o.Index()] = true
			}
		}
	}
	slices.Reverse(list)
	return list
}

// follows reports whether in's value follows from constants, and from how many bytes of them.
func (e *editor) follows(in *hlo.Instruction, fixed []bool, source []int64) (bool, int64) {
	if !plain(in.Shape) || in.IsDynamic() || e.isPinned(in) {
		return false, 0
	}
	switch in.Op {
	case hlo.Constant:
		size, err := in.Shape.ByteSize()
		return err == nil, size
	case hlo.Broadcast, hlo.Iota:
	default:
		if neverFolded[in.Op] || in.HasSideEffect() || combining[in.Op] && !cheap(in) {
			return false, 0
		}
	}
	bytes := int64(0)
	for _, o := range in.Operands {
		if !fixed[o.Index()] {
			return false, 0
		}
		bytes = max(bytes, source[o.Index()])
	}
	return true, bytes
}

// excerpt makes a computation of list and what it is made of; its root is the tuple of list.
func excerpt(e *editor, list []*hlo.Instruction) *hlo.Computation {
	needed := madeOf(e.old, list)
	now := make([]*hlo.Instruction, len(needed))
	var out []*hlo.Instruction
	for i, in := range e.old.Instructions {
		if !needed[i] {
			continue
		}
		n := *in
		n.Operands = make([]*hlo.Instruction, len(in.Operands))
		for j, o := range in.Operands {
			n.Operands[j] = now[o.Index()]
		}
		if a := e.calling(in); a != nil {
			n.Attrs = a
		}
		now[i] = &n
		out = append(out, &n)
	}
	elems := make([]*hlo.Instruction, len(list))
	for i, in := range list {
		elems[i] = now[in.Index()]
	}
	root, err := hlo.NewInstruction(hlo.Tuple, nil, shape.Shape{}, elems, list[0].Pos)
	if err != nil {
		panic(bug{err})
	}
	root.Name = "constants"
	c, err := hlo.NewComputation("constants", append(out, root), root)
	if err != nil {
		panic(bug{err})
	}
	return c
}
