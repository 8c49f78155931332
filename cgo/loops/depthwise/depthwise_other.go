//go:build !cgo || !linux

package depthwise

import "github.com/halo-xla/halo/cgo/loops/run"

// Record panics: this build has no native kernels.
func (c *Convolution) Record(run.ISA) run.Record {
	panic("depthwise: bug: this build has no native kernels, ask run.Available")
}
