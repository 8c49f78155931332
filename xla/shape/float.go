package shape

import "math"

// nanKind says which bit patterns of a float format are NaN.
type nanKind uint8

const (
	nanNone    nanKind = iota // no NaN and no infinity
	nanIEEE                   // the largest exponent with a mantissa that is not 0; mantissa 0 is infinity
	nanAllOnes                // all ones after the sign only; no infinity
	nanNegZero                // the pattern of -0 only; neither -0 nor infinity
)

// format describes a binary floating-point format with a sign bit.
type format struct {
	exp, man, bias int
	nan            nanKind
	maxFinite      uint64 // the bits of the largest finite value
	overflow       uint64 // the bits that values beyond it become, without the sign
	quietNaN       uint64 // the bits of a positive NaN, 0 if there is none
}

var formats = func() (f [NumElementTypes]format) {
	f = [NumElementTypes]format{
		F16:           {exp: 5, man: 10, bias: 15, nan: nanIEEE},
		BF16:          {exp: 8, man: 7, bias: 127, nan: nanIEEE},
		F32:           {exp: 8, man: 23, bias: 127, nan: nanIEEE},
		F8E5M2:        {exp: 5, man: 2, bias: 15, nan: nanIEEE},
		F8E4M3:        {exp: 4, man: 3, bias: 7, nan: nanIEEE},
		F8E3M4:        {exp: 3, man: 4, bias: 3, nan: nanIEEE},
		F8E4M3FN:      {exp: 4, man: 3, bias: 7, nan: nanAllOnes},
		F8E4M3B11FNUZ: {exp: 4, man: 3, bias: 11, nan: nanNegZero},
		F8E5M2FNUZ:    {exp: 5, man: 2, bias: 16, nan: nanNegZero},
		F8E4M3FNUZ:    {exp: 4, man: 3, bias: 8, nan: nanNegZero},
		F4E2M1FN:      {exp: 2, man: 1, bias: 1, nan: nanNone},
		F6E3M2FN:      {exp: 3, man: 2, bias: 3, nan: nanNone},
		F6E2M3FN:      {exp: 2, man: 3, bias: 1, nan: nanNone},
	}
	for i := range f {
		f[i].derive()
	}
	return f
}()

// derive fills in what follows from the field widths and the kind of NaN.
func (f *format) derive() {
	all := uint64(1)<<(f.exp+f.man) - 1
	inf := (uint64(1)<<f.exp - 1) << f.man
	switch f.nan {
	case nanIEEE:
		f.maxFinite, f.overflow, f.quietNaN = inf-1, inf, inf|uint64(1)<<f.man>>1
	case nanAllOnes:
		f.maxFinite, f.overflow, f.quietNaN = all-1, all, all
	case nanNegZero:
		f.maxFinite, f.overflow, f.quietNaN = all, all+1, all+1
	case nanNone:
		f.maxFinite, f.overflow = all, all
	}
}

// FromFloat64 returns the bits of v in the floating-point type t, rounded once, to nearest with ties to even.
//
// Values beyond the largest finite one become infinity; in formats without infinity NaN; in formats with neither
// (F4 and F6) the largest finite value. NaN keeps its sign where NaN has one; in F4 and F6 NaN becomes -0, and
// NaN with a minus sign 0. The FNUZ
// formats have no -0. F8E8M0FNU holds powers of two: zero, negative values and NaN become NaN, values below the
// smallest power become it. It panics if t is no floating-point type. Law: section 2.1 of the operation semantics.
func (t ElementType) FromFloat64(v float64) uint64 {
	switch t {
	case F32:
		return uint64(math.Float32bits(float32(v)))
	case F64:
		return math.Float64bits(v)
	case F8E8M0FNU:
		return roundE8M0(v)
	}
	if !t.IsFloat() {
		panic("shape: bug: FromFloat64 of " + t.String())
	}
	return formats[t].round(v)
}

const f64Inf = 0x7FF << 52

func (f *format) round(v float64) uint64 {
	b := math.Float64bits(v)
	sign := b >> 63 << (f.exp + f.man)
	abs := b &^ (1 << 63)
	if abs >= f64Inf {
		if abs > f64Inf {
			return f.roundNaN(sign, abs)
		}
		return sign | f.overflow
	}
	// v = m * 2^(e-52), emin is the exponent of the smallest normal number
	e, m, emin := int(abs>>52)-1023, abs&(1<<52-1)|1<<52, 1-f.bias
	shift, base := 52-f.man, uint64(0)
	if e >= emin {
		base = uint64(e-emin) << f.man
	} else {
		shift += emin - e
	}
	mag := uint64(0)
	if shift < 55 { // beyond, even the top bit is less than half of the smallest step
		mag = base + (m+1<<(shift-1)-1+m>>shift&1)>>shift
	}
	if mag > f.maxFinite {
		mag = f.overflow
	}
	if mag == 0 && f.nan == nanNegZero {
		return 0
	}
	return sign | mag
}

