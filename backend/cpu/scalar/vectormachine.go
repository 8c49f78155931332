package scalar

import (
	"encoding/binary"
	"math"
)

// The instructions on vectors in Go. Two do what others do, so that the table of all cannot name them.
func init() { operations[Vec].run, operations[VecFold].run = vec, vecFold }

// lane returns lane i of the vector at register r, extended if signed.
func (m *Machine) lane(r uint16, i int, signed bool) uint64 {
	v := uint32(m.regs[int(r)+i/2] >> (32 * (i % 2)))
	if signed {
		return uint64(int32(v))
	}
	return uint64(v)
}

func (m *Machine) setLane(r uint16, i int, v uint64) {
	to, shift := &m.regs[int(r)+i/2], 32*(i%2)
	*to = *to&^(math.MaxUint32<<shift) | v&math.MaxUint32<<shift
}

// extends says which instructions take lanes as integers without a sign; they are zero above.
var extends = map[Op]bool{LtU: true, LeU: true, MinU: true, MaxU: true, DivU: true, RemU: true, UToF: true,
	ShiftLogicalU: true, ShiftRightU: true, DToS: true, DToU: true}

// vec does to each lane what the instruction on registers does, in registers of a machine of its own.
func vec(m *Machine, in *Instr) {
	one := &Machine{regs: make([]uint64, 4), p: m.p, ctx: m.ctx}
	each := Instr{Op: Op(in.E), D: 3, A: 0, B: 1, C: 2, Imm: 32}
	if each.Op >= numOps {
		each.Op, each.Imm = Call, int32(each.Op-numOps)
	}
	for i := range int(in.Imm & 0xffffff) {
		for k, r := range [3]uint16{in.A, in.B, in.C} {
			at := i
			if in.Imm>>(24+k)&1 != 0 {
				at = 0
			}
			one.regs[k] = m.lane(r, at, !extends[each.Op])
			if each.Op == Call || each.Op == DToS || each.Op == DToU {
				one.regs[k] = math.Float64bits(float64(math.Float32frombits(uint32(one.regs[k]))))
			}
		}
		operations[each.Op].run(one, &each)
		if each.Op == Call {
			one.setF(&each, float32(math.Float64frombits(one.regs[3])))
		}
		m.setLane(in.D, i, one.regs[3])
	}
}

func vecFold(m *Machine, in *Instr) {
	one := &Machine{regs: []uint64{0, 0, m.lane(in.A, 0, in.C != 0)}, p: m.p, ctx: m.ctx}
	each := Instr{Op: Op(in.E), D: 2, A: 2, B: 1, Imm: 32}
	for i := 1; i < int(in.Imm); i++ {
		one.regs[1] = m.lane(in.A, i, in.C != 0)
		operations[each.Op].run(one, &each)
	}
	m.set(in, one.regs[2])
}

// copyLanes copies n lanes from one place to another, which may overlap.
func (m *Machine) copyLanes(d uint16, to int, a uint16, from, n int) {
	lanes := make([]uint64, n)
	for i := range lanes {
		lanes[i] = m.lane(a, from+i, false)
	}
	for i, v := range lanes {
		m.setLane(d, to+i, v)
	}
}

// within is a register's number if it is at most last, else 0.
func (m *Machine) within(r uint16, last int) int {
	if at := m.regs[r]; at <= uint64(last) {
		return int(at)
	}
	return 0
}

// loadLanes and storeLanes move n lanes from and to memory, where they are bytes or as they are.
func (m *Machine) loadLanes(d uint16, from []byte, n int, bytes bool) {
	for i := range n {
		if bytes {
			m.setLane(d, i, uint64(from[i]))
		} else {
			m.setLane(d, i, uint64(binary.LittleEndian.Uint32(from[4*i:])))
		}
	}
}

func (m *Machine) storeLanes(to []byte, b uint16, n int, bytes bool) {
	for i := range n {
		if v := m.lane(b, i, false); bytes {
			to[i] = byte(v)
		} else {
			binary.LittleEndian.PutUint32(to[4*i:], uint32(v))
		}
	}
}

// element returns the bytes from element number at on, which take 1 byte or 4.
func (m *Machine) element(in *Instr, at uint16, bytes bool) []byte {
	n := int64(4)
	if bytes {
		n = 1
	}
	s := &m.streams[in.A]
	return s.Data[s.At+int64(in.Imm)+int64(m.regs[at])*n:]
}

func vecLoad(m *Machine, in *Instr) {
	s := &m.streams[in.A]
	m.loadLanes(in.D, s.Data[s.At:], int(in.Imm), in.B != 0)
}

func vecStore(m *Machine, in *Instr) {
	s := &m.streams[in.A]
	m.storeLanes(s.Data[s.At:], in.B, int(in.Imm), in.D != 0)
}

func vecLoadAt(m *Machine, in *Instr) {
	m.loadLanes(in.D, m.element(in, in.B, in.E != 0), int(in.C), in.E != 0)
}

func vecStoreAt(m *Machine, in *Instr) {
	m.storeLanes(m.element(in, in.C, in.D != 0), in.B, int(in.E), in.D != 0)
}

func vecFetch(m *Machine, in *Instr) { m.set(in, m.lane(in.A, m.within(in.B, int(in.Imm)), in.E != 0)) }
func vecPut(m *Machine, in *Instr)   { m.setLane(in.D, m.within(in.A, int(in.Imm)), m.b(in)) }
func vecMove(m *Machine, in *Instr)  { m.copyLanes(in.D, 0, in.A, 0, int(in.Imm)) }
func vecCopy(m *Machine, in *Instr)  { m.copyLanes(in.D, int(in.C), in.A, int(in.E), int(in.Imm)) }

func vecWindow(m *Machine, in *Instr) {
	m.copyLanes(in.D, 0, in.A, m.within(in.B, int(in.E)), int(in.Imm))
}

func vecPutWindow(m *Machine, in *Instr) {
	m.copyLanes(in.D, m.within(in.A, int(in.E)), in.B, 0, int(in.Imm))
}

func vecDot(m *Machine, in *Instr) {
	for j := range int(in.Imm) {
		sum := float32(0)
		for k := range int(in.E) {
			x, y := m.lane(in.A, int(in.C)+k, false), m.lane(in.B, k*int(in.Imm)+j, false)
			sum += math.Float32frombits(uint32(x)) * math.Float32frombits(uint32(y))
		}
		m.setLane(in.D, j, uint64(math.Float32bits(sum)))
	}
}

func vecTranspose(m *Machine, in *Instr) {
	rows, columns := int(in.C), int(in.E)
	for i := range rows {
		for j := range columns {
			m.setLane(in.D, j*rows+i, m.lane(in.A, i*columns+j, false))
		}
	}
}
