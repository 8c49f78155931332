package cpu

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// shiftStages shift by a small number that is part of the stage.
var shiftStages = map[hlo.Opcode]string{
	hlo.ShiftLeft: "shli", hlo.ShiftRightLogical: "shri", hlo.ShiftRightArithmetic: "sari",
}

// useShifts finds shifts of whole lanes by known numbers, and rotations that are made of two.
func (f *fused) useShifts() bool {
	found, bits := false, 8*f.lane()
	for i := range f.nodes {
		nd := &f.nodes[i]
		if !nd.t.IsInteger() || nd.t.Bits() != bits || nd.stage != "" || len(nd.args) != 2 {
			continue
		}
		x, y := &f.nodes[nd.args[0]], &f.nodes[nd.args[1]]
		switch {
		case shiftStages[nd.op] != "" && y.op == hlo.Constant:
			if n := wideInt(y.value.Wide()); n >= 0 && n < int64(bits) {
				nd.stage, nd.imm, nd.args, found = shiftStages[nd.op], int(n), nd.args[:1:1], true
			}
		case nd.op == hlo.Or || nd.op == hlo.Xor || nd.op == hlo.Add: // no bit is set in both
			if y.stage == "shli" {
				x, y = y, x
			}
			whole := x.stage == "shli" && y.stage == "shri" && x.imm+y.imm == bits && x.imm*y.imm > 0
			if whole && x.args[0] == y.args[0] {
				nd.stage, nd.imm, nd.args = "rotate", x.imm, x.args
			}
		}
	}
	return found
}

// useMixes finds the rounds of ThreeFry and its like: t = rotate(x, n) xor s with s = x + y. One stage makes t of the x
// in the registers, and s of the y in memory.
func (f *fused) useMixes() {
	users := f.users()
	for t := range f.nodes {
		if nd := &f.nodes[t]; nd.op == hlo.Xor && nd.stage == "" && len(nd.args) == 2 {
			if !f.useMix(users, t, nd.args[0], nd.args[1]) {
				f.useMix(users, t, nd.args[1], nd.args[0])
			}
		}
	}
	f.order()
}

// useMix makes a mix of node t = r xor s, if it is one: it gets the place of s, and the sum that of t.
func (f *fused) useMix(users [][]int, t, r, s int) bool {
	turn, sum := &f.nodes[r], &f.nodes[s]
	if turn.stage != "rotate" || sum.op != hlo.Add || sum.stage != "" || len(sum.args) != 2 || len(users[r]) != 1 {
		return false
	}
	x := turn.args[0]
	k := slices.Index(sum.args, x)
	if k < 0 || sum.args[1-k] == x || slices.Contains(f.roots, r) {
		return false
	}
	mix, rest := f.nodes[t], *sum
	mix.stage, mix.imm, mix.mixed, mix.args = "mix", turn.imm, t, []int{x, sum.args[1-k]}
	rest.stage, rest.args = "mixed", []int{s}
	f.nodes[s], f.nodes[t] = mix, rest
	swap := func(list []int) []int {
		list = slices.Clone(list)
		for i, a := range list {
			switch a {
			case s:
				list[i] = t
			case t:
				list[i] = s
			}
		}
		return list
	}
	for u := range f.nodes {
		if u != t && (slices.Contains(f.nodes[u].args, s) || slices.Contains(f.nodes[u].args, t)) {
			f.nodes[u].args = swap(f.nodes[u].args)
		}
	}
	f.roots = swap(f.roots)
	users[s], users[t] = users[t], slices.DeleteFunc(users[s], func(u int) bool { return u == t })
	return true
}

