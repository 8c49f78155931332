//go:build !cgo || !linux

package peak

// multiplyAdds is plain Go here: the roof is what Go code can reach.
func multiplyAdds(rounds int64) int64 {
	var x [8]float32
	for range rounds {
		for i := range x {
			x[i] = x[i]*.999 + .001
		}
	}
	sink = x[0] + x[7]
	return 2 * int64(len(x))
}

var sink float32

func copyBytes(dst, src []byte) { copy(dst, src) }
