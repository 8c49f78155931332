package exec

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// minTurned is how many bytes an element of a loop's state has at least for which two rounds are made of one.
const minTurned = 64 << 10

// inTurns makes the body of a loop two rounds, so that a large element of the state that cannot be written over itself
// lies in two places in turns: the second round writes where the first has read. Only if the first was the last round
// is there something to copy.
func (c *compiler) inTurns(l *loop, a *hlo.WhileAttrs, state value) error {
	first, err := c.computation(l.body, a.Body, []value{state})
	if err != nil {
		return err
	}
	again, err := c.computation(l.body, a.Condition, []value{first})
	if err != nil {
		return err
	}
	more, end := &block{}, &block{}
	second, err := c.computation(more, a.Body, []value{first})
	if err != nil {
		return err
	}
	c.copyBack(more, state, second)
	c.copyBack(end, state, first)
	return c.add(l.body, &step{thunk: &branch{index: again[0].Slice, isPred: true, branches: []*block{more, end}},
		kernel: "exec"})
}

// turns reports whether a loop is better made in turns: its rounds are short lists of pure ops, and one makes a large
// element of the state of another place of the same element, or two elements change places.
func turns(a *hlo.WhileAttrs) bool {
	body := a.Body
	return short(body) && short(a.Condition) && body.Root.Op == hlo.Tuple &&
		slices.ContainsFunc(body.Root.Operands, func(o *hlo.Instruction) bool {
			n, err := o.Shape.ByteSize()
			return err == nil && o.Shape.IsArray() && n >= minTurned && shifts(o, body)
		})
}

// maxTurned is how many instructions a round has at most that is compiled twice.
const maxTurned = 64

func short(c *hlo.Computation) bool {
	return len(c.Instructions) <= maxTurned && !slices.ContainsFunc(c.Instructions, func(in *hlo.Instruction) bool {
		return in.HasSideEffect() || in.Op != hlo.Fusion && own[in.Op] != nil && len(in.Called()) > 0 || foreign[in.Op]
	})
}

// shifts reports whether o makes elements of elements at other places of the state that it replaces, or is another
// element of the state.
func shifts(o *hlo.Instruction, body *hlo.Computation) bool {
	i := int64(slices.Index(body.Root.Operands, o))
	if o.Op == hlo.GetTupleElement {
		return o.Operands[0] == body.Parameters[0] && !handsOn(o, body.Parameters[0], i)
	}
	a, ok := o.Attrs.(*hlo.FusionAttrs)
	return ok && slices.ContainsFunc(a.Calls.Parameters, func(p *hlo.Instruction) bool {
		n := p.Attrs.(*hlo.ParameterAttrs).Number
		return handsOn(o.Operands[n], body.Parameters[0], i) && readElsewhere(p, a.Calls)
	})
}

// readElsewhere reports whether something in c wants elements of p that are not at the place of its own. What puts an
// update into p has the others where they are.
func readElsewhere(p *hlo.Instruction, c *hlo.Computation) bool {
	return slices.ContainsFunc(c.Instructions, func(in *hlo.Instruction) bool {
		if in.Op == hlo.DynamicUpdateSlice && slices.Index(in.Operands[1:], p) < 0 {
			return false
		}
		return slices.Contains(in.Operands, p) && in.Op.Info().Traits&hlo.Elementwise == 0
	})
}
