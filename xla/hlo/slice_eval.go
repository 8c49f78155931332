package hlo

import (
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func evalSlice(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return e.slice(args[0], in.Attrs.(*SliceAttrs).Slice)
}

// slice returns the elements of l that s names, which must lie in it.
func (e *Evaluator) slice(l *literal.Literal, s SliceDims) (*literal.Literal, error) {
	dims := make([]int64, len(s))
	for d := range s {
		dims[d] = s[d].size()
	}
	axes, to, from := make([]axis, len(s)), shape.Strides(dims), shape.Strides(l.Shape().Dims)
	at := int64(0)
	for d := range s {
		axes[d] = axis{dims[d], to[d], from[d] * s[d].Stride}
		at += s[d].Start * from[d]
	}
	return e.moved(shape.Array(l.Shape().Type, dims...), l, at, axes)
}

func evalDynamicSlice(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	dims, sizes := args[0].Shape().Dims, in.Attrs.(*DynamicSliceAttrs).Sizes
	s := make(SliceDims, len(sizes))
	for d, start := range clampedStarts(args[1:], dims, sizes) {
		s[d] = SliceDim{start, start + sizes[d], 1}
	}
	return e.slice(args[0], s)
}

// clampedStarts returns where a window of the given sizes starts: the wished places, moved so that it lies in dims.
// Row 62: clamp from 2018 on, where the documents of 2017 wrap.
func clampedStarts(starts []*literal.Literal, dims, sizes []int64) []int64 {
	out := make([]int64, 0, len(dims))
	for _, s := range starts {
		out = append(out, indices(s)...)
	}
	for d := range out {
		out[d] = max(0, min(out[d], dims[d]-sizes[d]))
	}
	return out
}

func evalDynamicUpdateSlice(e *Evaluator, _ *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	out, err := e.array(args[0].Shape())
	if err != nil {
		return nil, err
	}
	copy(out.Bytes(), args[0].Bytes())
	dims, to := args[0].Shape().Dims, shape.Strides(args[0].Shape().Dims)
	at := int64(0)
	for d, start := range clampedStarts(args[2:], dims, args[1].Shape().Dims) {
		at += start * to[d]
	}
	place(out, args[1], at, to)
	return out, nil
}
