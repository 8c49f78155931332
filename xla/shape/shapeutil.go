package shape

import (
	"fmt"
	"math"
	"slices"
)

// ShapeIndex leads through nested tuples to a shape: the element numbers from the outside in.
type ShapeIndex []int

// Subshape returns the shape at index; the empty index is s itself. It fails if the index leads out of s.
func (s Shape) Subshape(index ShapeIndex) (Shape, error) {
	sub := s
	for k, i := range index {
		if !sub.IsTuple() || i < 0 || i >= len(sub.Elems) {
			return Shape{}, fmt.Errorf("shape index %v of %s: no element %d in %s", index[:k+1], s, i, sub)
		}
		sub = sub.Elems[i]
	}
	return sub, nil
}

// ForEachSubshape calls f for s and every shape in it, outer ones before inner ones, until f fails, and returns its
// error. The index is good during the call only.
func (s Shape) ForEachSubshape(f func(index ShapeIndex, sub Shape) error) error {
	return s.forEach(nil, f)
}

func (s Shape) forEach(index ShapeIndex, f func(ShapeIndex, Shape) error) error {
	if err := f(index, s); err != nil || !s.IsTuple() {
		return err
	}
	for i, e := range s.Elems {
		if err := e.forEach(append(index, i), f); err != nil {
			return err
		}
	}
	return nil
}

// Leaves returns the shapes in s that are no tuples, in order.
func (s Shape) Leaves() []Shape {
	if !s.IsTuple() {
		return []Shape{s}
	}
	var list []Shape
	for _, e := range s.Elems {
		list = append(list, e.Leaves()...)
	}
	return list
}

// LeafCount returns the number of shapes in s that are no tuples.
func (s Shape) LeafCount() int { return len(s.Leaves()) }

// ByteSizeOf is ByteSize, but for a tuple or an opaque value the pointers that it consists of, and 0 for a token.
func (s Shape) ByteSizeOf(pointerBytes int64) (int64, error) {
	switch s.Type {
	case Token:
		return 0, nil
	case Opaque:
		return pointerBytes, nil
	case Tuple:
		n := int64(len(s.Elems))
		if n > 0 && pointerBytes > math.MaxInt64/n {
			return 0, fmt.Errorf("shape %s: the size in bytes overflows", s)
		}
		return n * pointerBytes, nil
	case Buffer:
		return s.Elems[0].ByteSize()
	}
	return s.ByteSize()
}

// PermuteDims returns the shape whose dimension i is s's dimension perm[i], with the layout under which a transpose
// to it moves nothing. perm must be a permutation of s's dimensions.
func (s Shape) PermuteDims(perm []int64) Shape {
	out := Shape{Type: s.Type, Dims: make([]int64, len(s.Dims))}
	inverse := make([]int64, len(perm))
	for i, d := range perm {
		inverse[d] = int64(i)
		out.Dims[i] = s.Dims[d]
	}
	if s.Dynamic != nil {
		out.Dynamic = make([]bool, len(perm))
		for i, d := range perm {
			out.Dynamic[i] = s.Dims[d] != Unbounded && s.IsDynamicDim(int(d))
		}
	}
	if s.Layout == nil {
		return out
	}
	out.Layout = s.Layout.Clone()
	for k, d := range s.Layout.MinorToMajor {
		out.Layout.MinorToMajor[k] = inverse[d]
	}
	for i, d := range perm[:len(s.Layout.PaddedDims)] {
		out.Layout.PaddedDims[i] = s.Layout.PaddedDims[d]
	}
	for i, sp := range s.Layout.Splits {
		out.Layout.Splits[i].Dim = inverse[sp.Dim]
	}
	return out
}

// TransposeIsBitcast reports whether the transpose from one array to another, whose dimension i is the first one's
// dimension perm[i], leaves every element where it is in memory. A missing layout is the default one.
func TransposeIsBitcast(from, to Shape, perm []int64) bool {
	if !sameStorage(from, to) || len(perm) != from.Rank() || len(perm) != to.Rank() {
		return false
	}
	fx, tx, ok := indexers(from, to)
	if !ok {
		return false
	}
	if fx.strides == nil || tx.strides == nil {
		moved := from.PermuteDims(perm)
		return slices.Equal(moved.Dims, to.Dims) && moved.layoutsEqual(to)
	}
	for i, d := range perm {
		if to.Dims[i] != from.Dims[d] || to.Dims[i] > 1 && tx.strides[i] != fx.strides[d] {
			return false
		}
	}
	return true
}

// ReshapeIsBitcast reports whether the reshape from one array to another leaves every element where it is in memory.
// A missing layout is the default one.
func ReshapeIsBitcast(from, to Shape) bool {
	if !sameStorage(from, to) {
		return false
	}
	fx, tx, ok := indexers(from, to)
	if !ok {
		return false
	}
	n, _ := from.CheckedSize()
	if m, _ := to.CheckedSize(); n != m {
		return false
	}
	if fx.strides == nil || tx.strides == nil {
		return slices.Equal(from.Dims, to.Dims) && from.layoutsEqual(to)
	}
	return n == 0 || slices.Equal(fx.pieces(), tx.pieces())
}

// sameStorage reports whether two arrays have elements of the same width in memory.
func sameStorage(a, b Shape) bool {
	return a.IsArray() && b.IsArray() && a.Type == b.Type && a.elementBits() == b.elementBits()
}

// elementBits returns the width of an element in memory.
func (s Shape) elementBits() int64 {
	if s.Layout != nil && s.Layout.ElementBits != 0 {
		return s.Layout.ElementBits
	}
	return int64(s.Type.Bytes()) * 8
}

// indexers returns those of two shapes, if both have one and take the same room.
func indexers(a, b Shape) (x, y *Indexer, ok bool) {
	x, err := NewIndexer(a)
	if err != nil {
		return nil, nil, false
	}
	y, err = NewIndexer(b)
	return x, y, err == nil && x.size == y.size
}

type piece struct{ size, stride int64 }

// pieces cuts the elements in row-major order into the fewest digits that each have one stride. Two arrays of the
// same size have the same elements at the same positions if and only if their pieces are the same.
func (x *Indexer) pieces() []piece {
	var out []piece
	for d, n := range x.dims {
		if n == 1 {
			continue
		}
		stride := x.strides[d]
		if k := len(out) - 1; k >= 0 && out[k].stride == n*stride {
			out[k] = piece{out[k].size * n, stride}
			continue
		}
		out = append(out, piece{n, stride})
	}
	return out
}

// InsertedOrDeleted1SizedDims reports whether two arrays differ only by dimensions of size 1, and which of the first
// one's were deleted and which of the second one's inserted.
func InsertedOrDeleted1SizedDims(from, to Shape) (deleted, inserted []int64, ok bool) {
	i, j := 0, 0
	for i < from.Rank() || j < to.Rank() {
		switch {
		case i < from.Rank() && j < to.Rank() && from.Dims[i] == to.Dims[j]:
			i, j = i+1, j+1
		case i < from.Rank() && from.Dims[i] == 1:
			deleted = append(deleted, int64(i))
			i++
		case j < to.Rank() && to.Dims[j] == 1:
			inserted = append(inserted, int64(j))
			j++
		default:
			return nil, nil, false
		}
	}
	return deleted, inserted, true
}
