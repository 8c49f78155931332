package hlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalReduce(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	a := in.Attrs.(*ReduceAttrs)
	r := newReduction(a.ToApply, args)
	s := dropDims(args[0].Shape(), a.Dimensions)
	if err := e.room(s); err != nil {
		return nil, err
	}
	g := newRuns(args[0].Shape().Dims, a.Dimensions)
	if op, ok := simpleReducer(a.ToApply); ok && r.n == 1 {
		w, err := r.simple(e, op, g)
		if err != nil {
			return nil, err
		}
		return literal.FromWide(s.WithType(r.types[0]), w), nil
	}
	out := r.results(int(s.Size()))
	if err := r.general(e, g, out); err != nil {
		return nil, err
	}
	return r.literal(s, out), nil
}

// reduction is the operands of a reduce or reduce-window, widened to the classes of the accumulators.
type reduction struct {
	n      int
	c      *Computation
	types  []shape.ElementType // of the accumulators
	inputs []literal.Wide
	inits  []Cell
}

func newReduction(c *Computation, args []*literal.Literal) *reduction {
	r := &reduction{n: len(args) / 2, c: c}
	for i := range r.n {
		t := c.Parameters[i].Shape.Type
		r.types = append(r.types, t)
		r.inputs = append(r.inputs, wideAs(args[i], t))
		r.inits = append(r.inits, cellAt(wideAs(args[r.n+i], t), 0))
	}
	return r
}

// room fails if an array of the sizes of s would pass the evaluation's limit while its elements are wide.
func (e *Evaluator) room(s shape.Shape) error {
	const wide = 16 // bytes of the widest
	n, ok := s.CheckedSize()
	if !ok || n > literal.MaxBytes/wide || e.MaxBytes > 0 && n > e.MaxBytes/wide {
		return fmt.Errorf("%w: a result of sizes %v is too large", ErrLimit, s.Dims)
	}
	return nil
}

// wideAs returns l's elements in the wide class of type t.
func wideAs(l *literal.Literal, t shape.ElementType) literal.Wide {
	return literal.ConvertWide(l.Wide(), l.Shape().Type, t)
}

// results returns room for size elements of each result.
func (r *reduction) results(size int) []literal.Wide {
	out := make([]literal.Wide, r.n)
	for i, t := range r.types {
		out[i] = literal.MakeWide(t.Class(), size)
	}
	return out
}

// literal returns the results, of the dimensions of s, as the reduce gives them.
func (r *reduction) literal(s shape.Shape, out []literal.Wide) *literal.Literal {
	elems := make([]*literal.Literal, r.n)
	for i, t := range r.types {
		elems[i] = literal.FromWide(s.WithType(t), out[i])
	}
	if r.n == 1 {
		return elems[0]
	}
	return literal.NewTuple(elems...)
}

// runs is how a reduction goes through its input: dimensions next to each other and of one kind are joined, and of the
// last joined one, the run, elements lie side by side.
type runs struct {
	kept, reduced []int // where each index of the other kept and reduced dimensions begins
	run           int   // elements of the last one
	runReduced    bool  // the last one is reduced
}

// reducedRun is how many elements of a run go into one result.
func (g *runs) reducedRun() int {
	if g.runReduced {
		return g.run
	}
	return 1
}

func newRuns(dims, reduced []int64) runs {
	var sizes []int64
	var kinds []bool // reduced
	for d, n := range dims {
		kind := slices.Contains(reduced, int64(d))
		switch last := len(sizes) - 1; {
		case n == 1: // belongs to any kind
		case last >= 0 && kinds[last] == kind:
			sizes[last] *= n
		default:
			sizes, kinds = append(sizes, n), append(kinds, kind)
		}
	}
	if len(sizes) == 0 {
		return runs{[]int{0}, []int{0}, 1, true}
	}
	strides, last := shape.Strides(sizes), len(sizes)-1
	g := runs{run: int(sizes[last]), runReduced: kinds[last]}
	g.kept = offsetsOf(sizes[:last], strides, kinds, false)
	g.reduced = offsetsOf(sizes[:last], strides, kinds, true)
	return g
}

func offsetsOf(sizes, strides []int64, kinds []bool, kind bool) []int {
	var n, s []int64
	for d := range sizes {
		if kinds[d] == kind {
			n, s = append(n, sizes[d]), append(s, strides[d])
		}
	}
	return offsets(n, s)
}

// offsets returns the position of each index of an array of the given sizes, in row-major order of the indices.
func offsets(dims, strides []int64) []int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	o := make([]int, 1, max(n, 1))
	if n == 0 {
		return o[:0]
	}
	for d := len(dims) - 1; d >= 0; d-- {
		inner := len(o)
		for i := int64(1); i < dims[d]; i++ {
			for _, x := range o[:inner] {
				o = append(o, x+int(i*strides[d]))
			}
		}
	}
	return o
}

// general reduces with any computation.
func (r *reduction) general(e *Evaluator, g runs, out []literal.Wide) error {
	ap, err := e.applier(r.c)
	if err != nil {
		return err
	}
	inner, step := []int{0}, g.run
	if g.runReduced {
		inner, step = offsets([]int64{int64(g.run)}, []int64{1}), 1
	}
	cells, round, to := make([]Cell, 2*r.n), 0, 0
	for _, k := range g.kept {
		for j := range step {
			copy(cells, r.inits)
			for _, o := range g.reduced {
				for _, i := range inner {
					if err := e.poll(round); err != nil {
						return err
					}
					round++
					for n, x := range r.inputs {
						cells[r.n+n] = cellAt(x, k+j+o+i)
					}
					if err := ap.apply(cells, cells[:r.n]); err != nil {
						return err
					}
				}
			}
			for n := range out {
				setCell(out[n], to, cells[n])
			}
			to++
		}
	}
	return nil
}
