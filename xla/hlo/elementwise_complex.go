package hlo

import (
	"math"
	"math/cmplx"
)

// The functions of one complex number. Finite arguments are computed in double-double and rounded once; infinities and
// NaN follow C99's Annex G, which package cmplx does too. Branch cuts are C99's: the sign of a zero says on which
// side.

// cdd is a complex number in double-double.
type cdd struct{ re, im dd }

func (z cdd) value() complex128 { return complex(z.re.value(), z.im.value()) }

func finite(z complex128) bool {
	return real(z)-real(z) == 0 && imag(z)-imag(z) == 0
}

// withSigns gives the parts of z, which are not negative, the signs of x and y.
func withSigns(z cdd, x, y float64) complex128 {
	v := z.value()
	return complex(math.Copysign(real(v), x), math.Copysign(imag(v), y))
}

// exponentOf returns e so that v*2^-e is about 1, 0 for 0.
func exponentOf(v float64) int {
	_, e := math.Frexp(v)
	return e
}

// cddSqrt returns the principal root. The parts of z are at most 2^500 in magnitude.
func cddSqrt(z cdd) cdd {
	m := max(math.Abs(z.re.hi), math.Abs(z.im.hi))
	if m == 0 {
		return cdd{dd{}, z.im}
	}
	e := exponentOf(m) &^ 1
	x, y := ddScale(z.re, -e), ddScale(z.im, -e)
	h := ddSqrt(ddAdd(ddMul(x, x), ddMul(y, y)))
	t := ddScale(ddSqrt(ddScale(ddAdd(ddAbs(x), h), -1)), e/2)
	u := ddDiv(z.im, ddScale2(t)) // not of the scaled part, which may have vanished
	if z.re.hi >= 0 {
		return cdd{t, u}
	}
	if math.Signbit(z.im.hi) {
		t = ddNeg(t)
	}
	return cdd{ddAbs(u), t}
}

// scaleDown brings the parts of z below 2^2 by an even power of 2, which it returns; what vanishes was worthless
// beside the other part.
func scaleDown(z complex128) (re, im float64, e int) { return scaleTo(z, 0) }

// scaleTo does so with 2^(to+2); to is even.
func scaleTo(z complex128, to int) (re, im float64, e int) {
	e = exponentOf(max(math.Abs(real(z)), math.Abs(imag(z))))&^1 - to
	return math.Ldexp(real(z), -e), math.Ldexp(imag(z), -e), e
}

// ComplexAbs is |z|, the meaning of Abs on complex numbers, rounded once. math.Hypot is up to 2 units off.
func ComplexAbs(z complex128) float64 {
	if !finite(z) || z == 0 {
		return math.Hypot(real(z), imag(z))
	}
	x, y, e := scaleDown(z)
	return math.Ldexp(ddSqrt(ddAdd(twoProd(x, x), twoProd(y, y))).value(), e)
}

func complexSqrt(z complex128) complex128 {
	switch {
	case math.IsInf(real(z), 1) && imag(z)-imag(z) == 0:
		return complex(real(z), math.Copysign(0, imag(z)))
	case math.IsInf(real(z), -1) && imag(z)-imag(z) == 0:
		return complex(0, math.Copysign(math.Inf(1), imag(z)))
	case !finite(z) || z == 0:
		return cmplx.Sqrt(z)
	}
	x, y, e := scaleDown(z)
	s := cddSqrt(cdd{dd{x, 0}, dd{y, 0}}).value()
	re, im := math.Ldexp(real(s), e/2), math.Ldexp(imag(s), e/2)
	switch { // the smaller part may have vanished in scaling
	case real(z) >= 0:
		im = imag(z) / (2 * re)
	case im != 0:
		re = math.Abs(imag(z) / (2 * im))
	}
	return complex(re, im)
}

func complexRsqrt(z complex128) complex128 {
	if !finite(z) || z == 0 {
		return complexDivide(1, cmplx.Sqrt(z))
	}
	x, y, e := scaleDown(z)
	s := cddSqrt(cdd{dd{x, 0}, dd{y, 0}})
	n := ddAdd(ddMul(s.re, s.re), ddMul(s.im, s.im))
	t, left := s.re, real(z) < 0
	if left {
		t = ddAbs(s.im)
	}
	m, k := math.Frexp(math.Abs(imag(z))) // the smaller part may have vanished in scaling
	small := math.Ldexp(ddDiv(ddDiv(dd{m, 0}, ddScale2(t)), n).value(), k-e-e/2)
	large := math.Ldexp(ddDiv(t, n).value(), -e/2)
	if left {
		small, large = large, small
	}
	return complex(large, math.Copysign(small, -imag(z)))
}