// order puts the nodes that results need in an order in which operands come first, and drops the others.
func (f *fused) order() {
	now, chains := make([]int, len(f.nodes)), f.chains()
	var nodes []node
	var visit func(n int) int
	visit = func(n int) int {
		if now[n] > 0 {
			return now[n] - 1
		}
		nd := f.nodes[n]
		nd.args = slices.Clone(nd.args)
		for _, i := range nd.turns(chains) {
			nd.args[i] = visit(nd.args[i])
		}
		nodes = append(nodes, nd)
		now[n] = len(nodes)
		return len(nodes) - 1
	}
	for i, r := range f.roots {
		f.roots[i] = visit(r)
	}
	for n := range nodes {
		if nd := &nodes[n]; nd.leavesTwo() {
			nd.mixed = now[nd.mixed] - 1 // none if nothing needs it
		}
	}
	f.nodes = nodes
}

// longChain is how many operations longer than another a chain is that comes before it.
const longChain = 16

// turns is the order in which the operands of a node are computed. What its stage wants in the registers comes last.
// The end of a long chain comes first, as the sum to which a term is added: else all terms wait in memory for that.
func (nd *node) turns(chains []int) []int {
	list := make([]int, len(nd.args))
	for i := range list {
		list[i] = i
	}
	if nd.stage != "" && len(list) == 3 || nd.isChoice() {
		slices.Reverse(list)
	}
	for k, i := range list {
		if chains[nd.args[i]] > chains[nd.args[list[0]]]+longChain {
			return slices.Insert(slices.Delete(list, k, k+1), 0, i)
		}
	}
	return list
}

// chains returns how many operations at most follow one another up to each node.
func (f *fused) chains() []int {
	list, known := make([]int, len(f.nodes)), make([]bool, len(f.nodes))
	var visit func(n int) int
	visit = func(n int) int {
		for _, a := range f.nodes[n].args {
			if !known[n] {
				list[n] = max(list[n], visit(a)+1)
			}
		}
		known[n] = true
		return list[n]
	}
	for n := range f.nodes {
		visit(n)
	}
	return list
}

// mix emits a mix.
func (e *emitter) mix(i int, nd *node) {
	room := e.taken(i, nd)
	e.hold(nd.args[0])
	e.stage(nd.stage, room, number(nd.imm))
	e.leave(nd, room)
}

// taken is a slot with the second operand of node i, which the stage overwrites: the operand's own if nothing else
// needs that any more.
func (e *emitter) taken(i int, nd *node) operand {
	y := nd.args[1]
	if e.dies(y, i) && nd.args[0] != y && !slices.Contains(nd.args[2:], y) {
		room := e.home[y]
		e.home[y] = operand{kind: nowhere}
		return room
	}
	e.hold(y)
	room := e.reserve()
	e.stage("store", room, number(0))
	e.held = y
	return room
}

// leave notes that the other value of nd is in room.
func (e *emitter) leave(nd *node, room operand) {
	if nd.mixed == none {
		e.free(room)
	} else {
		e.home[nd.mixed] = room
	}
}

// inMemory emits what leaves the registers alone, and reports whether node i is such: both parts of a result, the sum
// of a mix, which is there already, and a sum that takes the place of an operand while something else that is still
// wanted is in the registers.
func (e *emitter) inMemory(i int, nd *node) bool {
	if nd.stage == "pair" {
		return true
	}
	if nd.stage == "mixed" {
		if to := e.saves[i]; to.kind != nowhere {
			e.hold(i)
			e.stage("store", to, number(0))
			e.home[i], e.held = to, i
		}
		return true
	}
	if nd.op != hlo.Add || nd.stage != "" || !nd.t.IsInteger() || nd.t.Bits() != e.bits() || e.saves[i].kind != nowhere ||
		e.held == none || e.lastUse[e.held] <= i || slices.Contains(nd.args, e.held) {
		return false
	}
	x, y := nd.args[0], nd.args[1]
	if !e.dies(x, i) {
		x, y = y, x
	}
	if !e.dies(x, i) || x == y || e.home[y].kind == nowhere {
		return false
	}
	held := e.held
	e.stage("add_to", e.home[x], e.memory(y))
	e.held, e.home[i], e.home[x] = held, e.home[x], operand{kind: nowhere}
	return true
}

// dies reports whether the value of node x is in a slot and node i is the last that needs it.
func (e *emitter) dies(x, i int) bool { return e.home[x].kind == slot && e.lastUse[x] == i }
