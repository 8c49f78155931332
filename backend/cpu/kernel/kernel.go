// Package kernel has plain Go loops over slices: the half of the CPU engine that needs no C, and the path of rare
// types. It knows shapes and numbers, not the language.
package kernel

import (
	"unsafe"

	"github.com/halo-xla/halo/xla/shape"
)

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

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// IntAt returns element i of integers of type t; what is beyond int64 becomes negative.
func IntAt(b []byte, t shape.ElementType, i int64) int64 {
	n := int64(t.Bytes())
	v := uint64(0)
	for k, x := range b[i*n : (i+1)*n] {
		v |= uint64(x) << (8 * k)
	}
	if up := 64 - 8*n; t.IsSigned() {
		return int64(v) << up >> up
	}
	return int64(v)
}
