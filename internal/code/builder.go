package code

import (
	"encoding/binary"
	"slices"
)

// builder makes the code of a function in one way.
type builder struct {
	Text  // whose first labels are the constants
	f     *Function
	way   way
	past  bool
	index Register // RAX, or RBX in a frame
	free  []Register
	held  map[Value]Register   // of lanes that stand for all
	in    []map[Value]Register // of each vector's values
	frame
	keptMasks
}

// build returns false if there are too few registers.
func (b *builder) build() bool {
	for range b.f.constants {
		b.Label()
	}
	for r := b.registers(); r > 0; r-- {
		b.free = append(b.free, r-1)
	}
	b.held, b.in = map[Value]Register{}, make([]map[Value]Register, b.way.vectors)
	for u := range b.in {
		b.in[u] = map[Value]Register{}
	}
	b.keepMasks()
	if b.way.framed {
		return b.inFrame()
	}
	saved := bases[callers:max(callers, len(b.f.pointers))]
	for _, r := range saved {
		b.Push(r)
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
	if !b.loop() {
		return false
	}
	b.end(saved)
	return true
}

// pointer loads pointer k of those at RDI.
func (b *builder) pointer(to Register, k int) { b.Do(Mov, true, to, At(RDI, int32(8*k))) }

// loop does the steps again and again, while the index is below RSI, or what a frame has of that.
func (b *builder) loop() bool {
	b.Load(b.index, 0)
	start := b.Label()
	b.Here(start)
	for from, to := 0, 0; from < len(b.f.steps); from = to {
		if to = b.f.segment(from); !b.segment(from, to) {
			return false
		}
	}
	end := In(RSI)
	if b.way.framed {
		end = At(RSP, frameCount)
	}
	b.DoNumber(PlusNumber, true, In(b.index), int32(b.elements()*b.way.vectors*b.f.round))
	b.Do(Against, true, b.index, end)
	b.JumpIf(Below, start)
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
func (b *builder) end(saved []Register) {
	for _, r := range slices.Backward(saved) {
		b.Pop(r)
	}
	b.ClearUpper()
	b.Return()
}

// pooled returns the code with the constants behind it.
func (b *builder) pooled() []byte {
	for b.Size()%8 > 0 {
		b.emit(0xcc)
	}
	for k, c := range b.f.constants {
		b.Here(k)
		b.bytes = binary.LittleEndian.AppendUint64(b.bytes, c)
	}
	return b.Bytes()
}

func (b *builder) elements() int { return b.f.bytes / b.f.lane }

func (b *builder) take() (Register, bool) {
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
	temp []Register // which the step has to itself
}

func (d *doing) do() bool {
	args := make([]Operand, len(d.s.args))
	d.busy = d.busy[:0]
	for k, a := range d.s.args {
		var ok bool
		if args[k], ok = d.operand(a, d.takesMemory(k)); !ok {
			return false
		}
		if !args[k].Memory && !args[k].mask {
			d.busy = append(d.busy, args[k].Register)
		}
	}
	if d.s.store != nil {
		d.store(args[0].Register)
		d.release()
		return true
	}
	e := d.f.of(d.s.op)
	switch e.form {
	case fused:
		return d.fuse(e, args)
	case compare:
		return d.compare(e, args)
	}
	d.release()
	to, ok := d.take()
	if ok {
		d.in[d.u][d.s.to] = to
		d.instruction(e, to, args)
	}
	return ok
}

// takesMemory says whether operand k of the step may be in memory.
func (d *doing) takesMemory(k int) bool {
	if d.s.store != nil {
		return false
	}
	switch d.f.of(d.s.op).form {
	case one:
		return true
	case two, choice, fused, compare:
		return k == 1
	}
	return false
}

// operand returns where a value is, which is brought into a register if it has to be.
func (d *doing) operand(a Value, memory bool) (Operand, bool) {
	v := &d.f.values[a]
	if r, ok := d.masked[d.u][a]; ok {
		return Operand{Register: r, mask: true}, true
	}
	if r, ok := d.held[a]; ok {
		return In(r), true
	}
	if r, ok := d.in[d.u][a]; ok {
		return In(r), true
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
		return Operand{}, false
	case v.kind == fixed:
		d.lane(v.access.load, r, 0, d.fixed(v.number))
	case v.kind != moving:
		d.spread(r, a)
	default:
		d.lane(v.access.load, r, 0, d.memory(v.number, v.vector, v.access))
	}
	if v.kind == moving && keep {
		d.in[d.u][a] = r
	} else {
		d.temp = append(d.temp, r)
	}
	return In(r), true
}

// memory is where the elements at a pointer are that are the vector's of a round.
func (d *doing) memory(pointer, vector int, a Access) Operand {
	at := At(d.base(pointer), int32((vector+d.u)*d.elements()*a.bytes))
	at.Scale, at.Index = uint8(a.bytes), d.index
	return at
}

// fixed is where the vector at a pointer is that does not move.
func (b *builder) fixed(pointer int) Operand {
	b.toPointer(pointer)
	return At(R11, 0)
}

// release frees the registers of what the step takes last.
func (d *doing) release() {
	d.free = append(d.free, d.temp...)
	for _, a := range d.s.args {
		if d.f.values[a].last == d.i {
			d.free = frees(d.in[d.u], a, d.free)
			d.freeMasks = frees(d.masked[d.u], a, d.freeMasks)
		}
	}
}

// frees takes the register of a value from those in use to the free ones, if it has one.
func frees(in map[Value]Register, a Value, free []Register) []Register {
	if r, ok := in[a]; ok {
		delete(in, a)
		free = append(free, r)
	}
	return free
}

// spread brings the lane that stands for all into a register.
func (b *builder) spread(r Register, a Value) {
	e, v := b.f.of(&Spread), &b.f.values[a]
	if v.kind == constant {
		b.lane(e.Lane, r, 0, DataAt(v.number))
		return
	}
	b.lane(e.Lane, r, 0, b.fixed(v.number))
}

func (d *doing) store(r Register) {
	a, at := d.s.store, d.s.at
	if at.stays {
		d.put(*a, false, r, d.fixed(at.pointer))
		return
	}
	d.put(*a, d.past && !at.near, r, d.memory(at.pointer, at.vector, *a))
}

// fuse adds a product to what is in the register of the result.
func (d *doing) fuse(e encoding, args []Operand) bool {
	to, ok := d.take()
	if !ok {
		return false
	}
	d.lane(Same.All(), to, 0, In(args[2].Register))
	d.lane(e.Lane, to, args[0].Register, args[1])
	d.release()
	d.in[d.u][d.s.to] = to
	return true
}

func (d *doing) instruction(e encoding, to Register, args []Operand) {
	switch e.form {
	case one:
		d.lane(e.Lane, to, 0, args[0])
	case shift:
		d.lane(e.Lane, Register(e.extension), to, args[0])
	case choice:
		d.choose(e, to, args)
		return
	case halve:
		d.lane(e.Lane, args[0].Register, 0, In(to))
	default:
		d.lane(e.Lane, to, args[0].Register, args[1])
	}
	if e.immediate {
		d.emit(d.s.number)
	}
}
