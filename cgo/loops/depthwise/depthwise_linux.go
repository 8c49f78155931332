//go:build cgo

package depthwise

// #include "depthwise.h"
import "C"

import (
	"unsafe"

	"github.com/halo-xla/halo/cgo/loops/run"
)

type args struct {
	image, weights, bias, result run.Ref
	isa, channels                int64
	ends                         Ends
	most                         float64
	first, rows, task, ahead     int64
	y, x                         Axis
	groups                       Groups
}

// Record makes the record of a convolution by the kernels of an instruction set.
func (c *Convolution) Record(isa run.ISA) run.Record {
	a := args{c.Image, c.Weights, c.Bias, c.Result, int64(isa), c.Channels, c.Ends, float64(c.Most), c.First, c.Rows,
		c.Task, 0, c.Y, c.X, c.Groups}
	if c.Ahead {
		a.ahead = 1
	}
	if c.Inputs == 0 {
		a.groups = Groups{Features: c.Channels, Inputs: 1, Outputs: 1, Term: c.Channels}
	}
	return run.Pack(unsafe.Pointer(C.halo_depthwise), &a)
}
