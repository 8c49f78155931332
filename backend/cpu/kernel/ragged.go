package kernel

import (
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Ragged is a dot one of whose dimensions falls into groups, each of which is a contraction of a part of the arrays.
type Ragged struct {
	// LHS and RHS are the sizes of the arrays.
	LHS, RHS                                           []int64
	LHSBatch, LHSContracting, RHSBatch, RHSContracting []int64
	// Ragged is the dimension of lhs that has the groups one after the other; Prefix are dimensions of lhs that have
	// groups of their own for each index.
	Ragged int64
	Prefix []int64
	// Group is the dimension of rhs that has an index for each group, -1 if it has none.
	Group int64
}

// span is a part of a dimension.
type span struct{ first, n int64 }

// Contracting says whether the groups part the sums, so that the result has a dimension of groups in front.
func (r *Ragged) Contracting() bool { return slices.Contains(r.LHSContracting, r.Ragged) }

// Contractions returns one contraction for each group that is not empty. sizes has groups numbers for each index of the
// dimensions Prefix.
func (r *Ragged) Contractions(sizes []int64, groups int) []Contraction {
	var list []Contraction
	for p := range len(sizes) / max(groups, 1) {
		at := r.prefix(int64(p))
		left := r.LHS[r.Ragged]
		for g, n := range sizes[p*groups:][:groups] {
			n = min(max(n, 0), left)
			if n > 0 {
				at[r.Ragged] = span{r.LHS[r.Ragged] - left, n}
				list = append(list, r.group(int64(g), at))
			}
			left -= n
		}
	}
	return list
}

// prefix returns the spans of the dimensions Prefix for their index p.
func (r *Ragged) prefix(p int64) map[int64]span {
	at := map[int64]span{}
	for _, d := range slices.Backward(r.Prefix) {
		at[d] = span{p % r.LHS[d], 1}
		p /= r.LHS[d]
	}
	return at
}

// group is the contraction of group g, for which lhs is restricted to spans of some dimensions.
func (r *Ragged) group(g int64, at map[int64]span) Contraction {
	rhs := map[int64]span{}
	for i, d := range r.LHSBatch {
		copySpan(rhs, at, r.RHSBatch[i], d)
	}
	for i, d := range r.LHSContracting {
		copySpan(rhs, at, r.RHSContracting[i], d)
	}
	lhsFree := shape.OtherDims(len(r.LHS), r.LHSBatch, r.LHSContracting)
	rhsFree := shape.OtherDims(len(r.RHS), r.RHSBatch, r.RHSContracting, []int64{r.Group})
	var c Contraction
	c.LHS = box(r.LHS, at, r.LHSBatch, lhsFree, r.LHSContracting)
	c.RHS = box(r.RHS, rhs, r.RHSBatch, rhsFree, r.RHSContracting)
	var dims []int64
	out := map[int64]span{}
	for _, d := range slices.Concat(r.LHSBatch, lhsFree) {
		copySpan(out, at, int64(len(dims)), d)
		dims = append(dims, r.LHS[d])
	}
	for _, d := range rhsFree {
		dims = append(dims, r.RHS[d])
	}
	count := func(first, n int) []int64 {
		list := make([]int64, n)
		for i := range list {
			list[i] = int64(first + i)
		}
		return list
	}
	b, m := len(r.LHSBatch), len(lhsFree)
	c.Out = box(dims, out, count(0, b), count(b, m), count(b+m, len(rhsFree)))
	c.RHS.First += r.groupFirst(g)
	if r.Contracting() {
		c.Out.First += int(g * shape.Product(dims))
	}
	return c
}

// groupFirst is where group g begins in rhs.
func (r *Ragged) groupFirst(g int64) int {
	if r.Group < 0 {
		return 0
	}
	return int(g * shape.Strides(r.RHS)[r.Group])
}

// copySpan restricts dimension d of one array as dimension e of another is.
func copySpan(to, from map[int64]span, d, e int64) {
	if s, ok := from[e]; ok {
		to[d] = s
	}
}

// box is the operand that a part of an array is: the dimensions in the three lists are restricted as at says.
func box(dims []int64, at map[int64]span, batch, rows, columns []int64) Operand {
	st, sizes, o := shape.Strides(dims), slices.Clone(dims), Operand{}
	for _, d := range slices.Concat(batch, rows, columns) {
		if s, ok := at[d]; ok {
			sizes[d] = s.n
			o.First += int(s.first * st[d])
		}
	}
	o.Batch, o.Rows, o.Columns = newWalk(sizes, st, batch), newWalk(sizes, st, rows), newWalk(sizes, st, columns)
	return o
}
