package shape

// BumpIndices steps index to the next one in row-major order of the dimensions, whatever the layout, and reports whether
// there was one; after the last it is all zeros again. Source: XLA's IndexUtil.
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
