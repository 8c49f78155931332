//go:build !cgo || !linux

package pipeline

import "github.com/halo-xla/halo/cgo/loops/run"

// Has reports false: this build has no native kernels.
func Has(string) bool { return false }

// HasFor reports false, too.
func HasFor(int, string) bool { return false }

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
