package pipeline

import (
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
)

// nearTies lists the dividends from 2^23 to 2^24 whose quotients by y, from there too, are nearest to the middle of two
// floats: those where x*2^e and an odd number of 25 bits times y are at most 16 apart.
func nearTies(y uint64) []float32 {
	var list []float32
	v := bits.TrailingZeros64(y)
	odd := y >> v
	inverse := odd
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	for _, e := range []int{24, 25} {
		for d := -16; d <= 16; d++ {
			if v > 4 || d == 0 || d&(1<<v-1) != 0 {
				continue
			}
			step := uint64(1) << (e - v)
			for m := uint64(-(d >> v)) * inverse & (step - 1); m < 1<<25; m += step {
				x := (m*y + uint64(d)) >> e
				if m>>24 == 1 && m&1 == 1 && x>>23 == 1 && (x < y) == (e == 25) {
					list = append(list, float32(x))
				}
			}
		}
	}
	return list
}

// TestQuotientsNearTies wants quotients to be rounded where that is hardest. All 93 million of these were tried once;
// here are those of some divisors.
func TestQuotientsNearTies(t *testing.T) {
	testfile.Native(t, run.Available())
	const rows, row = 3000, 256
	r := rand.New(rand.NewPCG(3, 9))
	arrays := sweepArrays(4, rows, row)
	at := func(array, i int) *float32 { return (*float32)(unsafe.Pointer(&arrays[array][4*i])) }
	for i := range rows {
		y := uint64(1<<23 + r.IntN(1<<23))
		if i < 32 { // at both ends
			y = uint64(1<<23+i%16) ^ uint64(i/16*(1<<23-1))
		}
		ties := nearTies(y)
		*at(1, i), *at(2, i) = float32(y), 1/float32(y)
		for k := range row {
			if k < len(ties) {
				*at(0, i*row+k) = ties[k]
			}
		}
	}
	for _, level := range run.Levels() {
		execute(t, sweepProgram("quotient store", 4, rows, row).Record(level), arrays)
		for i := range rows * row {
			if x, y := *at(0, i), *at(1, i/row); *at(5, i) != x/y && x == x {
				t.Fatalf("%v: %v/%v is %v, want %v", level, x, y, *at(5, i), x/y)
			}
		}
	}
}
