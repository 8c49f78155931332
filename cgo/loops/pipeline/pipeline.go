// Package pipeline runs computations on elements in registers: the native half of fusions. A program is a list of
// stages, each a function in C that takes eight vectors and calls the next with them; there is one set of stages for
// each instruction set, for lanes of 32 and of 64 bits, and a part of it for those of 8. The stages are listed in
// stages.def and whole.def, with their meaning.
package pipeline

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Limits of a program.
const (
	MaxRank     = 8   // dimensions of the space
	MaxPointers = 240 // streams, outputs and slots
)

// MaxCycles is how many streams of a Program may repeat themselves after at most MaxCycle bytes of lanes without that
// each of their pieces is looked for: CYCLES and CYCLE_BYTES of pipeline.c.
const (
	MaxCycles = 4
	MaxCycle  = 8 << 10
)

// Kind is how a stream finds its elements.
type Kind int32

// The kinds of streams.
const (
	Linear    Kind = iota // in the order of the space, from Offset on
	Strided               // at Offset plus the place's index times Strides
	Rowwise               // so along the dimensions of rows, and one after the other within a row
	Splat                 // one element for all places
	Iota                  // no memory: the numbers that Strided would look at, as integers
	Immediate             // no memory: Value
)

// Stream is an operand of a program in memory, or a result, which is Linear with an Offset of 0.
type Stream struct {
	Ref  run.Ref
	Kind Kind
	// Size is the bytes of an element in memory.
	Size int
	// Convert names the conversion of memory.def between elements and lanes; "": elements are lanes, or stages make them
	// lanes and back, load_NAME and store_NAME, which no other may then take. Bits is the width of integers narrower than
	// a byte.
	Convert string
	Bits    int
	// Offset and Strides are in elements; there is a stride for each dimension.
	Offset  int64
	Strides []int64
	// Value is the bits of a lane.
	Value uint64
	// ByRow says that there is an element for each row, not for each place.
	ByRow bool

	one bool // stages read no more of it than one lane
}

// Stage is one step. A to E are numbers of operands, or what the stage takes instead: input streams count from 0,
// then come the outputs, then the slots for values.
type Stage struct {
	Name          string
	A, B, C, D, E int
}

// joined is a stage that loads what it begins with, from the pointer of number from-1, or that ends the program. Its
// operand A is one lane for all if it is spread.
type joined struct {
	Stage
	from         int
	last, spread bool
	sweep        string // the stage that stands here if it does all that follows by itself
}

// join makes loads part of the stages behind them, and the end of the program part of the stage before it. isOne says
// of which pointers all lanes are one.
func join(list []Stage, isOne func(pointer int) bool) []joined {
	var out []joined
	from := 0
	for _, s := range list {
		if s.Name == "load" {
			from = s.A + 1
			continue
		}
		out = append(out, joined{Stage: s, from: from, spread: s.spreads() == 1 && isOne(s.A)})
		from = 0
	}
	if n := len(out); n > 0 && out[n-1].leaves() {
		out[n-1].last = true
		return out
	}
	return append(out, joined{Stage: Stage{Name: "end"}})
}

// isOneOf returns whether all lanes of an input are one.
func isOneOf(inputs []Stream) func(pointer int) bool {
	return func(k int) bool { return k < len(inputs) && (inputs[k].Kind == Splat || inputs[k].Kind == Immediate) }
}

// isOne returns whether all lanes of a pointer are one in the phase.
func (f *Phase) isOne(inputs []Stream) func(pointer int) bool {
	one := isOneOf(inputs)
	return func(k int) bool {
		return one(k) || slices.ContainsFunc(f.Splats, func(s Spread) bool { return s.To == k })
	}
}

// wantsBlock reports whether some stage wants a whole block at a pointer, not one lane.
func (f *Phase) wantsBlock(k int) bool { return wantBlock(f.Stages, k) }

func wantBlock(list []Stage, k int) bool {
	return slices.ContainsFunc(list, func(s Stage) bool {
		return s.A == k && (s.spreads() < 1 || s.Name == "load") || s.B == k && s.spreads() < 2 ||
			s.C == k && s.hasThree() || s.E == k && s.Name == "c_select"
	})
}

// hasThree reports whether a stage has three operands.
func (s *Stage) hasThree() bool {
	return strings.HasPrefix(s.Name, "where_") || strings.HasPrefix(s.Name, "unless_") || pairStages[s.Name]
}

// pairStages are the stages on two complex numbers.
var pairStages = map[string]bool{"c_add": true, "c_divide": true, "c_multiply": true, "c_select": true,
	"c_subtract": true}

// leaves reports whether a stage leaves a block in memory or reduces it, so that a program may end with it.
func (s *Stage) leaves() bool {
	return strings.HasPrefix(s.Name, "store") || strings.HasPrefix(s.Name, "acc_")
}

// Program computes the outputs, arrays over a space of places. A value that two stages want is kept in a slot. The last
// stages store the outputs, in their order: an output may have the memory of an input that is Linear.
type Program struct {
	Dims []int64 // of the space; dimensions of size 1 and such that could be one are better removed
	// Lane is the bytes of a lane: 4, 8, or 1 for stages that HasFor knows such lanes of, without conversions.
	Lane    int
	Inputs  []Stream
	Outputs []Stream
	Slots   int
	Stages  []Stage
	// Task is how many elements are one task, a multiple of 512.
	Task int64
	// Edge is the ends of rows of the one output that are overwritten.
	Edge Edge
	// Made does what the stages do.
	Made Made
}

// Made is a function that does what stages do which end with a store of each output, and one that stores past the
// caches, for records of one level; nil: there is none. They are a halo_made of pipeline.h. Unit is how many elements
// go through them together.
type Made struct {
	Level       run.ISA
	Plain, Past unsafe.Pointer
	Unit        int
}

// moves reports whether a pointer is another one for each block: that of an array or a result.
func (p *Program) moves(pointer int) bool {
	return pointer < len(p.Inputs)+len(p.Outputs) && !isOneOf(p.Inputs)(pointer)
}

// Edge is the ends of rows of Row elements, 0 for none: the output's first element is number At of one, and the first
// Low and the last High of each become that of Value.
type Edge struct {
	Value              run.Ref
	At, Row, Low, High int64
}

// Elements returns the number of places.
func (p *Program) Elements() int64 {
	n := int64(1)
	for _, d := range p.Dims {
		n *= d
	}
	return n
}

// Fits reports whether the program is within the limits.
func (p *Program) Fits() bool {
	return len(p.Dims) <= MaxRank && len(p.Inputs)+len(p.Outputs)+p.Slots <= MaxPointers
}
