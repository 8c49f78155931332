//go:build cgo

package gemm

// #include "packed.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

type packedArgs struct {
	a, b, c, packed                    run.Ref
	m, n, k                            int64
	rowA, columnA, rowB, columnB, rowC int64
	places, pad                        int64
}

// Bytes is how much scratch memory the products take by an instruction set, of type F32 or F64.
func (p *Packed) Bytes(isa run.ISA, t Type) int64 {
	return int64(C.halo_packed_bytes(C.int64_t(isa), C.int64_t(t), C.int64_t(len(p.Places)), C.int64_t(p.M),
		C.int64_t(p.N), C.int64_t(p.K)))
}

// Record makes the record of the products by an instruction set, of type F32 or F64. No size may be 0.
func (p *Packed) Record(isa run.ISA, t Type) run.Record {
	a := packedArgs{a: p.A, b: p.B, c: p.C, packed: p.Scratch, m: p.M, n: p.N, k: p.K, rowA: p.RowA,
		columnA: p.ColumnA, rowB: p.RowB, columnB: p.ColumnB, rowC: p.RowC, places: int64(len(p.Places))}
	r := run.Pack(C.halo_packed_of(C.int64_t(isa), C.int64_t(t)), &a)
	bytes := len(p.Places) * int(unsafe.Sizeof(Place{}))
	r.Args = append(r.Args, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p.Places))), bytes)...)
	return r
}
