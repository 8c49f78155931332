package scalar

import (
	native "github.com/halo-xla/halo/cgo/loops/scalar"
	"github.com/halo-xla/halo/internal/code"
)

// codeOf makes the code of the instructions that have some; the interpreter is called for the others.
var codeOf [numOps]func(m *assembly, in *Instr)

func init() {
	codeOf = [numOps]func(m *assembly, in *Instr){
		Next: (*assembly).nextRound, Jump: (*assembly).jump, JumpIf: goes(code.NotEqual), JumpIfNo: goes(code.Equal),
		Again: (*assembly).again, AgainLtS: againIf(code.Less), AgainNeS: againIf(code.NotEqual),

		Load8U: loads(code.MovByte, false), Load8S: loads(code.SignedByte, true), Load16U: loads(code.MovWord, false),
		Load16S: loads(code.SignedWord, true), Load32U: loads(code.Mov, false), Load32S: loads(code.MovSigned, true),
		Load64: loads(code.Mov, true),
		Store8: stores(code.PutByte, false), Store16: stores(code.PutWord, false), Store32: stores(code.Put, false),
		Store64:  stores(code.Put, true),
		Load8UAt: loadsAt(code.MovByte, false, 1), Load8SAt: loadsAt(code.SignedByte, true, 1),
		Load16UAt: loadsAt(code.MovWord, false, 2), Load16SAt: loadsAt(code.SignedWord, true, 2),
		Load32UAt: loadsAt(code.Mov, false, 4), Load32SAt: loadsAt(code.MovSigned, true, 4),
		Load64At:  loadsAt(code.Mov, true, 8),
		Store8At:  storesAt(code.PutByte, false, 1),
		Store16At: storesAt(code.PutWord, false, 2), Store32At: storesAt(code.Put, false, 4),
		Store64At: storesAt(code.Put, true, 8),

		Move: (*assembly).moveOne, Fetch: (*assembly).fetch, Put: (*assembly).put,
		Select: (*assembly).choose, Call: (*assembly).function, Vec: (*assembly).vec, MulC64: (*assembly).mulC64,

		Extend: extends1(true), Cut: extends1(false), NotZero: (*assembly).notZero,
		EqS: compares(code.Equal), NeS: compares(code.NotEqual), LtS: compares(code.Less), LeS: compares(code.LessOrEqual),
		LtU: compares(code.Below), LeU: compares(code.BelowOrEqual),
		KeyF: keys(code.MovSigned), KeyD: keys(code.Mov),
		And: bitwiseOf(code.Both), Or: bitwiseOf(code.Either), Xor: bitwiseOf(code.Differ),
		NotS: (*assembly).notS, NotU: onOne(code.Complement, false),
		AddS: wholes(code.Plus, true), AddU: wholes(code.Plus, false), SubS: wholes(code.Minus, true),
		SubU: wholes(code.Minus, false), MulS: wholes(code.Times, true), MulU: wholes(code.Times, false),
		NegS: onOne(code.Negate, true), NegU: onOne(code.Negate, false), AbsS: (*assembly).absS,
		MinS: extremes(code.GreaterThan), MaxS: extremes(code.Less), MinU: extremes(code.Above), MaxU: extremes(code.Below),
		DivS: divides(true, true), DivU: divides(false, true), RemS: divides(true, false), RemU: divides(false, false),
		MulhiS: highs(true), MulhiU: highs(false), PopCount: (*assembly).ones,
		ShiftLeftS: shifts(code.ShiftUp, true, true), ShiftLeftU: shifts(code.ShiftUp, false, false),
		ShiftRightS: shifts(code.ShiftSign, true, true), ShiftRightU: shifts(code.ShiftSign, true, false),
		ShiftLogicalS: shifts(code.ShiftDown, false, true), ShiftLogicalU: shifts(code.ShiftDown, false, false),

		NotZeroF: nonzero(code.Compare32), NotZeroD: nonzero(code.Compare64),
		EqF: tests(code.Compare32, code.EqualTo), NeF: tests(code.Compare32, code.UnequalTo),
		EqD: tests(code.Compare64, code.EqualTo), NeD: tests(code.Compare64, code.UnequalTo),
		LtF: orders(code.Order32, code.Above), LeF: orders(code.Order32, code.AboveOrEqual),
		LtD: orders(code.Order64, code.Above), LeD: orders(code.Order64, code.AboveOrEqual),
		AddF: lanes2(code.Add32), SubF: lanes2(code.Sub32), MulF: lanes2(code.Mul32), DivF: lanes2(code.Div32),
		AddD: lanes2(code.Add64), SubD: lanes2(code.Sub64), MulD: lanes2(code.Mul64), DivD: lanes2(code.Div64),
		SqrtF: lanes1(code.Root32), SqrtD: lanes1(code.Root64), FToD: lanes1(code.Widen), DToF: lanes1(code.Narrow),
		FloorF: roundings(code.Round32, code.RoundDown), FloorD: roundings(code.Round64, code.RoundDown),
		CeilF: roundings(code.Round32, code.RoundUp), CeilD: roundings(code.Round64, code.RoundUp),
		RoundEvenF: roundings(code.Round32, code.RoundEven), RoundEvenD: roundings(code.Round64, code.RoundEven),
		NegF: signs(code.BitXor, 1<<31), NegD: signs(code.BitXor, 1<<63),
		AbsF: signs(code.BitAndNot, 1<<31), AbsD: signs(code.BitAndNot, 1<<63),
		MinF: least(code.Least32, code.Compare32, code.BitOr), MaxF: least(code.Most32, code.Compare32, code.BitAnd),
		MinD: least(code.Least64, code.Compare64, code.BitOr), MaxD: least(code.Most64, code.Compare64, code.BitAnd),
		FiniteF: finite(code.Sub32, code.Compare32), FiniteD: finite(code.Sub64, code.Compare64),
		SToF: fromSigned(code.Signed32), SToD: fromSigned(code.Signed64),
		VecMove: (*assembly).vecMove, VecLoadAt: (*assembly).vecLoadAt, VecStoreAt: (*assembly).vecStoreAt,
		VecFetch: (*assembly).vecFetch, VecPut: (*assembly).vecPut, VecCopy: (*assembly).vecCopy,
		VecWindow: (*assembly).vecWindow, VecPutWindow: (*assembly).vecPutWindow, VecFold: (*assembly).vecFold,
		VecDot: (*assembly).vecDot,
	}
}

