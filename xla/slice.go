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
	for _, f := range slicers {
		switch b, n := f(dst, s.Type); {
		case n < 0:
		case n != s.Size():
			return nil, fmt.Errorf("copy %v: got a slice of %d elements, want %d", s, n, s.Size())
		default:
			return b, nil
		}
	}
	return nil, fmt.Errorf("cannot copy %v into a %T, want a slice of its Go type", s, dst)
}

// slicers try the slice types one after the other: each returns the bytes and the length of dst, -1 if it is no slice
// of its type or does not take elements of type t.
var slicers = []func(dst any, t shape.ElementType) ([]byte, int64){
	slicer[float32], slicer[float64], slicer[int32], slicer[int64], slicer[uint32], slicer[uint64], slicer[int8],
	slicer[uint8], slicer[int16], slicer[uint16], slicer[bool], slicer[complex64], slicer[complex128],
}

func slicer[T literal.Element](dst any, t shape.ElementType) ([]byte, int64) {
	d, ok := dst.([]T)
	if !ok || !literal.Holds[T](t) {
		return nil, -1
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(d))), len(d)*int(unsafe.Sizeof(*new(T))))
	return b, int64(len(d))
}
