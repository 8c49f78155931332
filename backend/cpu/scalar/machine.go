package scalar

import (
	"context"
	"math"
	"slices"
)

// Stream is where a run reads a parameter or writes a result: the elements of round k begin at At + k*Stride bytes. A
// Stride of 0 on a parameter and a result at the same place makes an accumulator.
type Stream struct {
	Data       []byte
	At, Stride int64
}

// Machine runs a program. It is for one goroutine at a time.
type Machine struct {
	p       *Program
	regs    []uint64
	streams []Stream
	ctx     context.Context
	round   int
	at      Instr // the load or store at an element under way
}

// Machine returns a new machine for p. Loops in p end early when ctx is done.
func (p *Program) Machine(ctx context.Context) *Machine {
	return &Machine{p: p, regs: slices.Clone(p.image), ctx: ctx}
}

// pollEvery is how many rounds of loops pass between two looks at the context.
const pollEvery = 1 << 12

// Apply runs the program n times. Streams are those of the parameters and then those of the results; their At moves on
// by n strides. It returns the context's error when that is done before a loop's end. It panics if a stream's data are
// too short.
func (m *Machine) Apply(n int64, streams []Stream) error {
	m.streams = streams
	for ; n > 0; n-- {
		if err := m.once(); err != nil {
			return err
		}
		for i := range streams {
			streams[i].At += streams[i].Stride
		}
	}
	return nil
}

// once runs the code from its beginning to Next.
func (m *Machine) once() error {
	code := m.p.code
	for pc := 0; ; {
		in := &code[pc]
		if run := operations[in.Op].run; run != nil {
			run(m, in)
			pc++
			continue
		}
		if in.Op == Next {
			return nil
		}
		pc++
		if !m.taken(in) {
			continue
		}
		if pc = int(in.Imm); in.Op >= Again && m.round%pollEvery == 0 {
			if err := m.ctx.Err(); err != nil {
				return err
			}
		}
	}
}

// taken reports whether the jump in is made.
func (m *Machine) taken(in *Instr) bool {
	switch in.Op {
	case Jump:
		return true
	case JumpIf:
		return m.a(in) != 0
	case JumpIfNo:
		return m.a(in) == 0
	}
	m.round++
	switch in.Op {
	case AgainLtS:
		return int64(m.a(in)) < int64(m.b(in))
	case AgainNeS:
		return m.a(in) != m.b(in)
	}
	return m.a(in) != 0
}

// Less runs a comparator of pairs once: parameters 2k and 2k+1 are elements i and j of column k, and the result is one
// predicate.
func (m *Machine) Less(columns [][]byte, i, j int64) bool {
	n := len(m.p.Params)
	if len(m.streams) != n+1 {
		m.streams = make([]Stream, n+1)
		m.streams[n].Data = make([]byte, 1)
	}
	for k := range n {
		at := i
		if k%2 == 1 {
			at = j
		}
		m.streams[k].Data, m.streams[k].At = columns[k/2], at*m.p.Params[k].Bytes()
	}
	if m.once() != nil {
		return false
	}
	return m.streams[n].Data[0] != 0
}

func (m *Machine) a(in *Instr) uint64        { return m.regs[in.A] }
func (m *Machine) b(in *Instr) uint64        { return m.regs[in.B] }
func (m *Machine) as(in *Instr) int64        { return int64(m.regs[in.A]) }
func (m *Machine) bs(in *Instr) int64        { return int64(m.regs[in.B]) }
func (m *Machine) af(in *Instr) float32      { return math.Float32frombits(uint32(m.regs[in.A])) }
func (m *Machine) bf(in *Instr) float32      { return math.Float32frombits(uint32(m.regs[in.B])) }
func (m *Machine) ad(in *Instr) float64      { return math.Float64frombits(m.regs[in.A]) }
func (m *Machine) bd(in *Instr) float64      { return math.Float64frombits(m.regs[in.B]) }
func (m *Machine) set(in *Instr, v uint64)   { m.regs[in.D] = v }
func (m *Machine) setF(in *Instr, v float32) { m.regs[in.D] = uint64(math.Float32bits(v)) }
func (m *Machine) setD(in *Instr, v float64) { m.regs[in.D] = math.Float64bits(v) }

func (m *Machine) setBool(in *Instr, v bool) {
	m.regs[in.D] = 0
	if v {
		m.regs[in.D] = 1
	}
}

// setS and setU write an integer of the width Imm.
func (m *Machine) setS(in *Instr, v int64) {
	up := 64 - uint(in.Imm)
	m.regs[in.D] = uint64(v << up >> up)
}

func (m *Machine) setU(in *Instr, v uint64) {
	up := 64 - uint(in.Imm)
	m.regs[in.D] = v << up >> up
}
