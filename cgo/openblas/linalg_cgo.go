//go:build cgo

package openblas

// #cgo LDFLAGS: -lm
// #include "linalg.h"
import "C"

import "unsafe"

// byType returns the one of four functions that is for T.
func byType[T float32 | float64 | complex64 | complex128](s, d, c, z unsafe.Pointer) unsafe.Pointer {
	var x T
	switch any(x).(type) {
	case float32:
		return s
	case float64:
		return d
	case complex64:
		return c
	}
	return z
}

func potrf[T complex64 | complex128]() unsafe.Pointer {
	return byType[T](nil, nil, C.halo_openblas_cpotrf, C.halo_openblas_zpotrf)
}

func trsm[T float32 | float64 | complex64 | complex128]() unsafe.Pointer {
	return byType[T](C.halo_openblas_strsm, C.halo_openblas_dtrsm, C.halo_openblas_ctrsm, C.halo_openblas_ztrsm)
}
