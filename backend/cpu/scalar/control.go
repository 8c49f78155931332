package scalar

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// elementWidths returns how many registers each element of s takes.
func (c *compiler) elementWidths(s shape.Shape) []int {
	leaves, _ := c.leavesOf(nil, s)
	var w []int
	for _, l := range leaves {
		for range l.length() {
			w = append(w, l.registers()/l.length())
		}
	}
	return w
}

// fresh returns registers for a value of shape s.
func (c *compiler) fresh(s shape.Shape) value {
	var v value
	leaves, _ := c.leavesOf(nil, s)
	for _, l := range leaves {
		v = append(v, c.freshLeaf(l)...)
	}
	return v
}

// registers returns every register of a value of the given widths.
func (v value) registers(widths []int) []uint16 {
	var all []uint16
	for i, r := range v {
		for part := range widths[i] {
			all = append(all, r+uint16(part))
		}
	}
	return all
}

// jump emits a jump whose place is not known yet and returns where it stands.
func (c *compiler) jump(op Op, a uint16) int {
	c.emit(Instr{Op: op, A: a})
	return len(c.code) - 1
}

// land makes the jump at place at go to the next instruction.
func (c *compiler) land(at int) { c.code[at].Imm = int32(len(c.code)) }

// while compiles a loop: the state stays in registers, the condition stands behind the body.
func (c *compiler) while(in *hlo.Instruction, args []value) (value, error) {
	a, widths := in.Attrs.(*hlo.WhileAttrs), c.elementWidths(in.Shape)
	state := c.state(in, args[0])
	rounds := c.counters(in, state, args[0])
	if most := maxUnrolledCode / max(rounds, 1); rounds > 0 && rounds <= maxUnrolled && length(a.Body, most) <= most {
		return c.unrolled(a, args[0], rounds)
	}
	c.move(state.registers(widths), args[0].registers(widths))
	l, enter := newLoop(state, args[0]), len(c.code)
	if rounds == 0 {
		c.jump(Jump, 0)
	}
	body := len(c.code)
	c.loops = append(c.loops, l)
	next, err := c.inline(a.Body, []value{state})
	c.loops = c.loops[:len(c.loops)-1]
	if err != nil {
		return nil, err
	}
	if err := c.stays(state, next); err != nil {
		return nil, err
	}
	c.carry(body, in.Shape, state.registers(widths), next.registers(widths))
	c.counted(in.Shape, state, args[0])
	if rounds == 0 {
		c.land(enter)
	}
	condition := len(c.code)
	again, err := c.hold(state, func() (value, error) { return c.inline(a.Condition, []value{state}) })
	if err != nil {
		return nil, err
	}
	c.again(condition, again[0], body)
	c.precede(enter, l.before)
	return state, nil
}

// length is how many instructions comp has with those of the computations that it calls, those of loops as often as
// they may be unrolled. It is not counted further than most.
func length(comp *hlo.Computation, most int64) int64 {
	n := int64(len(comp.Instructions))
	for _, in := range comp.Instructions {
		times := int64(1)
		if in.Op == hlo.While {
			times = maxUnrolled
		}
		for _, callee := range in.Called() {
			if n > most {
				return n
			}
			n += times * length(callee, (most-n)/times)
		}
	}
	return n
}

// unrolled compiles a loop of so many rounds, one after the other.
func (c *compiler) unrolled(a *hlo.WhileAttrs, state value, rounds int64) (value, error) {
	for range rounds {
		next, err := c.inline(a.Body, []value{state})
		if err == nil {
			err = c.stays(state, next)
		}
		if err != nil {
			return nil, err
		}
		state = next
	}
	return state, nil
}

// again emits the jump back to body if register r, computed from place condition on, is not 0. A comparison that is
// made only for it becomes part of the jump.
func (c *compiler) again(condition int, r uint16, body int) {
	jump := Instr{Op: Again, A: r, Imm: int32(body)}
	if last := len(c.code) - 1; last >= condition {
		in := c.code[last]
		if joined, ok := map[Op]Op{LtS: AgainLtS, NeS: AgainNeS}[in.Op]; ok && in.D == r && !c.jumpsTo(last+1) {
			jump.Op, jump.A, jump.B = joined, in.A, in.B
			c.code = c.code[:last]
		}
	}
	c.emit(jump)
}

