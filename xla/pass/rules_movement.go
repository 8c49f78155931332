package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// movementRules move broadcasts towards the results, where fewer elements are computed, make one movement of two, and
// leave only broadcasts without dimensions of size 1 whose dimensions are in order.
var movementRules = map[hlo.Opcode][]rule{
	hlo.Constant:    {uniformConstant},
	hlo.Reshape:     {reshapeToSame, reshapeTwice, reshapeConstant, reshapeSplat},
	hlo.Broadcast:   {broadcastToSame, broadcastTwice, broadcastOfOnes, broadcastInOrder, broadcastAsReshape},
	hlo.Transpose:   {transposeToSame, transposeTwice, transposeAsReshape, transposeBroadcast, transposeIota},
	hlo.Reverse:     {reverseNothing, reverseTwice, reverseSplat},
	hlo.Concatenate: {concatenateOne, concatenateNested, concatenateSlices, concatenateSplat},
	hlo.Iota:        {iotaOfOne},
}

// uniformConstant: an array of equal elements is the broadcast of one.
func uniformConstant(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if one := uniform(literalOf(in)); one != nil {
		return s.filled(one, in.Shape)
	}
	return nil
}

// reshape makes a reshape of x to dims.
func (s *simplifier) reshape(x *hlo.Instruction, dims []int64) *hlo.Instruction {
	return s.op(hlo.Reshape, &hlo.ReshapeAttrs{}, shape.Array(x.Shape.Type, dims...), x)
}

// broadcast makes a broadcast of x to dims; dimension i of x becomes to[i].
func (s *simplifier) broadcast(x *hlo.Instruction, dims, to []int64) *hlo.Instruction {
	return s.op(hlo.Broadcast, &hlo.BroadcastAttrs{Dimensions: to}, shape.Array(x.Shape.Type, dims...), x)
}

// transpose makes a transpose of x.
func (s *simplifier) transpose(x *hlo.Instruction, perm []int64) *hlo.Instruction {
	return s.op(hlo.Transpose, &hlo.TransposeAttrs{Dimensions: perm}, shape.Shape{}, x)
}

func reshapeToSame(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if sameSizes(in, in.Operands[0]) {
		return in.Operands[0]
	}
	return nil
}

func reshapeTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if o := in.Operands[0]; o.Op == hlo.Reshape && plain(o.Operands[0].Shape) {
		return s.reshape(o.Operands[0], in.Shape.Dims)
	}
	return nil
}

// reshapeConstant: the bytes are the same.
func reshapeConstant(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	l := literalOf(in.Operands[0])
	if l == nil || !l.Shape().Layout.IsDefault() || l.Shape().IsDynamic() {
		return nil
	}
	l, err := l.WithShape(shape.Array(in.Shape.Type, in.Shape.Dims...))
	if err != nil {
		return nil
	}
	return s.constant(l)
}

// reshapeSplat: a reshape of the broadcast of a scalar is the broadcast of the scalar.
func reshapeSplat(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op == hlo.Broadcast && o.Operands[0].Shape.IsScalar() {
		return s.broadcast(o.Operands[0], in.Shape.Dims, []int64{})
	}
	return nil
}

func broadcastDims(in *hlo.Instruction) []int64 { return in.Attrs.(*hlo.BroadcastAttrs).Dimensions }

func isIdentity(perm []int64) bool {
	for i, d := range perm {
		if d != int64(i) {
			return false
		}
	}
	return true
}

func broadcastToSame(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if sameSizes(in, in.Operands[0]) && isIdentity(broadcastDims(in)) {
		return in.Operands[0]
	}
	return nil
}

func broadcastTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Broadcast {
		return nil
	}
	to := make([]int64, len(broadcastDims(o)))
	for i, d := range broadcastDims(o) {
		to[i] = broadcastDims(in)[d]
	}
	return s.broadcast(o.Operands[0], in.Shape.Dims, to)
}

// broadcastOfOnes: dimensions of size 1 are dropped before the broadcast.
func broadcastOfOnes(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if !slices.Contains(o.Shape.Dims, 1) {
		return nil
	}
	dims, to := []int64{}, []int64{}
	for i, n := range o.Shape.Dims {
		if n != 1 {
			dims, to = append(dims, n), append(to, broadcastDims(in)[i])
		}
	}
	return s.broadcast(s.reshape(o, dims), in.Shape.Dims, to)
}

// broadcastInOrder: a broadcast that changes the order of dimensions transposes the smaller operand first.
func broadcastInOrder(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	to := broadcastDims(in)
	if slices.IsSorted(to) {
		return nil
	}
	perm := make([]int64, len(to))
	for i := range perm {
		perm[i] = int64(i)
	}
	slices.SortFunc(perm, func(a, b int64) int { return int(to[a] - to[b]) })
	return s.broadcast(s.transpose(in.Operands[0], perm), in.Shape.Dims, slices.Sorted(slices.Values(to)))
}

