package hlo

import (
	"math"
	"math/bits"
)

// The elementwise ops on predicates and integers, and on floats where one line says all. Integers wrap: what an
// integer function returns is cut to the type's width by its caller.
var (
	scalarAdd = Scalar{
		Pred:     func(a []bool) bool { return a[0] || a[1] },
		Signed:   func(a []int64, _ int) int64 { return a[0] + a[1] },
		Unsigned: func(a []uint64, _ int) uint64 { return a[0] + a[1] },
		Float:    func(a []float64) float64 { return a[0] + a[1] },
		Complex:  func(a []complex128) complex128 { return a[0] + a[1] },
	}
	scalarSubtract = Scalar{
		Signed:   func(a []int64, _ int) int64 { return a[0] - a[1] },
		Unsigned: func(a []uint64, _ int) uint64 { return a[0] - a[1] },
		Float:    func(a []float64) float64 { return a[0] - a[1] },
		Complex:  func(a []complex128) complex128 { return a[0] - a[1] },
	}
	scalarMultiply = Scalar{
		Pred:     func(a []bool) bool { return a[0] && a[1] },
		Signed:   func(a []int64, _ int) int64 { return a[0] * a[1] },
		Unsigned: func(a []uint64, _ int) uint64 { return a[0] * a[1] },
		Float:    func(a []float64) float64 { return a[0] * a[1] },
		Complex:  func(a []complex128) complex128 { return mulC128(a[0], a[1]) },
		C64:      func(a []complex128) complex128 { return mulC64(a[0], a[1]) },
	}
	scalarMulhi = Scalar{
		Signed:   func(a []int64, bits int) int64 { return mulhiSigned(a[0], a[1], bits) },
		Unsigned: func(a []uint64, bits int) uint64 { return mulhiUnsigned(a[0], a[1], bits) },
	}
	scalarDivide = Scalar{
		Signed:   func(a []int64, _ int) int64 { return divideSigned(a[0], a[1]) },
		Unsigned: func(a []uint64, _ int) uint64 { return divideUnsigned(a[0], a[1]) },
		Float:    func(a []float64) float64 { return a[0] / a[1] },
		Complex:  func(a []complex128) complex128 { return complexDivide(a[0], a[1]) },
	}
	scalarRemainder = Scalar{
		Signed:   func(a []int64, _ int) int64 { return remainderSigned(a[0], a[1]) },
		Unsigned: func(a []uint64, _ int) uint64 { return remainderUnsigned(a[0], a[1]) },
		Float:    func(a []float64) float64 { return math.Mod(a[0], a[1]) },
	}
	scalarPower = Scalar{
		Signed:   func(a []int64, _ int) int64 { return powerSigned(a[0], a[1]) },
		Unsigned: func(a []uint64, _ int) uint64 { return powerUnsigned(a[0], a[1]) },
		Float:    func(a []float64) float64 { return power(a[0], a[1]) },
		Complex:  func(a []complex128) complex128 { return complexPower(a[0], a[1]) },
	}
	scalarMaximum = Scalar{
		Pred:     func(a []bool) bool { return a[0] || a[1] },
		Signed:   func(a []int64, _ int) int64 { return max(a[0], a[1]) },
		Unsigned: func(a []uint64, _ int) uint64 { return max(a[0], a[1]) },
		Float:    func(a []float64) float64 { return max(a[0], a[1]) },
		Complex:  func(a []complex128) complex128 { return complexMaximum(a[0], a[1]) },
	}
	scalarMinimum = Scalar{
		Pred:     func(a []bool) bool { return a[0] && a[1] },
		Signed:   func(a []int64, _ int) int64 { return min(a[0], a[1]) },
		Unsigned: func(a []uint64, _ int) uint64 { return min(a[0], a[1]) },
		Float:    func(a []float64) float64 { return min(a[0], a[1]) },
		Complex:  func(a []complex128) complex128 { return complexMinimum(a[0], a[1]) },
	}
	scalarAnd = Scalar{
		Pred:     func(a []bool) bool { return a[0] && a[1] },
		Signed:   func(a []int64, _ int) int64 { return a[0] & a[1] },
		Unsigned: func(a []uint64, _ int) uint64 { return a[0] & a[1] },
	}
	scalarOr = Scalar{
		Pred:     func(a []bool) bool { return a[0] || a[1] },
		Signed:   func(a []int64, _ int) int64 { return a[0] | a[1] },
		Unsigned: func(a []uint64, _ int) uint64 { return a[0] | a[1] },
	}
	scalarXor = Scalar{
		Pred:     func(a []bool) bool { return a[0] != a[1] },
		Signed:   func(a []int64, _ int) int64 { return a[0] ^ a[1] },
		Unsigned: func(a []uint64, _ int) uint64 { return a[0] ^ a[1] },
	}
	scalarNot = Scalar{
		Pred:     func(a []bool) bool { return !a[0] },
		Signed:   func(a []int64, _ int) int64 { return ^a[0] },
		Unsigned: func(a []uint64, _ int) uint64 { return ^a[0] },
	}
	scalarNegate = Scalar{
		Signed:   func(a []int64, _ int) int64 { return -a[0] },
		Unsigned: func(a []uint64, _ int) uint64 { return -a[0] },
		Float:    func(a []float64) float64 { return -a[0] },
		Complex:  func(a []complex128) complex128 { return -a[0] },
	}
	scalarSign = Scalar{
		Signed:  func(a []int64, _ int) int64 { return a[0]>>63 | int64(uint64(-a[0])>>63) },
		Float:   func(a []float64) float64 { return sign(a[0]) },
		Complex: func(a []complex128) complex128 { return complexSign(a[0]) },
	}
	scalarPopulationCount = Scalar{
		Signed:   func(a []int64, width int) int64 { return int64(bits.OnesCount64(uint64(a[0]) << (64 - width))) },
		Unsigned: func(a []uint64, _ int) uint64 { return uint64(bits.OnesCount64(a[0])) },
	}
	scalarClz = Scalar{
		Signed:   func(a []int64, width int) int64 { return int64(leadingZeros(uint64(a[0]), width)) },
		Unsigned: func(a []uint64, width int) uint64 { return uint64(leadingZeros(a[0], width)) },
	}
	scalarShiftLeft = Scalar{
		Signed:   func(a []int64, width int) int64 { return a[0] << shiftBy(uint64(a[1]), width, 64) },
		Unsigned: func(a []uint64, width int) uint64 { return a[0] << shiftBy(a[1], width, 64) },
	}
	scalarShiftRightArithmetic = Scalar{
		Signed:   func(a []int64, width int) int64 { return a[0] >> shiftBy(uint64(a[1]), width, 63) },
		Unsigned: func(a []uint64, width int) uint64 { return uint64(signExtend(a[0], width) >> shiftBy(a[1], width, 63)) },
	}
	scalarShiftRightLogical = Scalar{
		Signed: func(a []int64, width int) int64 {
			return int64(uint64(a[0]) << (64 - width) >> (64 - width) >> shiftBy(uint64(a[1]), width, 64))
		},
		Unsigned: func(a []uint64, width int) uint64 { return a[0] >> shiftBy(a[1], width, 64) },
	}
)