// logAbs returns log|x+iy|; not both are 0.
func logAbs(x, y dd) dd {
	big, small := ddAbs(x), ddAbs(y)
	if big.hi < small.hi {
		big, small = small, big
	}
	if big.hi > 0.5 && big.hi < 2 { // the logarithm may be small: subtract 1 without rounding
		xx, yy := twoProd(x.hi, x.hi), twoProd(y.hi, y.hi)
		f := ddSum(xx.hi, yy.hi, xx.lo, yy.lo, -1, 2*x.hi*x.lo, 2*y.hi*y.lo)
		return ddScale(ddLog1p(f), -1)
	}
	q := ddDiv(small, big)
	return ddAdd(ddLog(big), ddScale(ddLog1p(ddMul(q, q)), -1))
}

// angle returns the angle of the point (x, y) of any finite size.
func angle(y, x dd) dd {
	if y.hi == 0 || x.hi == 0 {
		return dd{math.Atan2(y.hi, x.hi), 0}
	}
	if x.hi > 0 && math.Abs(y.hi) < 0x1p-60*x.hi {
		return ddDiv(y, x)
	}
	e := exponentOf(max(math.Abs(x.hi), math.Abs(y.hi)))
	return ddAtan2(ddScale(y, -e), ddScale(x, -e))
}

func cddLog(z complex128) cdd {
	x, y := dd{real(z), 0}, dd{imag(z), 0}
	return cdd{logAbs(x, y), angle(y, x)}
}

func complexLog(z complex128) complex128 {
	if !finite(z) || z == 0 {
		re := math.Log(math.Hypot(real(z), imag(z)))
		return complex(re, math.Atan2(imag(z), real(z)))
	}
	return cddLog(z).value()
}

func complexLog1p(z complex128) complex128 {
	x, y := real(z), imag(z)
	if !finite(z) || z == -1 {
		return complexLog(complex(1+x, y))
	}
	shifted, im := twoSum(1, x), dd{y, 0}
	arg := angle(im, shifted)
	if n := math.Hypot(1+x, y); n < 0.5 || n > 2 {
		return cdd{logAbs(shifted, im), arg}.value()
	}
	xx, yy := twoProd(x, x), twoProd(y, y)
	f := ddSum(2*x, xx.hi, yy.hi, xx.lo, yy.lo)
	return cdd{ddScale(ddLog1p(f), -1), arg}.value()
}

// cis returns cos(y) and sin(y), signs of zeros kept.
func cis(y dd) (cos, sin dd) {
	if y.hi == 0 {
		return dd{1, 0}, y
	}
	sin, cos = ddSinCos(y)
	return cos, sin
}

// cddExp returns exp(z) as m*2^n; the real part of z is at most some thousands in magnitude.
func cddExp(z cdd) (m cdd, n int) {
	e, n := ddExpScaled(z.re)
	c, s := cis(z.im)
	if s.hi == 0 {
		return cdd{ddMul(e, c), s}, n
	}
	return cdd{ddMul(e, c), ddMul(e, s)}, n
}

func scaled(m cdd, n int) complex128 {
	return complex(math.Ldexp(m.re.value(), n), math.Ldexp(m.im.value(), n))
}

// clampExponent keeps an exponent of e where it cannot overflow an int, beyond where exp over- or underflows.
func clampExponent(x float64) float64 { return max(-3000, min(3000, x)) }

func complexExp(z complex128) complex128 {
	switch {
	case math.IsInf(real(z), 0) && imag(z)-imag(z) != 0: // no angle: NaN, where C would have a zero of any sign
		return complex(math.NaN(), math.NaN())
	case !finite(z):
		return cmplx.Exp(z)
	}
	m, n := cddExp(cdd{dd{clampExponent(real(z)), 0}, dd{imag(z), 0}})
	v := scaled(m, n)
	if y := imag(z); y != 0 && math.Abs(y) < 0x1p-500 { // a subnormal product would be scaled with its rounding
		v = complex(real(v), math.Ldexp(ddMul(m.re, dd{math.Ldexp(y, 500), 0}).value(), n-500))
	}
	return v
}

