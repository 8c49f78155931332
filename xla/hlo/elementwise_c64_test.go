package hlo

import "testing"

// The parts of (1+e)^2 - (1+2e) and of its like, with e = 2^-12: exact products cancel to e^2, rounded ones to 0. One
// of the two products of a part is rounded to 24 bits, the other is not.
func TestProductOnC64RoundsOneOfTwoProducts(t *testing.T) {
	const e = 0x1p-12
	x := complex(1+e, 1+e)
	got := mulC64(x, x)
	want := complex(0x1p-24, float64(float32((1+e)*(1+e)+1+2*e)))
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if exact := x * x; real(exact) != 0 {
		t.Errorf("on C128: got the real part %v, want 0", real(exact))
	}
}

// 1.5*(1+2^-23) lies in the middle of two floats, which f64 does not see a tiny addend leave.
func TestProductOnC64IsRoundedOnce(t *testing.T) {
	const x, tiny = 1 + 0x1p-23, 0x1p-100
	for _, sign := range []float64{1, -1} {
		// The imaginary part is 1.5*x and, rounded first, sign*tiny.
		got := imag(mulC64(complex(sign*tiny, 1.5), complex(x, 1)))
		if want := 1.5 + 0x1p-23 + max(0, sign)*0x1p-23; got != want {
			t.Errorf("%v: got %v, want %v", sign, got, want)
		}
	}
}
