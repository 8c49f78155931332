//go:build cgo

package pipeline

// // What is known of each variable would take a third of the time that the compiler needs.
// #cgo CFLAGS: -g1
// #cgo LDFLAGS: -lm
// #include "pipeline.h"
// #include "rows.h"
import "C"

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// This does not compile unless C has as much memory as Fits and its likes say.
var _ = [...][1]int{
	{C.HALO_MAX_RANK - MaxRank: 0}, {C.HALO_MAX_POINTERS - MaxPointers: 0}, {C.HALO_KEPT_ROWS - keptRows: 0},
	{C.HALO_MAX_CYCLES - MaxCycles: 0}, {C.HALO_CYCLE_BYTES - MaxCycle: 0},
}

// numbers returns the numbers of names.
func numbers(n C.int32_t, name func(i C.int32_t) *C.char) map[string]C.int32_t {
	m := map[string]C.int32_t{}
	for i := range n {
		m[C.GoString(name(i))] = i
	}
	return m
}

var (
	stages = sync.OnceValue(func() map[string]C.int32_t {
		return numbers(C.halo_stage_count(), func(i C.int32_t) *C.char { return C.halo_stage_name(i) })
	})
	converts = sync.OnceValue(func() map[string]C.int32_t {
		return numbers(C.halo_convert_count(), func(i C.int32_t) *C.char { return C.halo_convert_name(i) })
	})
	reducers = sync.OnceValue(func() map[string]C.int32_t {
		return numbers(C.halo_reducer_count(), func(i C.int32_t) *C.char { return C.halo_reducer_name(i) })
	})
)

// Has reports whether there is a stage of the name.
func Has(stage string) bool {
	_, ok := stages()[stage]
	return ok
}

// HasFor reports whether there is a stage of the name for lanes of so many bytes.
func HasFor(lane int, stage string) bool { return function(stage, run.Level(), lane) != nil }

// Call returns a C function that does what a stage does to eight vectors in memory, with eight others as its operand if
// it has one, or nil if the level has none.
func Call(stage string, level run.ISA, lane int) unsafe.Pointer {
	return function("call_"+stage, level, lane)
}

// spreads returns how many operands of a stage may be one lane.
func (s *Stage) spreads() int {
	if n, ok := stages()[s.Name]; ok {
		return int(C.halo_stage_spreads(n))
	}
	return 0
}

// Record makes the record of a program for the instruction set level, which the machine must have.
func (p *Program) Record(level run.ISA) run.Record {
	if !p.Fits() {
		panic("pipeline: bug: a program beyond the limits")
	}
	inputs, function := p.Inputs, unsafe.Pointer(C.halo_pipeline)
	if p.isShort(level) {
		inputs, function = p.ones(), unsafe.Pointer(C.halo_short)
	}
	stages := join(p.Stages, isOneOf(inputs))
	stages[0].sweep = sweepOf(stages, p.moves)
	var made []C.halo_stage
	if !p.isShort(level) {
		made = p.Made.stages(stages, len(p.Outputs), level, p.Lane)
	}
	head := C.halo_pipeline_record{
		elements: C.int64_t(p.Elements()), task: C.int64_t(p.Task), rank: C.int32_t(len(p.Dims)), level: C.int32_t(level),
		lane: C.int32_t(p.Lane), streams: C.int32_t(len(p.Inputs)), outputs: C.int32_t(len(p.Outputs)),
		slots: C.int32_t(p.Slots), stages: C.int32_t(len(stages) + len(made)), made: C.int32_t(len(made)),
	}
	if e := p.Edge; e.Row > 0 {
		head.edge = C.halo_edge{value: nativeRef(e.Value), at: C.int64_t(e.At), row: C.int64_t(e.Row),
			low: C.int64_t(e.Low), high: C.int64_t(e.High)}
	}
	for i, d := range p.Dims {
		head.dims[i] = C.int64_t(d)
	}
	args := run.Append(nil, &head)[unsafe.Sizeof(head.head):]
	args = appendStreams(args, markOnes(p.Stages, inputs), p.Outputs)
	args = append(args, run.Bytes(made)...)
	args = appendStages(args, stages, level, p.Lane)
	return run.Record{Fn: function, Args: args}
}

