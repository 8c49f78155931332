package shape

import (
	"fmt"
	"math"
)

// ByteSize returns the bytes that an array takes in memory under its layout, padding included: an element narrower
// than a byte takes one unless the layout packs it. Dynamic dimensions count at their bounds. It fails if a dimension
// is unbounded, s is no array, the layout does not fit or the size overflows.
func (s Shape) ByteSize() (int64, error) {
	if !s.IsArray() {
		return 0, fmt.Errorf("shape %s has no size in bytes, want an array", s)
	}
	n, err := s.PhysicalSize()
	if err != nil {
		return 0, err
	}
	width := int64(s.Type.Bytes())
	if y := s.Layout; y != nil && y.ElementBits > 0 && width == 1 && y.ElementBits < 8 {
		if min := int64(s.Type.valueBits()); y.ElementBits < min {
			return 0, fmt.Errorf("shape %s packs elements of %d bits into %d", s.Text(), min, y.ElementBits)
		}
		return n/8*y.ElementBits + (n%8*y.ElementBits+7)/8, nil
	}
	if n > math.MaxInt64/width {
		return 0, fmt.Errorf("shape %s: the size in bytes overflows", s.Text())
	}
	return n * width, nil
}

// valueBits is Bits, but 1 for Pred.
func (t ElementType) valueBits() int {
	if t == Pred {
		return 1
	}
	return t.Bits()
}

// PhysicalSize returns the number of elements an array takes in memory under its layout, padding included.
func (s Shape) PhysicalSize() (int64, error) {
	if s.Layout == nil {
		n, ok := s.CheckedSize()
		if !ok {
			return 0, fmt.Errorf("shape %s: the number of elements is unknown or overflows", s)
		}
		return n, nil
	}
	x, err := NewIndexer(s)
	if err != nil {
		return 0, err
	}
	if a := s.Layout.Tail; a > 1 && x.size > 0 {
		if x.size > math.MaxInt64-a {
			return 0, fmt.Errorf("shape %s: the number of elements in memory overflows", s.Text())
		}
		return (x.size + a - 1) / a * a, nil
	}
	return x.size, nil
}
