package shape

import (
	"fmt"
	"slices"
)

// MakeLayout returns the layout with the given order of dimensions, from the fastest to the slowest varying.
func MakeLayout(minorToMajor ...int64) *Layout { return &Layout{MinorToMajor: minorToMajor} }

// MakeDescendingLayout returns the row-major layout for rank dimensions, the default one.
func MakeDescendingLayout(rank int) *Layout { return DefaultLayout(rank) }

// MakeAscendingLayout returns the column-major layout for rank dimensions.
func MakeAscendingLayout(rank int) *Layout {
	l := DefaultLayout(rank)
	slices.Reverse(l.MinorToMajor)
	return l
}

// IsMonotonicWithDim0Minor reports whether dimension 0 varies fastest, then 1, and so on: column-major.
func (l *Layout) IsMonotonicWithDim0Minor() bool {
	return slices.IsSorted(l.MinorToMajor)
}

// IsMonotonicWithDim0Major reports whether the last dimension varies fastest, then the one before: row-major.
func (l *Layout) IsMonotonicWithDim0Major() bool {
	return slices.IsSortedFunc(l.MinorToMajor, func(a, b int64) int { return int(b - a) })
}

// MinorDim returns the dimension that varies k-th fastest; 0 is the fastest.
func (l *Layout) MinorDim(k int) int64 { return l.MinorToMajor[k] }

// MajorDim returns the dimension that varies k-th slowest; 0 is the slowest.
func (l *Layout) MajorDim(k int) int64 { return l.MinorToMajor[len(l.MinorToMajor)-1-k] }

// Clone returns a copy that shares nothing with l.
func (l *Layout) Clone() *Layout {
	if l == nil {
		return nil
	}
	c := *l
	c.MinorToMajor = slices.Clone(l.MinorToMajor)
	c.PaddedDims = slices.Clone(l.PaddedDims)
	c.Tiles = slices.Clone(l.Tiles)
	for i := range c.Tiles {
		c.Tiles[i] = slices.Clone(c.Tiles[i])
	}
	c.Splits = slices.Clone(l.Splits)
	return &c
}

// HasLayout reports whether every array in s has a layout.
func (s Shape) HasLayout() bool {
	if !s.IsArray() {
		return !slices.ContainsFunc(s.Elems, func(e Shape) bool { return !e.HasLayout() })
	}
	return s.Layout != nil
}

// WithDefaultLayout returns s with row-major layouts on every array, also in tuples, that has none.
func (s Shape) WithDefaultLayout() Shape {
	if s.IsArray() && s.Layout == nil {
		s.Layout = DefaultLayout(s.Rank())
	}
	s.Elems = slices.Clone(s.Elems)
	for i, e := range s.Elems {
		s.Elems[i] = e.WithDefaultLayout()
	}
	return s
}

// LayoutsEqual reports whether s and o, which must be compatible, have the same layouts; a missing layout is the
// default.
func (s Shape) LayoutsEqual(o Shape) bool { return s.layoutsEqual(o) }

// CopyLayouts returns s with the layouts of from. It fails if the two are not arrays of the same rank, or tuples of
// such.
func (s Shape) CopyLayouts(from Shape) (Shape, error) {
	if s.IsArray() != from.IsArray() || s.Rank() != from.Rank() || len(s.Elems) != len(from.Elems) {
		return Shape{}, fmt.Errorf("copy the layouts of %s to %s: they differ in structure or rank", from, s)
	}
	s.Layout = from.Layout
	if s.Layout != nil {
		if err := s.Layout.Validate(s); err != nil {
			return Shape{}, err
		}
	}
	s.Elems = slices.Clone(s.Elems)
	for i := range s.Elems {
		e, err := s.Elems[i].CopyLayouts(from.Elems[i])
		if err != nil {
			return Shape{}, err
		}
		s.Elems[i] = e
	}
	return s, nil
}

// SameOrder reports whether the elements of s lie in the same order under two lists of dimensions from minor to major:
// the place of dimensions of one element makes no difference.
func (s Shape) SameOrder(a, b []int64) bool {
	one := func(d int64) bool { return s.Dims[d] == 1 }
	return s.Size() == 0 ||
		slices.Equal(slices.DeleteFunc(slices.Clone(a), one), slices.DeleteFunc(slices.Clone(b), one))
}