// roundNaN keeps the upper payload bits that fit in the 16-bit formats and makes the NaN quiet, as hardware does.
func (f *format) roundNaN(sign, abs uint64) uint64 {
	if f.nan == nanNone {
		return sign ^ 1<<(f.exp+f.man)
	}
	if f.exp+f.man == 15 {
		return sign | f.quietNaN | abs>>(52-f.man)&(1<<f.man-1)
	}
	return sign | f.quietNaN
}

// roundE8M0 rounds to a power of two. A tie goes up: the smaller power has the implicit mantissa 1, which is odd.
func roundE8M0(v float64) uint64 {
	b := math.Float64bits(v)
	if b == 0 || b >= f64Inf { // negative values have the top bit set
		return 0xFF
	}
	e := int64(b>>52) - 1023 + 127
	if e < 0 {
		return 0
	}
	if b&(1<<51) != 0 {
		e++
	}
	return uint64(min(e, 0xFF))
}

// ToFloat64 returns the value of the floating-point type t that has the given bits; bits above the type's width are
// ignored. The conversion is exact; a signalling NaN may come back quiet. It panics if t is no floating-point type.
func (t ElementType) ToFloat64(bits uint64) float64 {
	switch t {
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	case F64:
		return math.Float64frombits(bits)
	case F16:
		return float64(F16ToFloat32(uint16(bits)))
	case BF16:
		return float64(BF16ToFloat32(uint16(bits)))
	}
	table := small[t]
	if table == nil {
		panic("shape: bug: ToFloat64 of " + t.String())
	}
	return table[bits&0xFF]
}

// F16ToFloat32 returns the value of an F16 with the given bits.
func F16ToFloat32(bits uint16) float32 {
	sign, abs := uint32(bits&0x8000)<<16, uint32(bits&0x7FFF)
	if abs >= 0x7C00 {
		return math.Float32frombits(sign | 0x7F800000 | abs<<13)
	}
	// read with F32's bias the value is 2^112 too small, subnormal or not
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(abs<<13)*0x1p112))
}

// BF16ToFloat32 returns the value of a BF16 with the given bits.
func BF16ToFloat32(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }

// small has the values of the formats of at most 8 bits.
var small = func() (s [NumElementTypes]*[256]float64) {
	for t := range NumElementTypes {
		if !t.IsFloat() || t.Bits() > 8 {
			continue
		}
		s[t] = new([256]float64)
		for i := range s[t] {
			s[t][i] = t.decode(uint64(i) & (1<<t.Bits() - 1))
		}
	}
	return s
}()

func (t ElementType) decode(bits uint64) float64 {
	if t == F8E8M0FNU {
		if bits == 0xFF {
			return math.NaN()
		}
		return math.Ldexp(1, int(bits)-127)
	}
	f := &formats[t]
	neg, abs := bits>>(f.exp+f.man) != 0, bits&(1<<(f.exp+f.man)-1)
	v := 0.0
	switch e, m := int(abs>>f.man), float64(abs&(1<<f.man-1)); {
	case f.isNaN(neg, abs):
		v = math.NaN()
	case abs > f.maxFinite:
		v = math.Inf(1)
	case e == 0:
		v = math.Ldexp(m, 1-f.bias-f.man)
	default:
		v = math.Ldexp(m+float64(uint64(1)<<f.man), e-f.bias-f.man)
	}
	if neg {
		return math.Copysign(v, -1)
	}
	return v
}

// isNaN reports whether the pattern abs under a sign is NaN.
func (f *format) isNaN(neg bool, abs uint64) bool {
	switch f.nan {
	case nanNegZero:
		return neg && abs == 0
	case nanAllOnes:
		return abs > f.maxFinite
	}
	return abs > f.maxFinite && abs != f.overflow // infinity is what overflows become
}

// MaxFloat64 returns the greatest value of the floating-point type t, infinity where t has it.
func (t ElementType) MaxFloat64() float64 {
	switch t {
	case F64:
		return math.Inf(1)
	case F8E8M0FNU:
		return 0x1p127
	}
	if f := &formats[t]; f.nan != nanIEEE {
		return t.ToFloat64(f.maxFinite)
	}
	return math.Inf(1)
}

// LowestFloat64 returns the lowest value of the floating-point type t, minus infinity where t has it.
func (t ElementType) LowestFloat64() float64 {
	if t == F8E8M0FNU {
		return 0x1p-127
	}
	return -t.MaxFloat64()
}

// MantissaBits returns the number of mantissa bits that the floating-point type t stores; 23 for F32.
func (t ElementType) MantissaBits() int {
	if t == F64 {
		return 52
	}
	return formats[t].man
}

// ExponentBits returns the number of exponent bits of the floating-point type t; 8 for F32.
func (t ElementType) ExponentBits() int {
	switch t {
	case F64:
		return 11
	case F8E8M0FNU:
		return 8
	}
	return formats[t].exp
}
