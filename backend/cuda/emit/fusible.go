package emit

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
)

// Fusible says what passes may fuse for these kernels.
func Fusible() pass.Fusible {
	return pass.Fusible{Elementwise: fusible, Reduce: reducible, Rows: reducedRows, Update: elementary,
		Threads: true, Counts: true}
}

// fusible reports whether in may be part of a fusion.
func fusible(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Transpose: // tiles are better at it
		return false
	case hlo.Broadcast, hlo.Iota, hlo.Slice, hlo.DynamicSlice, hlo.Gather, hlo.Reverse, hlo.Reshape, hlo.Select, hlo.Clamp,
		hlo.Compare, hlo.Convert, hlo.Real, hlo.Imag, hlo.Complex, hlo.ReducePrecision, hlo.Copy:
		return true
	case hlo.BitcastConvert:
		return in.Shape.Size() == in.Operands[0].Shape.Size() && elementary(in)
	case hlo.Map:
		return elementary(in)
	}
	return expressions[in.Op] != ""
}

// elementary reports whether there is a kernel for in alone.
func elementary(in *hlo.Instruction) bool {
	_, err := Lower(in)
	return err == nil
}

// reducedRows reports whether in may be part of a fusion over rows.
func reducedRows(in *hlo.Instruction) bool { return rowsAre(in) && elementary(in) }

func reducible(in *hlo.Instruction) bool { return elementary(in) }
