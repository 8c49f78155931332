package shape

import (
	"fmt"
	"slices"
)

// PaddingValue says what the padding elements of a layout hold. The numbers are the 2017 layout document's.
type PaddingValue uint8

// The padding values.
const (
	InvalidPad PaddingValue = iota
	ZeroPad
	OnePad
	LowestPad
	HighestPad
	UnknownPad
)

// Layout says how an array's elements lie in memory. The zero value is the layout of a scalar.
type Layout struct {
	// MinorToMajor lists the dimension numbers from the fastest to the slowest varying.
	MinorToMajor []int64
	// PaddedDims are the sizes with padding at the end of each dimension, in the order of the dimensions; nil: no
	// padding.
	PaddedDims []int64
	// PaddingValue is what the padding holds.
	PaddingValue PaddingValue
	// Tiles are applied one after the other to the major-to-minor ordered dimensions.
	Tiles []Tile
	// ElementBits is the packed width of an element in bits; 0 means the element type's own.
	ElementBits int64
	// MemorySpace is 0 for the default memory, 5 for the host's.
	MemorySpace int64
	// Tail is the alignment of the end of the array in elements; 0 and 1 mean none.
	Tail int64
	// IndexType and PointerType are what sparse layouts use; Invalid means none.
	IndexType, PointerType ElementType
	// Splits say where dimensions are cut among memories.
	Splits []Split
	// Physical is the physical shape of a sparse layout; nil: none.
	Physical *Shape
	// MetadataBytes is the size of the prefix that holds dynamic sizes.
	MetadataBytes int64
	// DimTypes is the text of D(...), without it "".
	DimTypes string
}

// Tile is one level of tiling: sizes for the minor-most dimensions; CombineDim joins a dimension with the next minor
// one.
type Tile []int64

// CombineDim is the tile size that text writes as "*".
const CombineDim int64 = -1

// Split is one SC(dim:index,...) entry of a layout.
type Split struct {
	Dim     int64
	Indices []int64
}

// DefaultLayout returns the row-major layout for rank dimensions.
func DefaultLayout(rank int) *Layout {
	m := make([]int64, rank)
	for i := range m {
		m[i] = int64(rank - 1 - i)
	}
	return &Layout{MinorToMajor: m}
}

// IsDefault reports whether l is row-major without padding, tiles or anything else special; a missing layout is.
func (l *Layout) IsDefault() bool {
	if l == nil {
		return true
	}
	rest := *l
	rest.MinorToMajor = nil
	for i, d := range l.MinorToMajor {
		if d != int64(len(l.MinorToMajor)-1-i) {
			return false
		}
	}
	return rest.Equal(Layout{})
}

// Validate reports what is wrong with l as the layout of the array shape s; unbounded dimensions are not judged.
func (l *Layout) Validate(s Shape) error {
	if len(l.MinorToMajor) != s.Rank() {
		return fmt.Errorf("layout %s of %s orders %d dimensions, want %d", l, s, len(l.MinorToMajor), s.Rank())
	}
	seen := make([]bool, s.Rank())
	for _, d := range l.MinorToMajor {
		if d < 0 || d >= int64(s.Rank()) || seen[d] {
			return fmt.Errorf("layout %s of %s is no permutation of the dimensions: %d is repeated or out of range", l, s, d)
		}
		seen[d] = true
	}
	if l.ElementBits < 0 || l.ElementBits > 1<<16 {
		return fmt.Errorf("layout %s of %s: element size is %d bits", l, s, l.ElementBits)
	}
	if err := l.validatePadding(s); err != nil {
		return err
	}
	return l.validateTiles(s)
}

func (l *Layout) validatePadding(s Shape) error {
	if l.PaddedDims == nil {
		return nil
	}
	switch {
	case len(l.Tiles) > 0:
		return fmt.Errorf("layout %s of %s has padding and tiles, want one of them", l, s)
	case l.PaddingValue == InvalidPad || l.PaddingValue > UnknownPad:
		return fmt.Errorf("layout %s of %s: padding value %d is unknown", l, s, l.PaddingValue)
	case len(l.PaddedDims) != s.Rank():
		return fmt.Errorf("layout %s of %s pads %d dimensions, want %d", l, s, len(l.PaddedDims), s.Rank())
	}
	for d, n := range l.PaddedDims {
		if n < s.Dims[d] || n < 0 {
			return fmt.Errorf("layout %s of %s: dimension %d is padded to %d, want at least %d", l, s, d, n, s.Dims[d])
		}
	}
	return nil
}

func (l *Layout) validateTiles(s Shape) error {
	for _, t := range l.Tiles {
		for i, n := range t {
			if n < 1 && n != CombineDim {
				return fmt.Errorf("layout %s of %s: tile size is %d, want at least 1", l, s, n)
			}
			if n == CombineDim && i == len(t)-1 {
				return fmt.Errorf("layout %s of %s: the last size of a tile is *, want a number", l, s)
			}
		}
	}
	return nil
}

// String returns the layout's HLO text.
func (l *Layout) String() string { return string(l.Append(nil)) }

// Equal reports whether l and o say the same. An alignment of 1 is none.
func (l Layout) Equal(o Layout) bool {
	return slices.Equal(l.MinorToMajor, o.MinorToMajor) && l.PaddingValue == o.PaddingValue &&
		(l.PaddedDims == nil) == (o.PaddedDims == nil) && slices.Equal(l.PaddedDims, o.PaddedDims) &&
		slices.EqualFunc(l.Tiles, o.Tiles, slices.Equal[Tile]) && max(l.Tail, 1) == max(o.Tail, 1) &&
		l.ElementBits == o.ElementBits && l.MemorySpace == o.MemorySpace && l.MetadataBytes == o.MetadataBytes &&
		l.IndexType == o.IndexType && l.PointerType == o.PointerType && l.DimTypes == o.DimTypes &&
		slices.EqualFunc(l.Splits, o.Splits, Split.equal) &&
		(l.Physical == nil) == (o.Physical == nil) && (l.Physical == nil || l.Physical.Equal(*o.Physical))
}

func (s Split) equal(o Split) bool { return s.Dim == o.Dim && slices.Equal(s.Indices, o.Indices) }
