//go:build !cgo || !linux

package heap

// Bytes knows nothing in this build.
func Bytes() (n int64, ok bool) { return 0, false }