// wants returns which bank register r, which is about to be made, is read from next.
func (m *assembly) wants(r uint16) bank {
	for n := m.after(r, m.at); n >= 0; n = m.after(r, n) {
		in := &m.code[n]
		if b := reads(in, r); b != either {
			return b
		}
		if in.Op == Move || in.Op == Select {
			r = in.D
		}
	}
	return general
}

// reads returns which bank an instruction reads register r from, either if it does not matter.
func reads(in *Instr, r uint16) bank {
	switch op := in.Op; {
	case op == Select && in.A == r:
		return general
	case op == Move, op == Select, (op == Store32 || op == Store64) && in.B == r,
		(op == Store32At || op == Store64At || op == Put) && in.B == r && in.A != r && in.C != r:
		return either
	case op >= AddF && op <= DToU, op == NotZeroF, op == NotZeroD, op >= EqF && op <= LeD, op == Call, op == MulC64:
		return floats
	}
	return general
}

// nextRound is Next.
func (m *assembly) nextRound(in *Instr) {
	m.leave(m.Text)
	m.Load(code.RAX, 0)
	again, poll := m.Label(), m.Label()
	m.DoNumber(code.MinusNumber, true, code.At(code.RSP, stackRounds), 1)
	m.JumpIf(code.LessOrEqual, m.end)
	m.DoNumber(code.MinusNumber, false, code.In(code.R14), 1)
	m.JumpIf(code.Equal, poll)
	m.Here(again)
	m.advance(uint64(in.A))
	m.Jump(m.label(0))
	m.Here(poll)
	m.poll(again)
}

