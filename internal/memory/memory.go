// Package memory gets memory as the language does not offer it, and says how much there is.
package memory

import (
	"strings"
	"unsafe"
)

// Uncleared returns n bytes that may hold anything, in huge pages if they are many. make would clear them, which
// nothing can cancel: a millisecond for 10 MB.
func Uncleared(n int64) []byte {
	var s strings.Builder
	s.Grow(int(n))
	b := unsafe.Slice(unsafe.StringData(s.String()), n)
	AskHuge(b)
	return b
}

// Zeros returns n bytes of zeros, in huge pages if they are many.
func Zeros(n int64) []byte {
	b := make([]byte, n)
	AskHuge(b)
	return b
}
