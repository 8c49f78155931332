package scalar

import (
	"math"
	"math/bits"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// What the instructions mean where one line does not say it; the rows are those of package hlo's operations.

func selectOne(m *Machine, in *Instr) {
	v := m.regs[in.C]
	if m.regs[in.A] != 0 {
		v = m.regs[in.B]
	}
	m.regs[in.D] = v
}

// cut returns the low Imm bits of v, extend the same as a signed integer.
func cut(v uint64, in *Instr) uint64   { return v << (64 - uint(in.Imm)) >> (64 - uint(in.Imm)) }
func extend(v uint64, in *Instr) int64 { return int64(v<<(64-uint(in.Imm))) >> (64 - uint(in.Imm)) }

func leadingZeros(v uint64, in *Instr) int64 {
	return int64(min(bits.LeadingZeros64(v<<(64-uint(in.Imm))), int(in.Imm)))
}

// by is how far a shift goes: 64 and more shift out every bit.
func (m *Machine) by(in *Instr) uint64 {
	if n := cut(m.b(in), in); n < uint64(in.Imm) {
		return n
	}
	return 64
}

// orderKey orders floats by their bits: -NaN < -Inf < ... < -0 < +0 < ... < +NaN.
func orderKey(s int64) uint64 { return uint64(s) ^ uint64(s>>63)>>1 }

// sign keeps zeros and NaN.
func sign[T float32 | float64](v T) T {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return v
}

// divideSigned gives -1 for a division by 0.
func divideSigned(a, b int64) int64 {
	switch b {
	case 0:
		return -1
	case -1:
		return -a
	}
	return a / b
}

func divideUnsigned(a, b uint64) uint64 {
	if b == 0 {
		return math.MaxUint64
	}
	return a / b
}

// remainderSigned gives the dividend if the divisor is 0.
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

func mulhiSigned(a, b int64, width int32) int64 {
	if width <= 32 {
		return a * b >> uint(width)
	}
	hi, _ := bits.Mul64(uint64(a), uint64(b))
	return int64(hi) - a>>63&b - b>>63&a
}

func mulhiUnsigned(a, b uint64, width int32) uint64 {
	if width <= 32 {
		return a * b >> uint(width)
	}
	hi, _ := bits.Mul64(a, b)
	return hi
}

// powerSigned gives 0 for negative exponents of all bases but 1.
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

func roundTo(m *Machine, in *Instr) {
	t := shape.ElementType(in.Imm)
	m.setD(in, t.ToFloat64(t.FromFloat64(m.ad(in))))
}

// reducePrecision rounds the exponent and mantissa of a float of type B: to nearest even, beyond the range to infinity,
// below the normal numbers to zero.
func reducePrecision(m *Machine, in *Instr) {
	t, exp2, man2 := shape.ElementType(in.B), int(in.Imm>>8), int(in.Imm&0xFF)
	man, exp := t.MantissaBits(), t.ExponentBits()
	v := t.FromFloat64(m.ad(in))
	sign := v >> (exp + man) << (exp + man)
	abs, inf := v&^sign, (uint64(1)<<exp-1)<<man
	if abs <= inf {
		if drop := man - man2; drop > 0 {
			abs += abs>>drop&1 + uint64(1)<<(drop-1) - 1
			abs = abs >> drop << drop
		}
		if exp2 < exp {
			abs = cutExponent(abs, inf, man, exp, exp2)
		}
		v = sign | abs
	}
	m.setD(in, t.ToFloat64(v))
}

// cutExponent makes magnitudes out of the range of exp2 exponent bits infinity or 0.
func cutExponent(abs, inf uint64, man, exp, exp2 int) uint64 {
	bias, bias2 := uint64(1)<<(exp-1)-1, uint64(1)<<(exp2-1)-1
	switch e := abs >> man; {
	case e > bias+bias2:
		return inf
	case e <= bias-bias2:
		return 0
	}
	return abs
}

// mulC64 is the reference's.
func mulC64(m *Machine, in *Instr) { onC64(m, in, hlo.Multiply.Info().Scalar.C64) }
