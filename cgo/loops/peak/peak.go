// Package peak measures what the machine can do at most, for rooflines: f32 multiply-adds and copies past the caches.
package peak

import (
	"sync"
	"time"
)

// Roof is what some threads can do at most.
type Roof struct {
	// FLOPs are f32 operations a second, BytesPerSecond bytes read and written.
	FLOPs, BytesPerSecond float64
}

const (
	fmaRounds = 1 << 20
	copyMiB   = 64
	rounds    = 5 // of which the best counts
)

// Measure takes about 100 ms with the given number of threads, at least 1.
func Measure(threads int) Roof {
	threads = max(threads, 1)
	dst, src := make([][]byte, threads), make([][]byte, threads)
	for i := range threads {
		dst[i], src[i] = make([]byte, copyMiB<<20/threads), make([]byte, copyMiB<<20/threads)
	}
	var r Roof
	for range rounds {
		flops := make([]int64, threads)
		seconds := together(threads, func(i int) { flops[i] = fmaRounds * multiplyAdds(fmaRounds) })
		r.FLOPs = max(r.FLOPs, float64(flops[0])*float64(threads)/seconds)
		seconds = together(threads, func(i int) { copyBytes(dst[i], src[i]) })
		r.BytesPerSecond = max(r.BytesPerSecond, 2*float64(len(dst[0]))*float64(threads)/seconds)
	}
	return r
}

// together runs f on each thread at once and returns the seconds that the slowest took.
func together(threads int, f func(i int)) float64 {
	begin := time.Now()
	var wg sync.WaitGroup
	for i := 1; i < threads; i++ {
		wg.Go(func() { f(i) })
	}
	f(0)
	wg.Wait()
	return time.Since(begin).Seconds()
}

// Fraction returns how near a run comes to the roof: the time that its operations or its bytes take at least, whichever
// is more, over the time it took. Work that stays in the caches may give more than 1 by bytes.
func (r Roof) Fraction(flops, bytes int64, seconds float64) float64 {
	if r.FLOPs <= 0 || r.BytesPerSecond <= 0 || seconds <= 0 {
		return 0
	}
	return max(float64(flops)/r.FLOPs, float64(bytes)/r.BytesPerSecond) / seconds
}
