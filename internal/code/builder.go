package code

import (
	"math"
	"slices"
)

// builder makes the code of a function in one way.
type builder struct {
	assembler
	f    *Function
	way  way
	past bool
	free []register
	held map[Value]register   // of lanes that stand for all
	in   []map[Value]register // of each vector's values
	frame
}

// build returns false if there are too few registers.
func (b *builder) build() bool {
	for r := register(16); r > 0; r-- {
		b.free = append(b.free, r-1)
	}
	b.held, b.in = map[Value]register{}, make([]map[Value]register, b.way.vectors)
	for u := range b.in {
		b.in[u] = map[Value]register{}
	}
	if b.way.framed {
		return b.inFrame()
	}
	saved := bases[callers:max(callers, len(b.f.pointers))]
	for _, r := range saved {
		b.push(r)
	}
	for i, p := range b.f.pointers {
		b.pointer(bases[i], p)
	}
	for _, v := range b.way.held {
		r, ok := b.take()
		if !ok {
			return false
		}
		b.spread(r, v)
		b.held[v] = r
	}
	b.emit(0x31, 0xc0) // the index begins with 0
	if !b.loop() {
		return false
	}
	b.end(saved)
	return true
}

// loop does the steps again and again.
func (b *builder) loop() bool {
	start := len(b.bytes)
	for from, to := 0, 0; from < len(b.f.steps); from = to {
		if to = b.f.segment(from); !b.segment(from, to) {
			return false
		}
	}
	step := b.elements() * b.way.vectors * b.f.round
	if step > math.MaxInt8 {
		return false
	}
	b.repeat(start, byte(step))
	return true
}

// segment makes the code of some steps for one vector after the other, or some side by side.
func (b *builder) segment(from, to int) bool {
	if b.f.steps[from].call > 0 {
		return b.call(from, to)
	}
	n := b.beside(to - from)
	for u := 0; u < len(b.in); u += n {
		if !b.group(from, to, u, min(u+n, len(b.in))) {
			return false
		}
	}
	return true
}

// beside is how many vectors go side by side through so many steps.
func (b *builder) beside(steps int) int {
	switch {
	case !b.way.framed:
		return len(b.in)
	case steps >= manySteps:
		return four
	}
	return 1
}

// group makes the code of some steps for some vectors side by side: each does a step, or a knot where they are many.
func (b *builder) group(from, to, first, last int) bool {
	for next := from; from < to; from = next {
		if next = from + 1; last-first > 2 {
			next = min(b.f.knot(from), to)
		}
		for u := first; u < last; u++ {
			if !b.steps(from, next, u) {
				return false
			}
		}
	}
	return true
}

// steps makes the code of some steps for vector u.
func (b *builder) steps(from, to, u int) bool {
	for i := from; i < to; i++ {
		d := &doing{builder: b, s: &b.f.steps[i], i: i, u: u}
		if !d.do() {
			return false
		}
		d.done()
	}
	return true
}

// end gives registers back and returns; upper halves are cleared, as the compiler takes every function to leave them.
func (b *builder) end(saved []register) {
	for _, r := range slices.Backward(saved) {
		b.pop(r)
	}
	b.emit(0xc5, 0xf8, 0x77, 0xc3)
}

func (b *builder) elements() int { return Vector / b.f.lane }

func (b *builder) take() (register, bool) {
	if len(b.free) == 0 && !b.spill() {
		return 0, false
	}
	n := len(b.free)
	r := b.free[n-1]
	b.free = b.free[:n-1]
	return r, true
}

// doing is a step for one vector.
type doing struct {
	*builder
	s    *step
	i, u int
	temp []register // which the step has to itself
}

func (d *doing) do() bool {
	args := make([]place, len(d.s.args))
	d.busy = d.busy[:0]
	for k, a := range d.s.args {
		var ok bool
		if args[k], ok = d.operand(a, d.takesMemory(k)); !ok {
			return false
		}
		d.busy = append(d.busy, args[k].reg)
	}
	if d.s.store != nil {
		d.store(args[0].reg)
		d.release()
		return true
	}
	if d.s.op.of(d.f.lane).form == fused {
		return d.fuse(args)
	}
	d.release()
	to, ok := d.take()
	if ok {
		d.in[d.u][d.s.to] = to
		d.instruction(to, args)
	}
	return ok
}

