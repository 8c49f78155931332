package code

import "encoding/binary"

// Text is code with jumps on numbers in general and vector registers and in memory, for who gives registers himself.
// What there is of vector instructions for others works on the first lane or on all of a Vector.
type Text struct {
	bytes  []byte
	labels []int // where each is; -1: nowhere yet
	jumps  []jump
}

// jump is where the distance to a label belongs.
type jump struct{ at, label int }

// Register is a general register, or that of a vector, by its number.
type Register uint8

// The general registers.
const (
	RAX Register = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

func high(r Register) byte { return byte(r) >> 3 & 1 }

// Operand is an operand: a register, or memory at a base and maybe an index of so many bytes.
type Operand struct {
	Register Register // or the base of memory
	Memory   bool
	Scale    uint8 // 0: no index
	Index    Register
	Disp     int32
	Label    int  // 1 more than that of memory there; of instructions without a number
	mask     bool // the register is one of masks
}

// DataAt is memory at a label.
func DataAt(label int) Operand { return Operand{Memory: true, Label: label + 1} }

// In is a register as an operand.
func In(r Register) Operand { return Operand{Register: r} }

// At is memory at a base.
func At(base Register, disp int32) Operand { return Operand{Register: base, Memory: true, Disp: disp} }

// Condition is what a jump, a choice or a number is made by.
type Condition uint8

// The conditions, after a comparison of numbers without a sign, of any, and with one.
const (
	Below Condition = iota + 2
	AboveOrEqual
	Equal
	NotEqual
	BelowOrEqual
	Above
	Negative
	NotNegative
	Odd // of floats: not to be compared
	NotOdd
	Less
	GreaterOrEqual
	LessOrEqual
	GreaterThan
)

// Not is the other way round.
func (c Condition) Not() Condition { return c ^ 1 }

// Inst is a general instruction: its prefix, table and number, and what stands for a register in those of one operand.
type Inst struct {
	prefix, extension byte
	twoByte           bool
	number            byte
	low               bool // a byte's register: the lower eight bits
}

// The general instructions: of two operands, the first of which is a register, unless they write to memory.
var (
	Mov         = Inst{number: 0x8b}
	Put         = Inst{number: 0x89}
	PutWord     = Inst{number: 0x89, prefix: 0x66}
	PutByte     = Inst{number: 0x88, low: true}
	Plus        = Inst{number: 0x03}
	Minus       = Inst{number: 0x2b}
	Both        = Inst{number: 0x23}
	Either      = Inst{number: 0x0b}
	Differ      = Inst{number: 0x33}
	Borrow      = Inst{number: 0x1b} // subtracts, and one more below
	Against     = Inst{number: 0x3b} // compares
	Test        = Inst{number: 0x85}
	Times       = Inst{number: 0xaf, twoByte: true}
	MovSigned   = Inst{number: 0x63} // of 32 bits
	MovByte     = Inst{number: 0xb6, twoByte: true, low: true}
	MovWord     = Inst{number: 0xb7, twoByte: true}
	SignedByte  = Inst{number: 0xbe, twoByte: true, low: true}
	SignedWord  = Inst{number: 0xbf, twoByte: true}
	Lea         = Inst{number: 0x8d}
	CountOnes   = Inst{prefix: 0xf3, number: 0xb8, twoByte: true}
	Complement  = Inst{number: 0xf7, extension: 2}
	Negate      = Inst{number: 0xf7, extension: 3}
	TimesWide   = Inst{number: 0xf7, extension: 4} // RDX:RAX = RAX * operand
	DividePlain = Inst{number: 0xf7, extension: 6}
	Divide      = Inst{number: 0xf7, extension: 7}
	ShiftUp     = Inst{number: 0xd3, extension: 4} // by RCX
	ShiftDown   = Inst{number: 0xd3, extension: 5}
	ShiftSign   = Inst{number: 0xd3, extension: 7}
	callAt      = Inst{number: 0xff, extension: 2}
)

// OnNumber are the instructions of a register, or memory, and a number.
type OnNumber byte

// The instructions with a number.
const (
	PlusNumber    OnNumber = 0
	BothNumber    OnNumber = 4
	MinusNumber   OnNumber = 5
	AgainstNumber OnNumber = 7
)

// Do appends an instruction on a register and a place, of 64 bits if it is wide, else of 32.
func (t *Text) Do(i Inst, wide bool, r Register, p Operand) {
	t.general(i, wide, byte(r), p)
}

// DoOne appends one of a single operand.
func (t *Text) DoOne(i Inst, wide bool, p Operand) { t.general(i, wide, i.extension, p) }

// DoNumber appends one with a number.
func (t *Text) DoNumber(i OnNumber, wide bool, p Operand, n int32) {
	if n == int32(int8(n)) {
		t.general(Inst{number: 0x83}, wide, byte(i), p)
		t.emit(byte(n))
		return
	}
	t.general(Inst{number: 0x81}, wide, byte(i), p)
	t.bytes = binary.LittleEndian.AppendUint32(t.bytes, uint32(n))
}

// Shift appends a shift (ShiftUp, ShiftDown, ShiftSign) by a number.
func (t *Text) Shift(i Inst, wide bool, r Register, n uint8) {
	i.number = 0xc1
	t.general(i, wide, i.extension, In(r))
	t.emit(n)
}

// Load appends a register's becoming a number.
func (t *Text) Load(r Register, n uint64) {
	switch {
	case n == 0:
		t.Do(Differ, false, r, In(r))
	case n == uint64(uint32(n)):
		t.rex(false, false, 0, In(r))
		t.emit(0xb8 | byte(r)&7)
		t.bytes = binary.LittleEndian.AppendUint32(t.bytes, uint32(n))
	default:
		t.rex(true, false, 0, In(r))
		t.emit(0xb8 | byte(r)&7)
		t.bytes = binary.LittleEndian.AppendUint64(t.bytes, n)
	}
}

// Choose appends a register's becoming what is at p if a condition holds.
func (t *Text) Choose(c Condition, r Register, p Operand) {
	t.general(Inst{number: 0x40 | byte(c), twoByte: true}, true, byte(r), p)
}

// Truth appends a register's becoming 1 if a condition holds, else 0.
func (t *Text) Truth(c Condition, r Register) {
	t.general(Inst{number: 0x90 | byte(c), twoByte: true, low: true}, false, 0, In(r))
	t.general(MovByte, false, byte(r), In(r))
}

// SignExtend appends RDX's becoming the sign of RAX.
func (t *Text) SignExtend(wide bool) {
	t.rex(wide, false, 0, In(0))
	t.emit(0x99)
}

func (t *Text) general(i Inst, wide bool, reg byte, p Operand) {
	if i.prefix > 0 {
		t.emit(i.prefix)
	}
	t.rex(wide, i.low, reg, p)
	if i.twoByte {
		t.emit(0x0f)
	}
	t.emit(i.number)
	t.at(reg&7, p)
}

// rex appends the prefix that says how wide an instruction is and which registers are beyond the first eight.
func (t *Text) rex(wide, low bool, reg byte, p Operand) {
	b := reg>>3<<2 | high(p.Register)
	if p.Memory && p.Scale > 0 {
		b |= high(p.Index) << 1
	}
	if wide {
		b |= 8
	}
	if b > 0 || low {
		t.emit(0x40 | b)
	}
}

// at appends what says where an operand lies.
func (t *Text) at(reg byte, p Operand) {
	base := byte(p.Register) & 7
	switch {
	case !p.Memory:
		t.emit(0xc0 | reg<<3 | base)
		return
	case p.Label > 0:
		t.emit(reg<<3 | 5)
		t.distance(p.Label - 1)
	case p.Scale > 0:
		t.far(p.Disp, reg<<3|4, scales[p.Scale]<<6|byte(p.Index)&7<<3|base)
	case base == byte(RSP): // or R12
		t.far(p.Disp, reg<<3|4, 0x24)
	default:
		t.far(p.Disp, reg<<3|base)
	}
}

var scales = map[uint8]byte{1: 0, 2: 1, 4: 2, 8: 3}

// far appends a distance behind what says of what, by a byte if it is one.
func (t *Text) far(disp int32, how ...byte) {
	if disp == int32(int8(disp)) {
		how[0] |= 0x40
		t.emit(append(how, byte(disp))...)
		return
	}
	how[0] |= 0x80
	t.emit(how...)
	t.bytes = binary.LittleEndian.AppendUint32(t.bytes, uint32(disp))
}

// Label is a place in the code to jump to.
func (t *Text) Label() int {
	t.labels = append(t.labels, -1)
	return len(t.labels) - 1
}

// Here puts a label before the next instruction.
func (t *Text) Here(label int) { t.labels[label] = len(t.bytes) }

// Jump appends a jump, JumpIf one that is made if a condition holds.
func (t *Text) Jump(label int) {
	t.emit(0xe9)
	t.distance(label)
}

// JumpIf appends a jump that is made if a condition holds.
func (t *Text) JumpIf(c Condition, label int) {
	t.emit(0x0f, 0x80|byte(c))
	t.distance(label)
}

func (t *Text) distance(label int) {
	t.jumps = append(t.jumps, jump{len(t.bytes), label})
	t.emit(0, 0, 0, 0)
}

// Call appends a call of the function at an address.
func (t *Text) Call(address uintptr) {
	t.Load(RAX, uint64(address))
	t.DoOne(callAt, false, In(RAX))
}

// Push appends a register's going on the stack.
func (t *Text) Push(r Register) { t.general1(0x50, r) }

// Pop appends its coming back.
func (t *Text) Pop(r Register) { t.general1(0x58, r) }

// Return appends the end of a function.
func (t *Text) Return() { t.emit(0xc3) }

func (t *Text) general1(number byte, r Register) {
	t.rex(false, false, 0, In(r))
	t.emit(number | byte(r)&7)
}

func (t *Text) emit(b ...byte) { t.bytes = append(t.bytes, b...) }

// Size is how many bytes there are.
func (t *Text) Size() int { return len(t.bytes) }

// Bytes returns the code; all labels are somewhere.
func (t *Text) Bytes() []byte {
	for _, j := range t.jumps {
		binary.LittleEndian.PutUint32(t.bytes[j.at:], uint32(t.labels[j.label]-j.at-4))
	}
	return t.bytes
}

// Address appends a register's becoming the address of a label.
func (t *Text) Address(r Register, label int) { t.Do(Lea, true, r, DataAt(label)) }

// Data appends what is no code.
func (t *Text) Data(b []byte) { t.emit(b...) }
