package xla

import (
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// bytesFor returns the memory of dst, a slice that takes the row-major elements of an array of shape s. It fails if dst
// is of another type or length.
func bytesFor(dst any, s *shape.Shape) ([]byte, error) {
	var b []byte
	n := int64(-1)
	if f := slicers[s.Type]; f != nil {
		b, n = f(dst)
	}
	switch {
	case n < 0:
		return nil, fmt.Errorf("cannot copy %v into a %T, want a slice of its Go type", s, dst)
	case n != shape.Product(s.Dims):
		return nil, fmt.Errorf("copy %v: got a slice of %d elements, want %d", s, n, s.Size())
	}
	return b, nil
}

// slicerFunc returns the bytes and the length of dst, -1 if it is no slice of its type.
type slicerFunc func(dst any) ([]byte, int64)

// slicers are the functions for slices that take elements of a type; nil: there is no such slice.
var slicers = func() (t [shape.NumElementTypes]slicerFunc) {
	addSlicer[float32](&t)
	addSlicer[float64](&t)
	addSlicer[int8](&t)
	addSlicer[int16](&t)
	addSlicer[int32](&t)
	addSlicer[int64](&t)
	addSlicer[uint8](&t)
	addSlicer[uint16](&t)
	addSlicer[uint32](&t)
	addSlicer[uint64](&t)
	addSlicer[bool](&t)
	addSlicer[complex64](&t)
	addSlicer[complex128](&t)
	return t
}()

func addSlicer[T literal.Element](to *[shape.NumElementTypes]slicerFunc) {
	for t := range to {
		if literal.Holds[T](shape.ElementType(t)) {
			to[t] = slicer[T]
		}
	}
}

func slicer[T literal.Element](dst any) ([]byte, int64) {
	d, ok := dst.([]T)
	if !ok {
		return nil, -1
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), len(d)*int(unsafe.Sizeof(*new(T))))
	return b, int64(len(d))
}
