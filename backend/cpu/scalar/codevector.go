package scalar

import (
	"slices"

	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/code"
)

// The code of instructions on vectors: of few lanes they are as many machine vectors, which stay in the machine's
// registers as numbers do.

// maxParts bounds the machine vectors of an instruction that is written out for each.
const maxParts = 8

// partsIn is how many machine vectors have n lanes.
func partsIn(n int) int { return (n + partLanes - 1) / partLanes }

// onParts makes the code of an instruction for a machine vector: to becomes what it is of x.
type onParts func(m *assembly, to code.Register, x [3]code.Register)

// written is how an instruction on vectors is written out.
type written struct {
	operands int
	make     onParts
}

// vecOf are the instructions on vectors that are written out; the others are calls.
var vecOf = map[Op]written{
	Move: {1, func(m *assembly, to code.Register, x [3]code.Register) {
		m.Lane(code.Same.All(), to, 0, code.In(x[0]))
	}},
	AddF: both(code.Add.All()), SubF: both(code.Sub.All()), MulF: both(code.Mul.All()),
	DivF: both(code.Div.All()), SqrtF: single(code.Root.All()), SToF: single(code.ToFloat.All()),
	FloorF: rounded(code.RoundDown), CeilF: rounded(code.RoundUp), RoundEvenF: rounded(code.RoundEven),
	NegF: signed(code.BitXor.Whole()), AbsF: signed(code.BitAndNot.Whole()),
	MinF: lesser(code.Min.All(), code.BitOr), MaxF: lesser(code.Max.All(), code.BitAnd),
	EqF: compared32(code.EqualTo), NeF: compared32(code.UnequalTo),
	LtF: compared32(code.LessThan), LeF: compared32(code.AtMost),
	And: both(code.BitAnd.Whole()), Or: both(code.BitOr.Whole()), Xor: both(code.BitXor.Whole()),
	AddS: both(code.AddInt.All()), SubS: both(code.SubInt.All()), MulS: both(code.MulInt.All()),
	AddU: both(code.AddInt.All()), SubU: both(code.SubInt.All()), MulU: both(code.MulInt.All()),
	MinS: both(code.MinSigned.All()), MaxS: both(code.MaxSigned.All()),
	MinU: both(code.MinPlain.All()), MaxU: both(code.MaxPlain.All()),
	EqS: {2, func(m *assembly, to code.Register, x [3]code.Register) {
		m.Lane(code.EqualInt.All(), to, x[0], code.In(x[1]))
		m.FirstBits(to, to)
	}},
	LtS: {2, func(m *assembly, to code.Register, x [3]code.Register) {
		m.Lane(code.Greater.All(), to, x[1], code.In(x[0]))
		m.FirstBits(to, to)
	}},
	Select: {3, (*assembly).chooseParts},
}

func both(l code.Lane) written {
	return written{2, func(m *assembly, to code.Register, x [3]code.Register) { m.Lane(l, to, x[0], code.In(x[1])) }}
}

func single(l code.Lane) written {
	return written{1, func(m *assembly, to code.Register, x [3]code.Register) { m.Lane(l, to, 0, code.In(x[0])) }}
}

func rounded(how byte) written {
	return written{1, func(m *assembly, to code.Register, x [3]code.Register) {
		m.LaneNumber(code.Round.All(), to, 0, code.In(x[0]), how)
	}}
}

func signed(l code.Lane) written {
	return written{1, func(m *assembly, to code.Register, x [3]code.Register) {
		m.Load(code.RAX, 1<<31)
		m.Lane(code.FromBits, 1, 0, code.In(code.RAX))
		m.Lane(code.Spread.All(), 1, 0, code.In(1))
		m.Lane(l, to, 1, code.In(x[0]))
	}}
}

func compared32(how byte) written {
	return written{2, func(m *assembly, to code.Register, x [3]code.Register) {
		m.LaneNumber(code.Compare.All(), to, x[0], code.In(x[1]), how)
		m.FirstBits(to, to)
	}}
}

