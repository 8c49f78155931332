package scalar

import "github.com/halo-xla/halo/internal/code"

// The code of what is done to integers. Results are made in RAX and become as wide as they are on their way out.

// made writes RAX, cut to so many bits and extended, to register r.
func (m *assembly) made(r uint16, bits int32, signed bool) {
	d := m.to(m.Text, general, r)
	i, wide := code.Mov, bits == 64
	switch {
	case bits == 32 && signed:
		i, wide = code.MovSigned, true
	case bits == 16 && signed:
		i, wide = code.SignedWord, true
	case bits == 8 && signed:
		i, wide = code.SignedByte, true
	case bits == 16:
		i = code.MovWord
	case bits == 8:
		i = code.MovByte
	case bits < 32:
		m.cutOdd(d, bits, signed)
		return
	}
	m.Do(i, wide, d, code.In(code.RAX))
}

// cutOdd is for widths that there are no instructions for.
func (m *assembly) cutOdd(d code.Register, bits int32, signed bool) {
	down := code.ShiftDown
	if signed {
		down = code.ShiftSign
	}
	m.Do(code.Mov, true, d, code.In(code.RAX))
	m.Shift(code.ShiftUp, true, d, uint8(64-bits))
	m.Shift(down, true, d, uint8(64-bits))
}

// left brings register r into RAX.
func (m *assembly) left(r uint16) { m.copyTo(general, code.RAX, m.from(m.Text, general, r)) }

func (m *assembly) right(r uint16) code.Operand { return m.from(m.Text, general, r) }

func wholes(i code.Inst, signed bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.left(in.A)
		m.Do(i, in.Imm > 32, code.RAX, m.right(in.B))
		m.made(in.D, in.Imm, signed)
	}
}

func bitwiseOf(i code.Inst) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.left(in.A)
		m.Do(i, true, code.RAX, m.right(in.B))
		m.made(in.D, 64, true)
	}
}

func onOne(i code.Inst, signed bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.left(in.A)
		m.DoOne(i, true, code.In(code.RAX))
		m.made(in.D, in.Imm, signed)
	}
}

func (m *assembly) notS(in *Instr) {
	m.left(in.A)
	m.DoOne(code.Complement, true, code.In(code.RAX))
	m.made(in.D, 64, true)
}

func extends1(signed bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.left(in.A)
		m.made(in.D, in.Imm, signed)
	}
}

func (m *assembly) absS(in *Instr) {
	m.left(in.A)
	m.Do(code.Mov, true, code.RCX, code.In(code.RAX))
	m.DoOne(code.Negate, true, code.In(code.RAX))
	m.Choose(code.Negative, code.RAX, code.In(code.RCX))
	m.made(in.D, in.Imm, true)
}

// extremes takes the second if the first compares so with it.
func extremes(c code.Condition) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.left(in.A)
		b := m.right(in.B)
		m.Do(code.Against, true, code.RAX, b)
		m.Choose(c, code.RAX, b)
		m.made(in.D, 64, true)
	}
}

func compares(c code.Condition) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.compare(in.A, in.B)
		m.truth(c, in)
	}
}

// truth is whether a condition holds, in a register or for the jump that is behind.
func (m *assembly) truth(c code.Condition, in *Instr) {
	if !m.jumpsBy(in, c) {
		m.Truth(c, m.to(m.Text, general, in.D))
	}
}

func (m *assembly) notZero(in *Instr) {
	m.zero(in.A)
	m.truth(code.NotEqual, in)
}

// keys are integers in the order of floats.
func keys(i code.Inst) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		x := m.in(m.Text, general, in.A)
		m.Do(i, true, code.RAX, code.In(x))
		m.Do(code.Mov, true, code.RCX, code.In(code.RAX))
		m.Shift(code.ShiftSign, true, code.RCX, 63)
		m.Shift(code.ShiftDown, true, code.RCX, 1)
		m.Do(code.Differ, true, code.RAX, code.In(code.RCX))
		m.made(in.D, 64, true)
	}
}

func (m *assembly) ones(in *Instr) {
	m.left(in.A)
	if in.Imm < 64 {
		m.Shift(code.ShiftUp, true, code.RAX, uint8(64-in.Imm))
	}
	m.Do(code.CountOnes, true, code.RAX, code.In(code.RAX))
	m.made(in.D, in.Imm, true)
}

// highs are the upper halves of products of up to 32 bits each.
func highs(signed bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		if in.Imm > 32 {
			m.step(in)
			return
		}
		m.left(in.A)
		m.Do(code.Times, true, code.RAX, m.right(in.B))
		down := code.ShiftDown
		if signed {
			down = code.ShiftSign
		}
		m.Shift(down, true, code.RAX, uint8(in.Imm))
		m.made(in.D, in.Imm, signed)
	}
}

