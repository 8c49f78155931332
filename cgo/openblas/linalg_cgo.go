//go:build cgo

package openblas

// #cgo LDFLAGS: -lm
// #include "linalg.h"
import "C"

import "unsafe"

// byType returns the one of two functions that is for T.
func byType[T complex64 | complex128](c, z unsafe.Pointer) unsafe.Pointer {
	var x T
	if _, ok := any(x).(complex64); ok {
		return c
	}
	return z
}

func potrf[T complex64 | complex128]() unsafe.Pointer {
	return byType[T](C.halo_openblas_cpotrf, C.halo_openblas_zpotrf)
}

func trsm[T complex64 | complex128]() unsafe.Pointer {
	return byType[T](C.halo_openblas_ctrsm, C.halo_openblas_ztrsm)
}
