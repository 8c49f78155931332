//go:build !cgo || !linux

package reduce

import "unsafe"

func foldFunction() unsafe.Pointer {
	panic("reduce: bug: this build has no native kernels, ask run.Available")
}
