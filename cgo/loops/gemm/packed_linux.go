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
	isa, kind, rounding                int64
	places, pad                        int64
}

// Knows reports whether an instruction set has kernels of a kind on this machine.
func (k Kind) Knows(isa run.ISA) bool { return C.halo_packed_knows(C.int64_t(isa), C.int64_t(k)) != 0 }

// Widens reports whether these kernels make f32 of smaller floats as they pack them.
func (k Kind) Widens(isa run.ISA) bool {
	return C.halo_packed_widens(C.int64_t(isa), C.int64_t(k)) != 0
}

// Bytes is how much scratch memory the products take by an instruction set, which must know their kind.
func (p *Packed) Bytes(isa run.ISA) int64 {
	return int64(C.halo_packed_bytes(C.int64_t(isa), C.int64_t(p.Kind), C.int64_t(p.Rounding),
		C.int64_t(len(p.Places)), C.int64_t(p.M), C.int64_t(p.N), C.int64_t(p.K)))
}

// Record makes the record of the products by an instruction set, which must know their kind. No size may be 0.
func (p *Packed) Record(isa run.ISA) run.Record {
	a := packedArgs{a: p.A, b: p.B, c: p.C, packed: p.Scratch, m: p.M, n: p.N, k: p.K, rowA: p.RowA,
		columnA: p.ColumnA, rowB: p.RowB, columnB: p.ColumnB, rowC: p.RowC, isa: int64(isa), kind: int64(p.Kind),
		rounding: int64(p.Rounding), places: int64(len(p.Places))}
	r := run.Pack(unsafe.Pointer(C.halo_packed), &a)
	r.Args = append(r.Args, run.Bytes(p.Places)...)
	return r
}