// broadcastAsReshape: a broadcast that adds dimensions of size 1 only.
func broadcastAsReshape(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if n := elements(o.Shape); n > 0 && n == elements(in.Shape) && slices.IsSorted(broadcastDims(in)) {
		return s.reshape(o, in.Shape.Dims)
	}
	return nil
}

func permutation(in *hlo.Instruction) []int64 { return in.Attrs.(*hlo.TransposeAttrs).Dimensions }

func transposeToSame(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if isIdentity(permutation(in)) {
		return in.Operands[0]
	}
	return nil
}

func transposeTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Transpose {
		return nil
	}
	return s.transpose(o.Operands[0], pick(permutation(o), permutation(in)))
}

// pick returns list[index[0]], list[index[1]] and so on.
func pick(list, index []int64) []int64 {
	out := make([]int64, len(index))
	for i, d := range index {
		out[i] = list[d]
	}
	return out
}

// transposeAsReshape: a transpose that moves dimensions of size 1 only leaves the elements in their order.
func transposeAsReshape(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o, last := in.Operands[0], int64(-1)
	for _, d := range permutation(in) {
		if o.Shape.Dims[d] == 1 {
			continue
		}
		if d < last && elements(in.Shape) > 0 {
			return nil
		}
		last = d
	}
	return s.reshape(o, in.Shape.Dims)
}

// inverse returns the permutation that undoes perm.
func inverse(perm []int64) []int64 {
	out := make([]int64, len(perm))
	for i, d := range perm {
		out[d] = int64(i)
	}
	return out
}

// transposeBroadcast: the dimensions of the broadcast are renamed; if their order changes, the smaller operand is
// transposed instead.
func transposeBroadcast(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Broadcast {
		return nil
	}
	return s.broadcast(o.Operands[0], in.Shape.Dims, pick(inverse(permutation(in)), broadcastDims(o)))
}

func transposeIota(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, ok := in.Operands[0].Attrs.(*hlo.IotaAttrs)
	if !ok || in.Operands[0].Op != hlo.Iota {
		return nil
	}
	d := inverse(permutation(in))[a.Dimension]
	return s.op(hlo.Iota, &hlo.IotaAttrs{Dimension: d}, shape.Array(in.Shape.Type, in.Shape.Dims...))
}

// reverseNothing: dimensions of one element or none need no reversal.
func reverseNothing(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	dims := in.Attrs.(*hlo.ReverseAttrs).Dimensions
	var needed []int64
	for _, d := range dims {
		if in.Shape.Dims[d] > 1 {
			needed = append(needed, d)
		}
	}
	switch {
	case len(needed) == 0:
		return in.Operands[0]
	case len(needed) < len(dims):
		return s.op(hlo.Reverse, &hlo.ReverseAttrs{Dimensions: needed}, shape.Shape{}, in.Operands[0])
	}
	return nil
}

// reverseTwice: what is reversed twice is not reversed.
func reverseTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	b, ok := o.Attrs.(*hlo.ReverseAttrs)
	if !ok {
		return nil
	}
	var once []int64
	a := in.Attrs.(*hlo.ReverseAttrs)
	for d := range int64(in.Shape.Rank()) {
		if slices.Contains(a.Dimensions, d) != slices.Contains(b.Dimensions, d) {
			once = append(once, d)
		}
	}
	return s.op(hlo.Reverse, &hlo.ReverseAttrs{Dimensions: once}, shape.Shape{}, o.Operands[0])
}

// reverseSplat: along dimensions that a broadcast adds there is nothing to reverse.
func reverseSplat(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o, a := in.Operands[0], in.Attrs.(*hlo.ReverseAttrs)
	if o.Op != hlo.Broadcast {
		return nil
	}
	var needed []int64
	for _, d := range a.Dimensions {
		if slices.Contains(broadcastDims(o), d) {
			needed = append(needed, d)
		}
	}
	if len(needed) == len(a.Dimensions) {
		return nil
	}
	return s.op(hlo.Reverse, &hlo.ReverseAttrs{Dimensions: needed}, shape.Shape{}, o)
}

func joinedDim(in *hlo.Instruction) int64 { return int64(in.Attrs.(*hlo.ConcatenateAttrs).Dimension) }

// concatenate makes one array of several, which may be one.
func (s *simplifier) concatenate(d int64, list ...*hlo.Instruction) *hlo.Instruction {
	return s.op(hlo.Concatenate, &hlo.ConcatenateAttrs{Dimension: hlo.OneDim(d)}, shape.Shape{}, list...)
}

