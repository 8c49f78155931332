package exec

import (
	"slices"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// block is steps in order.
type block struct {
	steps []*step
	// code is what runs: the steps, consecutive records joined to segments.
	code []*step
}

// step is a thunk and where it comes from.
type step struct {
	in     *hlo.Instruction // nil for copies that exec adds
	thunk  Thunk
	kernel string
	reason string // why the reference runs it
	// scratch is what the thunk got for itself, whether it says so or not.
	scratch []Slice
	// of is the step whose record this segment runs alone.
	of *step
	// runs and nanoseconds are counted in programs that are compiled with Profile.
	runs, nanoseconds atomic.Int64
}

// uses lists the memory that the step touches.
func (st *step) uses() []Use {
	if st.scratch == nil {
		return st.thunk.Uses()
	}
	return slices.Concat(st.thunk.Uses(), Writes(st.scratch...))
}

// nested is a thunk with blocks of its own.
type nested interface{ blocks() []*block }

// walk calls f for every step, those of nested blocks after their own.
func (b *block) walk(f func(*step)) {
	for _, st := range b.steps {
		f(st)
		if n, ok := st.thunk.(nested); ok {
			for _, inner := range n.blocks() {
				inner.walk(f)
			}
		}
	}
}

// loop runs cond and body in turn as long as cond writes true to again.
type loop struct {
	cond, body *block
	again      Slice
	// counted is how it counts, nil if it is not known how often it goes round.
	counted *counted
}

func (l *loop) blocks() []*block { return []*block{l.cond, l.body} }

func (l *loop) Uses() []Use { return nil }

func (l *loop) Run(r *Run) error {
	for {
		if err := r.run(l.cond); err != nil {
			return err
		}
		if err := r.memory.mirror.toHost(r, l.again.Slot); err != nil {
			return err
		}
		if r.Bytes(l.again)[0] == 0 {
			return nil
		}
		if err := r.run(l.body); err != nil {
			return err
		}
	}
}

// while is the machine's if it runs the loop as one kernel. Else it carries the state in slots of its own, which are
// its result: they get the initial state, the body reads them, and its result is copied back. Parts that the body only
// hands on stay where they are.
func while(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	if v, done, err := c.whole(s, in); done || err != nil {
		return v, done, err
	}
	a := in.Attrs.(*hlo.WhileAttrs)
	init := s.values[in.Operands[0]]
	state, err := c.loopState(a.Body, init, in.Shape)
	if err != nil {
		return nil, false, err
	}
	mark := len(s.block.steps)
	c.copyAll(s.block, state, init)
	before := s.block.steps[mark:]
	l := &loop{cond: &block{}, body: &block{}}
	again, err := c.computation(l.cond, a.Condition, []value{state})
	if err != nil {
		return nil, false, err
	}
	l.again = again[0].Slice
	if turns(a) {
		err := c.inTurns(l, a, state)
		if err != nil {
			return nil, false, err
		}
		return state, true, c.add(s.block, &step{in: in, thunk: l, kernel: "exec"})
	}
	next, err := c.computation(l.body, a.Body, []value{state})
	if err != nil {
		return nil, false, err
	}
	c.copyBack(l.body, state, next)
	l.counted = c.countedLoop(s, in, l, before, state, next)
	return state, true, c.add(s.block, &step{in: in, thunk: l, kernel: "exec"})
}

// loopState returns where the state of a loop lies: new memory, but for the elements of a tuple that the body leaves as
// they are.
func (c *compiler) loopState(body *hlo.Computation, init value, s shape.Shape) (value, error) {
	root := body.Root
	if root.Op != hlo.Tuple || !s.IsTuple() {
		return c.newValue(s)
	}
	var state value
	for i, o := range root.Operands {
		n := s.Elems[i].LeafCount()
		part := init[:n]
		if !handsOn(o, body.Parameters[0], int64(i)) {
			var err error
			if part, err = c.newValue(s.Elems[i]); err != nil {
				return nil, err
			}
		}
		state, init = append(state, part...), init[n:]
	}
	return state, nil
}

// handsOn reports whether o is element i of p.
func handsOn(o, p *hlo.Instruction, i int64) bool {
	return o.Op == hlo.GetTupleElement && o.Operands[0] == p && o.Attrs.(*hlo.GetTupleElementAttrs).Index == i
}

// copyBack makes next the state. Parts of the state that change places go by way of temporaries.
func (c *compiler) copyBack(b *block, state, next value) {
	carried := make(map[int32]bool, len(state))
	for i, l := range state {
		carried[l.Slot] = carried[l.Slot] || l.Slice != next[i].Slice
	}
	from := make(value, len(next))
	for i, l := range next {
		from[i] = l
		if l.Slot != NoSlot && l.Slot != state[i].Slot && carried[l.Slot] {
			from[i] = leaf{c.like(l), l.shape}
			c.copy(b, from[i], l)
		}
	}
	c.copyAll(b, state, from)
}

// like returns a temporary or a box for what lies at l.
func (c *compiler) like(l leaf) Slice {
	if c.slots[l.Slot].kind == boxed {
		return c.newBox()
	}
	return c.newSlot(slot{kind: temporary, size: l.Size})
}

func (c *compiler) copyAll(b *block, to, from value) {
	for i := range to {
		c.copy(b, to[i], from[i])
	}
}

// copy appends the copy of one leaf, unless both are the same.
func (c *compiler) copy(b *block, to, from leaf) {
	if to.Slot == NoSlot || to.Slice == from.Slice {
		return
	}
	t := &copyThunk{to: to, from: from}
	t.toBox, t.fromBox = c.slots[to.Slot].kind == boxed, c.slots[from.Slot].kind == boxed
	b.steps = append(b.steps, &step{thunk: t, kernel: "exec copy"})
}

// branch runs one of several blocks.
type branch struct {
	index    Slice
	isPred   bool
	branches []*block
}

func (t *branch) blocks() []*block { return t.branches }

func (t *branch) Uses() []Use { return Reads(t.index) }

func (t *branch) Run(r *Run) error { return r.run(t.branches[t.choose(r.Bytes(t.index))]) }

// choose is the number of the branch: true, any byte but 0, is the first, an index out of range the last. Law: row 81.
func (t *branch) choose(b []byte) int {
	last := len(t.branches) - 1
	if t.isPred {
		return b2i(b[0] == 0)
	}
	i := int32(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
	if i < 0 || int(i) > last {
		return last
	}
	return int(i)
}

func conditional(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	out, err := c.newValue(in.Shape)
	if err != nil {
		return nil, false, err
	}
	o := in.Operands[0]
	t := &branch{index: s.values[o][0].Slice, isPred: o.Shape.Type == shape.Pred}
	for i, comp := range in.Attrs.(*hlo.ConditionalAttrs).Branches {
		b := &block{}
		v, err := c.computation(b, comp, []value{s.values[in.Operands[i+1]]})
		if err != nil {
			return nil, false, err
		}
		c.copyAll(b, out, v)
		t.branches = append(t.branches, b)
	}
	return out, true, c.add(s.block, &step{in: in, thunk: t, kernel: "exec"})
}
