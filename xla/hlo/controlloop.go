package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// What makes loops cheap without changing what they mean: a loop over scalars alone runs on registers, and an array
// that a loop only carries along to write a part of it each round is written in place.

// compileAfter is the round after which a loop over scalars is compiled: short loops are not worth it.
const compileAfter = 16

// scalarLoop runs a while loop whose state is scalars on registers.
type scalarLoop struct {
	cond, body *applier
	in         *Instruction
	steps      int64 // of one round
}

// scalarLoop compiles the loop in, and returns nil if its state or its computations have more than scalars.
func (e *Evaluator) scalarLoop(in *Instruction) *scalarLoop {
	a := in.Attrs.(*WhileAttrs)
	if leaves(in.Shape) < 1 {
		return nil
	}
	cond, err := e.applier(a.Condition)
	if err != nil || cond.plain != nil {
		return nil
	}
	body, err := e.applier(a.Body)
	if err != nil || body.plain != nil {
		return nil
	}
	return &scalarLoop{cond, body, in, int64(len(a.Condition.Instructions) + len(a.Body.Instructions))}
}

// run runs the loop from state to its end.
func (l *scalarLoop) run(e *Evaluator, state *literal.Literal) (*literal.Literal, error) {
	n := leaves(l.in.Shape)
	cells, again := make([]Cell, n), make([]Cell, 1)
	cellsOf(state, cells)
	for {
		e.steps += l.steps
		if err := e.tick(); err != nil {
			return nil, err
		}
		if err := l.cond.apply(cells, again); err != nil {
			return nil, err
		}
		if again[0].I == 0 {
			out, _ := literalOf(state.Shape(), cells)
			return out, nil
		}
		if err := l.body.apply(cells, cells); err != nil {
			return nil, err
		}
	}
}

// inPlace is a dynamic-update-slice that may write into its operand while its computation runs at a certain depth of
// calls, because nobody else holds that array.
type inPlace struct {
	in    *Instruction
	depth int
}

// carried finds the elements of a loop's state that its body only passes on after writing a part of them, and the
// dynamic-update-slices that do. What else looks at such an element is a dynamic-slice before the write.
func carried(body *Computation) (elements []int64, updates []*Instruction) {
	p, root := body.Parameters[0], body.Root
	if root.Op != Tuple || !p.Shape.IsTuple() || len(root.Operands) != len(p.Shape.Elems) || root.users != 1 {
		return nil, nil
	}
	users := make(map[*Instruction][]*Instruction)
	takers := make(map[int64][]*Instruction)
	for _, in := range body.Instructions {
		for _, o := range in.Operands {
			users[o] = append(users[o], in)
			if o == p && in.Op != GetTupleElement {
				return nil, nil
			}
		}
		if in.Op == GetTupleElement && in.Operands[0] == p {
			index := in.Attrs.(*GetTupleElementAttrs).Index
			takers[index] = append(takers[index], in)
		}
	}
	for k, u := range root.Operands {
		if u.Op != DynamicUpdateSlice || u.users != 1 || isDynamic(u) {
			continue
		}
		if only(u, takers[int64(k)], users) {
			elements, updates = append(elements, int64(k)), append(updates, u)
		}
	}
	return elements, updates
}

// only reports whether takers is u's first operand, and whether besides u only dynamic-slices before it read that.
func only(u *Instruction, takers []*Instruction, users map[*Instruction][]*Instruction) bool {
	if len(takers) != 1 || takers[0] != u.Operands[0] {
		return false
	}
	writes := 0
	for _, in := range users[takers[0]] {
		switch {
		case in == u:
			writes++
		case in.Op != DynamicSlice || in.index > u.index:
			return false
		}
	}
	return writes == 1
}

// own returns state with copies of the given elements, which nobody else holds.
func own(state *literal.Literal, elements []int64) *literal.Literal {
	elems := append([]*literal.Literal(nil), state.Elems()...)
	for _, k := range elements {
		elems[k] = elems[k].Clone()
	}
	return literal.NewTuple(elems...)
}

// writesInPlace reports whether the dynamic-update-slice in may write into its operand now.
func (e *Evaluator) writesInPlace(in *Instruction) bool {
	for _, p := range e.inPlace {
		if p.in == in && p.depth == e.depth {
			return true
		}
	}
	return false
}

// updateInPlace is dynamic-update-slice that writes into its first argument.
func updateInPlace(args []*literal.Literal) *literal.Literal {
	out, update := args[0], args[1]
	dims, to := out.Shape().Dims, shape.Strides(out.Shape().Dims)
	at := int64(0)
	for d, start := range clampedStarts(args[2:], dims, update.Shape().Dims) {
		at += start * to[d]
	}
	place(out, update, at, to)
	return out
}

func evalWhile(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*WhileAttrs)
	elements, updates := carried(a.Body)
	before := len(e.inPlace)
	defer func() { e.inPlace = e.inPlace[:before] }()
	for _, u := range updates {
		e.inPlace = append(e.inPlace, inPlace{u, e.depth + 1})
	}
	state := []*literal.Literal{args[0]}
	for round := 0; ; round++ {
		if round == compileAfter {
			if l := e.scalarLoop(in); l != nil {
				return l.run(e, state[0])
			}
		}
		if err := e.tick(); err != nil {
			return nil, err
		}
		again, err := e.Call(a.Condition, state)
		if err != nil {
			return nil, err
		}
		if again.Bytes()[0] == 0 {
			return state[0], nil
		}
		if round == 0 && elements != nil {
			state[0] = own(state[0], elements)
		}
		next, err := e.Call(a.Body, state)
		if err != nil {
			return nil, err
		}
		state[0] = next
	}
}
