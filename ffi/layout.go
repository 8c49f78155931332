package ffi

import "slices"

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

// eachPair calls f with the place of each element in v's layout and in row-major order.
func eachPair(v Value, f func(laid, row int64)) {
	sizes, strides := walk(v)
	index := make([]int64, len(sizes))
	row := int64(0)
	for laid := range v.Elements() {
		f(laid, row)
		for d := len(sizes) - 1; d >= 0; d-- {
			row += strides[d]
			if index[d]++; index[d] < sizes[d] {
				break
			}
			row -= strides[d] * sizes[d]
			index[d] = 0
		}
	}
}

// RowMajor returns the elements of an array with v's layout in row-major order.
func (v Value) RowMajor(data []byte) []byte {
	w := int64(bytesOf(v.Type))
	out := make([]byte, len(data))
	eachPair(v, func(laid, row int64) { copy(out[row*w:(row+1)*w], data[laid*w:]) })
	return out
}

// Laid returns the elements of a row-major array in v's layout.
func (v Value) Laid(data []byte) []byte {
	w := int64(bytesOf(v.Type))
	out := make([]byte, len(data))
	eachPair(v, func(laid, row int64) { copy(out[laid*w:(laid+1)*w], data[row*w:]) })
	return out
}
