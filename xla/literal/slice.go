package literal

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Slice returns a copy of the elements of the array l whose index in dimension d is starts[d], starts[d]+strides[d],
// ... below limits[d], in row-major order; strides nil means 1 each. It fails if the bounds are not within l's.
func (l *Literal) Slice(starts, limits, strides []int64) (*Literal, error) {
	rank := l.shape.Rank()
	if !l.shape.IsArray() || len(starts) != rank || len(limits) != rank || strides != nil && len(strides) != rank {
		return nil, fmt.Errorf("slice of %s: %d starts, %d limits and %d strides", l.shape, len(starts), len(limits),
			len(strides))
	}
	src := l.RowMajor()
	from, at := shape.Strides(l.shape.Dims), int64(0)
	dims := make([]int64, rank)
	for d := range dims {
		step := int64(1)
		if strides != nil {
			step = strides[d]
		}
		if starts[d] < 0 || limits[d] < starts[d] || limits[d] > l.shape.Dims[d] || step < 1 {
			return nil, fmt.Errorf("slice of %s: %d to %d by %d in dimension %d", l.shape, starts[d], limits[d], step, d)
		}
		dims[d] = (limits[d] - starts[d] + step - 1) / step
		at += starts[d] * from[d]
		from[d] *= step
	}
	return gather(src, l.shape.WithDims(dims...), at, from), nil
}

// Broadcast returns an array of the sizes dims whose dimension mapping[k] is l's dimension k, repeated along the
// others. A dimension of size 1 is repeated too. It fails if the sizes do not fit. Law: StableHLO broadcast_in_dim.
func (l *Literal) Broadcast(dims []int64, mapping []int64) (*Literal, error) {
	s := l.shape.WithDims(dims...)
	n, err := storageBytes(s)
	if err != nil {
		return nil, err
	}
	if len(mapping) != l.shape.Rank() || n > MaxBytes {
		return nil, fmt.Errorf("broadcast of %s to %s with %d mapped dimensions", l.shape, s, len(mapping))
	}
	from, own := make([]int64, len(dims)), shape.Strides(l.shape.Dims)
	for k, d := range mapping {
		if d < 0 || d >= int64(len(dims)) || slices.Contains(mapping[:k], d) {
			return nil, fmt.Errorf("broadcast of %s to %s: dimension %d goes to %d", l.shape, s, k, d)
		}
		if size := l.shape.Dims[k]; size == dims[d] {
			from[d] = own[k]
		} else if size != 1 {
			return nil, fmt.Errorf("broadcast of %s to %s: dimension %d has size %d, dimension %d has %d", l.shape, s, k,
				size, d, dims[d])
		}
	}
	return gather(l.RowMajor(), s, 0, from), nil
}

// Cropped returns l without the elements beyond its sizes at run time, as a static array; l itself if it has none.
func (l *Literal) Cropped() *Literal {
	if l.sizes == nil {
		return l
	}
	return gather(l.RowMajor(), l.shape.WithDims(l.sizes...), 0, shape.Strides(l.shape.Dims))
}

// gather returns the array of shape s whose element at an index is src's at position at + sum of index[d]*from[d].
func gather(src *Literal, s shape.Shape, at int64, from []int64) *Literal {
	out := Zeros(s)
	if len(out.data) == 0 {
		return out
	}
	to := shape.Strides(s.Dims)
	var axes []axis
	for d, n := range s.Dims {
		if n > 1 {
			axes = append(axes, axis{n: n, src: from[d], dst: to[d]})
		}
	}
	if axes = joinAxes(axes); len(axes) == 0 {
		axes = []axis{{n: 1, src: 1, dst: 1}}
	}
	width := s.Type.Bytes()
	moveElements(out.data, src.data[at*int64(width):], width, plan{axes: axes, stop: never})
	return out
}
