// Package code makes functions of vector instructions while a program is compiled: what a chain of cheap operations on
// elements comes to, without the jumps and the memory between them. There are instructions of AVX2, and for a Function
// those of AVX-512.
//
// A Function is written once for a vector: its values, from memory, from other values and into memory. Assemble gives
// each value that is not in memory a register, for all vectors of the loop, or says that there are too few. A Text is
// for whoever has jumps and numbers and gives registers himself.
package code

import (
	"slices"
	"sort"
	"unsafe"
)

// Vector is the bytes of a vector of AVX2, Wide those of one of AVX-512.
const (
	Vector = 32
	Wide   = 64
)

// Value is a value of a Function by its number.
type Value int

// Function computes results of operands, lane by lane.
//
// The code is a C function of two arguments: pointers, of which each vector's operands and results are so many elements
// further, and the number of elements, of whole rounds of the vectors that it is written for and more than 0.
type Function struct {
	lane      int
	bytes     int // of a vector
	vector    int // the one that is written
	round     int // how many there are
	steps     []step
	values    []value
	known     map[operand]Value // but those that are made
	pointers  []int             // that move, in the order of their first use
	constants []uint64
}

// step makes a value, or stores one.
type step struct {
	op     *Op
	number byte
	args   []Value
	to     Value
	store  *Access
	at     target
	vector int
	call   Value // 1 more than the constant that is the address of a C function; 0: none
}

// target is where a value is left: at a pointer that moves or one that does not, in the caches or not.
type target struct {
	pointer, vector int
	stays, near     bool
}

// value is what a step makes, or an operand.
type value struct {
	operand
	last int // the step that takes it last
	uses int
}

// operand is something in memory, or one lane that stands for all, at a pointer or a constant.
type operand struct {
	kind   kind
	access Access
	number int
	vector int // of those of a round
}

type kind uint8

const (
	made kind = iota
	moving
	still
	constant
	fixed // a vector at a pointer that does not move
)

// New begins a function on lanes of so many bytes, 4 or 8, in vectors of Vector bytes or Wide.
func New(lane, vector int) *Function {
	return &Function{lane: lane, bytes: vector, round: 1, known: map[operand]Value{}}
}

// Lane is the bytes of a lane.
func (f *Function) Lane() int { return f.lane }

// Has reports whether there is an operation for the function's lanes.
func (f *Function) Has(o *Op) bool { return f.of(o).form != none }

// Begin begins with vector k of a round: what is loaded and stored from here on is that one's.
func (f *Function) Begin(k int) { f.vector, f.round = k, max(f.round, k+1) }

// add is a value for an operand, the same one for the same operand.
func (f *Function) add(o operand) Value {
	if v, ok := f.known[o]; ok {
		return v
	}
	f.known[o] = f.next(o)
	return f.known[o]
}

func (f *Function) next(o operand) Value {
	f.values = append(f.values, value{operand: o})
	return Value(len(f.values) - 1)
}

// Load is the elements at a pointer that moves.
func (f *Function) Load(pointer int, a Access) Value {
	f.moves(pointer)
	return f.add(operand{kind: moving, access: a, number: pointer, vector: f.vector})
}

// Kept is the vector of lanes at a pointer that does not move, where Keep left it in the round before.
func (f *Function) Kept(pointer int) Value {
	return f.add(operand{kind: fixed, access: lanesOf(f.lane), number: pointer})
}

// One is the lane at a pointer, which stands for all.
func (f *Function) One(pointer int) Value { return f.add(operand{kind: still, number: pointer}) }

// Constant is a lane that stands for all.
func (f *Function) Constant(lane uint64) Value {
	k := slices.Index(f.constants, lane)
	if k < 0 {
		k = len(f.constants)
		f.constants = append(f.constants, lane)
	}
	return f.add(operand{kind: constant, number: k})
}

// Do is an operation on values, whose Op has them for these lanes, with a number where it takes one.
func (f *Function) Do(op *Op, number byte, args ...Value) Value {
	to := f.next(operand{})
	f.steps = append(f.steps, step{op: op, number: number, args: args, to: to, vector: f.vector})
	return to
}

// Call is what a C function makes of a vector, or of two. It gets eight of them in memory, and eight of the second ones
// elsewhere, and leaves results in the place of the first. Vectors of a round call it one behind the other.
func (f *Function) Call(function unsafe.Pointer, args ...Value) Value {
	to := f.next(operand{})
	address := f.Constant(uint64(uintptr(function)))
	f.steps = append(f.steps, step{call: address + 1, args: args, to: to, vector: f.vector})
	return to
}

// Store leaves a value at a pointer that moves. A result may lie over what is read: steps behind the first store of a
// vector must take nothing of that vector from memory.
func (f *Function) Store(pointer int, a Access, v Value) {
	f.moves(pointer)
	f.leave(a, v, target{pointer: pointer, vector: f.vector})
}

// Save leaves a value as lanes at a pointer that moves, in the caches always.
func (f *Function) Save(pointer int, v Value) {
	f.moves(pointer)
	f.leave(lanesOf(f.lane), v, target{pointer: pointer, vector: f.vector, near: true})
}

// Keep leaves a value as lanes at a pointer that does not move, once in a round.
func (f *Function) Keep(pointer int, v Value) {
	f.leave(lanesOf(f.lane), v, target{pointer: pointer, stays: true, near: true})
}

func (f *Function) leave(a Access, v Value, at target) {
	f.steps = append(f.steps, step{args: []Value{v}, store: &a, at: at, to: -1, vector: f.vector})
}

