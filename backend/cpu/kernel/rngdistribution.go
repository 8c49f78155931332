package kernel

import (
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/shape"
)

// Stream is the generator of one rng instruction: Philox with a key of the run and the device, and a counter whose
// upper half is the instruction's turn among those that the device runs, from 1.
type Stream struct{ Key, Turn uint64 }

// bits64 returns the i-th 64 bits that the stream gives: a block's second half comes first.
func (s Stream) bits64(i int64) uint64 {
	b := philox(s.Key, uint64(i/2), s.Turn)
	k := 2 * (1 - i%2)
	return uint64(b[k]) | uint64(b[k+1])<<32
}

// float returns a multiple of 2^-53 in [0, 1).
func (s Stream) float(i int64) float64 { return float64(s.bits64(i)>>11) * 0x1p-53 }

// Bernoulli fills dst, u32 numbers, with 1 as often as mean says, else 0.
func (s Stream) Bernoulli(parallel Parallel, dst []byte, mean float64) {
	s.fill(parallel, dst, 4, func(i int64) uint64 {
		if s.float(i) < mean {
			return 1
		}
		return 0
	})
}

// Normal fills dst, elements of type t, with numbers of the normal distribution, by the transform of Box and Muller.
func (s Stream) Normal(parallel Parallel, dst []byte, t shape.ElementType, mean, deviation float64) {
	s.fill(parallel, dst, t.Bytes(), func(i int64) uint64 {
		r := math.Sqrt(-2 * math.Log(1-s.float(2*i)))
		z := r * math.Cos(2*math.Pi*s.float(2*i+1))
		return t.FromFloat64(mean + float64(deviation*z))
	})
}

// UniformFloat fills dst, elements of type t, with numbers in [a, b), with a if that is empty. Row 111.
func (s Stream) UniformFloat(parallel Parallel, dst []byte, t shape.ElementType, a, b float64) {
	first, below := t.FromFloat64(a), a
	switch { // the number below b, for what rounds up to b
	case b > 0:
		below = t.ToFloat64(t.FromFloat64(b) - 1)
	case b < 0:
		below = t.ToFloat64(t.FromFloat64(b) + 1)
	}
	s.fill(parallel, dst, t.Bytes(), func(i int64) uint64 {
		u := s.float(i)
		if !(a < b) {
			return first
		}
		v := t.ToFloat64(t.FromFloat64(float64(a*(1-u)) + float64(b*u)))
		if v < b {
			return t.FromFloat64(max(v, a))
		}
		return t.FromFloat64(below)
	})
}

// UniformInt fills dst, integers of so many bytes, with each of a, a+1, ..., a+n-1 as often as the others, or with a if
// n is 0. Row 111.
func (s Stream) UniformInt(parallel Parallel, dst []byte, bytes int, a int64, n uint64) {
	var refused atomic.Bool
	unfair := -n
	if n > 0 {
		unfair = -n % n // the few products that would favour some results
	}
	s.fill(parallel, dst, bytes, func(i int64) uint64 {
		hi, lo := bits.Mul64(s.bits64(i), n)
		if lo < unfair {
			refused.Store(true)
		}
		return uint64(a) + hi
	})
	if n == 0 || !refused.Load() {
		return
	}
	next := int64(0) // what is refused moves all that follow
	s.fill(Serial, dst, bytes, func(int64) uint64 {
		for {
			hi, lo := bits.Mul64(s.bits64(next), n)
			next++
			if lo >= unfair {
				return uint64(a) + hi
			}
		}
	})
}

// fill sets element i of dst, which has so many bytes, to the low ones of draw(i).
func (s Stream) fill(parallel Parallel, dst []byte, bytes int, draw func(i int64) uint64) {
	n := int64(len(dst) / bytes)
	parallel(ceilDiv(n, randomTask), func(task int64) {
		for i := task * randomTask; i < min((task+1)*randomTask, n); i++ {
			putBits(dst[int(i)*bytes:int(i+1)*bytes], draw(i))
		}
	})
}

// putBits sets all of dst to the low bytes of v.
func putBits(dst []byte, v uint64) {
	for k := range dst {
		dst[k] = byte(v >> (8 * k))
	}
}