// shifts shift out every bit if the distance is the width or more. What is shifted down is cut to its width, or
// extended, first; what comes out is signed or not.
func shifts(i code.Inst, signFirst, signed bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.left(in.A)
		if i != code.ShiftUp {
			m.cutIn(code.RAX, in.Imm, signFirst)
		}
		if n := m.image[in.B]; m.fixed[in.B] && n < uint64(in.Imm) {
			m.Shift(i, true, code.RAX, uint8(n))
		} else {
			m.copyTo(general, code.RCX, m.right(in.B))
			m.cutIn(code.RCX, in.Imm, false)
			m.shiftBy(i, in.Imm)
		}
		m.made(in.D, in.Imm, signed)
	}
}

// shiftBy shifts RAX by RCX, which shifts out every bit from so many bits on.
func (m *assembly) shiftBy(i code.Inst, bits int32) {
	m.Load(code.RDX, 0)
	if i == code.ShiftSign {
		m.Do(code.Mov, true, code.RDX, code.In(code.RAX))
		m.Shift(code.ShiftSign, true, code.RDX, 63)
	}
	m.DoOne(i, true, code.In(code.RAX))
	m.DoNumber(code.AgainstNumber, true, code.In(code.RCX), bits)
	m.Choose(code.AboveOrEqual, code.RAX, code.In(code.RDX))
}

// cutIn cuts a machine register to so many bits, and extends it.
func (m *assembly) cutIn(r code.Register, bits int32, signed bool) {
	if bits == 64 {
		return
	}
	down := code.ShiftDown
	if signed {
		down = code.ShiftSign
	}
	m.Shift(code.ShiftUp, true, r, uint8(64-bits))
	m.Shift(down, true, r, uint8(64-bits))
}

// divides is a quotient or remainder. Division by 0 gives all ones, the remainder the dividend.
func divides(signed, quotient bool) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		if d := m.image[in.B]; m.fixed[in.B] && in.Imm <= 32 && d > 1 && d < 1<<31 {
			m.divideBy(in, d, signed, quotient)
			return
		}
		b, wide := m.in(m.Text, general, in.B), in.Imm > 32
		m.left(in.A)
		zero, minus, past := m.Label(), m.Label(), m.Label()
		m.Do(code.Mov, true, code.RDX, code.In(code.RAX)) // the remainder of division by 0
		m.Do(code.Test, true, b, code.In(b))
		m.JumpIf(code.Equal, zero)
		m.divide(b, wide, signed, minus)
		m.Jump(past)
		m.Here(minus)
		m.DoOne(code.Negate, true, code.In(code.RAX))
		m.Load(code.RDX, 0)
		m.Jump(past)
		m.Here(zero)
		m.Load(code.RAX, ^uint64(0))
		m.Here(past)
		if !quotient {
			m.Do(code.Mov, true, code.RAX, code.In(code.RDX))
		}
		m.made(in.D, in.Imm, signed)
	}
}

// divide divides RAX by b, with the remainder in RDX, or jumps to minus if b is -1, which the lowest number cannot be
// divided by.
func (m *assembly) divide(b code.Register, wide, signed bool, minus int) {
	if !signed {
		m.Load(code.RDX, 0)
		m.DoOne(code.DividePlain, wide, code.In(b))
		return
	}
	m.DoNumber(code.AgainstNumber, true, code.In(b), -1)
	m.JumpIf(code.Equal, minus)
	m.SignExtend(wide)
	m.DoOne(code.Divide, wide, code.In(b))
}

// divideBy divides by a constant d of up to 31 bits: as f_RemU32By of cgo/loops/scalar does, whose upper half is the
// quotient.
func (m *assembly) divideBy(in *Instr, d uint64, signed, quotient bool) {
	m.left(in.A)
	if signed {
		m.Do(code.Mov, true, code.RCX, code.In(code.RAX))
		m.Shift(code.ShiftSign, true, code.RCX, 63)
		m.signBy(code.RAX)
	}
	m.Load(code.RDX, ^uint64(0)/d+1)
	m.DoOne(code.TimesWide, true, code.In(code.RDX))
	if !quotient {
		m.Load(code.RDX, d)
		m.DoOne(code.TimesWide, true, code.In(code.RDX))
	}
	if signed {
		m.signBy(code.RDX)
	}
	m.Do(code.Mov, true, code.RAX, code.In(code.RDX))
	m.made(in.D, in.Imm, signed)
}

// signBy negates a machine register if RCX is -1, not 0.
func (m *assembly) signBy(r code.Register) {
	m.Do(code.Differ, true, r, code.In(code.RCX))
	m.Do(code.Minus, true, r, code.In(code.RCX))
}
