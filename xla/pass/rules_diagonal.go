package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// reduceDiagonal: the sum of what is on the diagonal of two dimensions side by side, and of zeros elsewhere, is that of
// elements that are a row and one element apart.
func reduceDiagonal(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, x := in.Attrs.(*hlo.ReduceAttrs), in.Operands[0]
	op, ok := reducerOp(a.ToApply)
	if len(in.Operands) != 2 || !ok || op != hlo.Add || !isZero(in.Operands[1]) || x.Op != hlo.Select ||
		!isZero(x.Operands[2]) {
		return nil
	}
	d, ok := diagonal(x.Operands[0])
	if !ok || !slices.Contains(a.Dimensions, d) || !slices.Contains(a.Dimensions, d+1) {
		return nil
	}
	var dims []int64
	for _, k := range a.Dimensions {
		switch {
		case k <= d:
			dims = append(dims, k)
		case k > d+1:
			dims = append(dims, k-1)
		}
	}
	y := s.diagonal(x.Operands[1], d)
	return s.op(hlo.Reduce, &hlo.ReduceAttrs{Dimensions: dims, ToApply: a.ToApply}, shape.Shape{}, y, in.Operands[1])
}

// diagonal takes from dimensions d and d+1 of x the elements that are as far along one as along the other.
func (s *simplifier) diagonal(x *hlo.Instruction, d int64) *hlo.Instruction {
	sizes := x.Shape.Dims
	rows, columns := sizes[d], sizes[d+1]
	flat := slices.Concat(sizes[:d], []int64{rows * columns}, sizes[d+2:])
	list := make(hlo.SliceDims, len(flat))
	for k, n := range flat {
		list[k] = hlo.SliceDim{Limit: n, Stride: 1}
	}
	list[d] = hlo.SliceDim{Limit: (min(rows, columns)-1)*(columns+1) + 1, Stride: columns + 1}
	return s.slice(s.reshape(x, flat), list)
}

// diagonal returns d if mask holds where places along dimensions d and d+1 are the same, and nowhere else.
func diagonal(mask *hlo.Instruction) (d int64, ok bool) {
	to, all := func(k int64) int64 { return k }, mask.Shape.Dims
	if mask.Op == hlo.Broadcast {
		dims := mask.Attrs.(*hlo.BroadcastAttrs).Dimensions
		mask, to = mask.Operands[0], func(k int64) int64 { return dims[k] }
	}
	at, ok := equalPlaces(mask)
	if !ok || slices.Contains(all, 0) {
		return 0, false
	}
	for i, k := range at {
		at[i] = to(k)
		if mask.Shape.Dims[k] != all[at[i]] { // one place many times
			return 0, false
		}
	}
	return min(at[0], at[1]), max(at[0], at[1]) == min(at[0], at[1])+1
}

// equalPlaces returns two dimensions if mask holds where places along them are the same: by a comparison, or as a
// constant matrix.
func equalPlaces(mask *hlo.Instruction) (at [2]int64, ok bool) {
	if l := literalOf(mask); l != nil {
		return [2]int64{0, 1}, isEye(l)
	}
	a, isCompare := mask.Attrs.(*hlo.CompareAttrs)
	if !isCompare || a.Direction != hlo.Eq {
		return at, false
	}
	for i, o := range mask.Operands {
		if _, ok := counts(o, o.Shape.Type); !ok {
			return at, false
		}
		at[i] = o.Attrs.(*hlo.IotaAttrs).Dimension
	}
	return at, true
}

// isEye reports whether l is a matrix that holds on its diagonal and nowhere else.
func isEye(l *literal.Literal) bool {
	if l.Shape().Rank() != 2 || l.Shape().Type != shape.Pred {
		return false
	}
	columns := int(l.Shape().Dims[1])
	for i, b := range l.RowMajor().Wide().B {
		if b != (i/columns == i%columns) {
			return false
		}
	}
	return true
}
