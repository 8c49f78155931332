//go:build !cgo || !linux

package sort

import "github.com/halo-xla/halo/cgo/loops/run"

const none = "sort: bug: this build has no native kernels, ask run.Available"

// Sort panics: this build has no native kernels.
func (r Rows) Sort(run.ISA, []Array, []Key, []byte, run.Ref) run.Record { panic(none) }

// TopK panics: this build has no native kernels.
func (r Rows) TopK(run.ISA, run.Ref, run.Ref, run.Ref, int64, Key) run.Record { panic(none) }
