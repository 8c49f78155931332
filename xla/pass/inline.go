package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// maxInlined bounds the instructions that Inline adds to a module, and inlinedEach those of a large one for each of its
// own: calls may nest so that each doubles the program.
const (
	maxInlined  = 1 << 20
	inlinedEach = 16
)

// Inline puts the computations of calls and fusions in place of their calls, and makes asynchronous calls of
// computations without effect, copies and collectives synchronous. While bodies, branches and the computations that
// ops apply to elements stay computations. Calls at the end of a control dependency stay, and so do those that would
// make the module too large.
func Inline() Pass {
	return Pass{Name: "inline", Run: func(m *hlo.Module) (*hlo.Module, error) {
		left := inlinable(m)
		return edit(m, func(e *editor) {
			i := &inliner{editor: e, left: &left}
			i.run()
		}), nil
	}}
}

// inlinable is how many instructions Inline may add to m.
func inlinable(m *hlo.Module) int {
	n := 0
	for _, c := range m.Computations {
		n += len(c.Instructions)
	}
	return min(max(maxInlined/8, inlinedEach*n), maxInlined)
}

type inliner struct {
	*editor
	left *int
	// loose are the starts whose value only their updates and dones use.
	loose map[*hlo.Instruction]bool
}

func (i *inliner) run() {
	i.loose = i.looseStarts()
	for _, in := range i.old.Instructions {
		if i.isPinned(in) || !i.inline(in) {
			i.keep(in)
		}
	}
}

// inline makes something else stand for in, or returns false.
func (i *inliner) inline(in *hlo.Instruction) bool {
	if sync, ok := synchronous[in.Op]; ok {
		return i.loose[in] && i.synchronise(in, sync)
	}
	switch a := in.Attrs.(type) {
	case *hlo.CallAttrs:
		return i.splice(in, a.ToApply)
	case *hlo.FusionAttrs:
		return i.splice(in, a.Calls)
	case *hlo.AsyncAttrs:
		return i.loose[in] && i.async(in, a)
	}
	return false
}

// splice puts the instructions of c in place of in, which calls it.
func (i *inliner) splice(in *hlo.Instruction, c *hlo.Computation) bool {
	c = i.current(c)
	if len(c.Instructions) > *i.left {
		return false
	}
	*i.left -= len(c.Instructions)
	args := make([]*hlo.Instruction, len(in.Operands))
	for k, o := range in.Operands {
		args[k] = i.of(o)
	}
	i.replace(in, i.spliceIn(c, args, in.Name+"."))
	return true
}

// spliceIn appends copies of c's instructions on args and returns its root. prefix makes the names unique that control
// dependencies use.
func (e *editor) spliceIn(c *hlo.Computation, args []*hlo.Instruction, prefix string) *hlo.Instruction {
	pins := pinned(c)
	now := make([]*hlo.Instruction, len(c.Instructions))
	for k, in := range c.Instructions {
		if p, ok := in.Attrs.(*hlo.ParameterAttrs); ok {
			now[k] = args[p.Number]
			continue
		}
		n := e.alloc()
		*n = *in
		n.Operands = e.operands(len(in.Operands))
		for j, o := range in.Operands {
			n.Operands[j] = now[o.Index()]
		}
		if pins != nil {
			e.prefixPins(n, pins, prefix)
		}
		now[k] = e.add(n)
	}
	e.dirty = true
	return now[c.Root.Index()]
}

// prefixPins gives n a name of its own if control dependencies name it, and names its own predecessors likewise.
func (e *editor) prefixPins(n *hlo.Instruction, pins map[string]bool, prefix string) {
	if pins[n.Name] {
		n.Name = prefix + n.Name
		if e.pins == nil {
			e.pins = map[string]bool{}
		}
		e.pins[n.Name] = true
	}
	if n.Common == nil || len(n.Common.Predecessors) == 0 {
		return
	}
	common := *n.Common
	common.Predecessors = make([]string, len(n.Common.Predecessors))
	for k, p := range n.Common.Predecessors {
		common.Predecessors[k] = prefix + p
	}
	n.Common = &common
}

