//go:build cgo

package gemm

// #include "products.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// This does not compile unless C sums as many columns at once as VectorBytes says.
var _ = [1]int{}[C.HALO_VECTOR_BYTES-VectorBytes]

// Vectors returns the C function that runs records of products of a matrix and a vector, b (N is 1 in all pieces, and
// elements of b are side by side), by the kernels of an instruction set, nil if there is none for matrices of type t.
// The vector and the result are F64 if those are, else F32.
func Vectors(isa run.ISA, t Type) unsafe.Pointer {
	return C.halo_vector_of(C.int64_t(isa), C.int64_t(t))
}

// Small returns the C function that runs records of small products, of type F32 or F64, by the kernels of an
// instruction set.
func Small(isa run.ISA, t Type) unsafe.Pointer { return C.halo_small_of(C.int64_t(isa), C.int64_t(t)) }