func complexExpm1(z complex128) complex128 {
	if !finite(z) || math.Abs(real(z)) > 300 {
		return complexExp(z) - 1
	}
	x, y := dd{real(z), 0}, dd{imag(z), 0}
	p := ddExpm1(x)
	c, s := cis(y)
	_, h := cis(ddScale(y, -1))
	// exp(x)cos(y) - 1 = expm1(x)cos(y) - 2sin(y/2)^2
	re := ddSub(ddMul(p, c), ddScale2(ddMul(h, h)))
	im := ddMul(ddAdd(dd{1, 0}, p), s)
	if imag(z) == 0 {
		return complex(re.value(), imag(z))
	}
	return complex(re.value(), im.value())
}

// sinhCosh returns sinh(x) and cosh(x) divided by 2^n.
func sinhCosh(x float64) (sinh, cosh dd, n int) {
	if math.Abs(x) <= 300 {
		sinh, cosh = ddSinhCosh(dd{x, 0})
		if x == 0 {
			sinh.hi = x
		}
		return sinh, cosh, 0
	}
	e, n := ddExpScaled(dd{min(math.Abs(x), 3000), 0})
	if x < 0 {
		return ddNeg(e), e, n - 1
	}
	return e, e, n - 1
}

// times is ddMul that keeps the sign of a zero.
func times(a, b dd) dd {
	if p := a.hi * b.hi; p == 0 {
		return dd{p, 0}
	}
	return ddMul(a, b)
}

func complexSinh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Sinh(z)
	}
	sh, ch, n := sinhCosh(real(z))
	c, s := cis(dd{imag(z), 0})
	return complex(scaledProduct(sh, c, n), scaledProduct(ch, s, n))
}

func complexCosh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Cosh(z)
	}
	sh, ch, n := sinhCosh(real(z))
	c, s := cis(dd{imag(z), 0})
	return complex(scaledProduct(ch, c, n), scaledProduct(sh, s, n))
}

// timesI and overI turn z by a quarter and back.
func timesI(z complex128) complex128 { return complex(-imag(z), real(z)) }
func overI(z complex128) complex128  { return complex(imag(z), -real(z)) }

func complexSin(z complex128) complex128 { return overI(complexSinh(timesI(z))) }
func complexCos(z complex128) complex128 { return complexCosh(timesI(z)) }
func complexTan(z complex128) complex128 { return overI(complexTanh(timesI(z))) }

// awayFromZero returns v and 0, or v*2^500 and -500 if products of v would be subnormal.
func awayFromZero(v dd) (dd, int) {
	if math.Abs(v.hi) < 0x1p-500 {
		return ddScale(v, 500), -500
	}
	return v, 0
}

// scaledProduct is a*b*2^n, of which no part is rounded as a subnormal number on the way.
func scaledProduct(a, b dd, n int) float64 {
	a, i := awayFromZero(a)
	b, k := awayFromZero(b)
	return math.Ldexp(times(a, b).value(), n+i+k)
}

func complexTanh(z complex128) complex128 {
	x, y := real(z), imag(z)
	if !finite(z) {
		return cmplx.Tanh(z)
	}
	c, s := cis(dd{y, 0})
	sc := times(s, c)
	if math.Abs(x) > 300 {
		e, n := ddExpScaled(dd{-2 * min(math.Abs(x), 1500), 0})
		return complex(math.Copysign(1, x), math.Ldexp(times(sc, e).value(), n+2))
	}
	sh, ch, _ := sinhCosh(x)
	den := ddAdd(ddMul(c, c), ddMul(sh, sh))
	sh, n := awayFromZero(sh)
	s, k := awayFromZero(s)
	re, im := times(sh, ch), times(s, c)
	if x != 0 {
		re = ddDiv(re, den)
	}
	if y != 0 {
		im = ddDiv(im, den)
	}
	return complex(math.Ldexp(re.value(), n), math.Ldexp(im.value(), k))
}
