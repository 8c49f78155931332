package scalar

import "slices"

// moves is a set of moves that happen at once.
type moves struct {
	c        *compiler
	to, from []uint16
	place    map[uint16]int // of the moves to come, by the register that they write
	readers  map[uint16]int // how many of the moves to come read a register
	ready    []int
}

// move makes the registers to, all different, hold what the registers from hold now, at once. A move waits for those
// that read what it overwrites; where they go round in a circle, one goes through a register of its own.
func (c *compiler) move(to, from []uint16) {
	m := &moves{c: c, to: to, from: slices.Clone(from), place: map[uint16]int{}, readers: map[uint16]int{}}
	for i, r := range to {
		if r != from[i] {
			m.place[r] = i
			m.readers[from[i]]++
		}
	}
	begin := len(c.code)
	for _, r := range to {
		m.offer(r)
		m.run()
	}
	for _, r := range to {
		m.release(r)
		m.run()
	}
	c.joinMoves(begin)
}

// offer makes the move to register r ready if it is to come and nothing reads r any more.
func (m *moves) offer(r uint16) {
	if i, ok := m.place[r]; ok && m.readers[r] == 0 {
		m.ready = append(m.ready, i)
		delete(m.place, r)
	}
}

// run emits the moves that are ready, and those that become so.
func (m *moves) run() {
	for len(m.ready) > 0 {
		i := m.ready[0]
		m.ready = m.ready[1:]
		if m.c.vectors[m.to[i]] > 0 {
			m.c.moveVector(m.to[i], m.from[i])
		} else {
			m.c.emit(Instr{Op: Move, D: m.to[i], A: m.from[i]})
		}
		m.readers[m.from[i]]--
		m.offer(m.from[i])
	}
}

// release lets those that read r, of a circle, read a copy.
func (m *moves) release(r uint16) {
	if _, ok := m.place[r]; !ok {
		return
	}
	t := m.c.aside(r)
	replace(m.from, r, t)
	m.readers[t], m.readers[r] = m.readers[r], 0
	m.offer(r)
}

// aside returns a register, or vector, with what r holds.
func (c *compiler) aside(r uint16) uint16 {
	if n := c.vectors[r]; n > 0 {
		t := c.freshVector(n)
		c.moveVector(t, r)
		return t
	}
	t := c.reserve(1)
	c.emit(Instr{Op: Move, D: t, A: r})
	return t
}

// joinMoves makes one instruction of many moves from place begin on whose registers lie side by side.
func (c *compiler) joinMoves(begin int) {
	code := c.code[begin:]
	c.code = c.code[:begin]
	for len(code) > 0 {
		n := 1
		for n < len(code) && code[0].follows(&code[n], n) {
			n++
		}
		if first := code[0]; n >= manyRegisters && apart(first.D, first.A, n) {
			c.emit(Instr{Op: MoveMany, D: first.D, A: first.A, Imm: int32(n)})
		} else {
			n = 1
			c.emit(first)
		}
		code = code[n:]
	}
}

// follows reports whether both are moves, other of the registers n behind those of in.
func (in *Instr) follows(other *Instr, n int) bool {
	return in.Op == Move && other.Op == Move && other.D == in.D+uint16(n) && other.A == in.A+uint16(n)
}

// apart reports whether n registers from a on and n from b on are all different.
func apart(a, b uint16, n int) bool { return int(a)+n <= int(b) || int(b)+n <= int(a) }
