//go:build !cgo || !linux

package gemm

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Contract panics: this build has no native kernels.
func Contract(run.ISA, Contraction) run.Record {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// Tasks panics: this build has no native kernels.
func Tasks([][]run.Record) run.Record {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// Finite panics: run.Available is false.
func Finite([]byte) bool { panic("gemm: bug: this build has no native kernels, ask run.Available") }

// Vectors panics: this build has no native kernels.
func Vectors(run.ISA, Type) unsafe.Pointer {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// Small panics: this build has no native kernels.
func Small(run.ISA, Type) unsafe.Pointer {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// Knows is false: this build has no native kernels.
func (Kind) Knows(run.ISA) bool { return false }

// Widens is false: this build has no native kernels.
func (Kind) Widens(run.ISA) bool { return false }

// Bytes panics: this build has no native kernels.
func (p *Packed) Bytes(run.ISA) int64 {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// Record panics: this build has no native kernels.
func (p *Packed) Record(run.ISA) run.Record {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// PanelColumns panics: this build has no native kernels.
func (Kind) PanelColumns(run.ISA) int64 {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// PanelsBytes panics: this build has no native kernels.
func (Kind) PanelsBytes(run.ISA, int64, int64) int64 {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// PackPanels panics: this build has no native kernels.
func (Kind) PackPanels(run.ISA, []byte, []byte, int64, int64, int64, int64) {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}

// Record panics: this build has no native kernels.
func (p *Panels) Record(run.ISA) run.Record {
	panic("gemm: bug: this build has no native kernels, ask run.Available")
}
