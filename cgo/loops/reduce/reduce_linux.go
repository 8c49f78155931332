//go:build cgo

package reduce

// #include "fold.h"
// #include "choose.h"
// #include "plain.h"
// #include "running.h"
// #include "window.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// This does not compile unless C has room for as many as may be.
var _ = [...][1]int{{C.HALO_STRIP - MostStrip: 0}, {C.HALO_RUNNING_STRIP - MostRunningStrip: 0}}

func foldFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_fold_record) }

func windowFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_window_record) }

func chooseFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_choose_record) }

func plainFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_plain_record) }

func plainLoops(isa run.ISA, op Op, t Type) uintptr {
	return uintptr(unsafe.Pointer(C.halo_plain_find(C.int32_t(isa), C.int32_t(op), C.int32_t(t))))
}

func poolLoop(isa run.ISA, op Op, t Type) uintptr {
	return uintptr(unsafe.Pointer(C.halo_pool_find(C.int32_t(isa)).pool[op][t]))
}

func chooserLoop(isa run.ISA, t Type, r Relation) uintptr {
	return uintptr(unsafe.Pointer(C.halo_pool_find(C.int32_t(isa)).choose[t][r]))
}

func sideLoop(isa run.ISA, t Type, r Relation) uintptr {
	return uintptr(unsafe.Pointer(C.halo_pool_find(C.int32_t(isa)).side[t][r]))
}

func adderLoop(isa run.ISA, t Type) uintptr {
	return uintptr(unsafe.Pointer(C.halo_pool_find(C.int32_t(isa)).add[t]))
}

func runningFunction() unsafe.Pointer { return unsafe.Pointer(C.halo_running_record) }

func runningLoops(isa run.ISA, op Op, t Type) uintptr {
	return uintptr(unsafe.Pointer(C.halo_running_find(C.int32_t(isa), C.int32_t(op), C.int32_t(t))))
}