// synchronous are the ops that stand for the starts of asynchronous ones, and what stands for the dones: Copy means
// the operand itself.
var synchronous = map[hlo.Opcode]hlo.Opcode{
	hlo.AllGatherStart: hlo.AllGather, hlo.AllReduceStart: hlo.AllReduce,
	hlo.CollectivePermuteStart: hlo.CollectivePermute, hlo.CopyStart: hlo.Copy,
	hlo.AllGatherDone: hlo.Copy, hlo.AllReduceDone: hlo.Copy, hlo.CollectivePermuteDone: hlo.Copy,
	hlo.CopyDone: hlo.Copy,
}

// synchronise makes the synchronous op stand for a start, and the start's value for its done.
func (i *inliner) synchronise(in *hlo.Instruction, op hlo.Opcode) bool {
	if op == hlo.Copy {
		i.replace(in, i.of(in.Operands[0]))
		return true
	}
	s := in.Shape
	if op != hlo.AllReduce {
		s = s.Elems[1]
	}
	n := i.clone(in)
	n.Op, n.Shape = op, s.WithoutLayout()
	i.replace(in, i.add(n))
	return true
}

// async calls the computation of an async-start in its place and lets updates and dones pass its result on.
func (i *inliner) async(in *hlo.Instruction, a *hlo.AsyncAttrs) bool {
	if in.Op == hlo.AsyncStart {
		return i.splice(in, a.Calls)
	}
	i.replace(in, i.of(in.Operands[0]))
	return true
}

// looseStarts finds the starts of asynchronous ops that can be made synchronous, and their updates and dones: the
// value of each is used by an update or done and by nothing else, and the computation of a call has no effect.
func (i *inliner) looseStarts() map[*hlo.Instruction]bool {
	var loose map[*hlo.Instruction]bool
	for _, in := range i.old.Instructions {
		switch {
		case isStart(in):
			if loose == nil {
				loose = map[*hlo.Instruction]bool{}
			}
			loose[in] = canSynchronise(in) && !i.isPinned(in)
		case isLater(in.Op):
			loose[in] = loose[in.Operands[0]]
		}
	}
	if loose == nil {
		return nil
	}
	for _, in := range slices.Backward(i.old.Instructions) {
		follows := isLater(in.Op) && !i.isPinned(in) && (in.Op != hlo.AsyncUpdate || loose[in])
		for _, o := range in.Operands {
			if !follows {
				spoil(loose, o)
			}
		}
	}
	spoil(loose, i.old.Root)
	for _, in := range i.old.Instructions {
		if isLater(in.Op) {
			loose[in] = loose[in.Operands[0]]
		}
	}
	return loose
}

// spoil notes that the value of a start or update is used by something else; for dones that is as it should be.
func spoil(loose map[*hlo.Instruction]bool, in *hlo.Instruction) {
	if isStart(in) || in.Op == hlo.AsyncUpdate {
		loose[in] = false
	}
}

func isStart(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.AsyncStart, hlo.AllGatherStart, hlo.AllReduceStart, hlo.CollectivePermuteStart, hlo.CopyStart:
		return true
	}
	return false
}

func isLater(op hlo.Opcode) bool {
	switch op {
	case hlo.AsyncUpdate, hlo.AsyncDone, hlo.AllGatherDone, hlo.AllReduceDone, hlo.CollectivePermuteDone, hlo.CopyDone:
		return true
	}
	return false
}

// canSynchronise reports whether a start has a synchronous form here.
func canSynchronise(in *hlo.Instruction) bool {
	if a, ok := in.Attrs.(*hlo.AsyncAttrs); ok {
		return !slices.ContainsFunc(a.Calls.Instructions, (*hlo.Instruction).HasSideEffect)
	}
	return in.Op != hlo.CollectivePermuteStart || len(in.Operands) == 1
}
