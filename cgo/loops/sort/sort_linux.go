//go:build cgo

package sort

// #include "sort.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Sort makes the record that sorts rows of arrays by keys, the first one most, and by less, a packed program, where
// there are none or they have no order; without a need for it less may be nil. scratch is memory of ScratchBytes.
func (r Rows) Sort(arrays []Array, keys []Key, less []byte, scratch run.Ref) run.Record {
	return run.Record{Fn: unsafe.Pointer(C.halo_sort), Args: r.pack(arrays, keys, less, scratch)}
}

func bytesOf[T any](b []byte, v *T) []byte {
	return append(b, unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))...)
}
