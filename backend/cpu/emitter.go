package cpu

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// emitter makes the native half of a fused computation: a program of the register pipeline. One value is in the
// registers; what else is wanted later is spilled to slots. It goes through the nodes twice, first to see which.
type emitter struct {
	f       *fused
	lane    int // bytes
	inputs  []pipeline.Stream
	known   map[string]int // inputs by what they are
	steps   []step
	held    int       // the node whose value is in the registers
	home    []operand // where a node's value lies in memory
	wanted  []bool    // nodes that are wanted in memory
	lastUse []int
	unused  []operand
	slots   int
}

const none = -1

// operand is what a stage takes: the number of an input or of a slot, or a plain number.
type operand struct {
	kind  operandKind
	value int
}

type operandKind uint8

const (
	plainNumber operandKind = iota
	input
	slot
	nowhere
)

func number(n int) operand { return operand{plainNumber, n} }

type step struct {
	name string
	a, b operand
}

// program returns the computation in the form of the pipeline, or false if that lacks a type or an operation.
func (f *fused) program(results []exec.Slice) (*pipeline.Program, bool) {
	lane := 4
	for _, nd := range f.nodes {
		if nd.t.Bits() > 32 {
			lane = 8
		}
	}
	n := len(f.nodes)
	e := &emitter{f: f, lane: lane, known: map[string]int{}, wanted: make([]bool, n), lastUse: make([]int, n)}
	for i, nd := range f.nodes {
		for _, a := range nd.args {
			e.lastUse[a] = i
		}
	}
	for _, r := range f.roots {
		e.lastUse[r] = n
	}
	if !e.emit() || !e.emit() {
		return nil, false
	}
	return e.finish(results)
}

// emit goes through the nodes once.
func (e *emitter) emit() bool {
	n := len(e.f.nodes)
	e.steps, e.held, e.slots, e.unused = nil, none, 0, nil
	if e.f.reduce != nil {
		e.slots = len(e.f.roots) + 1 // accumulators, and the mask
	}
	e.home = make([]operand, n)
	for i := range e.home {
		e.home[i] = operand{kind: nowhere}
	}
	for i := range e.f.nodes {
		if !e.node(i) {
			return false
		}
	}
	e.results()
	return true
}

// results emits what becomes of the roots. Reductions come first: behind the first store, inputs may be overwritten.
func (e *emitter) results() {
	for i, r := range e.f.roots {
		if d := e.f.reduction(i); d != nil {
			e.hold(r)
			e.steps = append(e.steps, step{"acc_" + d.reducer, operand{slot, i}, operand{slot, len(e.f.roots)}})
		}
	}
	outputs := 0
	for i, r := range e.f.roots {
		if e.f.reduction(i) == nil {
			e.hold(r)
			e.steps = append(e.steps, step{"store", operand{nowhere, outputs}, number(0)})
			outputs++
		}
	}
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
	if !e.operation(nd) {
		return false
	}
	e.held = i
	e.spill(i)
	return true
}

// spill stores the value in the registers if it is wanted in memory.
func (e *emitter) spill(i int) {
	if e.wanted[i] {
		e.home[i] = e.reserve()
		e.stage("store", e.home[i], number(0))
		e.held = i
	}
}

func (e *emitter) operation(nd *node) bool {
	if f := natives[nd.op]; f != nil {
		return f(e, nd)
	}
	name := plainStages[nd.op].of(nd.from(0))
	switch {
	case name == "":
		return false
	case len(nd.args) == 1:
		e.hold(nd.args[0])
		e.stage(name, number(0), number(0))
	default:
		e.binary(name, nd.args[0], nd.args[1])
	}
	return exactStages[name] || e.round(nd.t)
}

// bits is the width of a lane.
func (e *emitter) bits() int { return 8 * e.lane }

