package shape_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// TestOddFloat wants integers rounded by way of float64 to be those that are rounded once.
func TestOddFloat(t *testing.T) {
	for _, v := range []uint64{0, 1, 1<<53 + 1, 1<<54 + 1<<30 + 1, 1<<62 + 1<<38, 1<<62 + 1<<38 + 1, 1<<62 + 3<<38 - 1,
		math.MaxInt64, 1 << 63, math.MaxUint64} {
		want, _ := new(big.Float).SetUint64(v).Float32()
		if got := float32(shape.OddFloat(v)); got != want {
			t.Errorf("OddFloat(%d): %v once rounded, want %v", v, got, want)
		}
		want, _ = new(big.Float).SetInt64(int64(v)).Float32()
		if got := float32(shape.OddFloatSigned(int64(v))); got != want {
			t.Errorf("OddFloatSigned(%d): %v once rounded, want %v", int64(v), got, want)
		}
	}
}

func TestStochastic(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		to         shape.ElementType
		v, u, want float64
	}{
		{shape.S8, 2.25, 0.24, 3}, {shape.S8, 2.25, 0.25, 2}, {shape.S8, -2.25, 0, -3}, {shape.S32, 7, 0, 7},
		{shape.BF16, 1 + 1./256, 0.49, 1 + 1./128}, {shape.BF16, 1 + 1./256, 0.5, 1}, {shape.F16, inf, 0, inf},
		{shape.F16, 65519, 0, 65504}, {shape.F16, -1, 0.9, -1},
	} {
		if got := c.to.Stochastic(c.v, c.u); got != c.want {
			t.Errorf("%v.Stochastic(%v, %v): got %v, want %v", c.to, c.v, c.u, got, c.want)
		}
	}
	if got := shape.F32.Stochastic(math.NaN(), 0); got == got {
		t.Errorf("Stochastic of NaN: got %v", got)
	}
}
