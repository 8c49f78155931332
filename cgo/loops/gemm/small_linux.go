//go:build cgo

package gemm

// #include "small.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Small returns the C function that runs records of small products, of type F32 or F64, by the kernels of an
// instruction set.
func Small(isa run.ISA, t Type) unsafe.Pointer { return C.halo_small_of(C.int64_t(isa), C.int64_t(t)) }
