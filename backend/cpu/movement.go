package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
	"github.com/halo-xla/halo/xla/shape"
)

func lowerTranspose(l *exec.Lowering) (exec.Thunk, error) {
	s, perm := operandShape(l, 0), attrsOf[*hlo.TransposeAttrs](l).Dimensions
	if t := batchedTranspose(l, s, perm); t != nil {
		return t, nil
	}
	m := kernel.Transpose(widthOf(s), s.Dims, perm)
	t := moveThunk(l, box{move: m, dst: l.Result(), src: l.Operand(0)})
	return t.inParts(turnedPieces(l, m), l.In.Shape.Size()), nil
}

func lowerBroadcast(l *exec.Lowering) (exec.Thunk, error) {
	s := operandShape(l, 0)
	at := attrsOf[*hlo.BroadcastAttrs](l).Dimensions
	return copied(l, kernel.Broadcast(widthOf(s), s.Dims, l.In.Shape.Dims, at)), nil
}

func lowerReverse(l *exec.Lowering) (exec.Thunk, error) {
	s := operandShape(l, 0)
	return copied(l, kernel.Reverse(widthOf(s), s.Dims, attrsOf[*hlo.ReverseAttrs](l).Dimensions)), nil
}

func lowerConcatenate(l *exec.Lowering) (exec.Thunk, error) {
	dim, index := int(attrsOf[*hlo.ConcatenateAttrs](l).Dimension), make([]int64, len(l.In.Shape.Dims))
	var boxes []box
	for i := range l.In.Operands {
		s := operandShape(l, i)
		m := kernel.Place(widthOf(s), s.Dims, l.In.Shape.Dims, index)
		index[dim] += s.Dims[dim]
		if m.Tasks > 0 {
			boxes = append(boxes, box{move: m, dst: l.Result(), src: l.Operand(i)})
		}
	}
	return moveThunk(l, inOne(boxes)...), nil
}

// lowerPieces copies the pieces of a concatenation from where they are.
func lowerPieces(l *exec.Lowering, c *hlo.Computation) (exec.Thunk, error) {
	pieces, ok := pass.PiecesOf(c.Root, func(in *hlo.Instruction) bool { return in.Op != hlo.Parameter })
	if !ok {
		return nil, unsupported("a fusion of so many pieces")
	}
	var boxes []box
	for _, p := range pieces {
		axes := make([]kernel.Axis, len(p.Axes))
		for d, a := range p.Axes {
			axes[d] = kernel.Axis{N: a.N, Dst: a.To, Src: a.From}
		}
		m := kernel.NewMove(widthOf(c.Root.Shape), p.To, p.From, axes)
		if m.Tasks > 0 {
			boxes = append(boxes, box{move: m, dst: l.Result(), src: l.Operand(slices.Index(c.Parameters, p.Of))})
		}
	}
	return moveThunk(l, inOne(boxes)...), nil
}

// maxTogether bounds how many boxes a task moves a part of.
const maxTogether = 256

// inOne has each task move its part of all boxes, which lie side by side in the destination.
func inOne(boxes []box) []box {
	total := int64(0)
	for _, b := range boxes {
		total += b.move.Bytes()
	}
	if len(boxes) < 2 || len(boxes) > maxTogether {
		return boxes
	}
	for i := range boxes {
		boxes[i].move.Split(kernel.TasksOf(total))
		boxes[i].together = true
	}
	return boxes
}

func lowerPad(l *exec.Lowering) (exec.Thunk, error) {
	s := operandShape(l, 0)
	padding := make([]kernel.PadDim, len(s.Dims))
	for d, p := range attrsOf[*hlo.PadAttrs](l).Padding {
		padding[d] = kernel.PadDim{Low: p.Low, Interior: p.Interior}
	}
	fills, inner := kernel.Pad(widthOf(s), s.Dims, l.In.Shape.Dims, padding)
	var boxes []box
	for _, m := range fills {
		boxes = append(boxes, box{move: m, dst: l.Result(), src: l.Operand(1)})
	}
	return moveThunk(l, append(boxes, box{move: inner, dst: l.Result(), src: l.Operand(0)})...), nil
}

// iotaBytes bounds the line of an iota that is made at compile time.
const iotaBytes = 1 << 20

// lowerIota spreads a line that was made when the program was compiled; a long one is made at run time.
func lowerIota(l *exec.Lowering) (exec.Thunk, error) {
	s, dim := l.In.Shape, attrsOf[*hlo.IotaAttrs](l).Dimension
	n := s.Dims[dim]
	if n*widthOf(s) > iotaBytes {
		f := kernel.Iota(s.Type, s.Dims, dim)
		return goThunk("go iota", exec.Writes(l.Result()), func(r *exec.Run) error {
			f(r.Bytes(l.Result()), r.Parallel)
			return r.Cancelled()
		}), nil
	}
	line := l.Pack(iotaLine(s.Type, n))
	m := kernel.Broadcast(widthOf(s), []int64{n}, s.Dims, []int64{dim})
	return moveThunk(l, box{move: m, dst: l.Result(), src: line}), nil
}

// iotaLine returns the numbers 0 to n-1 as elements of type t.
func iotaLine(t shape.ElementType, n int64) []byte {
	w := literal.MakeWide(t.Class(), int(n))
	for i := range int(n) {
		switch w.Class {
		case shape.SignedClass:
			w.I[i] = int64(i)
		case shape.UnsignedClass:
			w.U[i] = uint64(i)
		case shape.FloatClass:
			w.F[i] = float64(i)
		case shape.ComplexClass:
			w.C[i] = complex(float64(i), 0)
		}
	}
	return literal.FromWide(shape.Array(t, n), w).Bytes()
}

// lowerGetDimensionSize gives the size of a static dimension.
func lowerGetDimensionSize(l *exec.Lowering) (exec.Thunk, error) {
	n := operandShape(l, 0).Dims[attrsOf[*hlo.DimensionAttrs](l).Dimension]
	return copiedFrom(l, l.Pack(literal.Scalar(int32(n)).Bytes())), nil
}

// copiedFrom returns the thunk that copies src whole.
func copiedFrom(l *exec.Lowering, src exec.Slice) exec.Thunk {
	m := kernel.NewMove(1, 0, 0, []kernel.Axis{{N: src.Size, Dst: 1, Src: 1}})
	return moveThunk(l, box{move: m, dst: l.Result(), src: src})
}