// jumpsTo reports whether a jump goes to place at.
func (c *compiler) jumpsTo(at int) bool {
	for i := range c.code {
		if in := &c.code[i]; in.Op.jumps() && int(in.Imm) == at {
			return true
		}
	}
	return false
}

// jumps reports whether o may go elsewhere than to the next instruction.
func (o Op) jumps() bool { return o >= Jump && o <= AgainNeS }

// carry ends a loop's body that began at place body: the state of shape s gets its next values. A value that the body
// computes last of all that looks at the old one is computed in place.
func (c *compiler) carry(body int, s shape.Shape, state, next []uint16) {
	leaves, _ := c.leavesOf(nil, s)
	first := 0
	for _, l := range leaves {
		end := first + l.registers()
		for i := first; i < end && (l.Elements <= maxElements || l.lanes > 0); i++ {
			r := next[i]
			if r != state[i] && c.vectors[r] == c.vectors[state[i]] && c.inPlace(body, state, next, i) {
				replace(next, r, state[i])
			}
		}
		first = end
	}
	c.move(state, next)
}

// replace puts to in the place of every r.
func replace(list []uint16, r, to uint16) {
	for i := range list {
		if list[i] == r {
			list[i] = to
		}
	}
}

// inPlace lets the instruction that computes next[i] write to state[i], if nothing behind it reads the old value, and
// reports whether it did.
func (c *compiler) inPlace(body int, state, next []uint16, i int) bool {
	old, r := state[i], next[i]
	at := -1
	for k := body; k < len(c.code); k++ {
		if in := &c.code[k]; in.writes(r) {
			if at >= 0 || in.pairs() || in.spans(r) || in.elsewhere() {
				return false
			}
			at = k
		}
	}
	if at < 0 || slices.Contains(next, old) || c.crossed(body, at) {
		return false
	}
	for k := at + 1; k < len(c.code); k++ {
		if in := &c.code[k]; in.reads(old) || in.writes(old) || in.spans(r) {
			return false
		}
	}
	c.code[at].D = old
	for k := at + 1; k < len(c.code); k++ {
		c.code[k].rename(r, old)
	}
	return true
}

// crossed reports whether a jump from place body on goes over place at.
func (c *compiler) crossed(body, at int) bool {
	for k := body; k < len(c.code); k++ {
		in := &c.code[k]
		if !in.Op.jumps() {
			continue
		}
		to := int(in.Imm)
		if k <= at && to > at || k >= at && to <= at {
			return true
		}
	}
	return false
}

// conditional compiles the branches one after the other; each leaves its result in the same registers.
func (c *compiler) conditional(in *hlo.Instruction, args []value) (value, error) {
	branches, widths := in.Attrs.(*hlo.ConditionalAttrs).Branches, c.elementWidths(in.Shape)
	isTruth := in.Operands[0].Shape.Type == shape.Pred
	if i, ok := c.chosenBranch(args[0][0], isTruth, len(branches)); ok {
		return c.inline(branches[i], args[i+1:i+2])
	}
	out := c.fresh(in.Shape)
	var ends []int
	for i, b := range branches {
		skip := -1
		if i < len(branches)-1 { // an index out of range means the last one
			skip = c.unless(args[0][0], isTruth, i)
		}
		v, err := c.inline(b, args[i+1:i+2])
		if err != nil {
			return nil, err
		}
		c.move(out.registers(widths), v.registers(widths))
		if skip >= 0 {
			ends = append(ends, c.jump(Jump, 0))
			c.land(skip)
		}
	}
	for _, at := range ends {
		c.land(at)
	}
	return out, nil
}

// chosenBranch returns which of n branches is taken, if register r that tells is known.
func (c *compiler) chosenBranch(r uint16, isTruth bool, n int) (int, bool) {
	k := c.known(r)
	switch {
	case isTruth && k.single():
		return int(1 - k.lo), true
	case !isTruth && (k.lo >= int64(n-1) || k.hi < 0):
		return n - 1, true
	case !isTruth && k.single():
		return int(k.lo), true
	}
	return 0, n == 1
}

// unless emits a jump that is made unless register r chooses branch i, and returns where it stands.
func (c *compiler) unless(r uint16, isTruth bool, i int) int {
	switch {
	case isTruth:
		return c.jump(JumpIfNo, r)
	case i == 0:
		return c.jump(JumpIf, r)
	}
	return c.jump(JumpIfNo, c.op(EqS, 0, r, c.constant(uint64(i))))
}
