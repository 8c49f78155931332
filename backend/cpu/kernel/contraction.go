package kernel

import (
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Walk says how an index moves through an array: row-major over steps, each of which has a number of places and a
// distance between neighbours, in elements.
type Walk []Step

// Step is one dimension of a walk.
type Step struct{ N, Stride int }

// newWalk is the walk over some dimensions of an array with the strides given, without those of size 1 and with what
// can be one step made one.
func newWalk(dims, strides []int64, order []int64) Walk {
	var w Walk
	for _, d := range order {
		w = w.Then(Step{int(dims[d]), int(strides[d])})
	}
	return w
}

// Then adds a step that moves faster than all before it.
func (w Walk) Then(s Step) Walk {
	if s.N == 1 {
		return w
	}
	if i := len(w) - 1; i >= 0 && w[i].Stride == s.N*s.Stride {
		return append(slices.Clone(w[:i]), Step{w[i].N * s.N, s.Stride})
	}
	return append(slices.Clone(w), s)
}

// Len is the number of places.
func (w Walk) Len() int {
	n := 1
	for _, s := range w {
		n *= s.N
	}
	return n
}

// Stride returns the distance of neighbours if it is the same for all; a walk of one place has 0.
func (w Walk) Stride() (stride int, ok bool) {
	switch len(w) {
	case 0:
		return 0, true
	case 1:
		return w[0].Stride, true
	}
	return 0, false
}

// Offsets lists where the places are.
func (w Walk) Offsets() []int {
	out := make([]int, 1, max(w.Len(), 1))
	for _, s := range w {
		before := out
		out = make([]int, 0, len(before)*s.N)
		for _, o := range before {
			for i := range s.N {
				out = append(out, o+i*s.Stride)
			}
		}
	}
	return out
}

// run is how many places at a time are neighbours in memory.
func (w Walk) run() int {
	if i := len(w) - 1; i >= 0 && w[i].Stride == 1 {
		return w[i].N
	}
	return 1
}

// Operand is an array that a contraction reads or writes: where its first element is, and how to get to the others.
type Operand struct {
	First                int
	Batch, Rows, Columns Walk
}

// Contraction is what dots and convolutions are made of:
//
//	out[b, i, j] = sum over k of lhs[b, i, k] rhs[b, j, k]
//
// with rows i, j, i and columns k, k, j of LHS, RHS and Out. Batch, rows and columns that belong together have the same
// numbers of places.
type Contraction struct{ LHS, RHS, Out Operand }

// Sizes returns the numbers of batch indices, rows of lhs, rows of rhs, and terms of a sum.
func (c *Contraction) Sizes() (b, m, n, k int) {
	return c.Out.Batch.Len(), c.Out.Rows.Len(), c.Out.Columns.Len(), c.LHS.Columns.Len()
}

// NewDot is the contraction of a dot: result dimensions are batch, then the rest of lhs, then the rest of rhs.
func NewDot(lhs, rhs, lhsBatch, lhsContracting, rhsBatch, rhsContracting []int64) Contraction {
	side := func(dims, batch, contracting []int64) Operand {
		st := shape.Strides(dims)
		return Operand{0, newWalk(dims, st, batch), newWalk(dims, st, shape.OtherDims(len(dims), batch, contracting)),
			newWalk(dims, st, contracting)}
	}
	c := Contraction{LHS: side(lhs, lhsBatch, lhsContracting), RHS: side(rhs, rhsBatch, rhsContracting)}
	m, n := c.LHS.Rows.Len(), c.RHS.Rows.Len()
	c.Out = Operand{0, Walk{}.Then(Step{c.LHS.Batch.Len(), m * n}), Walk{}.Then(Step{m, n}), Walk{}.Then(Step{n, 1})}
	return c
}
