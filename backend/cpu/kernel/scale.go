package kernel

import "github.com/halo-xla/halo/xla/shape"

// Scale multiplies the elements of src, of sizes dims and type t, by those of scale, of type s: each scale is for a
// block of neighbours, dims[d] / blocks[d] of them in dimension d. No blocks: one scale for all.
func Scale(dst []float64, src, scale []byte, t, s shape.ElementType, dims, blocks []int64) {
	floatLoader[float64](t)(dst, src, 0, zeroOffset, len(dst))
	factors := make([]float64, shape.Product(blocks))
	floatLoader[float64](s)(factors, scale, 0, zeroOffset, len(factors))
	if len(blocks) == 0 {
		for i := range dst {
			dst[i] *= factors[0]
		}
		return
	}
	to, from := shape.Strides(dims), shape.Strides(blocks)
	for i := range dst {
		at := int64(0)
		for d := range dims {
			at += int64(i) / to[d] % dims[d] / (dims[d] / blocks[d]) * from[d]
		}
		dst[i] *= factors[at]
	}
}
