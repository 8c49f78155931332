//go:build cgo

package gemm

// #cgo noescape halo_all_finite
// #cgo nocallback halo_all_finite
// #include "finite.h"
import "C"

import "unsafe"

// Finite says whether none of the f32 numbers in data is infinite or NaN.
func Finite(data []byte) bool {
	return C.halo_all_finite((*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(data))), C.int64_t(len(data)/4)) != 0
}
