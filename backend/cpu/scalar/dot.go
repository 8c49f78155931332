package scalar

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// maxProducts bounds those of a dot that is computed number by number: more are worth a call.
const maxProducts = 256

// dot adds product after product. Narrow floats are rounded once, in the end.
func (c *compiler) dot(in *hlo.Instruction, args []value) (value, error) {
	a, ls, rs, t := in.Attrs.(*hlo.DotAttrs), in.Operands[0].Shape, in.Operands[1].Shape, in.Shape.Type
	mul, add := rules[hlo.Multiply].of(t), rules[hlo.Add].of(t)
	if ls.Type != t || rs.Type != t || t == shape.Pred || t.IsComplex() || mul == 0 || a.Algorithm != "" {
		return nil, unsupported("dot of %v and %v to %v", ls, rs, in.Shape)
	}
	terms := int64(1)
	for _, d := range a.LHSContracting {
		terms *= ls.Dims[d]
	}
	if terms*in.Shape.Size() > maxProducts {
		return nil, unsupported("dot of %d products", terms*in.Shape.Size())
	}
	left := places(ls.Dims, slices.Concat(a.LHSBatch, shape.OtherDims(ls.Rank(), a.LHSBatch, a.LHSContracting)),
		a.LHSContracting)
	right := places(rs.Dims, slices.Concat(a.RHSBatch, shape.OtherDims(rs.Rank(), a.RHSBatch, a.RHSContracting)),
		a.RHSContracting)
	var out value
	batches, bits := groups(ls.Dims, a.LHSBatch), int32(t.Bits())
	n := len(right) / max(batches, 1)
	for i, l := range left {
		from := i / max(len(left)/max(batches, 1), 1) * n
		for _, r := range right[from : from+n] {
			out = append(out, c.rounded(c.sumOfProducts(mul, add, bits, args[0], args[1], l, r), t))
		}
	}
	return out, c.small()
}

// sumOfProducts is that of the elements at the places l of x with those at the places r of y. It begins with 0, so that
// -0 is no sum.
func (c *compiler) sumOfProducts(mul, add Op, bits int32, x, y value, l, r []int64) uint16 {
	sum := c.constant(0)
	for k := range l {
		sum = c.op(add, bits, sum, c.op(mul, bits, x[l[k]], y[r[k]]))
	}
	return sum
}

// places returns, for each index of the dimensions kept of an array, the places of its elements along the dimensions
// summed.
func places(dims, kept, summed []int64) [][]int64 {
	strides := shape.Strides(dims)
	of := func(list []int64) (places []int64) {
		sizes := make([]int64, len(list))
		for i, d := range list {
			sizes[i] = dims[d]
		}
		eachIndex(sizes, func(index []int64) {
			at := int64(0)
			for i, d := range list {
				at += index[i] * strides[d]
			}
			places = append(places, at)
		})
		return places
	}
	var out [][]int64
	along := of(summed)
	for _, first := range of(kept) {
		one := make([]int64, len(along))
		for k, at := range along {
			one[k] = first + at
		}
		out = append(out, one)
	}
	return out
}

// groups is the product of the sizes of dimensions.
func groups(dims, list []int64) int {
	n := int64(1)
	for _, d := range list {
		n *= dims[d]
	}
	return int(n)
}