// lesser is least for all lanes.
func lesser(l, zeros code.Lane) written {
	return written{2, func(m *assembly, to code.Register, x [3]code.Register) {
		a, b := x[0], x[1]
		const t, z, mask = 0, 1, 2
		m.Lane(l, t, a, code.In(b))
		m.Lane(zeros.Whole(), z, a, code.In(b))
		m.LaneNumber(code.Compare.All(), mask, a, code.In(b), code.EqualTo)
		m.LaneMask(code.Choose.All(), t, t, code.In(z), mask)
		m.LaneNumber(code.Compare.All(), mask, a, code.In(a), code.Unordered)
		m.LaneMask(code.Choose.All(), to, t, code.In(a), mask)
	}}
}

func (m *assembly) chooseParts(to code.Register, x [3]code.Register) {
	const zero = 0
	m.Lane(code.BitXor.Whole(), zero, zero, code.In(zero))
	m.Lane(code.EqualInt.All(), zero, zero, code.In(x[0]))
	m.LaneMask(code.Choose.All(), to, x[1], code.In(x[2]), zero)
}

// vec is an instruction on vectors: of a few machine vectors it is written out, else it is a call.
func (m *assembly) vec(in *Instr) {
	f, parts := vecOf[Op(in.E)], partsIn(int(in.Imm&(1<<24-1)))
	if f.make == nil || parts > maxParts {
		m.onVectors(in)
		return
	}
	var x [3]code.Register
	operands := []uint16{in.A, in.B, in.C}[:f.operands]
	spread := m.numbers(in, operands, &x)
	for i := range parts {
		m.nextPart(i < parts-1)
		for _, r := range spread {
			m.busy[floats][r] = true
		}
		for k, r := range operands {
			if in.Imm>>(24+k)&1 == 0 {
				x[k] = m.in(m.Text, floats, m.part(r, i))
			}
		}
		f.make(m, m.to(m.Text, floats, m.part(in.D, i)), x)
	}
}

// numbers spreads the operands that are one number for all lanes, and returns the machine registers that have them.
func (m *assembly) numbers(in *Instr, operands []uint16, x *[3]code.Register) (spread []code.Register) {
	for k, r := range operands {
		if in.Imm>>(24+k)&1 == 0 {
			continue
		}
		v := m.take(m.Text, floats)
		m.busy[floats][v] = true
		spread, x[k] = append(spread, v), v
		if m.holds(floats, r) {
			m.Lane(code.Spread.All(), v, 0, code.In(m.held[floats][r]))
			continue
		}
		m.save(m.Text, r)
		m.Lane(code.Spread.All(), v, 0, memory(r))
	}
	return spread
}

// eachPart calls f for each machine vector of n lanes with how many of them are left, and reports whether they are few.
func (m *assembly) eachPart(n int, f func(i, left int)) bool {
	parts := partsIn(n)
	for i := 0; i < parts && parts <= maxParts; i++ {
		m.nextPart(i < parts-1)
		f(i, n-i*partLanes)
	}
	return parts <= maxParts
}

// alone calls the interpreter for an instruction that writes a vector.
func (m *assembly) alone(in *Instr) {
	m.step(in)
	m.drop(in.D)
}

func (m *assembly) vecMove(in *Instr) {
	if !m.eachPart(int(in.Imm), func(i, _ int) {
		x := m.from(m.Text, floats, m.part(in.A, i))
		m.wholeTo(m.to(m.Text, floats, m.part(in.D, i)), x)
	}) {
		m.copyMany(in, memory(in.D), memory(in.A), in.Imm)
	}
}

// copyMany calls for the copy of so many lanes in memory.
func (m *assembly) copyMany(in *Instr, to, from code.Operand, lanes int32) {
	m.inMemory(in)
	m.moveMany(to, from, lanes)
}

// moveMany is copyMany where all is in memory.
func (m *assembly) moveMany(to, from code.Operand, lanes int32) {
	m.Do(code.Lea, true, code.RDI, to) // first: an index may be in RSI
	m.Do(code.Lea, true, code.RSI, from)
	m.Load(code.RDX, uint64(4*lanes))
	m.call(native.Copier())
	m.forget()
}

