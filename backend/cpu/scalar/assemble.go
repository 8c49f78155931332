package scalar

import (
	"bytes"
	"slices"

	"github.com/halo-xla/halo/cgo/loops/run"
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/code"
)

// A program with loops is machine code where there is memory for it: an instruction becomes the few of the machine that
// it is, on numbers that stay in the machine's registers from one jump to the next.

const (
	// maxAssembled bounds the instructions of a program that becomes machine code.
	maxAssembled = 1 << 12
	// maxSteps bounds the part of them, one of so many, that the interpreter is called for.
	maxSteps = 8
	// maxBytes bounds the code of a program: all that a process has share one room.
	maxBytes = 1 << 15
)

// assembly is machine code of a program in the making.
//
// RBX has the registers' address, RBP the streams', R14 how many rounds there are until the next look at the cancel
// word. RAX, RCX, RDX and the first three vector registers are each instruction's own.
type assembly struct {
	*code.Text
	keeping
	code    []Instr
	image   []uint64
	labels  map[int]int // of the places that jumps go to
	reads   []int       // how often the code reads a register
	fixed   []bool      // whether it never writes it
	data    []datum     // that stand behind the code
	upper   bool        // vectors are in use
	end     int         // label: the end, RAX is the result
	steps   int         // calls of the interpreter in loops
	loop    int         // the places where the first loop begins and the last one ends
	loopEnd int
	skip    int // a place whose code is there
}

// datum is an instruction that the interpreter is called for, or a vector.
type datum struct {
	label int
	bytes []byte
}

// What the stack has.
const (
	stackProgram = 8 * iota
	stackRounds
	stackCancel
	stackBytes
)

var (
	savedRegisters = []code.Register{code.RBX, code.RBP, code.R12, code.R13, code.R14, code.R15}
	regs, streams  = code.RBX, code.RBP
)

// assembled returns the program as a C function of the type of halo_program.run, or nil if it is none.
func (p *Program) assembled() []byte {
	if len(p.code) > maxAssembled {
		return nil
	}
	m := &assembly{Text: &code.Text{}, code: p.code, image: p.image, labels: map[int]int{}}
	m.count()
	m.begin()
	for i := range m.code {
		m.place(i)
	}
	m.finish()
	if m.loopEnd < m.loop || m.steps*maxSteps > m.loopEnd-m.loop || m.Size() > maxBytes {
		return nil
	}
	return m.Bytes()
}

// count looks at what the code reads and writes, and where jumps go.
func (m *assembly) count() {
	m.reads, m.fixed = make([]int, len(m.image)+2), make([]bool, len(m.image)+2)
	for i := range m.fixed {
		m.fixed[i] = true
	}
	m.label(0)
	m.loop = len(m.code)
	for i := range m.code {
		in := &m.code[i]
		if in.Op >= Again && in.Op <= AgainNeS {
			m.loop, m.loopEnd = min(m.loop, int(in.Imm)), i
		}
		if in.Op.jumps() {
			m.label(int(in.Imm))
		}
		m.upper = m.upper || in.Op >= Vec && in.Op < numOps
		in.eachRead(func(r uint16) { m.reads[r]++ })
		in.eachWritten(func(r uint16) { m.fixed[r] = false })
	}
	m.keeping.count(m.code, len(m.image), func(i int) bool { _, ok := m.labels[i]; return ok })
}

func (m *assembly) label(at int) int {
	l, ok := m.labels[at]
	if !ok {
		l = m.Label()
		m.labels[at] = l
	}
	return l
}

// begin saves what the caller wants back.
func (m *assembly) begin() {
	for _, r := range savedRegisters {
		m.Push(r)
	}
	m.DoNumber(code.MinusNumber, true, code.In(code.RSP), stackBytes)
	m.Do(code.Put, true, code.RDI, code.At(code.RSP, stackProgram))
	m.Do(code.Put, true, code.RCX, code.At(code.RSP, stackRounds))
	m.Do(code.Put, true, code.R8, code.At(code.RSP, stackCancel))
	m.Do(code.Mov, true, regs, code.In(code.RSI))
	m.Do(code.Mov, true, streams, code.In(code.RDX))
	m.Do(code.Mov, false, code.R14, code.At(code.RDI, native.PollAt))
	m.end = m.Label()
}

func (m *assembly) finish() {
	m.Here(m.end)
	if m.upper {
		m.ClearUpper()
	}
	m.DoNumber(code.PlusNumber, true, code.In(code.RSP), stackBytes)
	for i := range savedRegisters {
		m.Pop(savedRegisters[len(savedRegisters)-1-i])
	}
	m.Return()
	for _, d := range m.data {
		for m.Size()%4 > 0 {
			m.Data([]byte{0xcc})
		}
		m.Here(d.label)
		m.Data(d.bytes)
	}
}

// place makes the code of the instruction at a place.
func (m *assembly) place(i int) {
	if l, ok := m.labels[i]; ok {
		m.leave(m.Text)
		m.Here(l)
	}
	m.enter(m.code, i)
	if i > 0 && i == m.skip {
		return
	}
	in := &m.code[i]
	switch f := codeOf[in.Op]; {
	case f != nil:
		f(m, in)
	default:
		m.step(in)
	}
	m.done(m.Text, in)
}

// step calls the interpreter for an instruction.
func (m *assembly) step(in *Instr) {
	if m.at >= m.loop && m.at <= m.loopEnd {
		m.steps++
	}
	m.inMemory(in)
	m.Address(code.RDI, m.datum(run.Append(nil, in)))
	m.Do(code.Mov, true, code.RSI, code.In(regs))
	m.Do(code.Mov, true, code.RDX, code.In(streams))
	m.call(native.Stepper())
}

// inMemory leaves what the instruction reads in memory, and what is wanted later, and nothing in machine registers.
func (m *assembly) inMemory(in *Instr) {
	in.eachRead(func(r uint16) { m.settle(m.Text, r) })
	m.spill(m.Text)
}

// datum returns the label of bytes that stand behind the code.
func (m *assembly) datum(b []byte) int {
	if i := slices.IndexFunc(m.data, func(d datum) bool { return bytes.Equal(d.bytes, b) }); i >= 0 {
		return m.data[i].label
	}
	m.data = append(m.data, datum{m.Label(), b})
	return m.data[len(m.data)-1].label
}

func (m *assembly) call(f uintptr) {
	if m.upper {
		m.ClearUpper()
	}
	m.Call(f)
}
