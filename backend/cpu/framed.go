package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// minFramed is how many elements a fusion has at least whose result is written into its frame: beside smaller ones the
// frame is nothing.
const minFramed = 1 << 12

// framed reports whether a padding can be the root of a fusion: rows within an edge that is thin.
func framed(in *hlo.Instruction) bool {
	s := in.Operands[0].Shape
	rank := s.Rank()
	if rank < 2 || s.Size() < minFramed || s.Dims[rank-1] < shortRow || !inPipeline(s.Type) ||
		2*s.Size() < in.Shape.Size() {
		return false
	}
	return !slices.ContainsFunc(in.Attrs.(*hlo.PadAttrs).Padding, func(p hlo.PadDim) bool {
		return p.Low < 0 || p.High < 0 || p.Interior != 0
	})
}

// lowerFramed lowers a fusion whose root pads what it computes: the edge is filled, and the rest written within it.
// What the pipeline cannot do so is computed to memory of its own first.
func lowerFramed(l *exec.Lowering, c *hlo.Computation) (exec.Thunk, error) {
	inner, value := c.Root.Operands[0], c.Root.Operands[1]
	f := newFused(l, slices.Clone(inner.Shape.Dims))
	for i, p := range c.Parameters {
		f.leaves[p] = l.Operand(i)
	}
	if err := f.addRoot(inner); err != nil {
		return nil, err
	}
	to, edge := l.Result(), f.leaves[value]
	padding := make([]kernel.PadDim, len(f.dims))
	at, unit := tile.Access{Strides: make([]int64, len(f.dims))}, int64(1)
	for d := len(padding) - 1; d >= 0; d-- {
		p := c.Root.Attrs.(*hlo.PadAttrs).Padding[d]
		padding[d] = kernel.PadDim{Low: p.Low}
		at.Strides[d] = unit
		at.Offset += p.Low * unit
		unit *= c.Root.Shape.Dims[d]
	}
	fills, move := kernel.Pad(widthOf(inner.Shape), inner.Shape.Dims, c.Root.Shape.Dims, padding)
	var boxes []box
	for _, m := range fills {
		boxes = append(boxes, box{move: m, dst: to, src: edge})
	}
	f.out = &at
	f.merge()
	uses := append(exec.Reads(f.inputs...), exec.Writes(to)...)
	if t := f.native(uses, []exec.Slice{to}); t != nil {
		return sequence(moveThunk(l, boxes...), t), nil
	}
	f.out = nil
	room := l.Scratch(inner.Shape.Size() * widthOf(inner.Shape))
	t := goThunk("go elementwise", append(exec.Reads(f.inputs...), exec.Writes(room)...), f.run([]exec.Slice{room}))
	return sequence(t, moveThunk(l, append(boxes, box{move: move, dst: to, src: room})...)), nil
}
