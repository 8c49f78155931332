package hlo

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

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

// TestFused32 compares with exact sums of numbers of which many lie in the middle of two floats but for a little.
func TestFused32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	number := func(low, high int) float64 {
		whole := float64(1+2*r.IntN(1<<r.IntN(23))) * float64(1-2*r.IntN(2))
		return math.Ldexp(whole, low+r.IntN(high-low))
	}
	for range 200000 {
		x, y, z := number(-12, 12), number(-12, 12), number(-50, 20)
		exact := new(big.Float).SetPrec(300).SetFloat64(x * y)
		want, _ := exact.Add(exact, big.NewFloat(z)).Float32()
		if got := fused32(x, y, z); got != float64(want) {
			t.Fatalf("%g*%g + %g: got %g, want %g", x, y, z, got, want)
		}
	}
}
