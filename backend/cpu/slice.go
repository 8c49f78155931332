package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/move"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

func lowerSlice(l *exec.Lowering) (exec.Thunk, error) {
	s, dims := operandShape(l, 0), attrsOf[*hlo.SliceAttrs](l).Slice
	start, stride := make([]int64, len(dims)), make([]int64, len(dims))
	for d, x := range dims {
		start[d], stride[d] = x.Start, x.Stride
	}
	return copied(l, kernel.Slice(widthOf(s), s.Dims, start, stride, l.In.Shape.Dims)), nil
}

// lowerDynamicSlice copies the slice, or has the result be it where it lies.
func lowerDynamicSlice(l *exec.Lowering) (exec.Thunk, error) {
	s := operandShape(l, 0)
	start, stride := make([]int64, len(s.Dims)), make([]int64, len(s.Dims))
	for d := range stride {
		stride[d] = 1
	}
	m := kernel.Slice(widthOf(s), s.Dims, start, stride, l.In.Shape.Dims)
	b := box{move: m, dst: l.Result(), src: l.Operand(0), starts: startsOf(l, 1, s, l.In.Shape, true)}
	if run.Available() && b.isView(s.Dims, l.In.Shape.Dims) && l.Lends(0) {
		return recordThunk("loops view", append(b.reads(), exec.Writes(b.dst)...),
			move.View(b.dst.Slot, ref(b.src), b.indices())), nil
	}
	return moveThunk(l, b), nil
}

// lineBytes is what native kernels like arrays to begin at multiples of, in bytes.
const lineBytes = 64

// isView reports whether a slice of so many of dims lies in one piece, wherever it starts, which is at a whole number
// of lines.
func (b *box) isView(dims, sizes []int64) bool {
	return inOnePiece(dims, sizes) && b.move.Tasks > 0 && b.dst.Offset == 0 &&
		!slices.ContainsFunc(b.starts, func(s start) bool { return s.limit > 0 && s.stride%lineBytes != 0 })
}

// inOnePiece reports whether a window of sizes lies in one piece in an array of dims.
func inOnePiece(dims, sizes []int64) bool {
	d := len(dims) - 1
	for d >= 0 && sizes[d] == dims[d] {
		d--
	}
	return d < 1 || shape.Product(sizes[:d]) == 1
}

// lowerDynamicUpdateSlice copies the operand, unless the result has its memory, and then the update over it.
func lowerDynamicUpdateSlice(l *exec.Lowering) (exec.Thunk, error) {
	s, update := operandShape(l, 0), operandShape(l, 1)
	whole := kernel.Place(widthOf(s), s.Dims, s.Dims, make([]int64, len(s.Dims)))
	part := kernel.Place(widthOf(s), update.Dims, s.Dims, make([]int64, len(s.Dims)))
	t := moveThunk(l, box{move: whole, dst: l.Result(), src: l.Operand(0), inPlace: true},
		box{move: part, dst: l.Result(), src: l.Operand(1), starts: startsOf(l, 2, s, update, false)})
	return t.overwriting(exec.Pair{Result: l.Result().Slot, Operand: l.Operand(0).Slot}), nil
}

// startsOf returns where a window of shape part lies in an array of shape whole: the operands from number first on are
// a scalar for each dimension, or one vector.
func startsOf(l *exec.Lowering, first int, whole, part shape.Shape, source bool) []start {
	var out []start
	stride := shape.Strides(whole.Dims)
	for d := range whole.Dims {
		i, k := first+d, int64(0)
		if len(operandShape(l, first).Dims) == 1 {
			i, k = first, int64(d)
		}
		at, width := l.Operand(i), widthOf(operandShape(l, i))
		at.Offset, at.Size = at.Offset+k*width, width
		out = append(out, start{at, indexType(operandShape(l, i).Type), whole.Dims[d] - part.Dims[d],
			stride[d] * widthOf(whole), source})
	}
	return out
}