// stage appends a stage. What it leaves in the registers is no node's value yet.
func (e *emitter) stage(name string, a, b operand) {
	e.steps = append(e.steps, step{name, a, b})
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

// memory returns where the value of node x lies. In the first round that may be nowhere yet; then the second has it.
func (e *emitter) memory(x int) operand {
	e.wanted[x] = true
	return e.home[x]
}

// binary brings name(x, y) into the registers.
func (e *emitter) binary(name string, x, y int) {
	other := swapped[name]
	if e.held == y && x != y && other != "" {
		e.stage(other, e.memory(x), number(0))
		return
	}
	e.hold(x)
	e.stage(name, e.memory(y), number(0))
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

// stream returns the number of an input; key says what it is.
func (e *emitter) stream(key string, s pipeline.Stream) operand {
	k, ok := e.known[key]
	if !ok {
		k = len(e.inputs)
		e.known[key] = k
		e.inputs = append(e.inputs, s)
	}
	return operand{input, k}
}

// constant returns the input that is one lane everywhere.
func (e *emitter) constant(lane uint64) operand {
	if e.lane == 4 {
		lane &= math.MaxUint32
	}
	key := string(binary.LittleEndian.AppendUint64([]byte("constant"), lane))
	return e.stream(key, pipeline.Stream{Kind: pipeline.Immediate, Value: lane})
}

// laneOf returns the value of a constant as a lane.
func (e *emitter) laneOf(nd *node) uint64 {
	w := nd.value.Wide()
	switch {
	case w.Class == shape.FloatClass && e.lane == 4:
		return uint64(math.Float32bits(float32(w.F[0])))
	case w.Class == shape.FloatClass:
		return math.Float64bits(w.F[0])
	case w.Class == shape.PredClass:
		return uint64(-wideInt(w))
	}
	return uint64(wideInt(w))
}

// conversion names how elements of type t become lanes.
func (e *emitter) conversion(t shape.ElementType) (string, bool) {
	switch {
	case t == shape.Pred:
		return "pred", true
	case t.Bits() == e.bits():
		return "", true
	case t.Bits() < 8 && t.IsSigned():
		return "low_s", true
	case t.Bits() < 8 && t.IsUnsigned():
		return "low_u", true
	case t.IsInteger(), t == shape.F16, t == shape.BF16, t == shape.F32:
		return t.String(), true
	}
	return "", false
}

func (e *emitter) parameter(i int, nd *node) {
	name, _ := e.conversion(nd.t)
	s := pipeline.Stream{Ref: ref(e.f.inputs[nd.input]), Kind: pipeline.Strided, Size: nd.t.Bytes(), Convert: name,
		Bits: nd.t.Bits(), Offset: nd.access.Offset, Strides: nd.access.Strides}
	plain := nd.access
	plain.Offset = 0
	switch {
	case e.f.inOrder(plain):
		s.Kind = pipeline.Linear
	case isConstant(nd.access):
		s.Kind = pipeline.Splat
	}
	e.home[i] = e.stream(string(rune(i)), s)
}

func isConstant(a tile.Access) bool {
	for _, s := range a.Strides {
		if s != 0 {
			return false
		}
	}
	return true
}

// iota loads the numbers and converts them from integers to the type.
func (e *emitter) iota(i int, nd *node) bool {
	last := nd.access.Offset
	for d, s := range nd.access.Strides {
		last += s * (e.f.dims[d] - 1)
	}
	if min(last, nd.access.Offset) < math.MinInt32 || max(last, nd.access.Offset) > math.MaxInt32 {
		return false
	}
	s := pipeline.Stream{Kind: pipeline.Iota, Size: e.lane, Offset: nd.access.Offset, Strides: nd.access.Strides}
	e.home[i] = e.stream(string(rune(i)), s)
	if !nd.t.IsFloat() && nd.t.Bits() >= 32 {
		return true
	}
	e.stage("load", e.home[i], number(0))
	if f := convertStages[shape.SignedClass][nd.t.Class()]; f == nil || !f(e, shape.S32, nd.t) {
		return false
	}
	e.home[i], e.held = operand{kind: nowhere}, i
	e.spill(i)
	return true
}

// finish makes the program of the steps, or reports that the start of a reduction is computed.
func (e *emitter) finish(results []exec.Slice) (*pipeline.Program, bool) {
	p := &pipeline.Program{Dims: e.f.dims, Lane: e.lane, Inputs: e.inputs, Slots: e.slots}
	for i, r := range e.f.roots {
		t := e.f.nodes[r].t
		name, _ := e.conversion(t)
		out := pipeline.Stream{Ref: ref(results[i]), Size: t.Bytes(), Convert: name, Bits: t.Bits()}
		d := e.f.reduction(i)
		if d == nil {
			p.Outputs = append(p.Outputs, out)
			continue
		}
		init := e.home[d.init]
		if init.kind != input || e.inputs[init.value].Kind < pipeline.Splat {
			return nil, false
		}
		p.Row = d.row
		p.Reductions = append(p.Reductions,
			pipeline.Reduction{Reducer: d.reducer, Accumulator: i, Init: init.value, Output: out})
	}
	slots := len(e.inputs) + len(p.Outputs)
	for _, st := range e.steps {
		p.Stages = append(p.Stages, pipeline.Stage{Name: st.name, A: st.a.resolve(len(e.inputs), slots),
			B: st.b.resolve(len(e.inputs), slots)})
	}
	for i := range p.Reductions {
		p.Reductions[i].Accumulator += slots
	}
	p.Mask, p.Task = slots+len(e.f.roots), e.task()
	return p, p.Fits()
}

// resolve returns the number of an operand as the pipeline counts: outputs, which are nowhere else, and slots follow
// the inputs.
func (o operand) resolve(outputs, slots int) int {
	switch o.kind {
	case nowhere:
		return outputs + o.value
	case slot:
		return slots + o.value
	}
	return o.value
}

// task estimates how many elements are about 50 us of work.
func (e *emitter) task() int64 {
	cost := 0 // of an element, in units of about 0.05 ns
	for _, st := range e.steps {
		cost += max(heavyStages[st.name], 1)
		if e.lane == 8 {
			cost += 1 + 20*heavyStages[st.name]
		}
	}
	for _, s := range e.inputs {
		switch {
		case s.Kind == pipeline.Linear:
			cost += s.Size
		case s.Kind != pipeline.Immediate && s.Kind != pipeline.Splat:
			cost += 10
		}
	}
	n := int64(1024)
	for n*int64(cost) < 1_000_000 {
		n *= 2
	}
	return n
}

// native returns the thunk that runs f in C, or nil.
func (f *fused) native(uses []exec.Use, results []exec.Slice) *thunk {
	if !run.Available() {
		return nil
	}
	p, ok := f.program(results)
	if !ok {
		return nil
	}
	return recordThunk("loops pipeline", uses, p.Record(run.Level()))
}
