package hlo

import "math"

// mulC64 is x*y as XLA's CPU code has it: of each part one product is rounded before the sum, the other is not. Where
// the two cancel, the exact value rounded once would be another number.
func mulC64(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(fused32(a, c, -round32(b*d)), fused32(b, c, round32(a*d)))
}

// fused32 is x*y + z of numbers of f32, rounded once, as fused multiply-adds of single precision have it. A sum in f64
// that may lie in the middle of two floats is rounded to odd, so that it does so only where the exact sum does.
func fused32(x, y, z float64) float64 {
	p := float64(x * y) // exact
	s := p + z
	if math.Float64bits(s)&(1<<28-1) == 0 {
		s = odd(s, p, z)
	}
	return round32(s)
}

// odd is s, the sum of p and z, or its neighbour on the exact sum's side if that is odd and s is not exact.
func odd(s, p, z float64) float64 {
	v := s - p
	lost := (p - (s - v)) + (z - v)
	bits := math.Float64bits(s)
	switch {
	case math.IsInf(s, 0) || math.IsNaN(s) || lost == 0 || bits&1 == 1:
	case (lost > 0) == (s > 0):
		bits++
	default:
		bits--
	}
	return math.Float64frombits(bits)
}

// mulC128 is x*y with each product rounded. Go's own may be fused with the sum, on some processors and not on others.
func mulC128(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}

func round32(v float64) float64 { return float64(float32(v)) }

// complexOn returns the meaning on the complex type of the given width in bits.
func (s *Scalar) complexOn(bits int) func(a []complex128) complex128 {
	if bits == 64 && s.C64 != nil {
		return s.C64
	}
	return s.Complex
}
