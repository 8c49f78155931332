package code

// Lane is an instruction on the first lanes of vector registers, or, if it is whole, on all.
type Lane struct {
	prefix, table, number byte
	wide, whole           bool
}

// Prefixes, and tables of instructions.
const (
	noPrefix = iota
	prefix66
	prefixF3
	prefixF2

	map0F   = 1
	map0F38 = 2
	map0F3A = 3
)

func single(number byte) Lane  { return Lane{prefix: prefixF3, table: map0F, number: number} }
func double(number byte) Lane  { return Lane{prefix: prefixF2, table: map0F, number: number} }
func bitsOf(number byte) Lane  { return Lane{table: map0F, number: number} }
func rounds(number byte) Lane  { return Lane{prefix: prefix66, table: map0F3A, number: number} }
func product(number byte) Lane { return Lane{prefix: prefix66, table: map0F38, number: number} }
func moves(number byte) Lane   { return Lane{prefix: prefix66, table: map0F, number: number, wide: true} }

func (l Lane) of64() Lane { l.wide = true; return l }

// Whole is the instruction on all lanes of a Vector.
func (l Lane) Whole() Lane { l.whole = true; return l }

// The instructions on the first lane, a float of 32 bits or of 64: operations, comparisons and conversions. Least and
// Most are Min and Max.
var (
	Add32, Add64         = Add.first()
	Sub32, Sub64         = Sub.first()
	Mul32, Mul64         = Mul.first()
	Div32, Div64         = Div.first()
	Least32, Least64     = Min.first()
	Most32, Most64       = Max.first()
	Root32, Root64       = Root.first()
	Compare32, Compare64 = Compare.first()
	Fetch32, Fetch64     = Fetch.first()
	Leave32, Leave64     = Leave.first()
	Round32, Round64     = rounds(0x0a), rounds(0x0b)
	Widen, Narrow        = single(0x5a), double(0x5a)
	Signed32, Signed64   = single(0x2a).of64(), double(0x2a).of64() // of general registers

	Order32 = Lane{table: map0F, number: 0x2e} // compares for a condition
	Order64 = Lane{prefix: prefix66, table: map0F, number: 0x2e}

	MulAdd32 = product(0xb9) // to = first * operand + to
	MulSub32 = product(0xbb) // to = first * operand - to
	FromBits = moves(0x6e)
	ToBits   = moves(0x7e) // from the vector register that is named first
)

// The instructions on the first four lanes of 32 bits, or two of 64.
var (
	BitAnd, BitAndNot, BitOr, BitXor = bitsOf(0x54), bitsOf(0x55), bitsOf(0x56), bitsOf(0x57)

	Copy                 = Same.four.half().Lane
	Pick, Pick64         = Choose.four.half().Lane, Choose.eight.half().Lane // the second where a mask is set
	FetchFour, LeaveFour = Fetch.four.half().Lane, Leave.four.half().Lane
)

// On all lanes of 32 bits, by a mask that is named first.
var FetchMasked, LeaveMasked = product(0x2c).Whole(), product(0x2e).Whole()

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
func (t *Text) FirstBits(to, from Register) {
	t.LaneNumber(Right.All(), Register(Right.four.extension), to, In(from), 31)
}
