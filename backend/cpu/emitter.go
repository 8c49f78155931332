package cpu

import (
	"slices"

	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// emitter makes the native half of a fused computation: a program of the register pipeline. One value is in the
// registers; what else is wanted later is spilled to slots. It goes through the nodes until it has seen which.
type emitter struct {
	f        *fused
	lane     int // bytes
	inputs   []pipeline.Stream
	known    map[string]int // inputs by what they are
	list     []int          // the nodes to compute
	prior    []operand      // where values lie that were there before
	saves    []operand      // where values go that are needed afterwards
	results  func()         // emits what becomes of the values
	converts bool           // stages may convert elements on their way
	steps    []step
	held     int       // the node whose value is in the registers
	home     []operand // where a node's value lies in memory
	wanted   []bool    // nodes that are wanted in memory
	lastUse  []int
	unused   []operand
	slots    int
}

const none = -1

// operand is what a stage takes: the number of a pointer among those of its kind, or a plain number.
type operand struct {
	kind  operandKind
	value int
}

type operandKind uint8

const (
	plainNumber operandKind = iota
	input
	output
	saved // a lane for each place of some rows
	room  // a block that lives through all phases of a program
	slot  // a block that lives in one
	nowhere
	numOperandKinds
)

func number(n int) operand { return operand{plainNumber, n} }

type step struct {
	name          string
	a, b, c, d, e operand
}

// lane is how many bytes a lane needs.
func (f *fused) lane() int {
	lane := 4
	if f.narrow {
		lane = 1
	}
	for _, nd := range f.nodes {
		switch bits := partType(nd.t).Bits(); {
		case bits > 32:
			return 8
		case nd.t != shape.Pred && (bits != 8 || nd.t.IsFloat()) || nd.op == hlo.Iota || nd.op == hlo.Reduce:
			lane = 4
		}
	}
	return lane
}

// newEmitter returns the emitter of f's nodes.
func newEmitter(f *fused) *emitter {
	n := len(f.nodes)
	e := &emitter{f: f, lane: f.lane(), known: map[string]int{}, prior: make([]operand, n), saves: make([]operand, n)}
	for i := range n {
		e.prior[i], e.saves[i] = operand{kind: nowhere}, operand{kind: nowhere}
	}
	return e
}

// program returns the computation in the form of the pipeline, or false if that lacks a type or an operation.
func (f *fused) program(results []exec.Slice) (*pipeline.Program, bool) {
	e := newEmitter(f)
	e.converts = true
	for i := range f.nodes {
		e.list = append(e.list, i)
	}
	e.results = func() {
		for i, r := range f.roots {
			if nd := &f.nodes[r]; nd.stage == "pair" {
				e.storePair(i, nd)
				continue
			}
			e.hold(r)
			if e.lane == 1 && f.nodes[r].t == shape.Pred {
				e.stage("one", number(0), number(0))
			}
			e.steps = append(e.steps, step{name: storing(e.narrow(i)), a: operand{output, i}})
		}
	}
	if !e.emit(f.roots) {
		return nil, false
	}
	return e.finish(results)
}

// emit makes the steps that compute the nodes of the list, and then the results of the nodes that live to the end. It
// goes through the nodes again as long as more values turn out to be wanted in memory.
func (e *emitter) emit(ends []int) bool {
	n := len(e.f.nodes)
	e.wanted, e.lastUse = make([]bool, n), make([]int, n)
	for _, i := range e.list {
		for _, a := range e.f.nodes[i].args {
			e.lastUse[a] = i
		}
	}
	for _, r := range ends {
		e.lastUse[r] = n
		if nd := &e.f.nodes[r]; nd.stage == "pair" {
			e.lastUse[nd.args[0]], e.lastUse[nd.args[1]] = n, n
		}
	}
	for {
		before := slices.Clone(e.wanted)
		if !e.once() {
			return false
		}
		if slices.Equal(before, e.wanted) {
			return e.lane > 1 || e.hasStages()
		}
	}
}

// hasStages reports whether there are all stages for such lanes.
func (e *emitter) hasStages() bool {
	return !slices.ContainsFunc(e.steps, func(s step) bool { return !pipeline.HasFor(e.lane, s.name) })
}

// once goes through the nodes once.
func (e *emitter) once() bool {
	e.steps, e.held, e.slots, e.unused = nil, none, 0, nil
	e.home = slices.Clone(e.prior)
	for _, i := range e.list {
		if !e.node(i) {
			return false
		}
	}
	e.results()
	e.steps = joinSteps(e.steps)
	return true
}

// node emits node i, and frees the slots of what is used for the last time.
func (e *emitter) node(i int) bool {
	nd := &e.f.nodes[i]
	if _, ok := e.conversion(nd.t); !ok || !e.produce(i, nd) {
		return false
	}
	for k, a := range nd.args {
		if e.lastUse[a] == i && e.home[a].kind == slot && !slices.Contains(nd.args[:k], a) {
			e.free(e.home[a])
		}
	}
	return true
}

func (e *emitter) produce(i int, nd *node) bool {
	switch nd.op {
	case hlo.Parameter:
		e.parameter(i, nd)
		return true
	case hlo.Constant:
		e.home[i] = e.constant(e.laneOf(nd))
		return true
	case hlo.Iota:
		return e.iota(i, nd)
	}
	if e.inMemory(i, nd) {
		return true
	}
	if !e.operation(i, nd) {
		return false
	}
	e.held = i
	e.spill(i)
	return true
}

// spill stores the value in the registers if it is wanted in memory.
func (e *emitter) spill(i int) {
	switch {
	case e.saves[i].kind != nowhere:
		e.home[i] = e.saves[i]
		e.stage("store", e.home[i], number(0))
		e.held = i
	case e.wanted[i]:
		e.home[i] = e.reserve()
		e.stage("store", e.home[i], number(0))
		e.held = i
	}
}

func (e *emitter) operation(i int, nd *node) bool {
	switch {
	case nd.stage == "mix":
		e.mix(i, nd)
		return true
	case nd.leavesTwo():
		e.parts(i, nd)
		return nd.t.Bits() == e.bits() // narrower ones would have to be rounded, both of them
	case nd.isChoice():
		e.choose(nd)
		return true
	case len(nd.args) == 3 && nd.stage != "":
		e.hold(nd.args[0])
		y, z := e.memory(nd.args[1]), e.memory(nd.args[2])
		e.stage(e.scaled(nd.stage, z), y, z)
		return true
	case len(nd.args) == 2 && nd.imm > 0:
		e.hold(nd.args[0])
		e.stage(nd.stage, e.memory(nd.args[1]), number(nd.imm))
		return e.round(nd.t)
	case len(nd.args) == 2 && nd.stage != "":
		e.binary(nd.stage, nd.args[0], nd.args[1])
		return e.round(nd.t)
	case nd.stage != "":
		e.hold(nd.args[0])
		e.stage(nd.stage, number(nd.imm), number(0))
		return e.round(nd.t)
	}
	if f := natives[nd.op]; f != nil {
		return f(e, nd)
	}
	name := plainStages[nd.op].of(nd.from(0))
	if short := shortStages[name]; short != "" && nd.t.Bits() <= 16 {
		name = short
	}
	switch {
	case name == "", nd.t == shape.F8E8M0FNU, nd.op == hlo.Remainder && isSmall(nd.t):
		return false // products of powers of two are beyond what a lane has, and the sign of NaN means something to some
	case len(nd.args) == 1:
		e.hold(nd.args[0])
		e.stage(name, number(0), number(0))
	default:
		e.binary(name, nd.args[0], nd.args[1])
	}
	return exactStages[name] && !isSmall(nd.t) || e.round(nd.t)
}

// isSmall reports whether t is a float of up to eight bits: some have one zero only, or no NaN.
func isSmall(t shape.ElementType) bool { return t.IsFloat() && t.Bits() <= 8 }

// bits is the width of a lane.
func (e *emitter) bits() int { return 8 * e.lane }

// stage appends a stage. What it leaves in the registers is no node's value yet.
func (e *emitter) stage(name string, a, b operand) {
	e.steps = append(e.steps, step{name: name, a: a, b: b})
	e.held = none
}

// hold brings the value of node x into the registers.
func (e *emitter) hold(x int) bool {
	if e.held != x {
		e.stage("load", e.memory(x), number(0))
		e.held = x
	}
	return true
}

// immediate brings a constant into the registers.
func (e *emitter) immediate(lane uint64) bool {
	e.stage("load", e.constant(lane), number(0))
	return true
}

// memory returns where the value of node x lies. In a round that may be nowhere yet; then the next one has it.
func (e *emitter) memory(x int) operand {
	e.wanted[x] = true
	return e.home[x]
}

// binary brings name(x, y) into the registers.
func (e *emitter) binary(name string, x, y int) {
	other := swapped[name]
	switch {
	case x == y && name == "mul_f":
		e.hold(x)
		e.stage("square_f", number(0), number(0))
	case (e.held == y || e.held != x && e.isScale(x, y)) && x != y && other != "":
		e.hold(y)
		e.stage(other, e.memory(x), number(0))
	default:
		e.hold(x)
		e.stage(name, e.memory(y), number(0))
	}
}

// isScale reports whether x is a constant and y a parameter: the latter is loaded then, as sweeps have it.
func (e *emitter) isScale(x, y int) bool {
	return e.f.nodes[x].op == hlo.Constant && e.f.nodes[y].op == hlo.Parameter
}

func (e *emitter) reserve() operand {
	if n := len(e.unused); n > 0 {
		o := e.unused[n-1]
		e.unused = e.unused[:n-1]
		return o
	}
	e.slots++
	return operand{slot, e.slots - 1}
}

func (e *emitter) free(o operand) { e.unused = append(e.unused, o) }

// round rounds or wraps the registers to type t.
func (e *emitter) round(t shape.ElementType) bool {
	up := e.bits() - t.Bits()
	switch {
	case t == shape.Pred || up == 0:
	case t.IsSigned():
		e.stage("wrap_s", number(up), number(0))
	case t.IsUnsigned():
		e.stage("wrap_u", number(up), number(0))
	default:
		name := "round_" + t.String()
		e.stage(name, number(0), number(0))
		return pipeline.Has(name)
	}
	return true
}

// unsigned makes a signed number narrower than a lane the unsigned one of the same bits.
func (e *emitter) unsigned(t shape.ElementType) {
	if up := e.bits() - t.Bits(); up > 0 && t.IsSigned() {
		e.stage("wrap_u", number(up), number(0))
	}
}

// finish makes the program of the steps.
func (e *emitter) finish(results []exec.Slice) (*pipeline.Program, bool) {
	p := &pipeline.Program{Dims: e.f.dims, Lane: e.lane, Inputs: e.inputs, Slots: e.slots,
		Task: task(e.cost(), shape.Product(e.f.dims), e.leastWork()), Edge: e.f.ends}
	for i, r := range e.f.roots {
		p.Outputs = append(p.Outputs, e.output(i, r, results[i]))
	}
	first := bases{input: 0, output: len(p.Inputs), slot: len(p.Inputs) + len(p.Outputs)}
	p.Stages = first.stages(e.steps)
	return p, p.Fits()
}

// bases are the first numbers of the pointers of each kind.
type bases [numOperandKinds]int

func (b bases) of(o operand) int { return b[o.kind] + o.value }

func (b bases) stages(list []step) []pipeline.Stage {
	out := make([]pipeline.Stage, len(list))
	for i, s := range list {
		out[i] = pipeline.Stage{Name: s.name, A: b.of(s.a), B: b.of(s.b), C: b.of(s.c), D: b.of(s.d), E: b.of(s.e)}
	}
	return out
}

// cost estimates the time that the steps take for an element, in units of about 0.05 ns.
func (e *emitter) cost() int {
	cost := 0
	for _, st := range e.steps {
		cost += heavy(st.name, e.lane)
	}
	for _, s := range e.inputs {
		switch {
		case s.ByRow:
		case s.Kind == pipeline.Linear || s.Kind == pipeline.Rowwise:
			cost += s.Size
		case s.Kind != pipeline.Immediate && s.Kind != pipeline.Splat:
			cost += 10
		}
	}
	if e.lane == 1 {
		cost = max(cost/4, 1)
	}
	return cost
}

// The cost of a task: of one among many, some 50 us, and of one among the few that a small array is cut into.
const (
	taskWork  = 1_000_000
	leastWork = taskWork / 4
)

// leastWork is what a task costs at least: each loads anew what repeats itself, as a bias does.
func (e *emitter) leastWork() int {
	if slices.ContainsFunc(e.inputs, func(s pipeline.Stream) bool { return s.Kind == pipeline.Strided }) {
		return taskWork
	}
	return leastWork
}

// task returns how many of so many elements of a cost are a task: about 50 us of work, or an eighth of all if that is
// no less work than least.
func task(cost int, elements int64, least int) int64 {
	n := int64(1024)
	for work := n * int64(cost); work < taskWork && (work < int64(least) || 8*n < elements); work *= 2 {
		n *= 2
	}
	return n
}
