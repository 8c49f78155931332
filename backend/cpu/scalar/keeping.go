package scalar

import (
	"sort"

	"github.com/halo-xla/halo/internal/code"
)

// bank is a kind of machine registers.
type bank uint8

const (
	either bank = iota
	general
	floats
	numBanks
)

// given are the machine registers that hold numbers of the program.
var given = [numBanks][]code.Register{
	general: {code.RSI, code.RDI, code.R8, code.R9, code.R10, code.R11, code.R12, code.R13, code.R15},
	floats:  {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
}

// keeping is what machine registers hold of a program's registers. Between one jump and the next, memory may have what
// a register held before.
type keeping struct {
	held     [numBanks]map[uint16]code.Register
	owner    [numBanks]map[code.Register]uint16
	old      map[uint16]bool  // whose memory is old
	uses     map[uint16][]int // the places before the next jump where a register is read
	at       int
	last     int // behind the block
	busy     [numBanks]map[code.Register]bool
	crossing []bool // whether a register is read behind a jump before it is written
	begins   func(i int) bool
	parts    map[uint16]uint16 // the first register of a vector, by the first of each machine vector of it
	more     bool              // the instruction has other parts of vectors to come
	resolved []uint16          // what the instruction reads
	made     bool              // it has read all of that
}

// count finds out which registers have to be in memory at jumps.
func (k *keeping) count(list []Instr, registers int, begins func(i int) bool) {
	k.begins, k.parts = begins, map[uint16]uint16{}
	k.forget()
	k.crossing = make([]bool, registers+2)
	written := map[uint16]bool{}
	for i := range list {
		if begins(i) {
			written = map[uint16]bool{}
		}
		in := &list[i]
		eachTaken(in, func(r uint16) { k.crossing[r] = k.crossing[r] || !written[r] })
		if in.Op != Put {
			in.eachWritten(func(r uint16) { written[r] = true })
		}
		if in.Op.jumps() {
			written = map[uint16]bool{}
		}
	}
}

// eachTaken calls f with each register whose contents an instruction takes, or leaves some of.
func eachTaken(in *Instr, f func(r uint16)) {
	in.eachRead(f)
	if in.Op == Put {
		in.eachWritten(f)
	}
}

func (k *keeping) forget() {
	for b := range k.held {
		k.held[b], k.owner[b] = map[uint16]code.Register{}, map[code.Register]uint16{}
		k.busy[b] = map[code.Register]bool{}
	}
	k.old = map[uint16]bool{}
}

// enter comes to a place of the code.
func (k *keeping) enter(list []Instr, i int) {
	if i == 0 || i >= k.last {
		k.uses, k.last = map[uint16][]int{}, i
		for k.last < len(list) && (k.last == i || !k.begins(k.last)) {
			at := k.last
			eachTaken(&list[at], func(r uint16) { k.uses[r] = append(k.uses[r], at) })
			k.last++
			if list[at].Op.jumps() || list[at].Op == Next {
				break
			}
		}
	}
	k.at, k.made = i, false
	k.resolved = k.resolved[:0]
	for b := range k.busy {
		clear(k.busy[b])
	}
}

// next is where a register is read next, -1 if it is not.
func (k *keeping) next(r uint16) int { return k.after(r, k.at) }

// wanted is next, or the place itself as long as the instruction there may have operands to come.
func (k *keeping) wanted(r uint16) int {
	if k.made {
		return k.next(r)
	}
	return k.after(r, k.at-1)
}

// after is where a register is read next behind a place, -1 if it is not.
func (k *keeping) after(r uint16, at int) int {
	list := k.uses[k.whole(r)]
	if n := sort.SearchInts(list, at+1); n < len(list) {
		return list[n]
	}
	return -1
}

func memory(r uint16) code.Operand { return code.At(regs, 8*int32(r)) }

// in returns the machine register of a bank that holds register r.
func (k *keeping) in(t *code.Text, b bank, r uint16) code.Register {
	k.resolved = append(k.resolved, r)
	if m, ok := k.held[b][r]; ok {
		k.busy[b][m] = true
		return m
	}
	m := k.take(t, b)
	other := general + floats - b
	from, ok := k.held[other][r]
	switch {
	case ok && b == general:
		t.Lane(code.ToBits, from, 0, code.In(m))
	case ok:
		t.Lane(code.FromBits, m, 0, code.In(from))
	case b == general:
		t.Do(code.Mov, true, m, memory(r))
	case k.isPart(r):
		t.Lane(code.Fetch.All(), m, 0, memory(r))
	default:
		t.Lane(code.Fetch64, m, 0, memory(r))
	}
	k.hold(b, r, m)
	return m
}

// from returns where register r is: in a machine register of the bank, or in memory if nothing else wants it.
func (k *keeping) from(t *code.Text, b bank, r uint16) code.Operand {
	_, here := k.held[b][r]
	_, there := k.held[general+floats-b][r]
	if !here && !there && k.next(r) < 0 {
		return memory(r)
	}
	return code.In(k.in(t, b, r))
}

func (k *keeping) hold(b bank, r uint16, m code.Register) {
	k.held[b][r], k.owner[b][m], k.busy[b][m] = m, r, true
}

// take returns a machine register that is free, or will be wanted last.
func (k *keeping) take(t *code.Text, b bank) code.Register {
	best, far := code.Register(0), -1
	for _, m := range given[b] {
		r, held := k.owner[b][m]
		if !held && !k.busy[b][m] {
			return m
		}
		if k.busy[b][m] {
			continue
		}
		n := k.wanted(r)
		if n < 0 {
			n = 1 << 30
		}
		if n > far {
			best, far = m, n
		}
	}
	r := k.owner[b][best]
	if _, twice := k.held[general+floats-b][r]; !twice {
		k.keep(t, r)
	}
	k.drop(b, r)
	return best
}

// keep writes a register to memory if that is old and wanted later.
func (k *keeping) keep(t *code.Text, r uint16) {
	if k.crossing[k.whole(r)] || k.wanted(r) >= 0 {
		k.save(t, r)
	}
}

// save writes a register to memory if that is old.
func (k *keeping) save(t *code.Text, r uint16) {
	if !k.old[r] {
		return
	}
	delete(k.old, r)
	if m, ok := k.held[general][r]; ok {
		t.Do(code.Put, true, m, memory(r))
		return
	}
	l := code.Leave64
	if k.isPart(r) {
		l = code.Leave.All()
	}
	t.Lane(l, k.held[floats][r], 0, memory(r))
}

func (k *keeping) drop(b bank, r uint16) {
	if m, ok := k.held[b][r]; ok {
		delete(k.owner[b], m)
		delete(k.held[b], r)
	}
}

// gone drops what is held of register r, whose contents nobody wants.
func (k *keeping) gone(r uint16) {
	k.drop(general, r)
	k.drop(floats, r)
	delete(k.old, r)
}

// release frees the machine registers of what the instruction reads last.
func (k *keeping) release(t *code.Text) {
	k.made = !k.more
	for _, r := range k.resolved {
		if k.next(r) >= 0 {
			continue
		}
		for b := general; b < numBanks; b++ {
			if m, ok := k.held[b][r]; ok {
				delete(k.busy[b], m)
			}
		}
		k.keep(t, r)
		k.gone(r)
	}
}

// to returns the machine register of a bank that register r is made in. Those of operands that are read last are free
// by then.
func (k *keeping) to(t *code.Text, b bank, r uint16) code.Register {
	for _, o := range k.resolved {
		if o == r {
			delete(k.old, r) // it is about to be another
		}
	}
	k.release(t)
	k.gone(r)
	m := k.take(t, b)
	k.hold(b, r, m)
	k.old[r] = true
	return m
}

// done ends an instruction: what it made and nobody reads before the next jump goes to memory.
func (k *keeping) done(t *code.Text, in *Instr) {
	k.release(t)
	in.eachWritten(func(r uint16) {
		for _, r := range k.partsOf(r) {
			if k.old[r] && k.next(r) < 0 {
				k.keep(t, r)
				k.gone(r)
			}
		}
	})
}

// spill leaves all that is wanted later in memory, and nothing in machine registers.
func (k *keeping) spill(t *code.Text) {
	for _, b := range []bank{general, floats} {
		for _, m := range given[b] {
			if r, ok := k.owner[b][m]; ok {
				k.keep(t, r)
			}
		}
	}
	k.forget()
}

// leave is spill at a jump.
func (k *keeping) leave(t *code.Text) {
	for _, b := range []bank{general, floats} {
		for _, m := range given[b] {
			if r, ok := k.owner[b][m]; ok && k.crossing[k.whole(r)] {
				k.save(t, r)
			}
		}
	}
	k.forget()
}

// whole is the first register of the vector that a part is of; of any other register that itself.
func (k *keeping) whole(r uint16) uint16 {
	if first, ok := k.parts[r]; ok {
		return first
	}
	return r
}

func (k *keeping) isPart(r uint16) bool { _, ok := k.parts[r]; return ok }

// part is part number i of the vector at register r.
func (k *keeping) part(r uint16, i int) uint16 {
	p := r + uint16(i*partRegisters)
	k.parts[p] = r
	return p
}

// partRegisters are the registers that a machine vector takes, partLanes its lanes.
const (
	partRegisters = 4
	partLanes     = 2 * partRegisters
)

// partsOf are those of a vector that machine registers may hold; r alone if it is none.
func (k *keeping) partsOf(r uint16) []uint16 {
	list := []uint16{r}
	for p := r + partRegisters; k.parts[p] == r && k.isPart(p); p += partRegisters {
		list = append(list, p)
	}
	return list
}

// settle leaves a register, or all of a vector, in memory.
func (k *keeping) settle(t *code.Text, r uint16) {
	for _, p := range k.partsOf(r) {
		k.save(t, p)
	}
}

// nextPart comes to the next part of an instruction on vectors.
func (k *keeping) nextPart(more bool) {
	k.more, k.made, k.resolved = more, false, k.resolved[:0]
	for b := range k.busy {
		clear(k.busy[b])
	}
}
