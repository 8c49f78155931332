//go:build cgo

package cuda

import (
	"encoding/binary"
	"runtime"
	"sync"

	"github.com/halo-xla/halo/backend/cuda/emit"
	"github.com/halo-xla/halo/xla/shape"
)

// lines are the lines of an operand that a product sums along: how many, how long, and how far apart neighbours are, of
// the lines and on one, in elements.
type lines struct{ count, step, depth, depthStep int64 }

// floats say where the parts of a number lie: the bits of its fraction, its bias and its sign.
var floats = map[shape.ElementType]struct{ fraction, bias, sign uint32 }{
	shape.F32: {23, 127, 31}, shape.F16: {10, 15, 15}, shape.BF16: {7, 127, 15},
}

// trialOperand makes an operand of a product whose results are what sums lose by rounding, and so tell by nearly every
// bit in which order they were taken: the second half of each line is the first again, in one operand negated, so that
// the exact sum is 0.
func trialOperand(m emit.Matrix, l lines, batch int64, negated bool) []byte {
	data := make([]byte, bytesOf(m, l.count, l.step, l.depth, l.depthStep, batch))
	half := l.depth / 2
	element := func(z, i, k int64) {
		if k >= 2*half {
			return // 0
		}
		v := trialNumber(m.Type, uint64((z*l.count+i)*half+k%half), negated && k >= half, 12)
		putNumber(data, z*m.Batch+i*l.step+k*l.depthStep, m.Type, v)
	}
	for z := range batch {
		if l.depthStep == 1 {
			atOnce(l.count, func(i int64) {
				for k := range l.depth {
					element(z, i, k)
				}
			})
			continue
		}
		atOnce(l.depth, func(k int64) {
			for i := range l.count {
				element(z, i, k)
			}
		})
	}
	return data
}

// atOnce calls f for all numbers below n, on as many threads as the process may use, each for a row of them.
func atOnce(n int64, f func(int64)) {
	var wg sync.WaitGroup
	each := max(n/int64(runtime.GOMAXPROCS(0)), 16)
	for from := int64(0); from < n; from += each {
		wg.Go(func() {
			for i := from; i < min(from+each, n); i++ {
				f(i)
			}
		})
	}
	wg.Wait()
}

// trialBias makes a bias of the size of what is lost, so that it shows where in a sum it comes.
func trialBias(t shape.ElementType, n int64) []byte {
	data := make([]byte, n*int64(t.Bytes()))
	for i := range n {
		v := trialNumber(t, ^uint64(i), false, 4)
		if t == shape.F32 {
			v -= 18 << floats[t].fraction
		}
		putNumber(data, i, t, v)
	}
	return data
}

// trialNumber is a number below 1 in its type's bits, drawn by its place, with one of some exponents.
func trialNumber(t shape.ElementType, place uint64, negated bool, exponents uint64) uint32 {
	f, r := floats[t], mixed(place)
	v := uint32(r)&(1<<f.fraction-1) | (f.bias-1-uint32(r>>32%exponents))<<f.fraction | uint32(r>>63)<<f.sign
	if negated {
		v ^= 1 << f.sign
	}
	return v
}

// mixed is the number with a place in a fixed row of random ones (splitmix64).
func mixed(place uint64) uint64 {
	x := (place + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func putNumber(data []byte, at int64, t shape.ElementType, v uint32) {
	if t.Bytes() == 2 {
		binary.LittleEndian.PutUint16(data[2*at:], uint16(v))
	} else {
		binary.LittleEndian.PutUint32(data[4*at:], v)
	}
}

// bytesOf is how far a matrix reaches in memory.
func bytesOf(m emit.Matrix, rows, rowStep, columns, columnStep, batch int64) int64 {
	return ((batch-1)*m.Batch + (rows-1)*rowStep + (columns-1)*columnStep + 1) * int64(m.Type.Bytes())
}
