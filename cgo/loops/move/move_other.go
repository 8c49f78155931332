//go:build !cgo || !linux

package move

import "github.com/halo-xla/halo/cgo/loops/run"

// Boxes panics: this build has no native kernels.
func Boxes(run.ISA, bool, ...Box) run.Record {
	panic("move: bug: this build has no native kernels, ask run.Available")
}

// View panics: this build has no native kernels.
func View(int32, run.Ref, []Index) run.Record {
	panic("move: bug: this build has no native kernels, ask run.Available")
}

// Loop panics: this build has no native kernels.
func Loop(run.ISA, int, int) uintptr {
	panic("move: bug: this build has no native kernels, ask run.Available")
}
