//go:build cgo

package pipeline

// #include "siblings.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// This does not compile unless C has as many places as Fits says.
var _ = [1]int{}[C.HALO_MAX_TEMPS-MaxTemps]

// Record makes the record of p for the instruction set level, which the machine must have.
func (p *Siblings) Record(level run.ISA) run.Record {
	if !p.Fits() {
		panic("pipeline: bug: reductions beyond the limits")
	}
	head := C.halo_siblings_record{siblings: C.int64_t(len(p.List)), rank: C.int64_t(len(p.Dims)),
		chunks: C.int64_t(p.Chunks), chunk: C.int64_t(p.Chunk), strips: C.int64_t(p.Strips), strip: C.int64_t(p.Strip),
		rows: C.int64_t(p.Rows), cols: C.int64_t(p.Cols), each: C.int64_t(max(p.Each, 1)),
		temps: C.int64_t(p.Temps)}
	for i, d := range p.Dims {
		head.dims[i] = C.int64_t(d)
	}
	var values []byte
	if p.Values != nil {
		head.values = 1
		values = append(make([]byte, unsafe.Sizeof(head.head)), p.Values.Record(level).Args...)
	}
	args := run.Append(nil, &head)[unsafe.Sizeof(head.head):]
	for i := range p.List {
		s := p.List[i].native(p)
		args = run.Append(args, &s)
	}
	return run.Record{Fn: unsafe.Pointer(C.halo_siblings), Args: append(args, values...)}
}

func (s *Sibling) native(p *Siblings) C.halo_sibling {
	chunk, strip := p.by(s)
	n := C.halo_sibling{x: nativeRef(s.X), init: nativeRef(s.Init), out: nativeRef(s.Out), acc: nativeRef(s.Acc),
		temp: C.int64_t(s.Temp), results: C.int64_t(s.Results), bits: C.int64_t(s.Bits)}
	*(*uintptr)(unsafe.Pointer(&n.ops)) = s.Ops
	if chunk {
		n.by_chunk = 1
	}
	if strip {
		n.by_strip = 1
	}
	for i, v := range s.Strides {
		n.strides[i] = C.int64_t(v)
	}
	return n
}
