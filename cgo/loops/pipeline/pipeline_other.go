//go:build !cgo || !linux

package pipeline

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

// Has reports false: this build has no native kernels.
func Has(string) bool { return false }

// HasFor reports false, too.
func HasFor(int, string) bool { return false }

// Call returns nil: this build has no native kernels.
func Call(string, run.ISA, int) unsafe.Pointer { return nil }

func (s *Stage) spreads() int { return 0 }

// Record panics: this build has no native kernels.
func (p *Program) Record(run.ISA) run.Record {
	panic("pipeline: bug: this build has no native kernels")
}

// Record panics: this build has no native kernels.
func (p *Rows) Record(run.ISA) run.Record {
	panic("pipeline: bug: this build has no native kernels")
}

// Record panics: this build has no native kernels.
func (p *Siblings) Record(run.ISA) run.Record {
	panic("pipeline: bug: this build has no native kernels")
}
