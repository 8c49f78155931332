package stablehlo

import (
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// The gamma function's kin. Law: Lanczos, "A Precision Approximation of the Gamma Function" (1964), with g = 7 and
// nine terms; Johansson, "Rigorous high-precision computation of the Hurwitz zeta function and its derivatives"
// (2015), formula 5. The order of the operations is that of XLA, whose results in f32 depend on it.

const lanczosG = 7

const lanczosBase = 0.99999999999980993227684700473478

var lanczosCoefficients = []float64{
	676.520368121885098567009190444019, -1259.13921672240287047156078755283, 771.3234287776530788486528258894,
	-176.61502916214059906584551354, 12.507343278686904814458936853, -0.13857109526572011689554707,
	9.984369578019570859563e-6, 1.50563273514931155834e-7,
}

// reflected returns where x is below 1/2, and z: -x there and x-1 elsewhere, so that gamma is taken at z+1.
func (m *mathOps) reflected(x *hlo.Instruction) (where, z *hlo.Instruction) {
	where = m.compare(x, hlo.Lt, m.num(0.5, x))
	return where, m.choose(where, m.neg(x), m.sub(x, m.num(1, x)))
}

// lanczosT returns t = z+g+1/2 and its logarithm, which is taken apart to be exact for small z.
func (m *mathOps) lanczosT(z *hlo.Instruction) (t, logT *hlo.Instruction) {
	const half = lanczosG + 0.5
	t = m.add(m.num(half, z), z)
	return t, m.add(m.num(math.Log(half), z), m.log1p(m.div(z, m.num(half, z))))
}

// lgamma is log|gamma(x)|.
func lgamma(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	x := args[0]
	reflect, z := m.reflected(x)
	a := m.num(lanczosBase, x)
	for i, c := range lanczosCoefficients {
		a = m.add(a, m.div(m.num(c, x), m.add(z, m.num(float64(i+1), x))))
	}
	t, logT := m.lanczosT(z)
	// (z+1/2)*log(t) - t, with the subtraction inside so that it does not overflow
	r := m.mul(m.sub(m.add(z, m.num(0.5, x)), m.div(t, logT)), logT)
	plain := m.add(m.add(m.num((math.Ln2+math.Log(math.Pi))/2, x), r), m.log(a))
	mirror := m.logSinPi(x)
	mirrored := m.sub(m.sub(m.num(math.Log(math.Pi), x), mirror), plain)
	mirrored = m.choose(m.do(hlo.IsFinite, nil, mirror), mirrored, m.neg(mirror)) // at the poles it is infinite
	result := m.choose(reflect, mirrored, plain)
	inf := m.num(math.Inf(1), x)
	return m.choose(m.compare(m.abs(x), hlo.Eq, inf), inf, result)
}

// logSinPi is log|sin(pi x)|: sin has that period, so the fraction of x will do, and the nearer end of it.
func (m *mathOps) logSinPi(x *hlo.Instruction) *hlo.Instruction {
	abs := m.abs(x)
	f := m.sub(abs, m.floor(abs))
	f = m.choose(m.compare(m.num(0.5, x), hlo.Lt, f), m.sub(m.num(1, x), f), f)
	return m.log(m.do(hlo.Sin, nil, m.mul(m.num(math.Pi, x), f)))
}

// digamma is the derivative of log gamma(x); at 0 it is -infinity and at negative whole numbers NaN.
func digamma(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	x := args[0]
	reflect, z := m.reflected(x)
	zero := m.num(0, x)
	a, slope := m.num(lanczosBase, x), zero
	for i, c := range lanczosCoefficients {
		term := m.add(z, m.num(float64(i+1), x))
		slope = m.sub(slope, m.div(m.num(c, x), m.mul(term, term)))
		a = m.add(a, m.div(m.num(c, x), term))
	}
	t, logT := m.lanczosT(z)
	plain := m.sub(m.add(logT, m.div(slope, a)), m.div(m.num(lanczosG, x), t))
	// digamma(1-x) - pi*cot(pi*x), the argument brought to at most 1/2
	reduced := m.mul(m.num(math.Pi, x), m.add(x, m.abs(m.floor(m.add(x, m.num(0.5, x))))))
	cos, sin := m.do(hlo.Cos, nil, reduced), m.do(hlo.Sin, nil, reduced)
	mirrored := m.sub(plain, m.div(m.mul(m.num(math.Pi, x), cos), sin))
	result := m.choose(reflect, mirrored, plain)
	pole := m.and(m.compare(x, hlo.Lt, zero), m.isWhole(x))
	result = m.choose(pole, m.num(math.NaN(), x), result)
	return m.choose(m.compare(x, hlo.Eq, zero), m.num(math.Inf(-1), x), result)
}

// zetaCoefficients are (2k)!/B(2k) for k from 12 down to 1.
var zetaCoefficients = []float64{
	-7.1661652561756670113e18, 1.8152105401943546773e17, -4.5979787224074726105e15, 1.1646782814350067249e14,
	-2.950130727918164224e12, 7.47242496e10, -1.8924375803183791606e9, 47900160, -1209600, 30240, -720, 12,
}

// zeta is Hurwitz's zeta function, the sum of (q+k)^-x over k from 0 on, by Euler's and Maclaurin's formula.
func zeta(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	x, q := args[0], args[1]
	one, zero, minusX := m.num(1, q), m.num(0, q), m.neg(x)
	acc, sum := q, m.do(hlo.Power, nil, q, minusX)
	power := zero
	for i := range 10 {
		acc = m.add(acc, one)
		power = m.do(hlo.Power, nil, acc, minusX)
		if i < 9 {
			sum = m.add(sum, power)
		}
	}
	integral := m.div(m.mul(power, acc), m.sub(x, one))
	inverse := m.div(one, m.mul(acc, acc))
	terms := len(zetaCoefficients)
	tail := zero
	for i, c := range zetaCoefficients[:terms-1] {
		k := float64(2*terms - 2 - 2*i)
		factor := m.mul(m.add(x, m.num(k, x)), m.add(x, m.num(k-1, x)))
		tail = m.mul(factor, m.mul(inverse, m.add(tail, m.num(1/c, x))))
	}
	tail = m.add(m.num(1/zetaCoefficients[terms-1], x), tail)
	correction := m.mul(power, m.add(m.num(0.5, x), m.mul(m.div(x, acc), tail)))
	result := m.add(m.add(sum, integral), correction)
	enough := m.compare(m.abs(power), hlo.Lt, m.mul(m.abs(sum), m.num(smallest(q.Shape.Type), q)))
	return m.zetaDomain(x, q, m.choose(enough, sum, result))
}

// smallest returns the least positive value of a type.
func smallest(t shape.ElementType) float64 { return t.ToFloat64(1) }

// zetaDomain replaces zeta where it has poles or is not defined.
func (m *mathOps) zetaDomain(x, q, result *hlo.Instruction) *hlo.Instruction {
	one, zero, nan, inf := m.num(1, x), m.num(0, x), m.num(math.NaN(), x), m.num(math.Inf(1), x)
	result = m.choose(m.compare(x, hlo.Lt, one), nan, result)
	negative := m.compare(q, hlo.Le, zero)
	result = m.choose(m.and(negative, m.compare(x, hlo.Ne, m.floor(x))), nan, result)
	even := m.compare(m.do(hlo.Remainder, nil, x, m.num(2, x)), hlo.Eq, zero)
	pole := m.choose(m.and(m.isWhole(x), even), inf, nan)
	result = m.choose(m.and(negative, m.isWhole(q)), pole, result)
	return m.choose(m.compare(x, hlo.Eq, one), inf, result)
}

// polygamma is the n-th derivative of digamma at x, for whole n from 0 on: (-1)^(n+1) n! zeta(n+1, x).
func polygamma(m *mathOps, args []*hlo.Instruction) *hlo.Instruction {
	n, x := args[0], args[1]
	one, two := m.num(1, x), m.num(2, x)
	sign := m.sub(m.mul(two, m.do(hlo.Remainder, nil, n, two)), one)
	next := m.add(n, one)
	factorial := m.exp(lgamma(m, []*hlo.Instruction{next}))
	result := m.mul(m.mul(sign, factorial), zeta(m, []*hlo.Instruction{next, x}))
	result = m.choose(m.compare(n, hlo.Eq, m.num(0, x)), digamma(m, []*hlo.Instruction{x}), result)
	wrong := m.or(m.compare(n, hlo.Ne, m.floor(n)), m.compare(n, hlo.Lt, m.num(0, x)))
	return m.choose(wrong, m.num(math.NaN(), x), result)
}
