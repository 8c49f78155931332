package hlo

import (
	"math"
	"math/cmplx"
)

// hugeArgument is where inverse functions have reached their asymptotes to 106 bits.
const hugeArgument = 0x1p60

// ddAsinh returns asinh(t) for t that is not negative.
func ddAsinh(t dd) dd {
	if t.hi > hugeArgument {
		return ddAdd(ddLn2, ddLog(t))
	}
	tt := ddMul(t, t)
	r := ddSqrt(ddAdd(dd{1, 0}, tt))
	return ddLog1p(ddAdd(t, ddDiv(tt, ddAdd(dd{1, 0}, r))))
}

// roots returns the roots of 1-z and 1+z for finite z of at most hugeArgument.
func roots(x, y float64) (minus, plus cdd) {
	minus = cddSqrt(cdd{twoSum(1, -x), dd{-y, 0}})
	return minus, cddSqrt(cdd{twoSum(1, x), dd{y, 0}})
}

// cddAsin and cddAcos take an argument whose imaginary part is not negative, cddAsin's real part neither. The formulas
// are Kahan's; nothing cancels in them. The imaginary part of acos is returned without its sign.
func cddAsin(x, y float64) cdd {
	if max(x, y) > hugeArgument {
		return cdd{angle(dd{x, 0}, dd{y, 0}), ddAdd(ddLn2, logAbs(dd{x, 0}, dd{y, 0}))}
	}
	a, b := roots(x, y)
	re := ddSub(ddMul(a.re, b.re), ddMul(a.im, b.im))
	im := ddSub(ddMul(a.re, b.im), ddMul(a.im, b.re))
	return cdd{angle(dd{x, 0}, re), ddAsinh(ddAbs(im))}
}

func cddAcos(x, y float64) cdd {
	if max(math.Abs(x), y) > hugeArgument {
		return cdd{angle(dd{y, 0}, dd{x, 0}), ddAdd(ddLn2, logAbs(dd{x, 0}, dd{y, 0}))}
	}
	a, b := roots(x, y)
	im := ddSub(ddMul(a.re, b.im), ddMul(a.im, b.re))
	return cdd{ddScale2(angle(a.re, b.re)), ddAsinh(ddAbs(im))}
}

func complexAsin(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Asin(z)
	}
	return withSigns(cddAsin(math.Abs(real(z)), math.Abs(imag(z))), real(z), imag(z))
}

func complexAsinh(z complex128) complex128 { return overI(complexAsin(timesI(z))) }

func complexAcos(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Acos(z)
	}
	return withSigns(cddAcos(real(z), math.Abs(imag(z))), 1, -imag(z))
}

func complexAcosh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Acosh(z)
	}
	a := cddAcos(real(z), math.Abs(imag(z)))
	return withSigns(cdd{a.im, a.re}, 1, imag(z))
}

// cddAtanh takes an argument in the first quadrant.
func cddAtanh(x, y float64) cdd {
	if m := max(x, y); m > hugeArgument {
		p, q := x/m, y/m
		return cdd{dd{p / (float64(p*p) + float64(q*q)) / m, 0}, ddPiHalf} // 1/z
	}
	f, g := twoSum(1, -x), twoSum(1, x)
	yy := twoProd(y, y)
	im := ddScale(angle(dd{2 * y, 0}, ddSub(ddMul(f, g), yy)), -1)
	if x == 1 && y < 0x1p-400 { // log(2/y)/2
		if y == 0 {
			return cdd{dd{math.Inf(1), 0}, dd{}}
		}
		return cdd{ddScale(ddSub(ddLn2, ddLog(dd{y, 0})), -1), im}
	}
	den := ddAdd(ddMul(f, f), yy)
	return cdd{ddScale(ddLog1p(ddDiv(dd{4 * x, 0}, den)), -2), im}
}

func complexAtanh(z complex128) complex128 {
	if !finite(z) {
		return cmplx.Atanh(z)
	}
	return withSigns(cddAtanh(math.Abs(real(z)), math.Abs(imag(z))), real(z), imag(z))
}

