package scalar

import (
	"encoding/binary"

	"github.com/halo-xla/halo/xla/shape"
)

// What loads and stores do, and those of arrays in registers.

// from returns the bytes that a load reads, to those that a store writes.
func (m *Machine) from(in *Instr) []byte {
	s := &m.streams[in.A]
	return s.Data[s.At+int64(in.Imm):]
}

func (m *Machine) to(in *Instr) []byte { return m.from(in) }

var little = binary.LittleEndian

// numbers are the loads and stores of what a register holds as memory does, extended: their bytes, and how bytes
// become a register.
var numbers = [...]struct {
	bytes int
	get   func(b []byte) uint64
	put   func(b []byte, v uint64)
}{
	Load8U:  {bytes: 1, get: func(b []byte) uint64 { return uint64(b[0]) }},
	Load8S:  {bytes: 1, get: func(b []byte) uint64 { return uint64(int8(b[0])) }},
	Load16U: {bytes: 2, get: func(b []byte) uint64 { return uint64(little.Uint16(b)) }},
	Load16S: {bytes: 2, get: func(b []byte) uint64 { return uint64(int16(little.Uint16(b))) }},
	Load32U: {bytes: 4, get: func(b []byte) uint64 { return uint64(little.Uint32(b)) }},
	Load32S: {bytes: 4, get: func(b []byte) uint64 { return uint64(int32(little.Uint32(b))) }},
	Load64:  {bytes: 8, get: little.Uint64},
	Store8:  {bytes: 1, put: func(b []byte, v uint64) { b[0] = byte(v) }},
	Store16: {bytes: 2, put: func(b []byte, v uint64) { little.PutUint16(b, uint16(v)) }},
	Store32: {bytes: 4, put: func(b []byte, v uint64) { little.PutUint32(b, uint32(v)) }},
	Store64: {bytes: 8, put: little.PutUint64},
}

func load(m *Machine, in *Instr)  { m.set(in, numbers[in.Op].get(m.from(in))) }
func store(m *Machine, in *Instr) { numbers[in.Op].put(m.to(in), m.b(in)) }

func loadMany(m *Machine, in *Instr) {
	from, p := m.from(in), numbers[in.B]
	for k := range int(in.C) {
		m.regs[int(in.D)+k] = p.get(from[k*p.bytes:])
	}
}

func storeMany(m *Machine, in *Instr) {
	to, p := m.to(in), numbers[in.D]
	for k := range int(in.C) {
		p.put(to[k*p.bytes:], m.regs[int(in.B)+k])
	}
}

// fetch and put look at an array in registers.
func fetch(m *Machine, in *Instr) {
	at := m.b(in)
	if at > uint64(in.Imm) {
		at = 0
	}
	m.set(in, m.regs[uint64(in.A)+at])
}

func put(m *Machine, in *Instr) {
	if at := m.a(in); at <= uint64(in.Imm) {
		m.regs[uint64(in.D)+at] = m.b(in)
	}
}

func loadBF16(m *Machine, in *Instr) {
	m.setD(in, float64(shape.BF16ToFloat32(little.Uint16(m.from(in)))))
}

func loadF16(m *Machine, in *Instr) {
	m.setD(in, float64(shape.F16ToFloat32(little.Uint16(m.from(in)))))
}

func loadSmall(m *Machine, in *Instr) {
	m.setD(in, shape.ElementType(in.B).ToFloat64(uint64(m.from(in)[0])))
}

func storeBF16(m *Machine, in *Instr) {
	little.PutUint16(m.to(in), uint16(shape.BF16.FromFloat64(m.bd(in))))
}

func storeF16(m *Machine, in *Instr) {
	little.PutUint16(m.to(in), uint16(shape.F16.FromFloat64(m.bd(in))))
}

func storeSmall(m *Machine, in *Instr) {
	m.to(in)[0] = byte(shape.ElementType(in.D).FromFloat64(m.bd(in)))
}

func copyArray(m *Machine, in *Instr) {
	to, from := &m.streams[in.D], &m.streams[in.A]
	copy(to.Data[to.At:][:in.Imm], from.Data[from.At:])
}

// loadAt and storeAt look at an array in memory, whose elements take so many bytes: they are a load and a store from
// where an element lies.
func loadAt(bytes int32, load func(m *Machine, in *Instr)) func(m *Machine, in *Instr) {
	return func(m *Machine, in *Instr) {
		op := in.Op - Load8UAt + Load8U
		m.at = Instr{Op: op, D: in.D, A: in.A, B: in.C, Imm: in.Imm + int32(m.b(in))*bytes}
		load(m, &m.at)
	}
}

func storeAt(bytes int32, store func(m *Machine, in *Instr)) func(m *Machine, in *Instr) {
	return func(m *Machine, in *Instr) {
		op := in.Op - Store8At + Store8
		m.at = Instr{Op: op, D: in.D, A: in.A, B: in.B, Imm: in.Imm + int32(m.regs[in.C])*bytes}
		store(m, &m.at)
	}
}
