//go:build cgo

package move

// #include "move.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

type recordArgs struct{ boxes, isa, together, _ int64 }

type boxArgs struct {
	dst, src                        run.Ref
	kind, logWidth, stream, inPlace int64
	tasks, axes, indices, _         int64
}

type indexArgs struct {
	ref                           run.Ref
	kind, limit, stride, inSource int64
}

// Boxes makes the record that moves boxes by the loops of an instruction set: one after the other or, together, task i
// of each of them in one task. Those write different elements and do not move with indices.
func Boxes(isa run.ISA, together bool, boxes ...Box) run.Record {
	r := run.Pack(unsafe.Pointer(C.halo_move), &recordArgs{boxes: int64(len(boxes)), isa: int64(isa),
		together: run.Bit(together)})
	for _, b := range boxes {
		r.Args = run.Append(r.Args, &boxArgs{dst: b.Dst, src: b.Src, kind: int64(b.Kind), logWidth: int64(b.LogWidth),
			stream: run.Bit(b.Stream), inPlace: run.Bit(b.InPlace), tasks: b.Tasks, axes: int64(len(b.Axes)),
			indices: int64(len(b.Indices))})
		r.Args = append(r.Args, run.Bytes(b.Axes)...)
		r.Args = packIndices(r.Args, b.Indices)
	}
	return r
}

func packIndices(args []byte, indices []Index) []byte {
	for _, x := range indices {
		kind := int64(x.LogBytes) | C.MOVE_SIGNED*run.Bit(x.Signed)
		args = run.Append(args, &indexArgs{x.Ref, kind, x.Limit, x.Stride, run.Bit(x.Source)})
	}
	return args
}

type viewArgs struct {
	src           run.Ref
	slot, indices int64
}

// View makes the record that gives a slot the address of src, moved by indices.
func View(slot int32, src run.Ref, indices []Index) run.Record {
	r := run.Pack(unsafe.Pointer(C.halo_view), &viewArgs{src, int64(slot), int64(len(indices))})
	r.Args = packIndices(r.Args, indices)
	return r
}

// Loop returns the address of the C loop that moves the last two axes of a box, for kernels that place boxes
// themselves.
func Loop(isa run.ISA, kind, logWidth int) uintptr {
	return uintptr(unsafe.Pointer(C.halo_move_loop(C.int64_t(isa), C.int64_t(kind), C.int64_t(logWidth), 0)))
}