// stages returns the stages that have made functions do what a list does, which ends with so many stores, if there are
// any.
func (m *Made) stages(list []joined, stores int, level run.ISA, lane int) []C.halo_stage {
	sweep := function("sweep_made", level, lane)
	if m.Plain == nil || m.Level != level || sweep == nil || list[0].sweep != "" {
		return nil
	}
	first := C.halo_stage{fn: (*[0]byte)(sweep), a: C.int32_t(len(list)), b: C.int16_t(stores)}
	return []C.halo_stage{first, {fn: (*[0]byte)(m.Plain)}, {fn: (*[0]byte)(m.Past)}}
}

// Record makes the record of a program for the instruction set level, which the machine must have.
func (p *Rows) Record(level run.ISA) run.Record {
	if !p.Fits() {
		panic("pipeline: bug: a program beyond the limits")
	}
	head := C.halo_rows_record{
		rows: C.int64_t(p.Count()), row: C.int64_t(p.Row()), chunk: C.int64_t(p.Chunk), tile: C.int64_t(p.Tile),
		group: C.int64_t(p.Group), rank: C.int32_t(len(p.Dims)), lead: C.int32_t(p.Lead), level: C.int32_t(level),
		lane: C.int32_t(p.Lane), streams: C.int32_t(len(p.Inputs)), outputs: C.int32_t(len(p.Outputs)),
		saved: C.int32_t(p.Saved), rooms: C.int32_t(p.Rooms), mask: C.int32_t(p.Mask), phases: C.int32_t(len(p.Phases)),
	}
	for i, d := range p.Dims {
		head.dims[i] = C.int64_t(d)
	}
	var phases, stages []byte
	var numbers []int32
	for i := range p.Phases {
		f := p.Phases[i].native(head.stages, &numbers)
		list := join(p.Phases[i].Stages, p.Phases[i].isOne(p.Inputs))
		if p.Phases[i].Sweeps && !p.stepwise {
			list[0].sweep = sweepOf(list, p.Phases[i].uses)
		}
		if m := p.Phases[i].Made; m.Plain != nil && m.Level == level && list[0].sweep == "" {
			f.plain, f.past, f.unit = (*[0]byte)(m.Plain), (*[0]byte)(m.Past), C.int64_t(m.Unit)
		}
		f.stages, f.stores = C.int32_t(len(list)), C.int32_t(p.stores(&p.Phases[i]))
		phases = run.Append(phases, &f)
		stages = appendStages(stages, list, level, p.Lane)
		head.stages += f.stages
	}
	stages = append(stages, p.stagger(&head, level)...)
	args := run.Append(nil, &head)[unsafe.Sizeof(head.head):]
	args = appendStreams(args, p.Inputs, p.Outputs)
	args = append(append(args, phases...), stages...)
	for _, n := range numbers {
		args = binary.NativeEndian.AppendUint32(args, uint32(n))
	}
	return run.Record{Fn: unsafe.Pointer(C.halo_rows), Args: args}
}

// stagger says what takes rows through all phases in one loop, if something does, and returns the stages for that.
func (p *Rows) stagger(head *C.halo_rows_record, level run.ISA) (rounds []byte) {
	loop, words := p.staggers()
	if loop == nil {
		return nil
	}
	number := func(list ...string) C.int32_t { return C.int32_t(words.number(0, list...)) }
	head.staggered = (*[0]byte)(function("staggered_"+loop.name, level, p.Lane))
	head.near = C.int32_t(loop.near)
	head.in, head.scale, head.offset = number("in"), number("scale"), number("offset")
	head.count, head.epsilon = number("count"), number("epsilon")
	head.factor = C.int32_t(words.number(-1, "factor", "divisor"))
	head.init, head.start = number("init"), number("start")
	head.beside, head.other = number("addend", "choice", "refusal"), number("other")
	if words.has("divisor") {
		head.divides = 1
	}
	if words.has("refusal") {
		head.refuses = 1
	}
	if to := p.Outputs[0].Convert; to != "" {
		list := join([]Stage{{Name: "load", A: p.Mask}, {Name: "store_rounded_" + to, A: len(p.Inputs)}}, isOneOf(p.Inputs))
		head.rounds = head.stages
		head.stages += C.int32_t(len(list))
		rounds = appendStages(nil, list, level, p.Lane)
	}
	return rounds
}

