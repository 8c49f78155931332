package shape

import (
	"slices"
	"strconv"
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
	// PaddedDims are the sizes with padding at the end of each dimension, in the order of the dimensions; nil: no padding.
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

// Tile is one level of tiling: sizes for the minor-most dimensions; CombineDim joins a dimension with the next minor one.
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

// IsDefault reports whether l is row-major without padding, tiles or anything else special.
func (l *Layout) IsDefault() bool {
	return l == nil || l.Equal(*DefaultLayout(len(l.MinorToMajor)))
}

// Equal reports whether l and o say the same.
func (l Layout) Equal(o Layout) bool {
	return slices.Equal(l.Append(nil), o.Append(nil))
}

// Append appends the layout's HLO text, "{1,0:T(8,128)S(1)}".
func (l *Layout) Append(b []byte) []byte {
	b = append(b, '{')
	for i, d := range l.MinorToMajor {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, d, 10)
	}
	return append(b, '}')
}
