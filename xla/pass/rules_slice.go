package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// sliceRules make one slice or padding of several and take slices before broadcasts and concatenations.
var sliceRules = map[hlo.Opcode][]rule{
	hlo.Slice: {sliceToSame, sliceTwice, sliceBroadcast, sliceConcatenate, slicePad},
	hlo.Pad:   {padNothing, padAsSlice, padSplat, padTwice},
}

func sliceDims(in *hlo.Instruction) hlo.SliceDims { return in.Attrs.(*hlo.SliceAttrs).Slice }

// slice makes a slice of x.
func (s *simplifier) slice(x *hlo.Instruction, dims hlo.SliceDims) *hlo.Instruction {
	return s.op(hlo.Slice, &hlo.SliceAttrs{Slice: dims}, shape.Shape{}, x)
}

func sliceToSame(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if sameSizes(in, in.Operands[0]) {
		return in.Operands[0]
	}
	return nil
}

func sliceTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Slice {
		return nil
	}
	dims := slices.Clone(sliceDims(in))
	for i, d := range dims {
		from := sliceDims(o)[i]
		limit := min(from.Limit, from.Start+d.Limit*from.Stride)
		start := min(from.Start+d.Start*from.Stride, limit)
		dims[i] = hlo.SliceDim{Start: start, Limit: limit, Stride: d.Stride * from.Stride}
		if in.Shape.Dims[i] <= 1 {
			dims[i].Stride, dims[i].Limit = 1, start+in.Shape.Dims[i]
		}
	}
	return s.slice(o.Operands[0], dims)
}

// sliceBroadcast: a slice of a broadcast is the broadcast of a slice.
func sliceBroadcast(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Broadcast {
		return nil
	}
	x, dims := o.Operands[0], hlo.SliceDims{}
	for i, d := range broadcastDims(o) {
		if x.Shape.Dims[i] == o.Shape.Dims[d] {
			dims = append(dims, sliceDims(in)[d])
		} else {
			dims = append(dims, hlo.SliceDim{Limit: x.Shape.Dims[i], Stride: 1})
		}
	}
	return s.broadcast(s.slice(x, dims), in.Shape.Dims, broadcastDims(o))
}

// sliceConcatenate: a slice within one piece of a concatenation is a slice of that piece.
func sliceConcatenate(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Concatenate {
		return nil
	}
	d, at := joinedDim(o), int64(0)
	for _, x := range o.Operands {
		n := x.Shape.Dims[d]
		if w := sliceDims(in)[d]; at <= w.Start && w.Limit <= at+n && n > 0 {
			dims := slices.Clone(sliceDims(in))
			dims[d].Start -= at
			dims[d].Limit -= at
			return s.slice(x, dims)
		}
		at += n
	}
	return nil
}

// slicePad: a slice that takes nothing of the padding is a slice of what was padded.
func slicePad(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Pad {
		return nil
	}
	dims := slices.Clone(sliceDims(in))
	for i, p := range o.Attrs.(*hlo.PadAttrs).Padding {
		n := o.Operands[0].Shape.Dims[i]
		dims[i].Start -= p.Low
		dims[i].Limit -= p.Low
		if p.Interior != 0 || dims[i].Start < 0 || dims[i].Limit > n {
			return nil
		}
	}
	return s.slice(o.Operands[0], dims)
}

func padding(in *hlo.Instruction) hlo.Padding { return in.Attrs.(*hlo.PadAttrs).Padding }

func padNothing(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	for i, p := range padding(in) {
		if p.Low != 0 || p.High != 0 || p.Interior != 0 && in.Operands[0].Shape.Dims[i] > 1 {
			return nil
		}
	}
	return in.Operands[0]
}

// padAsSlice: padding that only crops is a slice.
func padAsSlice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	dims := hlo.SliceDims{}
	for i, p := range padding(in) {
		n := in.Operands[0].Shape.Dims[i]
		if p.Low > 0 || p.High > 0 || p.Interior != 0 || n+p.High < -p.Low {
			return nil
		}
		dims = append(dims, hlo.SliceDim{Start: -p.Low, Limit: n + p.High, Stride: 1})
	}
	return s.slice(in.Operands[0], dims)
}

// padSplat: padding of nothing, or of what is the padding value everywhere, is nothing but padding.
func padSplat(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, v := in.Operands[0], in.Operands[1]
	a, b := splatOf(x), splatOf(v)
	if elements(x.Shape) == 0 && slices.Contains(x.Shape.Dims, 0) || a != nil && b != nil && sameLiteral(a, b) {
		return s.broadcast(v, in.Shape.Dims, []int64{})
	}
	return nil
}

// padTwice: two paddings by one value, both of them outwards.
func padTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Pad {
		return nil
	}
	if a, b := splatOf(in.Operands[1]), splatOf(o.Operands[1]); in.Operands[1] != o.Operands[1] &&
		(a == nil || b == nil || !sameLiteral(a, b)) {
		return nil
	}
	sum := slices.Clone(padding(in))
	for i, p := range padding(o) {
		if p.Low < 0 || p.High < 0 || sum[i].Low < 0 || sum[i].High < 0 || sum[i].Interior != 0 || p.Interior != 0 {
			return nil
		}
		sum[i].Low += p.Low
		sum[i].High += p.High
	}
	return s.op(hlo.Pad, &hlo.PadAttrs{Padding: sum}, shape.Shape{}, o.Operands[0], in.Operands[1])
}
