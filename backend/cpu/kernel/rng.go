package kernel

import (
	"encoding/binary"
	"math/bits"

	"github.com/halo-xla/halo/xla/shape"
)

// Law of this file: Salmon et al., Random123, and the layout of bits that XLA fixed; docs/ops.md, rows 109 to 112.

// RandomPlan says how the words of a generator's blocks lie in an array of bits. ThreeFry makes blocks of two words:
// block b of Outer*Half*Inner, at (o, j, i), puts them at rows 2j and 2j+1 of [Outer, Size, Inner]; Half is Size/2,
// rounded up, and a last row that is alone drops its second words. Philox makes blocks of four words in a row.
type RandomPlan struct {
	Outer, Size, Inner int64
	// Width is the bytes of a word in the array: 1, 2 or 4; the low ones count. Elements of 8 bytes are two words.
	Width int64
}

// NewThreeFryPlan returns the plan of ThreeFry for an array of dims whose elements have so many bytes.
func NewThreeFryPlan(dims []int64, bytes int64) RandomPlan {
	n := shape.Product(dims)
	switch {
	case bytes == 8:
		return RandomPlan{Outer: 1, Size: 2 * n, Inner: 1, Width: 4}
	case n == 0:
		return RandomPlan{Width: bytes}
	case len(dims) == 0:
		return RandomPlan{Outer: 1, Size: 1, Inner: 1, Width: bytes}
	}
	d := shape.SplitDim(dims)
	p := RandomPlan{shape.Product(dims[:d]), dims[d], shape.Product(dims[d+1:]), bytes}
	if p.Inner == 1 && p.Size%2 == 0 {
		p.Outer, p.Size = 1, p.Outer*p.Size
	}
	return p
}

// NewPhiloxPlan is NewThreeFryPlan for Philox, which looks at the number of elements only.
func NewPhiloxPlan(dims []int64, bytes int64) RandomPlan {
	p := RandomPlan{Outer: 1, Size: shape.Product(dims), Inner: 1, Width: bytes}
	if bytes == 8 {
		p.Size, p.Width = 2*p.Size, 4
	}
	return p
}

// ThreeFryBlocks returns how many blocks of ThreeFry fill the array.
func (p RandomPlan) ThreeFryBlocks() int64 { return p.Outer * ((p.Size + 1) / 2) * p.Inner }

// PhiloxBlocks returns how many blocks of Philox fill the array.
func (p RandomPlan) PhiloxBlocks() int64 { return (p.Size + 3) / 4 }

// randomTask is the blocks of one task: about 20 us of work in Go.
const randomTask = 1 << 12

// tile is the blocks made at a time.
const tile = 256

// ThreeFry fills dst, an array as p says, with the bits of ThreeFry2x32 with 20 rounds from a key and a counter.
func ThreeFry(parallel Parallel, dst []byte, p RandomPlan, key, counter uint64) {
	n := p.ThreeFryBlocks()
	parallel(ceilDiv(n, randomTask), func(task int64) {
		for b, end := task*randomTask, min((task+1)*randomTask, n); b < end; {
			b += p.threeFryRun(dst, key, counter, b, end)
		}
	})
}

// threeFryRun makes blocks from b on, at most a tile and to the end of a row, and returns how many.
func (p RandomPlan) threeFryRun(dst []byte, key, counter uint64, b, end int64) int64 {
	var x0, x1 [tile]uint32
	half := (p.Size + 1) / 2
	i, j, o := b%p.Inner, b/p.Inner%half, b/p.Inner/half
	if p.Inner == 1 { // the words of a block are neighbours
		n := min(end-b, half-j, tile)
		threeFryTile(key, counter+uint64(b), x0[:n], x1[:n])
		at := o*p.Size + 2*j
		p.store(dst, at, 2, x0[:n])
		p.store(dst, at+1, 2, x1[:min(n, (p.Size-2*j)/2)])
		return n
	}
	n := min(end-b, p.Inner-i, tile)
	threeFryTile(key, counter+uint64(b), x0[:n], x1[:n])
	at := (o*p.Size+2*j)*p.Inner + i
	p.store(dst, at, 1, x0[:n])
	if 2*j+1 < p.Size {
		p.store(dst, at+p.Inner, 1, x1[:n])
	}
	return n
}

// store puts the low bytes of words at every step-th element from at on.
func (p RandomPlan) store(dst []byte, at, step int64, words []uint32) {
	dst = dst[min(at*p.Width, int64(len(dst))):]
	jump := step * p.Width
	switch p.Width {
	case 4:
		for k, w := range words {
			binary.LittleEndian.PutUint32(dst[int64(k)*jump:], w)
		}
	case 2:
		for k, w := range words {
			binary.LittleEndian.PutUint16(dst[int64(k)*jump:], uint16(w))
		}
	default:
		for k, w := range words {
			dst[int64(k)*jump] = byte(w)
		}
	}
}

// threeFryTile makes the blocks of consecutive counters.
func threeFryTile(key, counter uint64, out0, out1 []uint32) {
	k0, k1 := uint32(key), uint32(key>>32)
	k2 := 0x1BD11BDA ^ k0 ^ k1
	for i := range out0 {
		c := counter + uint64(i)
		x0, x1 := uint32(c)+k0, uint32(c>>32)+k1
		x0, x1 = fryRounds(x0, x1, 13, 15, 26, 6)
		x0, x1 = fryRounds(x0+k1, x1+k2+1, 17, 29, 16, 24)
		x0, x1 = fryRounds(x0+k2, x1+k0+2, 13, 15, 26, 6)
		x0, x1 = fryRounds(x0+k0, x1+k1+3, 17, 29, 16, 24)
		x0, x1 = fryRounds(x0+k1, x1+k2+4, 13, 15, 26, 6)
		out0[i], out1[i] = x0+k2, x1+k0+5
	}
}

func fryRounds(x0, x1 uint32, a, b, c, d int) (uint32, uint32) {
	x0 += x1
	x1 = bits.RotateLeft32(x1, a) ^ x0
	x0 += x1
	x1 = bits.RotateLeft32(x1, b) ^ x0
	x0 += x1
	x1 = bits.RotateLeft32(x1, c) ^ x0
	x0 += x1
	return x0, bits.RotateLeft32(x1, d) ^ x0
}

// Philox fills dst, an array as p says, with the bits of Philox4x32 with 10 rounds from a key and a 128-bit counter.
func Philox(parallel Parallel, dst []byte, p RandomPlan, key, low, high uint64) {
	n := p.PhiloxBlocks()
	parallel(ceilDiv(n, randomTask), func(task int64) {
		for b := task * randomTask; b < min((task+1)*randomTask, n); b++ {
			at, carry := bits.Add64(low, uint64(b), 0)
			c := philox(key, at, high+carry)
			p.store(dst, 4*b, 1, c[:min(4, p.Size-4*b)])
		}
	})
}

// philox is one block.
func philox(key, low, high uint64) [4]uint32 {
	k0, k1 := uint32(key), uint32(key>>32)
	c0, c1, c2, c3 := uint32(low), uint32(low>>32), uint32(high), uint32(high>>32)
	for range 10 {
		a, b := uint64(c0)*0xD2511F53, uint64(c2)*0xCD9E8D57
		c0, c1, c2, c3 = uint32(b>>32)^c1^k0, uint32(b), uint32(a>>32)^c3^k1, uint32(a)
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return [4]uint32{c0, c1, c2, c3}
}