func complexAtan(z complex128) complex128 { return overI(complexAtanh(timesI(z))) }

// complexDivide divides as C99's Annex G asks: no overflow in between, and infinities come out of what would be NaN.
func complexDivide(z, w complex128) complex128 {
	if !finite(z) || !finite(w) || w == 0 {
		return divideSpecial(z, w)
	}
	if imag(w) == 0 {
		return complex(real(z)/real(w), imag(z)/real(w))
	}
	if real(w) == 0 {
		return complex(imag(z)/imag(w), -real(z)/imag(w))
	}
	const to = 500 // what a product loses in rounding is no subnormal number then
	a, b, e := scaleTo(z, 400)
	c, d, f := scaleTo(w, to)
	n := ddScale(ddSum2(c, c, d, d), -2*to)
	re, im := ddDiv(ddSum2(a, c, b, d), n), ddDiv(ddSum2(b, c, -a, d), n)
	return complex(math.Ldexp(re.value(), e-f-2*to), math.Ldexp(im.value(), e-f-2*to))
}

// ddSum2 returns a*b + c*d.
func ddSum2(a, b, c, d float64) dd {
	p, q := twoProd(a, b), twoProd(c, d)
	return ddSum(p.hi, q.hi, p.lo, q.lo)
}

// divideSpecial is Annex G.5.1 for operands with an infinity, a NaN or a divisor of 0.
func divideSpecial(z, w complex128) complex128 {
	a, b, c, d := real(z), imag(z), real(w), imag(w)
	n := float64(c*c) + float64(d*d)
	p := mulC128(z, complex(c, -d))
	re, im := real(p)/n, imag(p)/n
	if re == re || im == im {
		return complex(re, im)
	}
	zInf, wInf := math.IsInf(a, 0) || math.IsInf(b, 0), math.IsInf(c, 0) || math.IsInf(d, 0)
	switch {
	case w == 0 && (a == a || b == b):
		inf := math.Copysign(math.Inf(1), c)
		return complex(inf*a, inf*b)
	case zInf && finite(w):
		a, b = boxed(a), boxed(b)
		p := mulC128(complex(a, b), complex(c, -d))
		return complex(math.Inf(1)*real(p), math.Inf(1)*imag(p))
	case wInf && finite(z):
		c, d = boxed(c), boxed(d)
		p := mulC128(complex(a, b), complex(c, -d))
		return complex(0*real(p), 0*imag(p))
	}
	return complex(re, im)
}

// boxed is 1 for infinities and 0 for the rest, signs kept.
func boxed(v float64) float64 {
	if math.IsInf(v, 0) {
		return math.Copysign(1, v)
	}
	return math.Copysign(0, v)
}

// complexPower is exp(w log z); row 32.
func complexPower(z, w complex128) complex128 {
	switch {
	case w == 0 || z == 1:
		return 1
	case math.IsInf(real(z), 1) && imag(z) == 0 && imag(w) == 0 && real(w) > 0:
		return complex(math.Inf(1), 0)
	case math.IsInf(real(z), 1) && imag(z) == 0 && imag(w) == 0 && real(w) < 0:
		return 0
	case z == 0 && real(w) > 0:
		return 0
	case !finite(z) || !finite(w) || z == 0:
		return cmplx.Pow(z, w)
	}
	if n := real(w); imag(w) == 0 && n == math.Trunc(n) && math.Abs(n) <= 16 && moderate(z) {
		return wholePower(z, int(n))
	}
	if imag(w) == 0 && nearlyReal(z) {
		return firstOrder(z, power(real(z), real(w)), real(w))
	}
	l := cddLog(z)
	u, v := dd{real(w), 0}, dd{imag(w), 0}
	p := cdd{ddSub(ddMul(l.re, u), ddMul(l.im, v)), ddAdd(ddMul(l.re, v), ddMul(l.im, u))}
	if !finite(p.value()) {
		return cmplx.Exp(p.value())
	}
	if math.Abs(p.re.hi) > 3000 {
		p.re = dd{clampExponent(p.re.hi), 0}
	}
	return scaled(cddExp(p))
}