// takesMemory says whether operand k of the step may be in memory.
func (d *doing) takesMemory(k int) bool {
	if d.s.store != nil {
		return false
	}
	switch d.s.op.of(d.f.lane).form {
	case one:
		return true
	case two, choice, fused:
		return k == 1
	}
	return false
}

// operand returns where a value is, which is brought into a register if it has to be.
func (d *doing) operand(a Value, memory bool) (place, bool) {
	v := &d.f.values[a]
	if r, ok := d.held[a]; ok {
		return in(r), true
	}
	if r, ok := d.in[d.u][a]; ok {
		return in(r), true
	}
	keep := (d.way.resident || d.way.framed) && v.last > d.i && v.kind != still && v.kind != constant
	if at, ok := d.framed(a, d.u); ok {
		if memory && !keep {
			return at, true
		}
		return d.fetched(a, at, keep)
	}
	if v.kind == moving && memory && !keep && v.access.bytes == d.f.lane && d.hasBase(v.number) {
		return d.memory(v.number, v.vector, v.access), true
	}
	r, ok := d.take()
	switch {
	case !ok:
		return place{}, false
	case v.kind == fixed:
		d.vector(v.access.load, false, true, r, 0, d.fixed(v.number))
	case v.kind != moving:
		d.spread(r, a)
	default:
		d.vector(v.access.load, false, true, r, 0, d.memory(v.number, v.vector, v.access))
	}
	if v.kind == moving && keep {
		d.in[d.u][a] = r
	} else {
		d.temp = append(d.temp, r)
	}
	return in(r), true
}

// memory is where the elements at a pointer are that are the vector's of a round.
func (d *doing) memory(pointer, vector int, a Access) place {
	return place{base: d.base(pointer), scale: byte(a.bytes), disp: int32((vector + d.u) * d.elements() * a.bytes)}
}

// fixed is where the vector at a pointer is that does not move.
func (b *builder) fixed(pointer int) place {
	b.toPointer(pointer)
	return place{base: r11}
}

// release frees the registers of what the step takes last.
func (d *doing) release() {
	d.free = append(d.free, d.temp...)
	in := d.in[d.u]
	for _, a := range d.s.args {
		if r, ok := in[a]; ok && d.f.values[a].last == d.i {
			delete(in, a)
			d.free = append(d.free, r)
		}
	}
}

// spread brings the lane that stands for all into a register.
func (b *builder) spread(r register, a Value) {
	e := in38(0x18)
	if b.f.lane == 8 {
		e = in38(0x19)
	}
	v := &b.f.values[a]
	if v.kind == constant {
		b.vector(e, false, true, r, 0, place{base: rax, pool: v.number + 1})
		return
	}
	b.vector(e, false, true, r, 0, b.fixed(v.number))
}

func (d *doing) store(r register) {
	a, at := d.s.store, d.s.at
	e := a.store
	if d.past && !at.near {
		e = a.past
	}
	to := place{}
	if at.stays {
		to = d.fixed(at.pointer)
	} else {
		to = d.memory(at.pointer, at.vector, *a)
	}
	d.vector(e, false, !a.half, r, 0, to)
}

// fuse adds a product to what is in the register of the result.
func (d *doing) fuse(args []place) bool {
	to, ok := d.take()
	if !ok {
		return false
	}
	d.vector(ps(0x28), false, true, to, 0, in(args[2].reg))
	e := d.s.op.of(d.f.lane)
	d.vector(e, e.wide(d.f.lane), true, to, args[0].reg, args[1])
	d.release()
	d.in[d.u][d.s.to] = to
	return true
}

func (d *doing) instruction(to register, args []place) {
	e := d.s.op.of(d.f.lane)
	wide := e.wide(d.f.lane)
	switch e.form {
	case one:
		d.vector(e, wide, true, to, 0, args[0])
	case shift:
		d.vector(e, wide, true, register(e.extension), to, args[0])
	case choice:
		d.vector(e, wide, true, to, args[0].reg, args[1])
		d.emit(byte(args[2].reg) << 4)
		return
	case halve:
		d.vector(e, wide, true, args[0].reg, 0, in(to))
	default:
		d.vector(e, wide, e.form != narrow, to, args[0].reg, args[1])
	}
	if e.immediate {
		d.emit(d.s.number)
	}
}
