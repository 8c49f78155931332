package scalar

import "github.com/halo-xla/halo/internal/code"

// The code of what is done to floats.

func lanes2(l code.Lane) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, floats, in.A)
		b := m.from(m.Text, floats, in.B)
		m.Lane(l, m.to(m.Text, floats, in.D), a, b)
	}
}

func lanes1(l code.Lane) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, floats, in.A)
		m.Lane(l, m.to(m.Text, floats, in.D), a, code.In(a))
	}
}

func roundings(l code.Lane, how byte) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, floats, in.A)
		m.LaneNumber(l, m.to(m.Text, floats, in.D), a, code.In(a), how)
	}
}

// signs changes the bit of the sign.
func signs(l code.Lane, sign uint64) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, floats, in.A)
		m.Load(code.RAX, sign)
		m.Lane(code.FromBits, 0, 0, code.In(code.RAX))
		m.Lane(l, m.to(m.Text, floats, in.D), 0, code.In(a))
	}
}

// least is the lesser or greater: of equal ones, that may be zeros, the bits say which; NaN if one is.
func least(l, compare, zeros code.Lane) func(m *assembly, in *Instr) {
	pick := code.Pick
	if compare == code.Compare64 {
		pick = code.Pick64
	}
	return func(m *assembly, in *Instr) {
		a, b := m.in(m.Text, floats, in.A), m.in(m.Text, floats, in.B)
		m.Lane(l, 0, a, code.In(b))
		m.Lane(zeros, 1, a, code.In(b))
		m.LaneNumber(compare, 2, a, code.In(b), code.EqualTo)
		m.LaneMask(pick, 0, 0, code.In(1), 2)
		m.LaneNumber(compare, 2, a, code.In(a), code.Unordered)
		m.LaneMask(pick, m.to(m.Text, floats, in.D), 0, code.In(a), 2)
	}
}

// orders compares the second operand with the first: what cannot be compared is below.
func orders(l code.Lane, c code.Condition) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		b := m.in(m.Text, floats, in.B)
		m.Lane(l, b, 0, m.from(m.Text, floats, in.A))
		m.truth(c, in)
	}
}

// tests are comparisons that make a mask.
func tests(l code.Lane, how byte) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, floats, in.A)
		m.LaneNumber(l, 0, a, m.from(m.Text, floats, in.B), how)
		m.masked(in)
	}
}

// masked makes a truth of the mask in the first vector register.
func (m *assembly) masked(in *Instr) {
	m.Lane(code.ToBits, 0, 0, code.In(code.RAX))
	m.DoNumber(code.BothNumber, false, code.In(code.RAX), 1)
	m.truth(code.NotEqual, in)
}

func nonzero(l code.Lane) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, floats, in.A)
		m.Lane(code.BitXor, 1, 1, code.In(1))
		m.LaneNumber(l, 0, a, code.In(1), code.UnequalTo)
		m.masked(in)
	}
}

// finite says whether the difference of a number from itself is 0.
func finite(sub, compare code.Lane) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, floats, in.A)
		m.Lane(sub, 0, a, code.In(a))
		m.Lane(code.BitXor, 1, 1, code.In(1))
		m.LaneNumber(compare, 0, 0, code.In(1), code.EqualTo)
		m.masked(in)
	}
}

func fromSigned(l code.Lane) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		a := m.in(m.Text, general, in.A)
		m.Lane(code.BitXor, 0, 0, code.In(0)) // or it waits for what the register held
		m.Lane(l, m.to(m.Text, floats, in.D), 0, code.In(a))
	}
}

// choose is Select: floats are chosen by a mask, all else by a condition.
func (m *assembly) choose(in *Instr) {
	if m.wants(in.D) == floats {
		m.chooseFloat(in)
		return
	}
	a := m.in(m.Text, general, in.A)
	m.copyTo(general, code.RAX, m.right(in.C))
	b := m.right(in.B)
	m.Do(code.Test, true, a, code.In(a))
	m.Choose(code.NotEqual, code.RAX, b)
	m.made(in.D, 64, true)
}

func (m *assembly) chooseFloat(in *Instr) {
	a := m.in(m.Text, general, in.A)
	c, b := m.in(m.Text, floats, in.C), m.in(m.Text, floats, in.B) // memory would be read by 16 bytes
	m.Load(code.RAX, 0)
	m.Do(code.Against, true, code.RAX, code.In(a)) // below, if that is not 0
	m.Do(code.Borrow, true, code.RAX, code.In(code.RAX))
	m.Lane(code.FromBits, 0, 0, code.In(code.RAX))
	m.LaneMask(code.Pick64, m.to(m.Text, floats, in.D), c, code.In(b), 0)
}

// mulC64 is a product of complex numbers, its second products rounded once.
func (m *assembly) mulC64(in *Instr) {
	a, b := m.in(m.Text, floats, in.A), m.in(m.Text, floats, in.A+1)
	c, d := m.in(m.Text, floats, in.B), m.in(m.Text, floats, in.B+1)
	m.Lane(code.Mul32, 0, b, code.In(d))
	m.Lane(code.MulSub32, 0, a, code.In(c)) // 0 = a*c - 0
	m.Lane(code.Mul32, 1, a, code.In(d))
	m.Lane(code.MulAdd32, 1, b, code.In(c))
	m.copyTo(floats, m.to(m.Text, floats, in.D), code.In(0))
	m.copyTo(floats, m.to(m.Text, floats, in.D+1), code.In(1))
}