// wholeTo brings the vector at x into a machine register.
func (m *assembly) wholeTo(d code.Register, x code.Operand) {
	switch {
	case x.Memory:
		m.Lane(code.Fetch.All(), d, 0, x)
	case x.Register != d:
		m.Lane(code.Same.All(), d, 0, x)
	}
}

// drop forgets what machine registers hold of a vector.
func (m *assembly) drop(r uint16) {
	for _, p := range m.partsOf(r) {
		m.gone(p)
	}
}

// mask brings the mask of the first n lanes into the first vector register.
func (m *assembly) mask(n int) {
	b := slices.Concat(slices.Repeat([]byte{0xff}, 4*n), make([]byte, 4*(partLanes-n)))
	m.Lane(code.Fetch.All(), 0, 0, code.DataAt(m.datum(b)))
}

// vecLoadAt is VecLoadAt of lanes as memory has them.
func (m *assembly) vecLoadAt(in *Instr) {
	switch {
	case in.E != 0:
		m.alone(in)
		return
	case partsIn(int(in.C)) > maxParts:
		m.inMemory(in)
		m.moveMany(memory(in.D), m.element(in.A, in.B, 4, in.Imm), int32(in.C))
		return
	}
	x := m.element(in.A, in.B, 4, in.Imm)
	m.eachPart(int(in.C), func(i, left int) {
		x.Index = m.in(m.Text, general, in.B)
		m.loadPart(m.to(m.Text, floats, m.part(in.D, i)), x, left)
		x.Disp += code.Vector
	})
}

// loadPart loads a machine vector of at most n lanes.
func (m *assembly) loadPart(d code.Register, x code.Operand, n int) {
	if n >= partLanes {
		m.Lane(code.Fetch.All(), d, 0, x)
		return
	}
	m.mask(n)
	m.Lane(code.FetchMasked, d, 0, x)
}

func (m *assembly) vecStoreAt(in *Instr) {
	switch {
	case in.D != 0:
		m.step(in)
		return
	case partsIn(int(in.E)) > maxParts:
		m.inMemory(in)
		m.moveMany(m.element(in.A, in.C, 4, in.Imm), memory(in.B), int32(in.E))
		return
	}
	x := m.element(in.A, in.C, 4, in.Imm)
	m.eachPart(int(in.E), func(i, left int) {
		x.Index = m.in(m.Text, general, in.C)
		v := m.in(m.Text, floats, m.part(in.B, i))
		if left < partLanes {
			m.mask(left)
			m.Lane(code.LeaveMasked, v, 0, x)
		} else {
			m.Lane(code.Leave.All(), v, 0, x)
		}
		m.release(m.Text)
		x.Disp += code.Vector
	})
}

// lane is where a lane lies of a vector that is in memory, at most last: the first if register r says more. RAX is its
// index.
func (m *assembly) lane(v, r uint16, last int) code.Operand {
	if at := m.image[r]; m.fixed[r] {
		if at > uint64(last) {
			at = 0
		}
		return code.At(regs, 8*int32(v)+4*int32(at))
	}
	m.copyTo(general, code.RAX, m.from(m.Text, general, r))
	m.Load(code.RCX, 0)
	m.DoNumber(code.AgainstNumber, true, code.In(code.RAX), int32(last))
	m.Choose(code.Above, code.RAX, code.In(code.RCX))
	return code.Operand{Register: regs, Memory: true, Index: code.RAX, Scale: 4, Disp: 8 * int32(v)}
}

func (m *assembly) vecFetch(in *Instr) {
	m.settle(m.Text, in.A)
	x := m.lane(in.A, in.B, int(in.Imm))
	if in.E != 0 {
		m.load(code.MovSigned, true, in.D, x)
		return
	}
	m.load(code.Mov, false, in.D, x)
}

