package scalar

import (
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/code"
)

// The code of what brings numbers from place to place.

// stream brings the address of a stream into RAX.
func (m *assembly) stream(k uint16) { m.Do(code.Mov, true, code.RAX, code.At(streams, 16*int32(k))) }

func loads(i code.Inst, wide bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.stream(in.A)
		m.load(i, wide, in.D, code.At(code.RAX, in.Imm))
	}
}

// load makes register r of what is at x: floats go where they are wanted.
func (m *assembly) load(i code.Inst, wide bool, r uint16, x code.Operand) {
	if i != code.Mov || m.wants(r) != floats {
		d := m.to(m.Text, general, r)
		m.Do(i, wide, d, x)
		return
	}
	l := code.Fetch32
	if wide {
		l = code.Fetch64
	}
	m.Lane(l, m.to(m.Text, floats, r), 0, x)
}

func stores(i code.Inst, wide bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.stream(in.A)
		m.store(i, wide, in.B, code.At(code.RAX, in.Imm))
	}
}

func (m *assembly) store(i code.Inst, wide bool, r uint16, x code.Operand) {
	if i != code.Put || m.holds(general, r) || !m.holds(floats, r) {
		m.Do(i, wide, m.in(m.Text, general, r), x)
		return
	}
	l := code.Leave32
	if wide {
		l = code.Leave64
	}
	m.Lane(l, m.in(m.Text, floats, r), 0, x)
}

func (m *assembly) holds(b bank, r uint16) bool { _, ok := m.held[b][r]; return ok }

// element is where element r of what is at byte imm of a stream lies.
func (m *assembly) element(stream, r uint16, bytes uint8, imm int32) code.Operand {
	index := m.in(m.Text, general, r)
	m.stream(stream)
	return code.Operand{Register: code.RAX, Memory: true, Index: index, Scale: bytes, Disp: imm}
}

func loadsAt(i code.Inst, wide bool, bytes uint8) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) { m.load(i, wide, in.D, m.element(in.A, in.B, bytes, in.Imm)) }
}

func storesAt(i code.Inst, wide bool, bytes uint8) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) { m.store(i, wide, in.B, m.element(in.A, in.C, bytes, in.Imm)) }
}

// fetch is Fetch: what may be looked at has to be in memory.
func (m *assembly) fetch(in *Instr) {
	for k := range int(in.Imm) + 1 {
		m.save(m.Text, in.A+uint16(k))
	}
	m.Load(code.RCX, 0)
	m.copyTo(general, code.RAX, m.from(m.Text, general, in.B))
	m.DoNumber(code.AgainstNumber, true, code.In(code.RAX), in.Imm)
	m.Choose(code.Above, code.RAX, code.In(code.RCX))
	x := code.Operand{Register: regs, Memory: true, Index: code.RAX, Scale: 8, Disp: 8 * int32(in.A)}
	m.load(code.Mov, true, in.D, x)
}

func (m *assembly) put(in *Instr) {
	m.copyTo(general, code.RAX, m.from(m.Text, general, in.A))
	v := m.in(m.Text, general, in.B)
	for k := range int(in.Imm) + 1 {
		r := in.D + uint16(k)
		m.save(m.Text, r)
		m.gone(r)
	}
	past := m.Label()
	m.DoNumber(code.AgainstNumber, true, code.In(code.RAX), in.Imm)
	m.JumpIf(code.Above, past)
	m.Do(code.Put, true, v, code.Operand{Register: regs, Memory: true, Index: code.RAX, Scale: 8, Disp: 8 * int32(in.D)})
	m.Here(past)
}

// onVectors calls the function of an instruction on vectors.
func (m *assembly) onVectors(in *Instr) {
	m.inMemory(in)
	for k, r := range []uint16{in.D, in.A, in.B, in.C} {
		m.Do(code.Lea, true, []code.Register{code.RDI, code.RSI, code.RDX, code.RCX}[k], memory(r))
	}
	m.Load(code.R8, uint64(uint32(in.Imm)))
	m.call(native.OnVectors(int(in.E)))
}

// function calls one of those of floats.
func (m *assembly) function(in *Instr) {
	x, y := m.from(m.Text, floats, in.A), m.from(m.Text, floats, in.B)
	m.copyTo(floats, 0, x)
	m.copyTo(floats, 1, y)
	m.release(m.Text)
	m.spill(m.Text)
	m.call(native.Function(int(in.Imm)))
	m.copyTo(floats, m.to(m.Text, floats, in.D), code.In(0))
}
