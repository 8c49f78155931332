package hlo

import (
	"math/bits"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Law of this file: Salmon et al., Random123, and the layout of bits that XLA fixed; row 112 and its section 7.

// threeFry is ThreeFry2x32 with 20 rounds.
func threeFry(key, counter uint64) (x0, x1 uint32) {
	k0, k1 := uint32(key), uint32(key>>32)
	ks := [3]uint32{k0, k1, 0x1BD11BDA ^ k0 ^ k1}
	rotations := [2][4]int{{13, 15, 26, 6}, {17, 29, 16, 24}}
	x0, x1 = uint32(counter)+ks[0], uint32(counter>>32)+ks[1]
	for g := range 5 {
		for _, r := range rotations[g%2] {
			x0 += x1
			x1 = bits.RotateLeft32(x1, r) ^ x0
		}
		x0 += ks[(g+1)%3]
		x1 += ks[(g+2)%3] + uint32(g) + 1
	}
	return x0, x1
}

// philox is Philox4x32 with 10 rounds.
func philox(key, low, high uint64) [4]uint32 {
	k0, k1 := uint32(key), uint32(key>>32)
	c := [4]uint32{uint32(low), uint32(low >> 32), uint32(high), uint32(high >> 32)}
	for range 10 {
		h0, l0 := bits.Mul32(c[0], 0xD2511F53)
		h1, l1 := bits.Mul32(c[2], 0xCD9E8D57)
		c = [4]uint32{h1 ^ c[1] ^ k0, l1, h0 ^ c[3] ^ k1, l0}
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return c
}

// elements are the bytes of an array being filled with bits, width bits each.
type elements struct {
	data  []byte
	width int
	n     int
}

// set makes the low bits of v element i.
func (o *elements) set(i int, v uint64) {
	size := o.width / 8
	putBits(o.data[i*size:(i+1)*size], v)
}

// threeFryBits fills out, of an array of the given sizes, and returns how far the counter moves.
func threeFryBits(e *Evaluator, key, counter uint64, dims []int64, out *elements) (uint64, error) {
	switch {
	case out.width == 64:
		for i := range out.n {
			x0, x1 := threeFry(key, counter+uint64(i))
			out.set(i, uint64(x0)|uint64(x1)<<32)
			if err := e.poll(i); err != nil {
				return 0, err
			}
		}
		return uint64(out.n), nil
	case out.n == 0:
		return 0, nil
	case len(dims) == 0:
		x0, _ := threeFry(key, counter)
		out.set(0, uint64(x0))
		return 1, nil
	}
	return threeFryPairs(e, key, counter, dims, out)
}

// threeFryPairs makes 32-bit elements: the two words of a block are neighbours along one dimension.
func threeFryPairs(e *Evaluator, key, counter uint64, dims []int64, out *elements) (uint64, error) {
	split := shape.SplitDim(dims)
	inner := 1
	for _, n := range dims[split+1:] {
		inner *= int(n)
	}
	size := int(dims[split])
	half := (size + 1) / 2
	blocks := out.n / size * half
	for b := range blocks {
		x0, x1 := threeFry(key, counter+uint64(b))
		in, j, outer := b%inner, b/inner%half, b/inner/half
		at := (outer*size+2*j)*inner + in
		out.set(at, uint64(x0))
		if 2*j+1 < size {
			out.set(at+inner, uint64(x1))
		}
		if err := e.poll(b); err != nil {
			return 0, err
		}
	}
	return uint64(blocks), nil
}

// philoxBits fills out and returns the 128-bit counter after it.
func philoxBits(e *Evaluator, key, low, high uint64, out *elements) (newLow, newHigh uint64, err error) {
	per := 4 // elements in a block
	if out.width == 64 {
		per = 2
	}
	for i := 0; i < out.n; i += per {
		c := philox(key, low, high)
		for k := 0; k < per && i+k < out.n; k++ {
			if out.width == 64 {
				out.set(i+k, uint64(c[2*k])|uint64(c[2*k+1])<<32)
			} else {
				out.set(i+k, uint64(c[k]))
			}
		}
		var carry uint64
		low, carry = bits.Add64(low, 1, 0)
		high += carry
		if err := e.poll(i / per); err != nil {
			return 0, 0, err
		}
	}
	return low, high, nil
}

// generateBits runs a generator on the array out and returns the new state.
func generateBits(e *Evaluator, a RandomAlgorithm, state []uint64, out *literal.Literal) ([]uint64, error) {
	s := out.Shape()
	o := &elements{out.Bytes(), s.Type.Bits(), int(s.Size())}
	if a == RngThreeFry {
		n, err := threeFryBits(e, state[0], state[1], s.Dims, o)
		return []uint64{state[0], state[1] + n}, err
	}
	high := state[0] // a state of two words has no room for the upper half of the counter
	if len(state) == 3 {
		high = state[2]
	}
	low, high, err := philoxBits(e, state[0], state[1], high, o)
	return []uint64{state[0], low, high}[:len(state)], err
}
