package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// odometer counts through the indices of a box in row-major order and keeps positions in several arrays with it.
type odometer struct {
	dims  []int64
	steps [][]int64 // by array, by dimension: the distance between neighbours
	at    []int64   // by array: the position of the index
	index []int64
}

func newOdometer(dims []int64, steps ...[]int64) *odometer {
	return &odometer{dims: dims, steps: steps, at: make([]int64, len(steps)), index: make([]int64, len(dims))}
}

// empty reports whether the box has no index.
func (o *odometer) empty() bool {
	for _, n := range o.dims {
		if n == 0 {
			return true
		}
	}
	return false
}

// next steps to the next index; after the last it is the first again and next reports false.
func (o *odometer) next() bool {
	for d := len(o.dims) - 1; d >= 0; d-- {
		if o.index[d]++; o.index[d] < o.dims[d] {
			for a, s := range o.steps {
				o.at[a] += s[d]
			}
			return true
		}
		o.index[d] = 0
		for a, s := range o.steps {
			o.at[a] -= s[d] * (o.dims[d] - 1)
		}
	}
	return false
}

func pick(v, at []int64) []int64 {
	out := make([]int64, len(at))
	for i, d := range at {
		out[i] = v[d]
	}
	return out
}

// walk goes through the index vectors of a gather or scatter in row-major order.
type walk struct {
	*odometer             // positions: 0 in the indices, 1 in the windowed array, 2 in the operand by batching dimensions
	starts    []int64     // all indices
	vector    int64       // distance between the entries of an index vector
	entries   []walkEntry // by entry of an index vector
}

// walkEntry says what an entry of an index vector is about: an operand dimension, its stride and the last start at
// which the window lies in it.
type walkEntry struct{ stride, last int64 }

// newWalk plans the walk. windowed are the sizes of gather's result or scatter's updates, sizes those of the windows by
// operand dimension.
func (g *indexDims) newWalk(operand []int64, start *literal.Literal, windowed, sizes []int64) *walk {
	startDims := start.Shape().Dims
	batch := g.startDims(len(startDims))
	strideAll := shape.Strides(startDims)
	w := &walk{starts: indices(start), vector: 0}
	if g.vector < int64(len(startDims)) {
		w.vector = strideAll[g.vector]
	}
	perOperand := shape.Strides(operand)
	batching := make([]int64, len(batch))
	for i, d := range batch {
		for k, s := range g.startBatching {
			if s == d {
				batching[i] = perOperand[g.batching[k]]
			}
		}
	}
	inWindowed := pick(shape.Strides(windowed), g.batchDims(len(windowed)))
	w.odometer = newOdometer(pick(startDims, batch), pick(strideAll, batch), inWindowed, batching)
	for _, d := range g.startMap {
		w.entries = append(w.entries, walkEntry{perOperand[d], operand[d] - sizes[d]})
	}
	return w
}

// clamped returns where in the operand the window of the current index vector starts, moved so that it lies in it.
func (w *walk) clamped() int64 {
	at := w.at[2]
	for k, en := range w.entries {
		at += max(0, min(w.starts[w.at[0]+int64(k)*w.vector], en.last)) * en.stride
	}
	return at
}

// inside returns where in the operand the window of the current index vector starts, and whether all of it is there.
func (w *walk) inside() (int64, bool) {
	at := w.at[2]
	for k, en := range w.entries {
		i := w.starts[w.at[0]+int64(k)*w.vector]
		if i < 0 || i > en.last {
			return 0, false
		}
		at += i * en.stride
	}
	return at, true
}

func evalGather(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*GatherAttrs)
	g := a.dims()
	return e.gather(&g, in.Shape, args[0], args[1], a.SliceSizes)
}

func evalDynamicGather(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	g, sizes := in.Attrs.(*DynamicGatherAttrs).dims(), indices(args[2])
	operand, start := args[0].Shape(), args[1].Shape()
	if err := g.checkSliceSizes(operand, sizes); err != nil {
		return nil, err
	}
	s, err := realShape(in, g.gathered(operand, start, shape.Array(operand.Type, sizes...)).Dims)
	if err != nil {
		return nil, err
	}
	return e.gather(&g, s, args[0], args[1], sizes)
}

// gather copies one slice of the given sizes for each index vector into an array of shape s.
func (e *Evaluator) gather(g *indexDims, s shape.Shape, operand, start *literal.Literal,
	sizes []int64) (*literal.Literal, error) {
	out, err := e.array(s)
	if err != nil {
		return nil, err
	}
	dims := operand.Shape().Dims
	w := g.newWalk(dims, start, s.Dims, sizes)
	if s.Size() == 0 || w.empty() {
		return out, nil
	}
	window := g.windowDims(len(dims))
	axes, to, from := make([]axis, len(window)), shape.Strides(s.Dims), shape.Strides(dims)
	for i, d := range window {
		axes[i] = axis{sizes[d], to[g.offset[i]], from[d]}
	}
	c := newCopier(s.Type.Bytes(), axes)
	for round := 0; ; round++ {
		c.copy(out.Bytes(), operand.Bytes(), w.at[1], w.clamped())
		if err := e.poll(round); err != nil {
			return nil, err
		}
		if !w.next() {
			return out, nil
		}
	}
}
