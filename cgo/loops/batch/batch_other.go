//go:build !cgo || !linux

package batch

import "github.com/halo-xla/halo/cgo/loops/run"

const none = "batch: bug: this build has no native kernels, ask run.Available"

// Record panics: this build has no native kernels.
func (*Product) Record(run.ISA) run.Record { panic(none) }

// Record panics: this build has no native kernels.
func (*LU) Record(run.ISA) run.Record { panic(none) }

// Record panics: this build has no native kernels.
func (*Cholesky) Record(run.ISA) run.Record { panic(none) }

// Record panics: this build has no native kernels.
func (*Solve) Record(run.ISA) run.Record { panic(none) }

// Record panics: this build has no native kernels.
func (*QR) Record(run.ISA) run.Record { panic(none) }

// Record panics: this build has no native kernels.
func (*Transpose) Record(run.ISA) run.Record { panic(none) }

// Record panics: this build has no native kernels.
func (*Q) Record(run.ISA) run.Record { panic(none) }
