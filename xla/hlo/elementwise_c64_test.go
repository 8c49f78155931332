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