// native appends the phase's numbers to the list.
func (f *Phase) native(stage C.int32_t, numbers *[]int32) C.halo_phase {
	n := C.halo_phase{stage: stage, use: C.int32_t(len(*numbers)), uses: C.int32_t(len(f.Uses))}
	if f.Sweeps {
		n.sweeps = 1
	}
	for _, k := range f.Uses {
		*numbers = append(*numbers, int32(k))
	}
	n.splat, n.splats = C.int32_t(len(*numbers)), C.int32_t(len(f.Splats))
	for _, s := range f.Splats {
		filled := int32(0)
		if f.wantsBlock(s.To) {
			filled = 1
		}
		*numbers = append(*numbers, int32(s.From), int32(s.To), filled)
	}
	n.fold, n.folds = C.int32_t(len(*numbers)), C.int32_t(len(f.Folds))
	for _, d := range f.Folds {
		reducer, ok := reducers()[d.Reducer]
		if !ok {
			panic("pipeline: bug: no reducer " + d.Reducer)
		}
		*numbers = append(*numbers, int32(reducer), int32(d.Accumulator), int32(d.To))
	}
	return n
}

func appendStreams(args []byte, lists ...[]Stream) []byte {
	for _, list := range lists {
		for i := range list {
			s := list[i].native()
			args = run.Append(args, &s)
		}
	}
	return args
}

func appendStages(args []byte, list []joined, level run.ISA, lane int) []byte {
	for _, st := range list {
		s := st.native(level, lane)
		args = run.Append(args, &s)
	}
	return args
}

func nativeRef(r run.Ref) C.halo_ref {
	return C.halo_ref{slot: C.int32_t(r.Slot), offset: C.int64_t(r.Offset)}
}

func (s *Stream) native() C.halo_stream {
	convert, ok := converts()[s.Convert]
	if !ok {
		panic("pipeline: bug: no conversion " + s.Convert)
	}
	n := C.halo_stream{
		ref:  nativeRef(s.Ref),
		kind: C.int32_t(s.Kind), size: C.int32_t(s.Size), convert: convert, bits: C.int32_t(s.Bits),
		offset: C.int64_t(s.Offset), value: C.uint64_t(s.Value),
	}
	for i, v := range s.Strides {
		n.strides[i] = C.int64_t(v)
	}
	if s.ByRow {
		n.by_row = 1
	}
	if s.one {
		n.one = 1
	}
	return n
}

func (s *joined) native(level run.ISA, lane int) C.halo_stage {
	fn := function(s.sweep, level, lane)
	if fn == nil {
		fn = function(s.Name, level, lane)
	}
	if fn == nil {
		panic("pipeline: bug: no stage " + s.Name + " at level " + level.String())
	}
	n := C.halo_stage{fn: (*[0]byte)(fn), a: C.int32_t(s.A | s.C<<8 | s.D<<16), b: C.int16_t(s.B | s.E<<8),
		from: C.uint8_t(s.from)}
	if s.last {
		n.flags |= C.HALO_LAST
	}
	if s.spread {
		n.flags |= C.HALO_SPREAD
	}
	return n
}

// function returns the function of a stage, or nil if the level has none.
func function(name string, level run.ISA, lane int) unsafe.Pointer {
	number, ok := stages()[name]
	if !ok {
		return nil
	}
	return C.halo_stage_function(C.int32_t(level), C.int32_t(lane), number)
}
