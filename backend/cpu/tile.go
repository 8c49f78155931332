package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// tiles makes the Go half of a fused computation. Nodes share registers where their lives do not meet.
type tiles struct {
	f        *fused
	p        *tile.Program
	register []int // of each node
	lastUse  []int // the node that uses a node last
	free     map[shape.Class][]int
}

// tileProgram returns the computation in the form that Go runs: inputs and results are numbered as in f.
func (f *fused) tileProgram() *tile.Program {
	n := len(f.nodes)
	t := &tiles{f, &tile.Program{Dims: f.dims}, make([]int, n), make([]int, n), map[shape.Class][]int{}}
	for i, nd := range f.nodes {
		for _, a := range nd.args {
			t.lastUse[a] = i
		}
	}
	for i, nd := range f.nodes {
		if isLeaf(nd.op) { // filled before the first step, so never shared with what comes before
			t.leaf(i)
		}
	}
	for _, r := range f.roots {
		t.lastUse[r] = n
	}
	for i, nd := range f.nodes {
		if !isLeaf(nd.op) {
			t.operation(i)
		}
	}
	for i, r := range f.roots {
		t.p.Stores = append(t.p.Stores, tile.Store{Register: t.register[r], Output: i, Type: f.nodes[r].t})
	}
	return t.p
}

func isLeaf(op hlo.Opcode) bool { return op == hlo.Parameter || op == hlo.Iota || op == hlo.Constant }

// reserve returns a register for a value of class c that nothing lives in.
func (t *tiles) reserve(c shape.Class) int {
	if free := t.free[c]; len(free) > 0 {
		t.free[c] = free[:len(free)-1]
		return free[len(free)-1]
	}
	t.p.Registers = append(t.p.Registers, c)
	return len(t.p.Registers) - 1
}

func (t *tiles) leaf(i int) {
	nd := &t.f.nodes[i]
	r := t.reserve(nd.t.Class())
	t.register[i] = r
	switch nd.op {
	case hlo.Constant:
		t.p.Steps = append(t.p.Steps, constantStep(nd.value, r))
		return
	case hlo.Iota:
		t.p.Loads = append(t.p.Loads, tile.Load{Access: nd.access, Register: r, Input: -1, Type: nd.t})
		t.steps(tile.Round(nd.t, r))
	default:
		t.p.Loads = append(t.p.Loads, tile.Load{Access: nd.access, Register: r, Input: nd.input, Type: nd.t})
	}
}

func (t *tiles) steps(list ...tile.Step) {
	for _, s := range list {
		if s != nil {
			t.p.Steps = append(t.p.Steps, s)
		}
	}
}

// operation appends the steps of node i. Its register is not an operand's: steps may write before they have read all.
func (t *tiles) operation(i int) {
	nd := &t.f.nodes[i]
	x := make([]int, len(nd.args))
	for k, a := range nd.args {
		x[k] = t.register[a]
	}
	d := t.reserve(nd.t.Class())
	t.register[i] = d
	t.steps(stepOf(nd, d, x)...)
	for k, a := range nd.args {
		if t.lastUse[a] == i && !slices.Contains(nd.args[:k], a) {
			c := t.f.nodes[a].t.Class()
			t.free[c] = append(t.free[c], t.register[a])
		}
	}
}
