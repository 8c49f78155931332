package code

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// frame is memory of a function on the stack: the arguments, and vectors, of which there are those of lanes that stand
// for all, and of what there are no registers for. Values stay what they are, so each is left there once.
type frame struct {
	vectors map[framed]int
	spare   []int
	rooms   int
	busy    []Register // of the operands of the step under way
}

// framed is a value of one of the vectors; of lanes that stand for all it is that of number lanesOnly.
type framed struct {
	Value
	of int
}

const lanesOnly = -1

// Where things are in a frame.
const (
	framePointers = 8
	frameCount    = 16
	frameVectors  = cacheLine

	cacheLine = 64
)

// inFrame makes the code of a function with a frame. It begins where a cache line does.
func (b *builder) inFrame() bool {
	b.index, b.vectors = RBX, map[framed]int{}
	for _, r := range callees {
		b.Push(r)
	}
	b.Do(Mov, true, RAX, In(RSP))
	b.DoNumber(MinusNumber, true, In(RSP), math.MaxInt32) // the size is known in the end
	size := b.Size() - 4
	b.DoNumber(BothNumber, true, In(RSP), -cacheLine)
	b.Do(Put, true, RAX, At(RSP, 0))
	b.Do(Put, true, RDI, At(RSP, framePointers))
	b.Do(Put, true, RSI, At(RSP, frameCount))
	for i, p := range b.f.pointers[:min(len(b.f.pointers), len(kept))] {
		b.pointer(kept[i], p)
	}
	for _, v := range b.f.lanes() {
		b.spread(0, v)
		b.leave(0, framed{v, lanesOnly})
	}
	if !b.loop() {
		return false
	}
	b.Do(Mov, true, RSP, At(RSP, 0))
	b.end(callees)
	binary.LittleEndian.PutUint32(b.bytes[size:], uint32(frameVectors+b.f.bytes*b.rooms))
	return true
}

// callees are the registers that C functions leave as they are; those but the index are for pointers.
var (
	callees = []Register{RBX, RBP, R12, R13, R14, R15}
	kept    = callees[1:]
)

// base is the register of a pointer that moves: one of its own, or one that it is brought to.
func (b *builder) base(pointer int) Register {
	if b.hasBase(pointer) {
		return b.own()[slices.Index(b.f.pointers, pointer)]
	}
	b.toPointer(pointer)
	return R11
}

func (b *builder) hasBase(pointer int) bool {
	return slices.Index(b.f.pointers, pointer) < len(b.own())
}

// own are the registers that pointers have of their own.
func (b *builder) own() []Register {
	if b.way.framed {
		return kept
	}
	return bases
}

// toPointer brings a pointer to R11.
func (b *builder) toPointer(pointer int) {
	if !b.way.framed {
		b.pointer(R11, pointer)
		return
	}
	b.Do(Mov, true, R11, At(RSP, framePointers))
	b.Do(Mov, true, R11, At(R11, int32(8*pointer)))
}

func (b *builder) room(k int) Operand { return At(RSP, int32(frameVectors+b.f.bytes*k)) }

// framed returns where a value of vector u is in the frame, if it is there.
func (b *builder) framed(v Value, u int) (Operand, bool) {
	for _, of := range []int{u, lanesOnly} {
		if k, ok := b.vectors[framed{v, of}]; ok {
			return b.room(k), true
		}
	}
	return Operand{}, false
}

// leave leaves a register in the frame.
func (b *builder) leave(r Register, v framed) {
	k := b.rooms
	if n := len(b.spare); n > 0 {
		k, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		b.rooms++
	}
	b.vectors[v] = k
	b.lane(Leave.All(), r, 0, b.room(k))
}

// keep leaves a value in the frame, if it is neither there nor in memory anyway.
func (b *builder) keep(v Value, u int) {
	if _, ok := b.vectors[framed{v, u}]; !ok && b.f.values[v].kind == made {
		b.leave(b.in[u][v], framed{v, u})
	}
}

// forget gives back the room of a value that nobody takes any more.
func (b *builder) forget(v Value, u int) {
	if k, ok := b.vectors[framed{v, u}]; ok {
		delete(b.vectors, framed{v, u})
		b.spare = append(b.spare, k)
	}
}

// fetched brings what is in the frame into a register.
func (d *doing) fetched(a Value, at Operand, keep bool) (Operand, bool) {
	r, ok := d.take()
	if !ok {
		return Operand{}, false
	}
	d.lane(Fetch.All(), r, 0, at)
	if keep {
		d.in[d.u][a] = r
	} else {
		d.temp = append(d.temp, r)
	}
	return In(r), true
}

// spill frees the register of the value that is taken last, but none of the step under way.
func (b *builder) spill() bool {
	if !b.way.framed {
		return false
	}
	best, found := framed{}, false
	for u := range b.in {
		for v, r := range b.in[u] {
			if !slices.Contains(b.busy, r) && (!found || b.isLater(framed{v, u}, best)) {
				best, found = framed{v, u}, true
			}
		}
	}
	if found {
		b.keep(best.Value, best.of)
		b.free = append(b.free, b.in[best.of][best.Value])
		delete(b.in[best.of], best.Value)
	}
	return found
}

func (b *builder) isLater(v, w framed) bool {
	if m, n := b.f.values[v.Value].last, b.f.values[w.Value].last; m != n {
		return m > n
	}
	return v.of > w.of || v.of == w.of && v.Value > w.Value
}

// eight is how many vectors C functions take.
const eight = 8

// call calls a function for what some steps take, which must be eight vectors. They lie where no others do.
func (b *builder) call(from, to int) bool {
	if (to-from)*len(b.in) != eight {
		return false
	}
	rooms := make([]int, len(b.f.steps[from].args))
	for k := range rooms {
		rooms[k], b.rooms = b.rooms, b.rooms+eight
	}
	for n := range eight {
		d := &doing{builder: b, i: from + n/len(b.in), u: n % len(b.in)}
		if d.s = &b.f.steps[d.i]; !d.pass(rooms, n) {
			return false
		}
	}
	b.keepAll()
	b.Do(Lea, true, RDI, b.room(rooms[0])) // where the first lie, and the last
	b.Do(Lea, true, RSI, b.room(rooms[len(rooms)-1]))
	b.DoOne(callAt, false, DataAt(b.f.values[b.f.steps[from].call-1].number))
	for n := range eight {
		b.vectors[framed{b.f.steps[from+n/len(b.in)].to, n % len(b.in)}] = rooms[0] + n
	}
	return true
}

// pass leaves the operands of a call where the function looks for vector n.
func (d *doing) pass(rooms []int, n int) bool {
	d.busy = d.busy[:0]
	for k, a := range d.s.args {
		from, ok := d.operand(a, false)
		if !ok {
			return false
		}
		d.busy = append(d.busy, from.Register)
		d.lane(Leave.All(), from.Register, 0, d.room(rooms[k]+n))
	}
	d.release()
	d.done()
	return true
}

// keepAll leaves all that is in registers in the frame.
func (b *builder) keepAll() {
	for u := range b.in {
		for _, v := range slices.Sorted(maps.Keys(b.in[u])) {
			b.keep(v, u)
			b.free = append(b.free, b.in[u][v])
			delete(b.in[u], v)
		}
	}
}

// done gives back the rooms of what the step took last.
func (d *doing) done() {
	for _, a := range d.s.args {
		if d.f.values[a].last == d.i {
			d.forget(a, d.u)
		}
	}
}
