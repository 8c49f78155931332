package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/backend/cpu/tile"
	"github.com/halo-xla/halo/cgo/loops/pipeline"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// minFramed is how many elements a fusion has at least whose result is written into its frame: beside smaller ones the
// frame is nothing.
const minFramed = 1 << 12

// framedRow is the least length of rows of such a result.
const framedRow = 16

// framed reports whether a padding can be the root of a fusion: rows within an edge that is thin.
func framed(in *hlo.Instruction) bool {
	s := in.Operands[0].Shape
	rank := s.Rank()
	if rank < 2 || s.Size() < minFramed || s.Dims[rank-1] < framedRow || !inPipeline(s.Type) ||
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
	f, err := newFramed(l, c)
	if err != nil {
		return nil, err
	}
	if t := f.flat(l); t != nil {
		return t, nil
	}
	fills, move := f.fills(f.dims, f.padding)
	if f.dims[len(f.dims)-1] >= shortRow {
		f.out = &f.at
		f.merge()
		if t := f.native(f.uses(f.to), []exec.Slice{f.to}); t != nil {
			return sequence(moveThunk(l, fills...), t), nil
		}
		f.out = nil
	}
	f.merge()
	room := []exec.Slice{l.Scratch(f.inner.Size() * widthOf(f.inner))}
	t := f.native(f.uses(room...), room)
	if t == nil {
		t = goThunk("go elementwise", f.uses(room...), f.run(room))
	}
	return sequence(t, moveThunk(l, append(fills, box{move: move, dst: f.to, src: room[0]})...)), nil
}

// uses are the inputs and results.
func (f *framing) uses(results ...exec.Slice) []exec.Use {
	return append(exec.Reads(f.inputs...), exec.Writes(results...)...)
}

// framing is a computation and the edge around its result.
type framing struct {
	*fused
	inner    shape.Shape
	outer    []int64
	padding  []kernel.PadDim
	to, edge exec.Slice
	at       tile.Access // where the result's elements lie
}

func newFramed(l *exec.Lowering, c *hlo.Computation) (*framing, error) {
	inner := c.Root.Operands[0]
	f := &framing{fused: newFused(l, slices.Clone(inner.Shape.Dims)), inner: inner.Shape, outer: c.Root.Shape.Dims}
	for i, p := range c.Parameters {
		f.leaves[p] = l.Operand(i)
	}
	if err := f.addRoot(inner); err != nil {
		return nil, err
	}
	f.to, f.edge = l.Result(), f.leaves[c.Root.Operands[1]]
	f.padding = make([]kernel.PadDim, len(f.dims))
	f.at.Strides = make([]int64, len(f.dims))
	for d, unit := len(f.dims)-1, int64(1); d >= 0; d-- {
		p := c.Root.Attrs.(*hlo.PadAttrs).Padding[d]
		f.padding[d] = kernel.PadDim{Low: p.Low}
		f.at.Strides[d] = unit
		f.at.Offset += p.Low * unit
		unit *= f.outer[d]
	}
	return f, nil
}

// fills are the copies of the padding value around a box of sizes dims, and inner is that of the box.
func (f *framing) fills(dims []int64, padding []kernel.PadDim) (boxes []box, inner kernel.Move) {
	fills, inner := kernel.Pad(widthOf(f.inner), dims, f.outer, padding)
	for _, m := range fills {
		boxes = append(boxes, box{move: m, dst: f.to, src: f.edge})
	}
	return boxes, inner
}

// flat returns the thunk that goes over whole rows of the result, edge and all, as if they were one, and overwrites
// what it made of the edge: rows need no beginning then, and blocks lie as the memory does. It is for arrays with rows
// as far apart as those of the result. nil: it is not worth it, or cannot be done.
func (f *framing) flat(l *exec.Lowering) exec.Thunk {
	first, n := f.span()
	if !run.Available() || 8*n > 9*f.inner.Size() || slices.ContainsFunc(f.nodes, func(nd node) bool {
		return nd.access.Strides != nil && !isConstant(nd.access) && !f.follows(&nd, first, n)
	}) {
		return nil
	}
	nodes, dims := slices.Clone(f.nodes), f.dims
	for i := range f.nodes {
		switch a := &f.nodes[i].access; {
		case a.Strides == nil:
		case isConstant(*a):
			a.Strides = []int64{0}
		default:
			*a = tile.Access{Offset: a.Offset + first - f.at.Offset, Strides: []int64{1}}
		}
	}
	last := len(dims) - 1
	low, row := f.padding[last].Low, f.outer[last]
	f.dims = []int64{n}
	f.ends = pipeline.Edge{Value: ref(f.edge), At: first % row, Row: row, Low: low, High: row - low - dims[last]}
	to := f.to
	to.Offset += first * widthOf(f.inner)
	t := f.native(append(exec.Reads(append(f.inputs, f.edge)...), exec.Writes(f.to)...), []exec.Slice{to})
	if t == nil {
		f.nodes, f.dims, f.ends = nodes, dims, pipeline.Edge{}
		return nil
	}
	rows, padding := slices.Clone(dims), slices.Clone(f.padding)
	rows[last], padding[last] = row, kernel.PadDim{}
	if fills, _ := f.fills(rows, padding); len(fills) > 0 {
		return sequence(t, moveThunk(l, fills...))
	}
	return t
}

// span is the piece of the result, first element and length, from the first that is computed to the last. It begins at
// a line of memory if what lies before the first can be computed, too.
func (f *framing) span() (first, n int64) {
	first, n = f.at.Offset, 1
	for d, size := range f.dims {
		n += (size - 1) * f.at.Strides[d]
	}
	before := first % max(64/widthOf(f.inner), 1)
	if !slices.ContainsFunc(f.nodes, func(nd node) bool {
		return nd.op == hlo.Parameter && !isConstant(nd.access) && nd.access.Offset < before
	}) {
		first, n = first-before, n+before
	}
	return first, n
}

// follows reports whether the array that nd reads has rows as far apart as those of the result, and elements for all n
// of its elements from first on.
func (f *framing) follows(nd *node, first, n int64) bool {
	if nd.op != hlo.Parameter || !slices.Equal(nd.access.Strides, f.at.Strides) {
		return false
	}
	begin := nd.access.Offset + first - f.at.Offset
	return begin >= 0 && begin+n <= f.inputs[nd.input].Size/int64(nd.t.Bytes())
}
