package shape

import "slices"

// Product returns the number of elements of an array of sizes whose product is known to fit, 1 for no sizes.
func Product(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// Strides returns the distances between neighbours in each dimension of a row-major array, in elements.
func Strides(dims []int64) []int64 {
	out, n := make([]int64, len(dims)), int64(1)
	for d := len(dims) - 1; d >= 0; d-- {
		out[d] = n
		n *= dims[d]
	}
	return out
}

// OtherDims returns the dimensions of an array that are in none of the lists, in ascending order.
func OtherDims(rank int, lists ...[]int64) []int64 {
	var dims []int64
	for d := range int64(rank) {
		if !slices.ContainsFunc(lists, func(l []int64) bool { return slices.Contains(l, d) }) {
			dims = append(dims, d)
		}
	}
	return dims
}