// advance takes each of n streams a step on.
func (m *assembly) advance(n uint64) {
	if n == 0 {
		return
	}
	each := m.Label()
	m.Load(code.RCX, n)
	m.Do(code.Mov, true, code.RDX, code.In(streams))
	m.Here(each)
	m.Do(code.Mov, true, code.RAX, code.At(code.RDX, 8))
	m.Do(code.Plus, true, code.RAX, code.At(code.RDX, 0))
	m.Do(code.Put, true, code.RAX, code.At(code.RDX, 0))
	m.DoNumber(code.PlusNumber, true, code.In(code.RDX), 16)
	m.DoNumber(code.MinusNumber, false, code.In(code.RCX), 1)
	m.JumpIf(code.NotEqual, each)
}

// poll looks at the cancel word, and jumps if it is 0.
func (m *assembly) poll(on int) {
	m.Do(code.Mov, true, code.RAX, code.At(code.RSP, stackProgram))
	m.Do(code.Mov, false, code.R14, code.At(code.RAX, native.PollAt))
	m.Do(code.Mov, true, code.RAX, code.At(code.RSP, stackCancel))
	m.DoNumber(code.AgainstNumber, false, code.At(code.RAX, 0), 0)
	m.JumpIf(code.Equal, on)
	m.Load(code.RAX, 1)
	m.Jump(m.end)
}

func (m *assembly) jump(in *Instr) {
	m.leave(m.Text)
	m.Jump(m.label(int(in.Imm)))
}

// goes is a jump that is made if a register compares so with 0.
func goes(c code.Condition) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.zero(in.A)
		m.goesIf(c, in)
	}
}

// zero compares a register with 0.
func (m *assembly) zero(r uint16) {
	x := m.in(m.Text, general, r)
	m.Do(code.Test, true, x, code.In(x))
}

func (m *assembly) goesIf(c code.Condition, in *Instr) {
	m.leave(m.Text)
	m.JumpIf(c, m.label(int(in.Imm)))
}

func (m *assembly) again(in *Instr) {
	m.zero(in.A)
	m.backIf(code.NotEqual, in)
}

func againIf(c code.Condition) func(m *assembly, in *Instr) {
	return func(m *assembly, in *Instr) {
		m.compare(in.A, in.B)
		m.backIf(c, in)
	}
}

// compare compares two integers.
func (m *assembly) compare(a, b uint16) {
	x := m.in(m.Text, general, a)
	m.Do(code.Against, true, x, m.from(m.Text, general, b))
}

// backIf jumps back if a condition holds and the run is not cancelled.
func (m *assembly) backIf(c code.Condition, in *Instr) {
	m.leave(m.Text)
	past, to := m.Label(), m.label(int(in.Imm))
	m.JumpIf(c.Not(), past)
	m.DoNumber(code.MinusNumber, false, code.In(code.R14), 1)
	m.JumpIf(code.NotEqual, to)
	m.poll(to)
	m.Here(past)
}

// jumpsBy makes the jump behind a comparison if it is all that the comparison is for, and reports whether it is.
func (m *assembly) jumpsBy(in *Instr, c code.Condition) bool {
	at := m.at + 1
	if at >= m.last || m.reads[in.D] != 1 {
		return false
	}
	next := &m.code[at]
	if next.A != in.D {
		return false
	}
	switch next.Op {
	case JumpIf:
		m.goesIf(c, next)
	case JumpIfNo:
		m.goesIf(c.Not(), next)
	case Again:
		m.backIf(c, next)
	default:
		return false
	}
	m.skip = at
	return true
}

// moveOne is Move.
func (m *assembly) moveOne(in *Instr) {
	b := m.wants(in.D)
	if m.holds(floats, in.A) && !m.holds(general, in.A) {
		b = floats
	}
	x := m.from(m.Text, b, in.A)
	d := m.to(m.Text, b, in.D)
	m.copyTo(b, d, x)
}

// copyTo brings what is at a place into a machine register.
func (m *assembly) copyTo(b bank, d code.Register, x code.Operand) {
	switch {
	case !x.Memory && x.Register == d:
	case b == general:
		m.Do(code.Mov, true, d, x)
	case x.Memory:
		m.Lane(code.Fetch64, d, 0, x)
	default:
		m.Lane(code.Copy, d, 0, x)
	}
}
