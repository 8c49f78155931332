package code

// Lane is an instruction on the first lanes of vector registers, or, if it is whole, on all.
type Lane struct {
	prefix, table, number byte
	wide, whole           bool
}

const (
	noPrefix = iota
	prefix66
	prefixF3
	prefixF2
)

func single(number byte) Lane  { return Lane{prefix: prefixF3, table: map0F, number: number} }
func double(number byte) Lane  { return Lane{prefix: prefixF2, table: map0F, number: number} }
func bitsOf(number byte) Lane  { return Lane{table: map0F, number: number} }
func rounds(number byte) Lane  { return Lane{prefix: prefix66, table: map0F3A, number: number} }
func product(number byte) Lane { return Lane{prefix: prefix66, table: map0F38, number: number} }

func ofWords(table, number byte) Lane {
	return Lane{prefix: prefix66, table: table, number: number, whole: true}
}

func (l Lane) of64() Lane { l.wide = true; return l }

// Whole is the instruction on all lanes of a Vector: what of the first lane alone has a prefix has none.
func (l Lane) Whole() Lane {
	l.whole = true
	switch l.prefix {
	case prefixF3:
		l.prefix = noPrefix
	case prefixF2:
		l.prefix = prefix66
	}
	return l
}

// The instructions on floats of 32 bits and of 64: operations, comparisons and conversions. Least and Most give the
// second operand if one is NaN or both are zeros.
var (
	Add32, Add64         = single(0x58), double(0x58)
	Sub32, Sub64         = single(0x5c), double(0x5c)
	Mul32, Mul64         = single(0x59), double(0x59)
	Div32, Div64         = single(0x5e), double(0x5e)
	Least32, Least64     = single(0x5d), double(0x5d)
	Most32, Most64       = single(0x5f), double(0x5f)
	Root32, Root64       = single(0x51), double(0x51)
	Compare32, Compare64 = single(0xc2), double(0xc2)
	Round32, Round64     = rounds(0x0a), rounds(0x0b)
	Widen, Narrow        = single(0x5a), double(0x5a)
	Signed32, Signed64   = single(0x2a).of64(), double(0x2a).of64() // of general registers

	Order32 = Lane{table: map0F, number: 0x2e} // compares for a condition
	Order64 = Lane{prefix: prefix66, table: map0F, number: 0x2e}

	BitAnd, BitAndNot, BitOr, BitXor = bitsOf(0x54), bitsOf(0x55), bitsOf(0x56), bitsOf(0x57)

	Copy     = bitsOf(0x28)
	Pick     = rounds(0x4a) // the second where a mask is set
	Pick64   = rounds(0x4b)
	MulAdd32 = product(0xb9) // to = first * operand + to
	MulSub32 = product(0xbb) // to = first * operand - to
	FromBits = Lane{prefix: prefix66, table: map0F, number: 0x6e}.of64()
	ToBits   = Lane{prefix: prefix66, table: map0F, number: 0x7e}.of64() // from the vector register that is named first
	Fetch32  = single(0x10)
	Fetch64  = double(0x10)
	Leave32  = single(0x11)
	Leave64  = double(0x11)
	FetchAll = single(0x10).Whole()
	LeaveAll = single(0x11).Whole()

	FetchFour, LeaveFour = bitsOf(0x10), bitsOf(0x11)

	Spread      = ofWords(map0F38, 0x18) // the first lane of 32 bits
	FetchMasked = ofWords(map0F38, 0x2c) // by a mask that is named first
	LeaveMasked = ofWords(map0F38, 0x2e)

	// On all lanes of 32 bits.
	MulAdd32All = ofWords(map0F38, 0xb8)
	RoundAll    = ofWords(map0F3A, 0x08)
	ToFloats    = bitsOf(0x5b).Whole()
	PlusAll     = ofWords(map0F, 0xfe)
	MinusAll    = ofWords(map0F, 0xfa)
	TimesAll    = ofWords(map0F38, 0x40)
	EqualAll    = ofWords(map0F, 0x76)
	AboveAll    = ofWords(map0F, 0x66)
	LowAll      = ofWords(map0F38, 0x39)
	HighAll     = ofWords(map0F38, 0x3d)
	LowPlain    = ofWords(map0F38, 0x3b)
	HighPlain   = ofWords(map0F38, 0x3f)
	shiftAll    = ofWords(map0F, 0x72)
)

// Lane appends an instruction: first is the operand that comes first, 0 if there is none.
func (t *Text) Lane(l Lane, to, first Register, p Operand) {
	x := byte(1)
	if p.Memory && p.Scale > 0 {
		x = high(p.Index) ^ 1
	}
	v := ^byte(first)&15<<3 | l.prefix
	if l.wide {
		v |= 0x80
	}
	if l.whole {
		v |= 4
	}
	t.emit(0xc4, (high(to)^1)<<7|x<<6|(high(p.Register)^1)<<5|l.table, v, l.number)
	t.at(byte(to)&7, p)
}

// LaneNumber appends one with a number: how numbers are compared or rounded.
func (t *Text) LaneNumber(l Lane, to, first Register, p Operand, n byte) {
	t.Lane(l, to, first, p)
	t.emit(n)
}

// LaneMask appends one with a mask.
func (t *Text) LaneMask(l Lane, to, first Register, p Operand, mask Register) {
	t.LaneNumber(l, to, first, p, byte(mask)<<4)
}

// ClearUpper appends what the compiler's code expects before it is called when Vectors have been in use.
func (t *Text) ClearUpper() { t.emit(0xc5, 0xf8, 0x77) }

// FirstBits appends to's lanes becoming the first bits of another vector's.
func (t *Text) FirstBits(to, from Register) { t.LaneNumber(shiftAll, 2, to, In(from), 31) }