// concatenateOne: one operand is the result; empty ones are left out.
func concatenateOne(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) == 1 {
		return in.Operands[0]
	}
	var list []*hlo.Instruction
	for _, o := range in.Operands {
		if o.Shape.Dims[joinedDim(in)] > 0 {
			list = append(list, o)
		}
	}
	switch {
	case len(list) == 0:
		return in.Operands[0]
	case len(list) < len(in.Operands):
		return s.concatenate(joinedDim(in), list...)
	}
	return nil
}

// concatenateNested: a concatenation that only another one uses, along the same dimension, is part of it.
func concatenateNested(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	var list []*hlo.Instruction
	for _, o := range in.Operands {
		if o.Op == hlo.Concatenate && joinedDim(o) == joinedDim(in) && s.users(o) == 1 {
			list = append(list, o.Operands...)
		} else {
			list = append(list, o)
		}
	}
	if len(list) == len(in.Operands) {
		return nil
	}
	return s.concatenate(joinedDim(in), list...)
}

// concatenateSlices: neighbouring slices of one array are one slice.
func concatenateSlices(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	d := joinedDim(in)
	list := []*hlo.Instruction{in.Operands[0]}
	for _, o := range in.Operands[1:] {
		last := list[len(list)-1]
		if a := nextTo(last, o, d); a != nil {
			list[len(list)-1] = s.op(hlo.Slice, a, shape.Shape{}, o.Operands[0])
		} else {
			list = append(list, o)
		}
	}
	if len(list) == len(in.Operands) {
		return nil
	}
	return s.concatenate(d, list...)
}

// nextTo returns the slice that x and y, slices of one array, are together along d, or nil.
func nextTo(x, y *hlo.Instruction, d int64) *hlo.SliceAttrs {
	if x.Op != hlo.Slice || y.Op != hlo.Slice || x.Operands[0] != y.Operands[0] {
		return nil
	}
	a, b := x.Attrs.(*hlo.SliceAttrs).Slice, y.Attrs.(*hlo.SliceAttrs).Slice
	joined := slices.Clone(a)
	for i := range a {
		switch {
		case int64(i) != d && a[i] != b[i]:
			return nil
		case int64(i) == d && (a[i].Limit != b[i].Start || a[i].Stride != 1 || b[i].Stride != 1):
			return nil
		case int64(i) == d:
			joined[i].Limit = b[i].Limit
		}
	}
	return &hlo.SliceAttrs{Slice: joined}
}

// concatenateSplat: pieces that all have one value.
func concatenateSplat(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	first := splatOf(in.Operands[0])
	if first == nil {
		return nil
	}
	for _, o := range in.Operands[1:] {
		if l := splatOf(o); l == nil || !sameLiteral(first, l) {
			return nil
		}
	}
	return s.filled(first, in.Shape)
}

// iotaOfOne: counting to one gives zeros.
func iotaOfOne(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	d := in.Attrs.(*hlo.IotaAttrs).Dimension
	if in.Shape.Dims[d] == 1 {
		return s.zeros(in)
	}
	return nil
}

// throughBroadcast is for elementwise ops on broadcasts: the op comes first, on fewer elements. All operands are
// broadcasts of scalars, or of arrays of the same sizes along the same dimensions.
func throughBroadcast(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	var like *hlo.Instruction
	for _, o := range in.Operands {
		if o.Op != hlo.Broadcast || o.Shape.Rank() == 0 {
			return nil
		}
		x := o.Operands[0]
		switch {
		case like == nil || like.Operands[0].Shape.IsScalar():
			like = o
		case x.Shape.IsScalar():
		case !slices.Equal(broadcastDims(o), broadcastDims(like)) || !x.Shape.SameDims(like.Operands[0].Shape):
			return nil
		}
	}
	if like == nil || !like.Shape.SameDims(in.Shape) || in.Op == hlo.BitcastConvert ||
		elements(like.Operands[0].Shape) >= elements(in.Shape) {
		return nil
	}
	dims := like.Operands[0].Shape.Dims
	list := make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		if list[i] = o.Operands[0]; list[i].Shape.Rank() < len(dims) {
			list[i] = s.broadcast(list[i], dims, []int64{})
		}
		if !o.Shape.SameDims(in.Shape) {
			return nil
		}
	}
	told := shape.Shape{}
	if in.Op == hlo.Convert || in.Op == hlo.StochasticConvert {
		told = shape.Array(in.Shape.Type, dims...)
	}
	return s.broadcast(s.op(in.Op, in.Attrs, told, list...), in.Shape.Dims, broadcastDims(like))
}
