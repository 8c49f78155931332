package code

// form says which operands an instruction has.
type form uint8

const (
	none    form = iota // there is no such instruction for the lanes
	two                 // two, the second of which may be in memory
	one                 // one, which may be in memory
	shift               // one, and a number
	choice              // two, and a mask: the second where it is set
	fused               // two, and what is added, in whose place the result is
	halve               // one; the result is half as wide, or less: its upper half, or its lanes cut
	compare             // two, of which the second may be in memory; the result is a mask
)

// encoding is an instruction of an Op: on which lanes, its form, what stands for an operand in shifts, and whether a
// number follows.
type encoding struct {
	Lane
	form      form
	extension byte
	immediate bool
}

// Op is an operation on vectors, with its instructions for lanes of four bytes and of eight. AVX-512 has the same, but
// for those of wides.
type Op struct{ four, eight encoding }

// All is the instruction on all lanes of four bytes.
func (o *Op) All() Lane { return o.four.Lane }

// first are the instructions on the first lane alone, of floats of 32 bits and of 64.
func (o *Op) first() (f, d Lane) {
	f, d = o.four.Lane, o.eight.Lane
	f.prefix, f.whole = prefixF3, false
	d.prefix, d.whole = prefixF2, false
	return f, d
}

// of makes an encoding of two operands on all lanes.
func of(prefix, table, number byte) encoding {
	return encoding{Lane: Lane{prefix: prefix, table: table, number: number, whole: true}, form: two}
}

// ps and pd are instructions without a prefix and with one, of the first table; in38 and in3A those of the others.
func ps(number byte) encoding   { return of(noPrefix, map0F, number) }
func pd(number byte) encoding   { return of(prefix66, map0F, number) }
func in38(number byte) encoding { return of(prefix66, map0F38, number) }
func in3A(number byte) encoding { return of(prefix66, map0F3A, number).numbered() }

func (e encoding) as(f form) encoding { e.form = f; return e }

func (e encoding) numbered() encoding { e.immediate = true; return e }

func (e encoding) shift(extension byte) encoding {
	e.form, e.extension, e.immediate = shift, extension, true
	return e
}

// half is the instruction on half a vector, of64 the one whose lanes of eight bytes have a bit set.
func (e encoding) half() encoding { e.whole = false; return e }
func (e encoding) of64() encoding { e.wide = true; return e }

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
	MulAdd    = Op{in38(0xb8).as(fused), in38(0xb8).as(fused).of64()}
	And       = Op{pd(0xdb), pd(0xdb)}
	AndNot    = Op{pd(0xdf), pd(0xdf)} // the second, but where the first is set
	Or        = Op{pd(0xeb), pd(0xeb)}
	Xor       = Op{pd(0xef), pd(0xef)}
	AddInt    = Op{pd(0xfe), pd(0xd4)}
	SubInt    = Op{pd(0xfa), pd(0xfb)}
	MulInt    = Op{four: in38(0x40)}
	MulPlain  = Op{four: pd(0xf4).of64()} // without a sign, of every other lane, as wide as two
	AbsInt    = Op{four: in38(0x1e).as(one)}
	EqualInt  = Op{pd(0x76), in38(0x29)}
	Greater   = Op{pd(0x66), in38(0x37)}
	MaxSigned = Op{four: in38(0x3d)}
	MinSigned = Op{four: in38(0x39)}
	MaxPlain  = Op{four: in38(0x3f)} // of numbers without a sign
	MinPlain  = Op{four: in38(0x3b)}
	Left      = Op{pd(0x72).shift(6), pd(0x73).shift(6)}
	Right     = Op{pd(0x72).shift(2), pd(0x73).shift(2)}
	RightSign = Op{four: pd(0x72).shift(4)}        // copies the sign
	RightWide = Op{four: pd(0x73).shift(2).of64()} // lanes twice as wide
	LeftBy    = Op{in38(0x47), in38(0x47).of64()}
	RightBy   = Op{in38(0x45), in38(0x45).of64()}
	SignBy    = Op{four: in38(0x46)}
	ToFloat   = Op{four: ps(0x5b).as(one)}
	ToInt     = Op{four: of(prefixF3, map0F, 0x5b).as(one)} // towards zero
	Upper     = Op{four: in3A(0x39).as(halve)}
	SignOf    = Op{four: in38(0x0a)} // the first with the sign of the second, 0 where that is
	Blend     = Op{four: in3A(0x02)} // the second where a bit of the number is set
	PackWords = Op{four: in38(0x2b).half()}
	PackBytes = Op{four: pd(0x67).half()}
	Spread    = Op{in38(0x18).as(one), in38(0x19).as(one)} // the first lane becomes all

	// To a register and from one: of memory, or a register's for Same.
	Fetch = Op{ps(0x10).as(one), pd(0x10).as(one)}
	Leave = Op{ps(0x11).as(one), pd(0x11).as(one)}
	Same  = Op{ps(0x28).as(one), pd(0x28).as(one)}
)

// Numbers of Compare, of which Unordered is where one is NaN, and of Round.
const (
	EqualTo   = 0x00
	Unordered = 0x03
	UnequalTo = 0x04
	LessThan  = 0x11
	AtMost    = 0x12
	AtLeast   = 0x1d
	MoreThan  = 0x1e

	RoundEven = 8
	RoundDown = 9
	RoundUp   = 10
)

// Access is how a lane lies in memory: of so many bytes, read and written by instructions.
type Access struct {
	bytes             int
	load, store, past Lane // store past the caches
}

// lanesOf is the access to lanes of so many bytes.
func lanesOf(lane int) Access {
	if lane == 8 {
		return Lanes8
	}
	return Lanes4
}

// past is what is left past the caches.
var past = ps(0x2b)

// The accesses. Of what is narrower than a lane the numbers are widened; Store takes words and bytes packed.
var (
	Lanes4 = lanes(4)
	Lanes8 = lanes(8)
	Words  = words(0x33) // without a sign
	Shorts = words(0x23) // with one
	Plain  = eightBytes(0x31)
	Signed = eightBytes(0x21)
	Halves = Access{bytes: 2, load: in38(0x13).Lane} // f16 as f32; is not stored
)

func lanes(bytes int) Access { return Access{bytes, Fetch.All(), Leave.All(), past.Lane} }

func words(load byte) Access {
	return Access{2, in38(load).Lane, Leave.four.half().Lane, past.half().Lane}
}

func eightBytes(load byte) Access {
	store := pd(0xd6).half().Lane
	return Access{1, in38(load).Lane, store, store}
}
