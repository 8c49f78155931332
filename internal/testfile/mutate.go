package testfile

import (
	"math/rand/v2"
	"slices"
)

// Mutate returns src after one to four changes such as a broken or hostile file has.
func Mutate(r *rand.Rand, src []byte) []byte {
	b := slices.Clone(src)
	for range 1 + r.IntN(4) {
		if len(b) < 2 {
			return b
		}
		at := r.IntN(len(b))
		to := min(len(b), at+1+r.IntN(16))
		switch r.IntN(7) {
		case 0: // cut short
			b = b[:at]
		case 1: // another byte
			b[at] = byte(r.Uint32())
		case 2: // one bit
			b[at] ^= 1 << r.IntN(8)
		case 3: // lost
			b = slices.Delete(b, at, to)
		case 4: // twice
			b = slices.Insert(b, at, slices.Clone(b[at:to])...)
		case 5: // a great number, as digits or as bytes
			b = slices.Insert(b, at, [][]byte{[]byte("9223372036854775807"), {0xff, 0xff, 0xff, 0xff}, {0, 255, 255, 255, 255,
				255, 255, 255, 127}}[r.IntN(3)]...)
		case 6: // a piece from elsewhere
			from := r.IntN(len(b))
			copy(b[at:to], b[from:])
		}
	}
	return b
}
