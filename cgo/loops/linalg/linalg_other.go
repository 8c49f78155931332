//go:build !cgo || !linux

package linalg

import "github.com/halo-xla/halo/cgo/loops/run"

// Record panics: this build has no native kernels.
func (LU) Record(run.ISA) run.Record {
	panic("linalg: bug: this build has no native kernels, ask run.Available")
}

// Record panics: this build has no native kernels.
func (Cholesky) Record(run.ISA) run.Record {
	panic("linalg: bug: this build has no native kernels, ask run.Available")
}

// Record panics: this build has no native kernels.
func (*Solve) Record(run.ISA) run.Record {
	panic("linalg: bug: this build has no native kernels, ask run.Available")
}
