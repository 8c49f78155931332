//go:build cgo

package index

// #include "bags.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

type bagArgs struct {
	dst, src, init    run.Ref
	row, bag, part, _ int64
}

// Bags makes the record that adds bags of windows of src, row floats each: each row of dst is init and the sum of the
// next bag windows, rounded term by term. The plan's Count is a multiple of bag, which is at most MaxBag. A task is
// part bags.
func (p *Plan) Bags(dst, src, init run.Ref, row, bag, part int64) run.Record {
	a := bagArgs{dst: dst, src: src, init: init, row: row, bag: bag, part: part}
	return run.Record{Fn: unsafe.Pointer(C.halo_bags), Args: p.pack(run.Append(nil, &a))}
}
