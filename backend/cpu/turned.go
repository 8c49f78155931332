package cpu

import (
	"cmp"
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// Of a transposition with an epilogue a piece has about so many bytes, which the second cache has room for, or a few
// times as many where that is what the fewest rows take: whole lines of what it reads.
const (
	turnedPiece = 128 << 10
	turnedMost  = 2 * turnedPiece
	turnedRows  = 16
	turnedTasks = 1 << 12
)

// The bytes of results that are worth it: more than stays near between two passes, and not so many that they are better
// written past the caches.
const (
	turnedLeast = 512 << 10
	turnedEnd   = 8 << 20
)

// turns reports whether a transposition may begin a fusion that ends with in: one that is no copy of rows, of which in
// makes as large an array, and which leaves the nearest caches but not the last one.
func turns(c, in *hlo.Instruction) bool {
	width := widthOf(c.Shape)
	bytes := c.Shape.Size() * width
	if !in.Shape.IsArray() || widthOf(in.Shape) != width || bytes < turnedLeast || bytes >= turnedEnd {
		return false
	}
	_, ok := cutOf(transposition(c))
	return ok
}

func transposition(in *hlo.Instruction) kernel.Move {
	s := in.Operands[0].Shape
	return kernel.Transpose(widthOf(s), s.Dims, in.Attrs.(*hlo.TransposeAttrs).Dimensions)
}

// cut is how a transposition is taken apart: its axes from slow to fast in the destination, the place among those of
// the axis of which each piece has so many steps, and one of those before.
type cut struct {
	order []int
	at    int
	steps int64
}

// cutOf returns the cut of m into pieces that are dense, or false if they would read few bytes of many lines.
func cutOf(m kernel.Move) (c cut, ok bool) {
	if m.Kind != kernel.Plane {
		return c, false
	}
	rows := len(m.Axes) - 2
	for d := range m.Axes {
		c.order = append(c.order, d)
	}
	slices.SortFunc(c.order, func(a, b int) int { return cmp.Compare(m.Axes[b].Dst, m.Axes[a].Dst) })
	tasks := int64(1)
	for i, d := range c.order {
		a := m.Axes[d]
		least := int64(1)
		if d == rows {
			least = min(turnedRows, a.N)
		}
		if a.Dst*least <= turnedMost {
			c.at, c.steps = i, min(max(turnedPiece/a.Dst/least, 1)*least, a.N)
			tasks *= (a.N + c.steps - 1) / c.steps
			return c, d <= rows && tasks <= turnedTasks
		}
		if tasks *= a.N; d == rows {
			break
		}
	}
	return c, false
}

// turnedPieces are the pieces of the transposition m.
func turnedPieces(l *exec.Lowering, m kernel.Move) (list []piece) {
	c, ok := cutOf(m)
	if !ok || !run.Available() || m.Bytes() < turnedLeast || m.Bytes() >= turnedEnd {
		return nil
	}
	bytes := widthOf(l.In.Shape)
	var from func(i int, p kernel.Move)
	from = func(i int, p kernel.Move) {
		if i > c.at {
			p.Parts, p.Tasks, p.Stream = make([]int64, len(p.Axes)), 1, false
			for d, a := range p.Axes {
				p.Parts[d] = a.N
			}
			b := box{move: p, dst: l.Result(), src: l.Operand(0)}
			list = append(list, piece{record: moveRecord(run.Level(), []box{b}), from: p.Dst / bytes, n: p.Bytes() / bytes})
			return
		}
		steps, a := int64(1), m.Axes[c.order[i]]
		if i == c.at {
			steps = c.steps
		}
		for k := int64(0); k < a.N; k += steps {
			q := p
			q.Axes = slices.Clone(p.Axes)
			q.Axes[c.order[i]].N = min(steps, a.N-k)
			q.Dst, q.Src = p.Dst+k*a.Dst, p.Src+k*a.Src
			from(i+1, q)
		}
	}
	from(0, m)
	return list
}