func (m *assembly) vecPut(in *Instr) {
	m.settle(m.Text, in.D)
	m.store(code.Put, false, in.B, m.lane(in.D, in.A, int(in.Imm)))
	m.drop(in.D)
}

func (m *assembly) vecCopy(in *Instr) {
	m.settle(m.Text, in.A)
	m.settle(m.Text, in.D)
	to, from := code.At(regs, 8*int32(in.D)+4*int32(in.C)), code.At(regs, 8*int32(in.A)+4*int32(in.E))
	if n := int(in.Imm); partsIn(n) > maxParts || in.A == in.D {
		m.copyMany(in, to, from, in.Imm)
	} else {
		m.copyLanes(to, from, n)
	}
	m.drop(in.D)
}

// copies are how so many lanes or more are copied.
var copies = []struct {
	lanes        int
	fetch, leave code.Lane
}{
	{partLanes, code.Fetch.All(), code.Leave.All()}, {4, code.FetchFour, code.LeaveFour}, {2, code.Fetch64, code.Leave64},
	{1, code.Fetch32, code.Leave32},
}

// copyLanes copies n lanes in memory from one place to another that is apart from it.
func (m *assembly) copyLanes(to, from code.Operand, n int) {
	for _, c := range copies {
		for ; n >= c.lanes; n -= c.lanes {
			m.Lane(c.fetch, 0, 0, from)
			m.Lane(c.leave, 0, 0, to)
			to.Disp += int32(4 * c.lanes)
			from.Disp += int32(4 * c.lanes)
		}
	}
}

func (m *assembly) vecWindow(in *Instr) {
	m.settle(m.Text, in.A)
	if partsIn(int(in.Imm)) > maxParts {
		m.inMemory(in)
		m.moveMany(memory(in.D), m.lane(in.A, in.B, int(in.E)), in.Imm)
		return
	}
	x := m.lane(in.A, in.B, int(in.E))
	m.eachPart(int(in.Imm), func(i, left int) {
		m.loadPart(m.to(m.Text, floats, m.part(in.D, i)), x, left)
		x.Disp += code.Vector
	})
}

func (m *assembly) vecPutWindow(in *Instr) {
	m.settle(m.Text, in.B)
	m.settle(m.Text, in.D)
	if n := int(in.Imm); partsIn(n) > maxParts || in.B == in.D {
		m.inMemory(in)
		m.moveMany(m.lane(in.D, in.A, int(in.E)), memory(in.B), in.Imm)
	} else {
		m.copyLanes(m.lane(in.D, in.A, int(in.E)), code.At(regs, 8*int32(in.B)), n)
	}
	m.drop(in.D)
}

// vecFold is a call.
func (m *assembly) vecFold(in *Instr) {
	m.inMemory(in)
	m.Do(code.Lea, true, code.RDI, memory(in.A))
	m.Load(code.RSI, uint64(in.Imm))
	m.call(native.Fold(int(in.E)))
	m.made(in.D, 32, in.C != 0)
}

// vecDot adds products of one number each and a row, to two sums in turn.
func (m *assembly) vecDot(in *Instr) {
	if partsIn(int(in.Imm)) > maxParts {
		m.alone(in)
		return
	}
	m.settle(m.Text, in.A)
	m.settle(m.Text, in.B)
	m.eachPart(int(in.Imm), func(i, _ int) {
		const number = 0
		sums := [2]code.Register{1, 2}
		for _, sum := range sums {
			m.Lane(code.BitXor.Whole(), sum, sum, code.In(sum))
		}
		for k := range int(in.E) {
			m.Lane(code.Spread.All(), number, 0, code.At(regs, 8*int32(in.A)+4*int32(int(in.C)+k)))
			row := code.At(regs, 8*int32(in.B)+4*int32(k*int(in.Imm)+i*partLanes))
			m.Lane(code.MulAdd.All(), sums[k%2], number, row)
		}
		m.Lane(code.Add.All(), m.to(m.Text, floats, m.part(in.D, i)), sums[0], code.In(sums[1]))
	})
}
