// Package memory gets memory as the language does not offer it, and says how much there is.
package memory

import (
	"strings"
	"unsafe"
)

// Uncleared returns n bytes that may hold anything. make would clear them, which nothing can cancel: a millisecond for
// 10 MB.
func Uncleared(n int64) []byte {
	var b strings.Builder
	b.Grow(int(n))
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
