//go:build !cgo

package openblas

import "unsafe"

// LoadLAPACK fails as Load does.
func LoadLAPACK() error { return Load() }

func call(string, int, []unsafe.Pointer, *[mostArguments]int64, int) {
	panic("openblas: bug: no library")
}
