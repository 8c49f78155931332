package shape

import "fmt"

// MultiIndexToLinear returns the position in memory, in elements, of the element at index under s's layout, padding
// and tiles included. Who needs many positions makes an Indexer once. It fails if index is out of bounds or the
// layout does not fit. Source: XLA's IndexUtil, which knows neither padding nor tiles.
func (s Shape) MultiIndexToLinear(index []int64) (int64, error) {
	x, err := NewIndexer(s)
	if err != nil {
		return 0, err
	}
	if !s.IndexInBounds(index) {
		return 0, fmt.Errorf("index %v is out of bounds of %s", index, s)
	}
	return x.Linear(index), nil
}

// LinearToMultiIndex returns the index of the element at a position in memory. It fails if the position is beyond the
// array or in its padding, or the layout does not fit.
func (s Shape) LinearToMultiIndex(pos int64) ([]int64, error) {
	x, err := NewIndexer(s)
	if err != nil {
		return nil, err
	}
	index := make([]int64, s.Rank())
	if !x.Multi(pos, index) {
		return nil, fmt.Errorf("position %d of %s holds no element", pos, s.Text())
	}
	return index, nil
}

// BumpIndices steps index to the next one in row-major order of the dimensions, whatever the layout, and reports
// whether there was one; after the last it is all zeros again. Source: XLA's IndexUtil.
func (s Shape) BumpIndices(index []int64) bool {
	for d := len(s.Dims) - 1; d >= 0; d-- {
		index[d]++
		if index[d] < s.Dims[d] {
			return true
		}
		index[d] = 0
	}
	return false
}

// DimensionStride returns the distance in memory, in elements, of neighbours in dimension d, which may count from the
// end if it is negative. It fails for tiled layouts, in which there is no single one.
func (s Shape) DimensionStride(d int64) (int64, error) {
	k, ok := s.NormalizeDim(d)
	if !ok {
		return 0, fmt.Errorf("dimension %d of %s, want one of %d", d, s, s.Rank())
	}
	x, err := NewIndexer(s)
	if err != nil {
		return 0, err
	}
	if x.strides == nil {
		return 0, fmt.Errorf("dimension %d of %s has no single stride", d, s.Text())
	}
	return x.strides[k], nil
}

// IndexInBounds reports whether index is that of an element of s; dynamic dimensions count at their bounds.
func (s Shape) IndexInBounds(index []int64) bool {
	if len(index) != len(s.Dims) {
		return false
	}
	for d, i := range index {
		if i < 0 || i >= s.Dims[d] {
			return false
		}
	}
	return true
}

// CompareIndices compares two indices of the same length, the first numbers first. As in XLA it returns -1 if lhs is
// the LARGER one, 1 if rhs is, and 0 if they are equal.
func CompareIndices(lhs, rhs []int64) int {
	for d := range lhs {
		switch {
		case lhs[d] > rhs[d]:
			return -1
		case lhs[d] < rhs[d]:
			return 1
		}
	}
	return 0
}

// NormalizeDim returns the number of the dimension d, where a negative d counts from the end, -1 the last; and
// whether s has such a dimension. Only shape utilities take negative numbers, operations do not.
func (s Shape) NormalizeDim(d int64) (int64, bool) {
	rank := int64(s.Rank())
	if d < 0 {
		d += rank
	}
	return d, d >= 0 && d < rank
}

// dimLetters names the dimensions of arrays of rank up to 4, the last is x.
const dimLetters = "pzyx"

// DimLetter returns the letter of dimension d of an array of the given rank: y and x in two dimensions, z, y and x in
// three, p, z, y and x in four. Other ranks above 1 have none, a vector has x. Source: XLA's shapes and layout
// document.
func DimLetter(rank, d int) (string, bool) {
	if rank < 1 || rank > len(dimLetters) || d < 0 || d >= rank {
		return "", false
	}
	at := len(dimLetters) - rank + d
	return dimLetters[at : at+1], true
}

// DimByLetter returns the dimension of an array of the given rank that has the letter.
func DimByLetter(rank int, letter string) (int, bool) {
	for d := range rank {
		if have, ok := DimLetter(rank, d); ok && have == letter {
			return d, true
		}
	}
	return 0, false
}

// TrueRank returns the number of dimensions larger than 1.
func (s Shape) TrueRank() int {
	n := 0
	for _, d := range s.Dims {
		if d > 1 {
			n++
		}
	}
	return n
}

// SplitDim returns the dimension along which ThreeFry's two words of a block are neighbours in an array of random bits:
// the first of dims that is even, or else the first of the largest. Law: row 112.
func SplitDim(dims []int64) int {
	largest := 0
	for d, n := range dims {
		if n%2 == 0 {
			return d
		}
		if n > dims[largest] {
			largest = d
		}
	}
	return largest
}
