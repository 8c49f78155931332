// Package kernel has plain Go loops over slices: the half of the CPU engine that needs no C, and the path of rare
// types. It knows shapes and numbers, not the language.
package kernel

import "unsafe"

// Parallel runs f for the tasks 0 to n-1, perhaps at the same time, and returns when all are done. How work is split
// into tasks depends on shapes and types only, so that every number of threads gives the same bits. A task is at least
// about 20 us of work.
type Parallel func(n int64, f func(i int64))

// Serial is the Parallel of one thread.
func Serial(n int64, f func(i int64)) {
	for i := range n {
		f(i)
	}
}

// Cast is b as a slice of T, whose size divides that of b. b must lie as T does in memory.
func Cast[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

func product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
