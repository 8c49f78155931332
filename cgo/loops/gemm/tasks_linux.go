//go:build cgo

package gemm

// #include "tasks.h"
import "C"

import (
	"encoding/binary"
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Tasks makes the record of tasks that may run at the same time. A task is records that run one after the other, use no
// other threads and run no segments.
func Tasks(list [][]run.Record) run.Record {
	const head, align = int(unsafe.Sizeof(C.halo_record{})), 16
	at := int(unsafe.Sizeof(C.halo_tasks_record{})) + 8*(len(list)+1)
	at = (at + align - 1) / align * align
	starts := binary.NativeEndian.AppendUint64(binary.NativeEndian.AppendUint64(nil, uint64(len(list))), 0)
	var records []byte
	first := at
	for _, task := range list {
		starts = binary.NativeEndian.AppendUint64(starts, uint64(at))
		for _, r := range task {
			bytes := head + (len(r.Args)+align-1)/align*align
			records = binary.NativeEndian.AppendUint64(records, uint64(uintptr(r.Fn)))
			records = binary.NativeEndian.AppendUint64(records, uint64(bytes))
			records = append(records, r.Args...)
			at += bytes
			records = append(records, make([]byte, at-first-len(records))...)
		}
	}
	starts = binary.NativeEndian.AppendUint64(starts, uint64(at))
	starts = append(starts, make([]byte, first-head-len(starts))...)
	return run.Record{Fn: unsafe.Pointer(C.halo_tasks), Args: append(starts, records...)}
}
