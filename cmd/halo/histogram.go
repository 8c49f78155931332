package main

import (
	"math"
	"sync/atomic"
	"time"
)

// histogram counts times in buckets whose ends are a thousandth apart: quantiles are as exact, and any number of times
// takes no more memory. It is safe for concurrent use.
type histogram [buckets]atomic.Uint32

const (
	shortest = 10 * time.Nanosecond // what is shorter counts in the first bucket
	growth   = 1.001
	buckets  = 1 << 15 // up to 10 ns * growth^buckets, which is some weeks
)

// add counts the time that count runs took together.
func (h *histogram) add(d time.Duration, count int64) {
	i := int(math.Log(float64(d)/float64(count)/float64(shortest)) / math.Log(growth))
	h[min(max(i, 0), buckets-1)].Add(uint32(count))
}

func (h *histogram) count() int64 {
	var n int64
	for i := range h {
		n += int64(h[i].Load())
	}
	return n
}

// quantile returns the middle of the bucket that holds the quantile q, in milliseconds; 0 if nothing was added.
func (h *histogram) quantile(q float64) float64 {
	n := h.count()
	left := int64(q*float64(n-1) + .5)
	for i := range h {
		if left -= int64(h[i].Load()); left < 0 && n > 0 {
			ns := float64(shortest) * math.Pow(growth, float64(i)+.5)
			return math.Round(ns) / 1e6
		}
	}
	return 0
}
