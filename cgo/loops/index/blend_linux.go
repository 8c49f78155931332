//go:build cgo

package index

// #include "blend.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

var _ = [1]int{}[C.BLEND_AXES-MaxBlendAxes]

type blendArgs struct {
	dst, src, taps, spoiled                     run.Ref
	isa, row, count, rows, part, axes, lanes, _ int64
}

// Record makes the record of b by the kernels of an instruction set.
func (b *Blend) Record(isa run.ISA) run.Record {
	a := blendArgs{b.Dst, b.Src, b.Taps, b.Spoiled, int64(isa), b.Row, b.Count, 1, b.Part,
		int64(len(b.Axes)), run.Bit(b.Lanes), 0}
	for _, x := range b.Axes {
		a.rows *= x.N
	}
	r := run.Pack(unsafe.Pointer(C.halo_blend), &a)
	r.Args = append(r.Args, run.Bytes(b.Axes)...)
	return r
}
