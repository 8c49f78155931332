//go:build cgo

package peak

// #include "peak.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

func multiplyAdds(rounds int64) int64 {
	return int64(C.halo_peak_fma(C.int32_t(run.Level()), C.int64_t(rounds)))
}

func copyBytes(dst, src []byte) {
	C.halo_peak_copy((*C.char)(unsafe.Pointer(&dst[0])), (*C.char)(unsafe.Pointer(&src[0])), C.int64_t(len(dst)))
}
