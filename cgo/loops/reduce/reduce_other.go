//go:build !cgo || !linux

package reduce

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

const none = "reduce: bug: this build has no native kernels, ask run.Available"

func foldFunction() unsafe.Pointer { panic(none) }

func windowFunction() unsafe.Pointer { panic(none) }

func chooseFunction() unsafe.Pointer { panic(none) }

func plainFunction() unsafe.Pointer { panic(none) }

func plainLoops(run.ISA, Op, Type) uintptr { return 0 }

func poolLoop(run.ISA, Op, Type) uintptr { return 0 }

func chooserLoop(run.ISA, Type, Relation) uintptr { return 0 }

func sideLoop(run.ISA, Type, Relation) uintptr { return 0 }

func adderLoop(run.ISA, Type) uintptr { return 0 }

func runningFunction() unsafe.Pointer { panic(none) }

func runningLoops(run.ISA, Op, Type) uintptr { return 0 }
