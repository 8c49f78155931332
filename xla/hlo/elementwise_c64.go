package hlo

// mulC64 is x*y as XLA's CPU code has it: of each part one product is rounded before the sum, the other is not. Where
// the two cancel, the exact value rounded once would be another number.
func mulC64(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(round32(a*c-round32(b*d)), round32(b*c+round32(a*d)))
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
