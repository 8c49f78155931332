package code

import (
	"encoding/binary"
	"maps"
	"slices"
)

// frame is memory of a function on the stack: the arguments, and vectors, of which there are those of lanes that stand
// for all, and of what there are no registers for. Values stay what they are, so each is left there once.
type frame struct {
	vectors map[framed]int
	spare   []int
	rooms   int
	busy    []register // of the operands of the step under way
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
	frameVectors  = 64
)

// inFrame makes the code of a function with a frame. It begins where a cache line does.
func (b *builder) inFrame() bool {
	b.index, b.vectors = rbx, map[framed]int{}
	for _, r := range callees {
		b.push(r)
	}
	b.emit(0x48, 0x89, 0xe0, 0x48, 0x81, 0xec) // rsp to rax, and less
	size := len(b.bytes)
	b.emit(0, 0, 0, 0, 0x48, 0x83, 0xe4, 0xc0)                            // whole lines
	b.emit(0x48, 0x89, 0x04, 0x24, 0x48, 0x89, 0x7c, 0x24, framePointers) // rax, rdi
	b.emit(0x48, 0x89, 0x74, 0x24, frameCount)                            // rsi
	for i, p := range b.f.pointers[:min(len(b.f.pointers), len(kept))] {
		b.pointer(kept[i], p)
	}
	for _, v := range b.f.lanes() {
		b.spread(0, v)
		b.leave(0, framed{v, lanesOnly})
	}
	b.emit(0x31, 0xdb) // the index begins with 0
	if !b.loop() {
		return false
	}
	b.emit(0x48, 0x8b, 0x24, 0x24) // rsp as it was
	b.end(callees)
	binary.LittleEndian.PutUint32(b.bytes[size:], uint32(frameVectors+Vector*b.rooms))
	return true
}

// callees are the registers that C functions leave as they are; those but the index are for pointers.
var (
	callees = []register{rbx, rbp, r12, r13, r14, r15}
	kept    = callees[1:]
)

// base is the register of a pointer that moves: one of its own, or one that it is brought to.
func (b *builder) base(pointer int) register {
	if b.hasBase(pointer) {
		return b.own()[slices.Index(b.f.pointers, pointer)]
	}
	b.toPointer(pointer)
	return r11
}

func (b *builder) hasBase(pointer int) bool {
	return slices.Index(b.f.pointers, pointer) < len(b.own())
}

// own are the registers that pointers have of their own.
func (b *builder) own() []register {
	if b.way.framed {
		return kept
	}
	return bases
}

// toPointer brings a pointer to r11.
func (b *builder) toPointer(pointer int) {
	if !b.way.framed {
		b.pointer(r11, pointer)
		return
	}
	b.emit(0x4c, 0x8b, 0x5c, 0x24, framePointers, 0x4d, 0x8b, 0x9b)
	b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(8*pointer))
}

func (b *builder) room(k int) place { return place{base: rsp, disp: int32(frameVectors + Vector*k)} }

// framed returns where a value of vector u is in the frame, if it is there.
func (b *builder) framed(v Value, u int) (place, bool) {
	for _, of := range []int{u, lanesOnly} {
		if k, ok := b.vectors[framed{v, of}]; ok {
			return b.room(k), true
		}
	}
	return place{}, false
}

// leave leaves a register in the frame.
func (b *builder) leave(r register, v framed) {
	k := b.rooms
	if n := len(b.spare); n > 0 {
		k, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		b.rooms++
	}
	b.vectors[v] = k
	b.vector(ps(0x11), false, true, r, 0, b.room(k))
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
func (d *doing) fetched(a Value, at place, keep bool) (place, bool) {
	r, ok := d.take()
	if !ok {
		return place{}, false
	}
	d.vector(ps(0x10), false, true, r, 0, at)
	if keep {
		d.in[d.u][a] = r
	} else {
		d.temp = append(d.temp, r)
	}
	return in(r), true
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
	b.emit(0x48, 0x8d, 0xbc, 0x24) // the address of the first to rdi
	b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(b.room(rooms[0]).disp))
	b.emit(0x48, 0x8d, 0xb4, 0x24) // and that of the last to rsi
	b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(b.room(rooms[len(rooms)-1]).disp))
	b.emit(0xff, 0x15)
	b.fixes = append(b.fixes, fix{len(b.bytes), b.f.values[b.f.steps[from].call-1].number})
	b.emit(0, 0, 0, 0)
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
		d.busy = append(d.busy, from.reg)
		d.vector(ps(0x11), false, true, from.reg, 0, d.room(rooms[k]+n))
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
