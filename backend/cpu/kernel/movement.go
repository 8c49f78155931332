package kernel

import (
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Transpose plans the copy of an array of the given sizes to the one whose dimension i is its dimension perm[i].
func Transpose(width int64, dims, perm []int64) Move {
	to := make([]int64, len(perm))
	for i, d := range perm {
		to[i] = dims[d]
	}
	axes, dst, src := make([]Axis, len(perm)), shape.Strides(to), shape.Strides(dims)
	for i, d := range perm {
		axes[i] = Axis{to[i], dst[i], src[d]}
	}
	return NewMove(width, 0, 0, axes)
}

// Broadcast plans the copy that spreads an array of sizes dims over one of sizes to: its dimension i becomes dimension
// at[i], and sizes of 1 stretch.
func Broadcast(width int64, dims, to, at []int64) Move {
	axes, dst, src := make([]Axis, len(to)), shape.Strides(to), shape.Strides(dims)
	for d, n := range to {
		axes[d] = Axis{N: n, Dst: dst[d]}
	}
	for i, d := range at {
		if dims[i] != 1 {
			axes[d].Src = src[i]
		}
	}
	return NewMove(width, 0, 0, axes)
}

// Slice plans the copy of a part of an array of sizes dims: sizes[d] elements from start[d] on, stride[d] apart.
func Slice(width int64, dims, start, stride, sizes []int64) Move {
	axes, dst, src, from := make([]Axis, len(dims)), shape.Strides(sizes), shape.Strides(dims), int64(0)
	for d := range dims {
		axes[d] = Axis{sizes[d], dst[d], src[d] * stride[d]}
		from += start[d] * src[d]
	}
	return NewMove(width, 0, from, axes)
}

// Reverse plans the copy of an array with the order of elements along some dimensions reversed.
func Reverse(width int64, dims, reversed []int64) Move {
	axes, from := make([]Axis, len(dims)), int64(0)
	for d, s := range shape.Strides(dims) {
		axes[d] = Axis{dims[d], s, s}
	}
	for _, d := range reversed {
		from += (dims[d] - 1) * axes[d].Src
		axes[d].Src = -axes[d].Src
	}
	return NewMove(width, 0, from, axes)
}

// Place plans the copy of a whole array of the given sizes into one of sizes to, where its first element is at index.
func Place(width int64, sizes, to, index []int64) Move {
	axes, dst, src, at := make([]Axis, len(to)), shape.Strides(to), shape.Strides(sizes), int64(0)
	for d := range to {
		axes[d] = Axis{sizes[d], dst[d], src[d]}
		at += index[d] * dst[d]
	}
	return NewMove(width, at, 0, axes)
}

// PadDim says how a dimension is padded: Low elements before it, fewer than 0 crop, and Interior between neighbours.
type PadDim struct{ Low, Interior int64 }

// Pad plans a padding from sizes dims to sizes to: fills are the copies of the padding value, one element, and inner is
// that of the operand's elements. They write each element once but for interior padding, where the fills come first.
func Pad(width int64, dims, to []int64, padding []PadDim) (fills []Move, inner Move) {
	axes, low, size := make([]Axis, len(dims)), make([]int64, len(dims)), make([]int64, len(dims))
	dst, src, at, from, interior := shape.Strides(to), shape.Strides(dims), int64(0), int64(0), false
	for d, p := range padding {
		step := p.Interior + 1
		first := ceilDiv(max(-p.Low, 0), step)
		last := int64(-1)
		if room := to[d] - 1 - p.Low; room >= 0 {
			last = min(room/step, dims[d]-1)
		}
		n := max(last-first+1, 0)
		low[d], size[d] = p.Low+first*step, n
		interior = interior || n > 1 && step > 1
		axes[d] = Axis{n, step * dst[d], src[d]}
		at, from = at+low[d]*dst[d], from+first*src[d]
	}
	inner = NewMove(width, at, from, axes)
	if interior || inner.Tasks == 0 {
		return []Move{Broadcast(width, nil, to, nil)}, inner
	}
	return border(width, to, low, size), inner
}

// border plans the fills around a box of the given sizes at low: for each dimension the slabs before and behind it, as
// wide as the box in the dimensions before and as the array in those behind.
func border(width int64, to, low, size []int64) (fills []Move) {
	dst := shape.Strides(to)
	slab := func(d int, first, n int64) {
		axes, at := make([]Axis, len(to)), first*dst[d]
		for k := range to {
			axes[k] = Axis{N: to[k], Dst: dst[k]}
			if k < d {
				axes[k].N, at = size[k], at+low[k]*dst[k]
			}
		}
		axes[d].N = n
		if m := NewMove(width, at, 0, axes); m.Tasks > 0 {
			fills = append(fills, m)
		}
	}
	for d := range to {
		slab(d, 0, low[d])
		slab(d, low[d]+size[d], to[d]-low[d]-size[d])
	}
	return slices.Clip(fills)
}
