package cpu

import (
	"math/bits"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/move"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// box is a strided copy with its operands bound.
type box struct {
	move     kernel.Move
	dst, src exec.Slice
	starts   []start // by which it moves at run time
	inPlace  bool    // nothing to do if dst and src have the same address
	together bool    // a task moves its part of this box and of the next one
}

// start is an index that is read at run time, clamped to 0 to limit: times stride bytes it moves the place of a box in
// the source, or else in the destination.
type start struct {
	at            exec.Slice
	index         kernel.IndexType
	limit, stride int64
	source        bool
}

// moveThunk returns the thunk that moves boxes one after the other into the result.
func moveThunk(l *exec.Lowering, boxes ...box) *thunk {
	uses := exec.Writes(l.Result())
	for _, b := range boxes {
		uses = append(uses, b.reads()...)
	}
	if run.Available() {
		return recordThunk("loops "+l.In.Op.String(), uses, moveRecord(run.Level(), boxes))
	}
	return goThunk("go "+l.In.Op.String(), uses, func(r *exec.Run) error {
		for i := range boxes {
			if err := boxes[i].run(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// moveRecord makes the record that moves boxes.
func moveRecord(isa run.ISA, boxes []box) run.Record {
	list := make([]move.Box, len(boxes))
	for i, b := range boxes {
		list[i] = b.native()
	}
	return move.Boxes(isa, len(boxes) > 0 && boxes[0].together, list...)
}

// native is the box as the native kernel takes it.
func (b *box) native() move.Box {
	m := b.move
	n := move.Box{Dst: ref(b.dst), Src: ref(b.src), Kind: int(m.Kind), LogWidth: bits.TrailingZeros64(uint64(m.Width)),
		Stream: m.Stream, InPlace: b.inPlace, Tasks: m.Tasks}
	n.Dst.Offset += m.Dst
	n.Src.Offset += m.Src
	for d, a := range m.Axes {
		n.Axes = append(n.Axes, move.Axis{N: a.N, Dst: a.Dst, Src: a.Src, Part: m.Parts[d]})
	}
	n.Indices = b.indices()
	return n
}

// indices are the starts as native kernels take them.
func (b *box) indices() []move.Index {
	var list []move.Index
	for _, s := range b.starts {
		list = append(list, move.Index{Ref: ref(s.at), LogBytes: s.index.LogBytes, Signed: s.index.Signed,
			Limit: s.limit, Stride: s.stride, Source: s.source})
	}
	return list
}

// reads are what the box reads.
func (b *box) reads() []exec.Use {
	uses := exec.Reads(b.src)
	for _, s := range b.starts {
		uses = append(uses, exec.Reads(s.at)...)
	}
	return uses
}

// run moves the box by the loops in Go.
func (b *box) run(r *exec.Run) error {
	if b.move.Tasks == 0 || b.inPlace && r.Address(b.dst) == r.Address(b.src) {
		return nil
	}
	m := b.move
	for _, s := range b.starts {
		by := max(0, min(s.index.At(r.Bytes(s.at), 0), s.limit)) * s.stride
		if s.source {
			m.Src += by
		} else {
			m.Dst += by
		}
	}
	m.Run(r.Bytes(b.dst), r.Bytes(b.src), r.Parallel)
	return r.Cancelled()
}

// widthOf returns the bytes of an element.
func widthOf(s shape.Shape) int64 { return int64(s.Type.Bytes()) }

// indexType returns how indices of type t lie in memory.
func indexType(t shape.ElementType) kernel.IndexType {
	return kernel.IndexType{LogBytes: bits.TrailingZeros(uint(t.Bytes())), Signed: t.IsSigned()}
}

// operandShape returns the shape of operand i.
func operandShape(l *exec.Lowering, i int) shape.Shape { return l.In.Operands[i].Shape }

// copied returns the thunk that moves operand 0 as m says.
func copied(l *exec.Lowering, m kernel.Move) exec.Thunk {
	return moveThunk(l, box{move: m, dst: l.Result(), src: l.Operand(0)})
}

// attrsOf returns the attributes of an instruction.
func attrsOf[T hlo.Attrs](l *exec.Lowering) T { return l.In.Attrs.(T) }
