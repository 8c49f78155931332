//go:build cgo

package sort

// #include "sort.h"
// #include "topk.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Sort makes the record that sorts rows of arrays by keys, the first one most, and by less, a packed program, where
// there are none or they have no order; without a need for it less may be nil. scratch is memory of ScratchBytes.
func (r Rows) Sort(isa run.ISA, arrays []Array, keys []Key, less []byte, scratch run.Ref) run.Record {
	return run.Record{Fn: unsafe.Pointer(C.halo_sort), Args: r.pack(isa, arrays, keys, less, scratch)}
}

type topKArgs struct {
	src, values, places run.Ref
	n, k, rows, isa     int64
	key                 keyArgs
}

// TopK makes the record that puts the k first of each row of src by key into values, and their places, s32, into
// places. Rows are contiguous; of equal elements the first comes first. The key's order must be total.
func (r Rows) TopK(isa run.ISA, src, values, places run.Ref, k int64, key Key) run.Record {
	return run.Pack(unsafe.Pointer(C.halo_topk), &topKArgs{src, values, places, r.N, k, r.Count, int64(isa),
		keyArgs{logWidth: int64(key.LogWidth), flags: int64(key.Flags), infinity: int64(key.Infinity)}})
}