// The elementwise ops on floats and complex numbers.
var (
	scalarAcos             = floats(arccos, complexAcos)
	scalarAcosh            = floats(math.Acosh, complexAcosh)
	scalarAsin             = floats(arcsin, complexAsin)
	scalarAsinh            = floats(math.Asinh, complexAsinh)
	scalarAtan             = floats(math.Atan, complexAtan)
	scalarAtanh            = floats(math.Atanh, complexAtanh)
	scalarCbrt             = floats(math.Cbrt, complexCbrt)
	scalarCeil             = floats(math.Ceil, nil)
	scalarCos              = floats(cosine, complexCos)
	scalarCosh             = floats(hyperbolicCosine, complexCosh)
	scalarErf              = floats(math.Erf, nil)
	scalarExp              = floats(exponential, complexExp)
	scalarExpm1            = floats(math.Expm1, complexExpm1)
	scalarFloor            = floats(math.Floor, nil)
	scalarLog              = floats(logarithm, complexLog)
	scalarLog1p            = floats(math.Log1p, complexLog1p)
	scalarLogistic         = floats(logistic, complexLogistic)
	scalarRoundNearestAfz  = floats(math.Round, nil)
	scalarRoundNearestEven = floats(math.RoundToEven, nil)
	scalarRsqrt            = floats(func(v float64) float64 { return 1 / math.Sqrt(v) }, complexRsqrt)
	scalarSin              = floats(sine, complexSin)
	scalarSinh             = floats(hyperbolicSine, complexSinh)
	scalarSqrt             = floats(math.Sqrt, complexSqrt)
	scalarTan              = floats(tangent, complexTan)
	scalarTanh             = floats(math.Tanh, complexTanh)
	scalarAtan2            = Scalar{
		Float:   func(a []float64) float64 { return arctangent2(a[0], a[1]) },
		Complex: func(a []complex128) complex128 { return complexAtan2(a[0], a[1]) },
	}
)

