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
	const fixed, align = int(unsafe.Sizeof(C.halo_tasks_record{})), 16
	first := (fixed + 8*(len(list)+1) + align - 1) / align * align
	args, records := run.Append(nil, &[2]int64{int64(len(list))}), []byte(nil)
	for _, task := range list {
		args = binary.NativeEndian.AppendUint64(args, uint64(first+len(records)))
		records = run.Lay(records, task)
	}
	args = binary.NativeEndian.AppendUint64(args, uint64(first+len(records)))
	args = append(args, make([]byte, first-run.HeadBytes-len(args))...)
	return run.Record{Fn: unsafe.Pointer(C.halo_tasks), Args: append(args, records...)}
}
