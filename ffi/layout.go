package ffi

import (
	"slices"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// walk returns the sizes and the strides of a row-major array, in elements, in the order in which the array with v's
// layout lies: major to minor.
func walk(v Value) (sizes, strides []int64) {
	row := make([]int64, len(v.Dims))
	n := int64(1)
	for d, size := range slices.Backward(v.Dims) {
		row[d] = n
		n *= size
	}
	for _, d := range slices.Backward(v.MinorToMajor) {
		sizes, strides = append(sizes, v.Dims[d]), append(strides, row[d])
	}
	return sizes, strides
}

// RowMajor returns the elements of an array with v's layout in row-major order. They may be data itself.
func (v Value) RowMajor(data []byte) []byte {
	l, err := literal.FromBytes(v.shape(), data)
	if err != nil {
		panic("ffi: bug: " + err.Error())
	}
	return l.RowMajor().Bytes()
}

// Laid returns the elements of a row-major array in v's layout. They may be data itself.
func (v Value) Laid(data []byte) []byte {
	l, err := literal.FromBytes(shape.Array(v.Type, v.Dims...), data)
	if err == nil {
		l, err = l.Relayout(v.shape().Layout)
	}
	if err != nil {
		panic("ffi: bug: " + err.Error())
	}
	return l.Bytes()
}

// shape is v with its layout.
func (v Value) shape() shape.Shape {
	s := shape.Array(v.Type, v.Dims...)
	if v.MinorToMajor != nil {
		s.Layout = &shape.Layout{MinorToMajor: v.MinorToMajor}
	}
	return s
}
