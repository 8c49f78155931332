package code

// form says which operands an instruction has.
type form uint8

const (
	none   form = iota // there is no such instruction for the lanes
	two                // two, the second of which may be in memory
	one                // one, which may be in memory
	shift              // one, and a number
	choice             // two, and a mask: the second where it is set
	fused              // two, and what is added, in whose place the result is
	halve              // one; the result is the upper half of it, and half as wide
	narrow             // two, half as wide as usual
)

// encoding is an instruction: its form, prefix, table, number, what stands for an operand in shifts, and whether a
// number follows.
type encoding struct {
	form                             form
	prefix, table, number, extension byte
	immediate                        bool
}

// Op is an operation on vectors, with its instructions for lanes of four bytes and of eight.
type Op struct{ four, eight encoding }

// Has reports whether there is the operation for lanes of so many bytes.
func (o *Op) Has(lane int) bool { return o.of(lane).form != none }

func (o *Op) of(lane int) encoding {
	if lane == 8 {
		return o.eight
	}
	return o.four
}

// Tables of instructions.
const (
	map0F   = 1
	map0F38 = 2
	map0F3A = 3
)

// ps and pd are instructions without a prefix and with one, of the first table; in38 and in3A those of the others.
func ps(number byte) encoding { return encoding{form: two, table: map0F, number: number} }
func pd(number byte) encoding { return encoding{form: two, prefix: 1, table: map0F, number: number} }
func in38(number byte) encoding {
	return encoding{form: two, prefix: 1, table: map0F38, number: number}
}
func in3A(number byte) encoding {
	return encoding{form: two, prefix: 1, table: map0F3A, number: number, immediate: true}
}

func (e encoding) as(f form) encoding { e.form = f; return e }

func (e encoding) numbered() encoding { e.immediate = true; return e }

func (e encoding) shift(extension byte) encoding {
	e.form, e.extension, e.immediate = shift, extension, true
	return e
}

// The operations. Min and Max give the second operand if one is NaN or both are zeros.
var (
	Add       = Op{ps(0x58), pd(0x58)}
	Sub       = Op{ps(0x5c), pd(0x5c)}
	Mul       = Op{ps(0x59), pd(0x59)}
	Div       = Op{ps(0x5e), pd(0x5e)}
	Min       = Op{ps(0x5d), pd(0x5d)}
	Max       = Op{ps(0x5f), pd(0x5f)}
	Root      = Op{ps(0x51).as(one), pd(0x51).as(one)}
	Compare   = Op{ps(0xc2).numbered(), pd(0xc2).numbered()}
	Round     = Op{in3A(0x08).as(one), in3A(0x09).as(one)}
	Choose    = Op{in3A(0x4a).as(choice), in3A(0x4b).as(choice)}
	MulAdd    = Op{in38(0xb8).as(fused), in38(0xb8).as(fused)}
	And       = Op{pd(0xdb), pd(0xdb)}
	AndNot    = Op{pd(0xdf), pd(0xdf)} // the second, but where the first is set
	Or        = Op{pd(0xeb), pd(0xeb)}
	Xor       = Op{pd(0xef), pd(0xef)}
	AddInt    = Op{pd(0xfe), pd(0xd4)}
	SubInt    = Op{pd(0xfa), pd(0xfb)}
	MulInt    = Op{four: in38(0x40)}
	MulPlain  = Op{four: pd(0xf4)} // without a sign, of every other lane, as wide as two
	AbsInt    = Op{four: in38(0x1e).as(one)}
	EqualInt  = Op{pd(0x76), in38(0x29)}
	Greater   = Op{pd(0x66), in38(0x37)}
	MaxSigned = Op{four: in38(0x3d)}
	MinSigned = Op{four: in38(0x39)}
	MaxPlain  = Op{four: in38(0x3f)} // of numbers without a sign
	MinPlain  = Op{four: in38(0x3b)}
	Left      = Op{pd(0x72).shift(6), pd(0x73).shift(6)}
	Right     = Op{pd(0x72).shift(2), pd(0x73).shift(2)}
	RightSign = Op{four: pd(0x72).shift(4)} // copies the sign
	RightWide = Op{four: pd(0x73).shift(2)} // lanes twice as wide
	LeftBy    = Op{in38(0x47), in38(0x47)}
	RightBy   = Op{in38(0x45), in38(0x45)}
	SignBy    = Op{four: in38(0x46)}
	ToFloat   = Op{four: ps(0x5b).as(one)}
	ToInt     = Op{four: encoding{form: one, prefix: 2, table: map0F, number: 0x5b}} // towards zero
	Upper     = Op{four: in3A(0x39).as(halve)}
	SignOf    = Op{four: in38(0x0a)} // the first with the sign of the second, 0 where that is
	Blend     = Op{four: in3A(0x02)} // the second where a bit of the number is set
	PackWords = Op{four: in38(0x2b).as(narrow)}
	PackBytes = Op{four: pd(0x67).as(narrow)}
)

// wide are the instructions whose lanes of eight bytes have a bit set.
func (e encoding) wide(lane int) bool {
	return lane == 8 && e.table == map0F38 && (e.number == 0xb8 || e.number == 0x47 || e.number == 0x45)
}

// Access is how a lane lies in memory: of so many bytes, read and written by instructions.
type Access struct {
	bytes       int
	load, store encoding
	past        encoding // store past the caches
	half        bool     // the store is of half a vector
}

// lanesOf is the access to lanes of so many bytes.
func lanesOf(lane int) Access {
	if lane == 8 {
		return Lanes8
	}
	return Lanes4
}

// The accesses. Of what is narrower than a lane the numbers are widened; Store takes words and bytes packed.
var (
	Lanes4 = Access{4, ps(0x10), ps(0x11), ps(0x2b), false}
	Lanes8 = Access{8, ps(0x10), ps(0x11), ps(0x2b), false}
	Words  = Access{2, in38(0x33), ps(0x11), ps(0x2b), true} // without a sign
	Shorts = Access{2, in38(0x23), ps(0x11), ps(0x2b), true} // with one
	Plain  = Access{1, in38(0x31), pd(0xd6), pd(0xd6), true}
	Signed = Access{1, in38(0x21), pd(0xd6), pd(0xd6), true}
	Halves = Access{2, in38(0x13), encoding{}, encoding{}, true} // f16 as f32; is not stored
)