func (f *Function) moves(pointer int) {
	if !slices.Contains(f.pointers, pointer) {
		f.pointers = append(f.pointers, pointer)
	}
}

// prune drops what nobody takes, and says of each value which step takes it last and how many do.
func (f *Function) prune() {
	var kept []step
	for i := range f.values {
		f.values[i].uses = 0
	}
	for i := len(f.steps) - 1; i >= 0; i-- {
		s := f.steps[i]
		if s.store == nil && f.values[s.to].uses == 0 {
			continue
		}
		for _, a := range s.args {
			f.values[a].uses++
		}
		kept = append(kept, s)
	}
	slices.Reverse(kept)
	f.steps = kept
	for i, s := range kept {
		for _, a := range s.args {
			f.values[a].last = i
		}
	}
}

// readsLate reports whether a step behind the first store of a vector takes what is in memory of that one.
func (f *Function) readsLate() bool {
	stored := make([]bool, f.round)
	for _, s := range f.steps {
		for _, a := range s.args {
			if v := &f.values[a]; v.kind == moving && stored[v.vector] {
				return true
			}
		}
		if s.store != nil && !s.at.stays {
			stored[s.at.vector] = true
		}
	}
	return false
}

// bases are the registers for pointers, those last that the caller wants back.
var bases = []Register{RCX, RDX, R8, R9, R10, RBX, RBP, R12, R13, R14, R15}

const callers = 5 // of these are free

// Assembled is the code of a function, the same with stores past the caches, and of how many elements the function
// takes a multiple.
type Assembled struct {
	Plain, Past []byte
	Unit        int
}

// Assemble returns the code, or false if it reads after it has stored, or registers do not suffice and it may have no
// frame, which is memory for what there are none for. Calls want one.
func (f *Function) Assemble(framed bool) (a Assembled, ok bool) {
	if framed {
		f.byVector()
	}
	f.prune()
	w, ok := f.way(framed)
	if !ok || f.readsLate() {
		return a, false
	}
	return Assembled{f.code(w, false), f.code(w, true), w.vectors * f.round * f.bytes / f.lane}, true
}

func (f *Function) code(w way, past bool) []byte {
	b := builder{f: f, way: w, past: past}
	b.build()
	return b.pooled()
}

// way is how registers are given: to constants, all over the loop, to elements from their first use to the last, and
// how many vectors go side by side. What is framed has constants and all that there are no registers for in memory.
type way struct {
	held     []Value
	resident bool
	vectors  int
	framed   bool
}

// manySteps is from how many on vectors go side by side, up to four: the machine looks some 200 instructions ahead, of
// which 64 wait. Those of a round follow one another.
const (
	manySteps = 32
	four      = 4
)

// way returns the best for which there are registers.
func (f *Function) way(framed bool) (w way, ok bool) {
	if framed {
		w = way{framed: true, vectors: f.together()}
		return w, f.fits(w)
	}
	most, lanes := 1, f.lanes()
	if len(f.steps) >= manySteps && f.round == 1 {
		most = four
	}
	for vectors := most; vectors > 0 && len(f.pointers) <= len(bases) && !f.calls(); vectors /= 2 {
		for _, resident := range []bool{true, false} {
			n := sort.Search(len(lanes)+1, func(n int) bool { return !f.fits(way{lanes[:n], resident, vectors, false}) }) - 1
			if n >= 0 {
				return way{lanes[:n], resident, vectors, false}, true
			}
		}
	}
	return w, false
}

// together is how many vectors go through a loop with a frame: as many as functions are called for, those of a round
// counted, or two.
func (f *Function) together() int {
	switch {
	case f.round > 1:
		return 1
	case f.calls():
		return eight
	}
	return 2
}

// segment is where what begins with a step ends that each vector does by itself. Functions are called for all vectors
// at once: the machine does not see from one vector's function to the next one's behind all other steps.
func (f *Function) segment(from int) int {
	to := from + 1
	for to < len(f.steps) && f.steps[to].call == f.steps[from].call && (to-from < f.round || f.steps[to].call == 0) {
		to++
	}
	return to
}

// knot is where steps end that begin with one, make something of its value, and leave little: what a step makes that is
// wanted soon afterwards takes no register of every vector.
func (f *Function) knot(from int) int {
	to := from + 1
	for i := from; i < to; i++ {
		if v := f.steps[i].to; v >= 0 && f.values[v].last <= i+2 {
			to = max(to, f.values[v].last+1)
		}
	}
	return min(to, from+four)
}

// byVector has the vectors of a round do each segment one after the other.
func (f *Function) byVector() {
	for from, to := 0, 0; from < len(f.steps); from = to {
		to = f.segment(from)
		slices.SortStableFunc(f.steps[from:to], func(s, t step) int { return s.vector - t.vector })
	}
}

// calls reports whether C functions are called.
func (f *Function) calls() bool {
	return slices.ContainsFunc(f.steps, func(s step) bool { return s.call > 0 })
}

// fits reports whether there are registers enough.
func (f *Function) fits(w way) bool {
	b := builder{f: f, way: w}
	return b.build()
}

// lanes are the values that are one lane for all, those first that are taken most.
func (f *Function) lanes() (list []Value) {
	for i, v := range f.values {
		if (v.kind == still || v.kind == constant) && v.uses > 0 {
			list = append(list, Value(i))
		}
	}
	slices.SortStableFunc(list, func(a, b Value) int { return f.values[b].uses - f.values[a].uses })
	return list
}
