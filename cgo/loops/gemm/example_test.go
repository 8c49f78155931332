package gemm_test

import (
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/gemm"
)

// A product of 4 by 2 elements in two pieces, each of two rows, as the function of a library takes it.
func ExampleRecord() {
	p := gemm.Product{K: 3, StrideA: 3, StrideB: 2, StrideC: 2, PerTask: 1,
		Pieces: []gemm.Piece{{M: 2, N: 2}, {A: 2 * 3 * 4, C: 2 * 2 * 4, M: 2, N: 2}}}
	var function byte
	r := gemm.Record(unsafe.Pointer(&function), p)
	fmt.Println(len(r.Args), "bytes")
	// Output: 192 bytes
}
