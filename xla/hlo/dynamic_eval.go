package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// realShape returns the shape of in's result when its sizes at run time are dims. It fails unless they fit what the
// program declares.
func realShape(in *Instruction, dims []int64) (shape.Shape, error) {
	s := shape.Array(in.Shape.Type, dims...)
	if len(dims) != len(in.Shape.Dims) {
		return s, fmt.Errorf("got %d sizes, want %d", len(dims), len(in.Shape.Dims))
	}
	for d, n := range dims {
		if !sizeFits(n, in.Shape, d) {
			return s, fmt.Errorf("size of dimension %d at run time: got %d, the result is %v", d, n, in.Shape)
		}
	}
	return s, checkCount(s)
}

func evalDynamicBroadcastInDim(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	s, err := realShape(in, indices(args[1]))
	if err != nil {
		return nil, err
	}
	dims := in.Attrs.(*DynamicBroadcastAttrs).Dimensions
	if err := checkBroadcastDims(args[0].Shape(), s, dims); err != nil {
		return nil, err
	}
	return e.broadcast(args[0], s, dims)
}

func evalDynamicReshape(_ *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	var dims []int64
	for _, a := range args[1:] {
		dims = append(dims, indices(a)...)
	}
	s, err := realShape(in, dims)
	if err != nil {
		return nil, err
	}
	if err := checkSameCount(args[0].Shape(), s); err != nil {
		return nil, err
	}
	return args[0].WithShape(s)
}

func evalDynamicIota(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	s, err := realShape(in, indices(args[0]))
	if err != nil {
		return nil, err
	}
	return e.iota(s, in.Attrs.(*IotaAttrs).Dimension)
}

func evalDynamicPad(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	padding := paddingOf(indices(args[2]), indices(args[3]), indices(args[4]))
	dims := make([]int64, len(padding))
	for d, p := range padding {
		var err error
		if dims[d], err = paddedSize(args[0].Shape().Dims[d], p); err != nil {
			return nil, err
		}
	}
	s, err := realShape(in, dims)
	if err != nil {
		return nil, err
	}
	return e.pad(args[0], args[1], s, padding)
}

func evalRealDynamicSlice(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	start, limit, stride := indices(args[1]), indices(args[2]), indices(args[3])
	s, dims := make(SliceDims, len(start)), make([]int64, len(start))
	for d := range s {
		s[d] = SliceDim{start[d], limit[d], stride[d]}
		if err := s[d].check(args[0].Shape().Dims[d]); err != nil {
			return nil, fmt.Errorf("dimension %d of %v: %w", d, args[0].Shape(), err)
		}
		dims[d] = s[d].size()
	}
	if _, err := realShape(in, dims); err != nil {
		return nil, err
	}
	return e.slice(args[0], s)
}