// nearlyReal reports whether z is so near the positive half of the real axis that its angle may vanish.
func nearlyReal(z complex128) bool { return math.Abs(imag(z)) < 0x1p-60*real(z) }

// firstOrder is z to the power n, for z nearly real, of which the real part has the power re.
func firstOrder(z complex128, re, n float64) complex128 {
	return complex(re, re/real(z)*n*imag(z))
}

// moderate reports whether the 16th power of |z| and of 1/|z| are far from over- and underflow.
func moderate(z complex128) bool {
	m := max(math.Abs(real(z)), math.Abs(imag(z)))
	return m > 0x1p-40 && m < 0x1p40
}

// wholePower is the product of n factors z, of 1/z for negative n: exact where that is, unlike exp(n log z).
func wholePower(z complex128, n int) complex128 {
	x, y := dd{real(z), 0}, dd{imag(z), 0}
	p := cdd{dd{1, 0}, dd{}}
	for range max(n, -n) {
		p = cdd{ddSub(ddMul(p.re, x), ddMul(p.im, y)), ddAdd(ddMul(p.re, y), ddMul(p.im, x))}
	}
	if n < 0 {
		d := ddAdd(ddMul(p.re, p.re), ddMul(p.im, p.im))
		p = cdd{ddDiv(p.re, d), ddDiv(ddNeg(p.im), d)}
	}
	return p.value()
}

// complexCbrt is the principal third root.
func complexCbrt(z complex128) complex128 {
	if !finite(z) || z == 0 {
		return cmplx.Pow(z, complex(1.0/3, 0))
	}
	if nearlyReal(z) {
		return firstOrder(z, math.Cbrt(real(z)), 1.0/3)
	}
	l := cddLog(z)
	three := dd{3, 0}
	return scaled(cddExp(cdd{ddDiv(l.re, three), ddDiv(l.im, three)}))
}

// complexLogistic is 1/(1+exp(-z)).
func complexLogistic(z complex128) complex128 {
	if !finite(z) {
		return complexDivide(1, 1+complexExp(-z))
	}
	if real(z) < -300 { // there the 1 is nothing beside exp(-z)
		return complexExp(z)
	}
	m, n := cddExp(cdd{dd{max(-real(z), -3000), 0}, dd{-imag(z), 0}})
	re, im := ddAdd(dd{1, 0}, ddScale(m.re, n)), ddScale(m.im, n)
	den := ddAdd(ddMul(re, re), ddMul(im, im))
	return complex(ddDiv(re, den).value(), -ddDiv(im, den).value())
}

// complexAtan2 is -i log((x+iy)/sqrt(x*x+y*y)); row 41.
func complexAtan2(y, x complex128) complex128 {
	return overI(complexLog(complexDivide(x+timesI(y), complexSqrt(mulC128(x, x)+mulC128(y, y)))))
}

// complexSign is z/|z|; row 10.
func complexSign(z complex128) complex128 {
	switch {
	case cmplx.IsNaN(z) || real(z) != real(z) || imag(z) != imag(z):
		return complex(math.NaN(), math.NaN())
	case z == 0:
		return 0
	case finite(z):
		x, y, _ := scaleDown(z)
		z = complex(x, y)
	}
	r := math.Hypot(real(z), imag(z))
	return complex(real(z)/r, imag(z)/r)
}

// complexMaximum and complexMinimum order by the real part first; NaN wins. Law: StableHLO maximum and minimum.
func complexMaximum(z, w complex128) complex128 {
	if hasNaN(z) || !hasNaN(w) && !complexLess(z, w) {
		return z
	}
	return w
}

func complexMinimum(z, w complex128) complex128 {
	if hasNaN(z) || !hasNaN(w) && complexLess(z, w) {
		return z
	}
	return w
}

func complexLess(z, w complex128) bool {
	return real(z) < real(w) || real(z) == real(w) && imag(z) < imag(w)
}

func hasNaN(z complex128) bool { return real(z) != real(z) || imag(z) != imag(z) }
