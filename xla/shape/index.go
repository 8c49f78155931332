package shape

import (
	"fmt"
	"math"
	"slices"
)

// Indexer maps between the indices of an array's elements and their positions in memory, counted in elements, under
// the array's layout, padding and tiles included.
type Indexer struct {
	dims    []int64 // logical sizes
	order   []int64 // dimension numbers, major to minor
	strides []int64 // by dimension, nil if the layout has tiles
	levels  []level
	last    []int64 // the sizes after all tiles, major to minor
	size    int64
}

// level is the state before one tile is applied.
type level struct {
	tile   Tile
	before []int64 // sizes, major to minor, as many as the tile has entries or more
	joined []int64 // the same after joining the dimensions that the tile combines
	pad    int     // how many dimensions of size 1 a long tile put in front
}

// NewIndexer returns the indexer of an array shape whose dimensions are known; without a layout it is row-major.
// It fails if the layout does not fit the shape or the size of the array in memory overflows.
func NewIndexer(s Shape) (*Indexer, error) {
	if !s.IsArray() || s.HasUnbounded() {
		return nil, fmt.Errorf("shape %s has no position for its elements, want an array of known size", s)
	}
	if _, ok := s.CheckedSize(); !ok {
		return nil, fmt.Errorf("shape %s: the number of elements overflows", s)
	}
	l := s.Layout
	if l == nil {
		l = DefaultLayout(s.Rank())
	} else if err := l.Validate(s); err != nil {
		return nil, err
	}
	x := &Indexer{dims: s.Dims, order: make([]int64, s.Rank())}
	cur := make([]int64, s.Rank())
	for i, d := range l.MinorToMajor {
		k := s.Rank() - 1 - i
		x.order[k], cur[k] = d, s.Dims[d]
		if l.PaddedDims != nil {
			cur[k] = l.PaddedDims[d]
		}
	}
	for _, t := range l.Tiles {
		cur = x.addTile(t, cur)
	}
	x.last = cur
	size, ok := mulAll(cur)
	if !ok {
		return nil, fmt.Errorf("shape %s: the number of elements in memory overflows", s.Text())
	}
	x.size = size
	if len(l.Tiles) == 0 {
		x.setStrides()
	}
	return x, nil
}

// addTile records one tile and returns the sizes after it: the dimensions it leaves alone, the counts of tiles, the
// sizes of a tile.
func (x *Indexer) addTile(t Tile, cur []int64) []int64 {
	pad := max(len(t)-len(cur), 0)
	cur = append(slices.Repeat([]int64{1}, pad), cur...)
	first := len(cur) - len(t)
	lv := level{tile: t, before: cur, joined: slices.Clone(cur[:first]), pad: pad}
	var inner []int64
	join := int64(1)
	for i, n := range t {
		join = saturatingMul(join, cur[first+i])
		if n == CombineDim {
			continue
		}
		lv.joined = append(lv.joined, join)
		inner = append(inner, n)
		join = 1
	}
	x.levels = append(x.levels, lv)
	next := slices.Clone(lv.joined)
	for i, n := range inner {
		d := &next[first+i]
		*d = *d/n + min(*d%n, 1)
	}
	return append(next, inner...)
}

func (x *Indexer) setStrides() {
	x.strides = make([]int64, len(x.dims))
	stride := int64(1)
	for k := len(x.order) - 1; k >= 0; k-- {
		x.strides[x.order[k]] = stride
		stride = saturatingMul(stride, max(x.last[k], 1))
	}
}

// Size returns the number of elements in memory, padding included.
func (x *Indexer) Size() int64 { return x.size }

// Strides returns the distances between neighbours in each dimension, in elements; nil if the layout has tiles.
func (x *Indexer) Strides() []int64 { return x.strides }

// Separable reports whether a position is a sum of one term for each dimension; only tiles that combine dimensions
// make it not so.
func (x *Indexer) Separable() bool {
	return !slices.ContainsFunc(x.levels, func(l level) bool { return slices.Contains(l.tile, CombineDim) })
}

// Linear returns the position of the element at index, which must be in bounds.
func (x *Indexer) Linear(index []int64) int64 {
	if x.strides != nil {
		n := int64(0)
		for d, i := range index {
			n += i * x.strides[d]
		}
		return n
	}
	var buf [16]int64
	cur := buf[:0]
	for _, d := range x.order {
		cur = append(cur, index[d])
	}
	for i := range x.levels {
		cur = x.levels[i].split(cur)
	}
	n := int64(0)
	for k, i := range cur {
		n = n*x.last[k] + i
	}
	return n
}

// split turns an index before the tile into one after it.
func (l *level) split(cur []int64) []int64 {
	if l.pad > 0 {
		cur = append(make([]int64, l.pad), cur...)
	}
	first := len(cur) - len(l.tile)
	next := append(make([]int64, 0, len(cur)+len(l.tile)), cur[:first]...)
	inner := make([]int64, 0, len(l.tile))
	join := int64(0)
	for i, n := range l.tile {
		join = join*l.before[first+i] + cur[first+i]
		if n == CombineDim {
			continue
		}
		next, inner = append(next, join/n), append(inner, join%n)
		join = 0
	}
	return append(next, inner...)
}

// Multi puts the index of the element at position pos into index and reports whether there is one; padding has none.
func (x *Indexer) Multi(pos int64, index []int64) bool {
	if pos < 0 || pos >= x.size {
		return false
	}
	cur := make([]int64, len(x.last))
	for k := len(cur) - 1; k >= 0; k-- {
		cur[k] = pos % x.last[k]
		pos /= x.last[k]
	}
	for i := len(x.levels) - 1; i >= 0; i-- {
		var ok bool
		if cur, ok = x.levels[i].unsplit(cur); !ok {
			return false
		}
	}
	for k, d := range x.order {
		index[d] = cur[k]
		if index[d] >= x.dims[d] {
			return false
		}
	}
	return true
}

// unsplit undoes split; it fails for positions in the padding of the tile.
func (l *level) unsplit(cur []int64) ([]int64, bool) {
	first, n := len(l.before)-len(l.tile), len(l.joined)
	prev := make([]int64, len(l.before))
	copy(prev, cur[:first])
	inner := n - first
	k := n - 1
	for i := len(l.tile) - 1; i >= 0; k-- {
		v := cur[k]*l.tile[i] + cur[k+inner]
		if v >= l.joined[k] {
			return nil, false
		}
		prev[first+i] = v
		for i--; i >= 0 && l.tile[i] == CombineDim; i-- {
			at := first + i + 1
			prev[at-1], prev[at] = prev[at]/l.before[at], prev[at]%l.before[at]
		}
	}
	return prev[l.pad:], true
}

func saturatingMul(a, b int64) int64 {
	if a != 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// mulAll multiplies sizes; a 0 anywhere makes 0.
func mulAll(sizes []int64) (int64, bool) {
	if slices.Contains(sizes, 0) {
		return 0, true
	}
	n := int64(1)
	for _, d := range sizes {
		if d < 0 || n > math.MaxInt64/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}
