package shape

import "math"

// OddFloat returns v, or if float64 does not have it, the neighbour with an odd last bit: rounding that to a narrower
// type gives what rounding v gives.
func OddFloat(v uint64) float64 {
	const drop = 64 - 53
	if v>>53 != 0 && v&(1<<drop-1) != 0 {
		v = v&^(1<<drop-1) | 1<<drop
	}
	return float64(v)
}

// OddFloatSigned is OddFloat of a signed number.
func OddFloatSigned(v int64) float64 {
	if v < 0 {
		return -OddFloat(-uint64(v))
	}
	return OddFloat(uint64(v))
}

// Stochastic rounds v to one of its two neighbours in t, away from 0 if u in [0, 1) is below the fraction that rounding
// towards 0 drops.
func (t ElementType) Stochastic(v, u float64) float64 {
	a := math.Abs(v)
	if v != v || math.IsInf(v, 0) {
		return v
	}
	low, high := math.Floor(a), math.Floor(a)+1
	if t.IsFloat() {
		low, high = t.neighbours(a)
	}
	if a > low && u < (a-low)/(high-low) {
		low = high
	}
	return math.Copysign(low, v)
}

// neighbours returns the values of t next to a, which is not negative, below or at it and above it.
func (t ElementType) neighbours(a float64) (low, high float64) {
	bits := t.FromFloat64(a)
	low = t.ToFloat64(bits)
	if low > a && bits > 0 {
		bits--
		low = t.ToFloat64(bits)
	}
	return low, t.ToFloat64(bits + 1)
}
