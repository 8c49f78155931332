package hlo

import "math"

// Functions of one float where package math strays further than 2 ULPs, or is not what the ops mean.

// exponential is exp, which package math lets overflow too early on some machines.
func exponential(v float64) float64 {
	if v < 709 || v > 710 || v != v {
		return math.Exp(v)
	}
	e, n := ddExpScaled(dd{v, 0})
	return math.Ldexp(e.hi, n)
}

// hyperbolicCosine is cosh.
func hyperbolicCosine(v float64) float64 {
	if a := math.Abs(v); a > 700 && a < 720 {
		return halfExp(a)
	}
	return math.Cosh(v)
}

// halfExp is exp(v)/2, which does not overflow as soon as exp.
func halfExp(v float64) float64 {
	e, n := ddExpScaled(dd{v, 0})
	return math.Ldexp(e.hi, n-1)
}

// logarithm is log, which package math gets wrong for subnormal numbers on some machines.
func logarithm(v float64) float64 {
	if v > 0 && v < 0x1p-1022 {
		l := ddLog(dd{v, 0})
		return l.value()
	}
	return math.Log(v)
}

// sine is sin for any finite argument: the argument is reduced with as many bits of pi as it takes.
func sine(v float64) float64 {
	if math.Abs(v) <= math.Pi/4 || v-v != 0 {
		return math.Sin(v)
	}
	n, r := reducePi(dd{v, 0})
	switch n & 3 {
	case 0:
		return sinNear(r)
	case 1:
		return cosNear(r)
	case 2:
		return -sinNear(r)
	}
	return -cosNear(r)
}

// cosine is cos for any finite argument.
func cosine(v float64) float64 {
	if math.Abs(v) <= math.Pi/4 || v-v != 0 {
		return math.Cos(v)
	}
	n, r := reducePi(dd{v, 0})
	switch n & 3 {
	case 0:
		return cosNear(r)
	case 1:
		return -sinNear(r)
	case 2:
		return -cosNear(r)
	}
	return sinNear(r)
}

// tangent is tan for any finite argument. Package math drops the cube of what is below 1e-7.
func tangent(v float64) float64 {
	if v == 0 || v-v != 0 {
		return math.Tan(v)
	}
	s, c := ddSinCos(dd{v, 0})
	t := ddDiv(s, c)
	return t.value()
}

// sinNear and cosNear take a reduced argument of at most pi/4.
func sinNear(r dd) float64 { return math.Sin(r.hi) + float64(r.lo*math.Cos(r.hi)) }

func cosNear(r dd) float64 { return math.Cos(r.hi) - float64(r.lo*math.Sin(r.hi)) }

// arcsin is asin; near 1 the difference to 1 must not be squared away.
func arcsin(v float64) float64 {
	if math.Abs(v) >= 1 || v == 0 {
		return math.Asin(v)
	}
	return math.Atan(v / math.Sqrt((1-v)*(1+v)))
}

// arccos is acos, by the half angle where it is small.
func arccos(v float64) float64 {
	switch {
	case v != v || math.Abs(v) > 1:
		return math.NaN()
	case v < 0.5:
		p := ddSub(ddPiHalf, dd{arcsin(v), 0})
		return p.hi + p.lo
	}
	z := (1 - v) / 2
	if z == 0 {
		return 0
	}
	s := math.Sqrt(z)
	c := math.FMA(-s, s, z) / (2 * s) // what the rounded root lacks
	return 2 * (arcsin(s) + c/math.Sqrt(1-z))
}

// arctangent2 is atan2. Package math loses the sign of y where y/x is less than all numbers.
func arctangent2(y, x float64) float64 { return math.Copysign(math.Atan2(y, x), y) }

// hyperbolicSine is sinh.
func hyperbolicSine(v float64) float64 {
	a := math.Abs(v)
	if v == 0 || v != v || a > 720 {
		return math.Sinh(v)
	}
	e := math.Expm1(a)
	switch {
	case a < 1:
		e = e - e*e/(2*(e+1)) // (e + e/(e+1))/2, arranged so that the large part is exact
	case a < 700:
		e = (e + e/(e+1)) / 2
	default:
		e = halfExp(a)
	}
	return math.Copysign(e, v)
}

// logistic is 1/(1+exp(-v)).
func logistic(v float64) float64 {
	if v >= 0 {
		return 1 / (1 + math.Exp(-v))
	}
	if v < -708 { // there exp is small beside 1 and may be subnormal
		return math.Exp(v)
	}
	e := ddExp(dd{v, 0})
	return ddDiv(e, ddAdd(dd{1, 0}, e)).hi
}

// power is C's pow: row 32.
func power(x, y float64) float64 {
	switch {
	case x == 0 || y == 0 || x == 1 || x-x != 0 || y-y != 0 || x < 0 && y != math.Trunc(y):
		return math.Pow(x, y)
	case y == 1:
		return x
	case y == -1:
		return 1 / x
	case y == 2:
		return x * x
	}
	sign := 1.0
	if x < 0 && math.Abs(y) < 1<<53 && int64(y)&1 != 0 {
		sign = -1
	}
	l := ddLog(dd{math.Abs(x), 0})
	switch p := l.hi * y; {
	case p > 710:
		return sign * math.Inf(1)
	case p < -760:
		return sign * 0
	}
	e, n := ddExpScaled(ddMul(l, dd{y, 0}))
	return sign * math.Ldexp(e.hi, n) // the low half can only matter in a tie
}
