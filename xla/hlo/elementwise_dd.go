package hlo

import (
	"math"
	"math/bits"
)

// dd is the number hi + lo, with lo at most half a last place of hi: some 106 bits. The functions of complex numbers
// compute with it, so that what they return is within an ULP even after cancellation. Overflow and infinities are
// their callers' business.
type dd struct{ hi, lo float64 }

func twoSum(a, b float64) dd {
	s := a + b
	bb := s - a
	return dd{s, (a - (s - bb)) + (b - bb)}
}

// quickSum is twoSum for a that is not smaller than b.
func quickSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

func twoProd(a, b float64) dd {
	p := float64(a * b)
	return dd{p, math.FMA(a, b, -p)}
}

func ddAdd(a, b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = quickSum(s.hi, s.lo+t.hi)
	return quickSum(s.hi, s.lo+t.lo)
}

func ddNeg(a dd) dd { return dd{-a.hi, -a.lo} }

func ddSub(a, b dd) dd { return ddAdd(a, ddNeg(b)) }

func ddMul(a, b dd) dd {
	p := twoProd(a.hi, b.hi)
	return quickSum(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

func ddDiv(a, b dd) dd {
	if math.Abs(a.hi) < 0x1p-900 && a.hi != 0 && math.Abs(b.hi) < 0x1p300 { // the remainders would be subnormal
		return ddScale(ddDiv(ddScale(a, 600), b), -600)
	}
	q := a.hi / b.hi
	r := ddSub(a, ddMul(b, dd{q, 0}))
	q2 := r.hi / b.hi
	r = ddSub(r, ddMul(b, dd{q2, 0}))
	s := quickSum(q, q2)
	return quickSum(s.hi, s.lo+r.hi/b.hi)
}

// ddSqrt returns the root of a, which is not negative.
func ddSqrt(a dd) dd {
	if a.hi <= 0 {
		return dd{math.Sqrt(a.hi), 0}
	}
	s := math.Sqrt(a.hi)
	r := ddSub(a, twoProd(s, s))
	return quickSum(s, r.hi/(2*s))
}

// ddScale returns a times 2^n.
func ddScale(a dd, n int) dd { return dd{math.Ldexp(a.hi, n), math.Ldexp(a.lo, n)} }

func ddAbs(a dd) dd {
	if math.Signbit(a.hi) {
		return ddNeg(a)
	}
	return a
}

// value rounds a to float64 and keeps the sign of a zero.
func (a dd) value() float64 {
	if a.lo == 0 {
		return a.hi
	}
	return a.hi + a.lo
}

// ddSum returns the sum of terms, which may cancel almost fully.
func ddSum(terms ...float64) dd {
	for range 3 { // each pass pushes what rounding loses down by one number
		for i := 1; i < len(terms); i++ {
			s := twoSum(terms[i], terms[i-1])
			terms[i], terms[i-1] = s.hi, s.lo
		}
	}
	sum := dd{}
	for i := range terms {
		sum = ddAdd(sum, dd{terms[i], 0})
	}
	return sum
}

// Halves of constants: their sum is the constant to 106 bits and more.
var (
	ddPiHalf = dd{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}
	ddLn2    = dd{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}
)

// The third parts of the constants above.
const (
	piHalf3 = -0x1.f1976b7ed8fbcp-110
	ln2Low3 = 0x1.7b57a079a1934p-111
)

// inverseFactorial[n] is 1/n!.
var inverseFactorial = func() (f [30]dd) {
	f[0] = dd{1, 0}
	for n := 1; n < len(f); n++ {
		f[n] = ddDiv(f[n-1], dd{float64(n), 0})
	}
	return f
}()

// ddExpm1Scaled returns p and n so that exp(x) = (1+p)*2^n, with p about 0.
func ddExpm1Scaled(x dd) (p dd, n int) {
	if math.Abs(x.hi) < 0x1p-200 { // the steps below would be subnormal
		return x, 0
	}
	n = int(math.RoundToEven(x.hi / math.Ln2))
	k := float64(n)
	r := ddSub(ddSub(x, ddMul(ddLn2, dd{k, 0})), dd{k * ln2Low3, 0})
	const halvings, terms = 8, 9
	r = ddScale(r, -halvings)
	p = inverseFactorial[terms]
	for i := terms - 1; i >= 1; i-- {
		p = ddAdd(ddMul(p, r), inverseFactorial[i])
	}
	p = ddMul(p, r)
	for range halvings {
		p = ddAdd(ddScale2(p), ddMul(p, p))
	}
	return p, n
}

func ddScale2(a dd) dd { return dd{2 * a.hi, 2 * a.lo} }

// ddExpScaled returns m and n so that exp(x) = m*2^n, with m about 1.
func ddExpScaled(x dd) (m dd, n int) {
	p, n := ddExpm1Scaled(x)
	return ddAdd(dd{1, 0}, p), n
}

// ddExp returns exp(x).
func ddExp(x dd) dd {
	m, n := ddExpScaled(x)
	return ddScale(m, n)
}

// ddExpm1 returns exp(x)-1, to full relative precision.
func ddExpm1(x dd) dd {
	p, n := ddExpm1Scaled(x)
	if n == 0 {
		return p
	}
	return ddSub(ddScale(ddAdd(dd{1, 0}, p), n), dd{1, 0})
}

// ddLog1p returns log(1+f), to full relative precision; f is greater than -1.
func ddLog1p(f dd) dd {
	y := math.Log1p(f.hi)
	if y == 0 {
		return f
	}
	// 1+f = exp(y)*(1+c), and log(1+c) = c - c*c/2 as c is about 1e-16
	e := ddExpm1(dd{y, 0})
	c := ddDiv(ddSub(f, e), ddAdd(dd{1, 0}, e))
	return ddAdd(dd{y, 0}, ddSub(c, dd{c.hi * c.hi / 2, 0}))
}

// ddLog returns log(x) for positive x.
func ddLog(x dd) dd {
	m, n := math.Frexp(x.hi)
	if m < math.Sqrt2/2 {
		n--
	}
	l := ddLog1p(ddSub(ddScale(x, -n), dd{1, 0}))
	if n == 0 {
		return l
	}
	k := float64(n)
	return ddAdd(ddMul(ddLn2, dd{k, 0}), ddAdd(l, dd{k * ln2Low3, 0}))
}

// twoOverPi has the bits of 2/pi after the binary point.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
	0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
	0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// reducePi returns n and r so that x = n*pi/2 + r, r at most about pi/4, to full relative precision; of n only the low
// bits count.
func reducePi(x dd) (n int64, r dd) {
	if math.Abs(x.hi) < 1<<30 {
		k := math.RoundToEven(x.hi * (2 / math.Pi))
		p, q := twoProd(k, -ddPiHalf.hi), twoProd(k, -ddPiHalf.lo)
		return int64(k), ddSum(x.hi, x.lo, p.hi, p.lo, q.hi, q.lo, -k*piHalf3)
	}
	n, r = reduceLarge(math.Abs(x.hi))
	if x.hi < 0 {
		n, r = -n, ddNeg(r)
	}
	if x.lo == 0 {
		return n, r
	}
	m, t := reducePi(dd{x.lo, 0})
	k, r := reducePi(ddAdd(r, t))
	return n + m + k, r
}

// reduceLarge is reducePi for x of at least 2^30: it multiplies the mantissa by those bits of 2/pi that matter.
func reduceLarge(x float64) (n int64, r dd) {
	m, e := math.Frexp(x)
	mant, e := uint64(math.Ldexp(m, 53)), e-53 // x = mant*2^e
	skip := max(e-2, 0)                        // the bits of 2/pi before this one make multiples of 4 quarters
	var p [6]uint64                            // the product of mant and 256 bits of 2/pi; the first word is whole
	var carry uint64
	for i := 3; i >= 0; i-- {
		hi, lo := bits.Mul64(mant, bitsAt(skip+64*i))
		var c uint64
		p[i+1], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	p[0] = carry
	shift := e - skip
	if shift < 0 {
		shift += 64
		copy(p[1:], p[:5])
		p[0] = 0
	}
	whole := shl(p[0], p[1], shift)
	f := [4]uint64{shl(p[1], p[2], shift), shl(p[2], p[3], shift), shl(p[3], p[4], shift), shl(p[4], p[5], shift)}
	neg := f[0]>>63 != 0
	if neg { // nearer to the next quarter: use 1 - f
		whole++
		c := uint64(1)
		for i := 3; i >= 0; i-- {
			f[i], c = bits.Add64(^f[i], 0, c)
		}
	}
	v := ddSum(half(f[0]>>32, 1), half(f[0], 2), half(f[1]>>32, 3), half(f[1], 4), half(f[2]>>32, 5), half(f[2], 6))
	if neg {
		v = ddNeg(v)
	}
	return int64(whole & 3), ddMul(v, ddPiHalf)
}

func shl(hi, lo uint64, n int) uint64 { return hi<<uint(n) | lo>>(64-uint(n)) }

// half returns the value of the low 32 bits of w as digit i after the binary point, in base 2^32.
func half(w uint64, i int) float64 { return math.Ldexp(float64(uint32(w)), -32*i) }

// bitsAt returns the 64 bits of 2/pi from bit i on, counted from the binary point.
func bitsAt(i int) uint64 {
	k, s := i/64, uint(i%64)
	if s == 0 {
		return twoOverPi[k]
	}
	return twoOverPi[k]<<s | twoOverPi[k+1]>>(64-s)
}

// ddSinCos returns sin(x) and cos(x).
func ddSinCos(x dd) (sin, cos dd) {
	n, r := reducePi(x)
	z := ddMul(r, r)
	s, c := dd{}, dd{}
	for k := 26; k >= 2; k -= 2 { // even powers for cos, the odd ones above them for sin
		s = ddMul(ddSub(inverseFactorial[k+1], s), z)
		c = ddMul(ddSub(inverseFactorial[k], c), z)
	}
	s, c = ddMul(r, ddSub(dd{1, 0}, s)), ddSub(dd{1, 0}, c)
	switch n & 3 {
	case 0:
		return s, c
	case 1:
		return c, ddNeg(s)
	case 2:
		return ddNeg(s), ddNeg(c)
	}
	return ddNeg(c), s
}

// ddSinhCosh returns sinh(x) and cosh(x) for x of at most 300.
func ddSinhCosh(x dd) (sinh, cosh dd) {
	p := ddExpm1(x)
	e := ddAdd(p, dd{1, 0})
	q := ddDiv(p, e)
	sinh = ddScale(ddAdd(p, q), -1)
	return sinh, ddAdd(dd{1, 0}, ddScale(ddMul(p, q), -1))
}

// ddAtan2 returns the angle of the point (x, y), which is not the origin. Both are at most 2^500 in magnitude.
func ddAtan2(y, x dd) dd {
	if x.hi > 0 && math.Abs(y.hi) < 0x1p-60*x.hi {
		return ddDiv(y, x)
	}
	a := math.Atan2(y.hi, x.hi)
	s, c := ddSinCos(dd{a, 0})
	// what is left after turning the point back by a
	num, den := ddSub(ddMul(y, c), ddMul(x, s)), ddAdd(ddMul(x, c), ddMul(y, s))
	return ddAdd(dd{a, 0}, dd{num.hi / den.hi, 0})
}