// floats is a function of one float, and of one complex number if g is not nil.
func floats(f func(float64) float64, g func(complex128) complex128) Scalar {
	s := Scalar{Float: func(a []float64) float64 { return f(a[0]) }}
	if g != nil {
		s.Complex = func(a []complex128) complex128 { return g(a[0]) }
	}
	return s
}

// sign is row 10: it keeps zeros and NaN.
func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return v
}

// mulhiSigned returns the upper half of the product of two signed integers of the given width.
func mulhiSigned(a, b int64, width int) int64 {
	if width < 64 {
		if width <= 32 {
			return a * b >> width
		}
	}
	hi, _ := bits.Mul64(uint64(a), uint64(b))
	return int64(hi) - a>>63&b - b>>63&a
}

// mulhiUnsigned returns the upper half of the product of two unsigned integers of the given width.
func mulhiUnsigned(a, b uint64, width int) uint64 {
	if width <= 32 {
		return a * b >> width
	}
	hi, _ := bits.Mul64(a, b)
	return hi
}

// divideSigned is row 30: by 0 it gives -1, and the least integer by -1 gives itself.
func divideSigned(a, b int64) int64 {
	switch b {
	case 0:
		return -1
	case -1:
		return -a
	}
	return a / b
}

// divideUnsigned is row 30: by 0 it gives all ones.
func divideUnsigned(a, b uint64) uint64 {
	if b == 0 {
		return math.MaxUint64
	}
	return a / b
}

// remainderSigned is row 31: it has the sign of the dividend, which it is when the divisor is 0.
func remainderSigned(a, b int64) int64 {
	switch b {
	case 0:
		return a
	case -1:
		return 0
	}
	return a % b
}

func remainderUnsigned(a, b uint64) uint64 {
	if b == 0 {
		return a
	}
	return a % b
}

// powerSigned is row 32: negative exponents give 1 for base 1 and else 0.
func powerSigned(a, n int64) int64 {
	switch {
	case n >= 0:
		return int64(powerUnsigned(uint64(a), uint64(n)))
	case a == 1:
		return 1
	}
	return 0
}

func powerUnsigned(a, n uint64) uint64 {
	p := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p *= a
		}
		a *= a
	}
	return p
}

// leadingZeros counts the zeros above the highest one of the low width bits of v.
func leadingZeros(v uint64, width int) int {
	return min(bits.LeadingZeros64(v<<(64-width)), width)
}

// shiftBy returns how far to shift: the amount is read as unsigned and is past, which shifts out every bit, from
// width on.
func shiftBy(amount uint64, width int, past uint) uint {
	if amount >= uint64(width) {
		return past
	}
	return uint(amount)
}

// signExtend reads the low width bits of v as a signed integer.
func signExtend(v uint64, width int) int64 {
	return int64(v<<(64-width)) >> (64 - width)
}
