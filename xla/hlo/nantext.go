package hlo

import (
	"math"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// mantissa returns the bits of t's mantissa if t has NaNs with payloads there, as IEEE formats do, else 0.
func mantissa(t shape.ElementType) int {
	if t.IsFloat() && math.IsInf(t.MaxFloat64(), 1) {
		return t.MantissaBits()
	}
	return 0
}

// nanBits returns the bits of a NaN written as "nan", "-nan" or "nan(0x7)", the payload being the mantissa. ok is false
// if text says something else, or t has no such NaN.
func nanBits(t shape.ElementType, text string) (bits uint64, ok bool) {
	s, minus := strings.CutPrefix(text, "-")
	s = strings.TrimPrefix(s, "+")
	s, ok = strings.CutPrefix(strings.ToLower(s), "nan")
	nan := t.ToFloat64(t.FromFloat64(math.NaN()))
	if !ok || nan == nan {
		return 0, false
	}
	bits = t.FromFloat64(math.NaN())
	if man := mantissa(t); man > 0 {
		payload := uint64(1) << man >> 1
		if s != "" {
			inner, open := strings.CutPrefix(s, "(0x")
			inner, closed := strings.CutSuffix(inner, ")")
			v, err := strconv.ParseUint(inner, 16, 64)
			if !open || !closed || err != nil || v == 0 || v>>man != 0 {
				return 0, false
			}
			payload = v
		}
		bits = t.FromFloat64(math.Inf(1)) | payload
	} else if s != "" {
		return 0, false
	}
	if sign := uint64(1) << (t.Bits() - 1); minus && isNaNBits(t, bits|sign) {
		bits |= sign
	}
	return bits, true
}

func isNaNBits(t shape.ElementType, bits uint64) bool {
	v := t.ToFloat64(bits)
	return v != v
}

// appendNaN appends the text that nanBits reads as these bits.
func appendNaN(b []byte, t shape.ElementType, bits uint64) []byte {
	plain, _ := nanBits(t, "nan")
	if sign := uint64(1) << (t.Bits() - 1); bits&sign != 0 && bits != plain {
		b = append(b, '-')
	}
	b = append(b, "nan"...)
	man := mantissa(t)
	if payload := bits & (1<<man - 1); man > 0 && payload != 1<<man>>1 {
		b = append(strconv.AppendUint(append(b, "(0x"...), payload, 16), ')')
	}
	return b
}

// largest returns the least number that is too large for t: half a step beyond the greatest finite value.
func largest(t shape.ElementType) float64 {
	if t == shape.F64 {
		return math.Inf(1) // ParseFloat says so itself
	}
	v := t.MaxFloat64()
	bits := t.FromFloat64(v)
	if math.IsInf(v, 1) {
		bits--
		v = t.ToFloat64(bits)
	}
	if t == shape.F8E8M0FNU {
		return v * 1.5
	}
	return v + (v-t.ToFloat64(bits-1))/2
}
