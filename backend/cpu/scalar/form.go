package scalar

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// form compiles an op that is not elementwise: most only say which register is which element of the result.
type form func(c *compiler, in *hlo.Instruction, args []value) (value, error)

// forms is filled in init: calls compile instructions, which look here.
var forms [hlo.NumOps]form

func init() {
	forms = [hlo.NumOps]form{
		hlo.Call:                (*compiler).call,
		hlo.Fusion:              (*compiler).call,
		hlo.Map:                 (*compiler).mapped,
		hlo.While:               (*compiler).while,
		hlo.Conditional:         (*compiler).conditional,
		hlo.Reduce:              (*compiler).reduce,
		hlo.Dot:                 (*compiler).dot,
		hlo.Tuple:               (*compiler).tuple,
		hlo.GetTupleElement:     (*compiler).element,
		hlo.Constant:            (*compiler).literal,
		hlo.Iota:                (*compiler).iota,
		hlo.Copy:                same,
		hlo.Reshape:             same,
		hlo.OptimizationBarrier: same,
		hlo.Domain:              same,
		hlo.Bitcast:             (*compiler).reread,
		hlo.Broadcast:           (*compiler).broadcast,
		hlo.Transpose:           (*compiler).transpose,
		hlo.Reverse:             (*compiler).reverse,
		hlo.Slice:               (*compiler).slice,
		hlo.Concatenate:         (*compiler).concatenate,
		hlo.Pad:                 (*compiler).pad,
		hlo.DynamicSlice:        (*compiler).dynamicSlice,
		hlo.DynamicUpdateSlice:  (*compiler).dynamicUpdateSlice,
		hlo.Scatter:             (*compiler).scatter,
		hlo.GetDimensionSize:    (*compiler).dimensionSize,
	}
}

func same(_ *compiler, _ *hlo.Instruction, args []value) (value, error) { return args[0], nil }

// called returns the computation of a call, fusion or map.
func called(in *hlo.Instruction) *hlo.Computation {
	switch a := in.Attrs.(type) {
	case *hlo.CallAttrs:
		return a.ToApply
	case *hlo.FusionAttrs:
		return a.Calls
	}
	return in.Attrs.(*hlo.MapAttrs).ToApply
}

func (c *compiler) call(in *hlo.Instruction, args []value) (value, error) {
	return c.inline(called(in), args)
}

func (c *compiler) mapped(in *hlo.Instruction, args []value) (value, error) {
	var out value
	for i := range c.count(in.Shape) {
		one := make([]value, len(args))
		for k, a := range args {
			one[k] = a[i : i+1]
		}
		v, err := c.inline(called(in), one)
		if err != nil {
			return nil, err
		}
		out = append(out, v...)
	}
	return out, nil
}

func (c *compiler) tuple(_ *hlo.Instruction, args []value) (value, error) {
	return slices.Concat(args...), nil
}

func (c *compiler) element(in *hlo.Instruction, args []value) (value, error) {
	elems, index := in.Operands[0].Shape.Elems, in.Attrs.(*hlo.GetTupleElementAttrs).Index
	first := 0
	for _, e := range elems[:index] {
		first += c.count(e)
	}
	return args[0][first : first+c.count(elems[index])], nil
}

func (c *compiler) literal(in *hlo.Instruction, _ []value) (value, error) {
	var out value
	for _, l := range in.Attrs.(*hlo.ConstantAttrs).Literal.Leaves() {
		bits, w := bitsOf(l), width(l.Shape().Type)
		if len(bits) == 1 && w == 1 {
			out = append(out, c.constant(bits[0][0]))
			continue
		}
		for _, b := range bits { // side by side, to be looked at
			r := c.reserve(w)
			copy(c.image[r:], b[:w])
			out = append(out, r)
		}
	}
	return out, c.small()
}

func (c *compiler) iota(in *hlo.Instruction, _ []value) (value, error) {
	d := in.Attrs.(*hlo.IotaAttrs).Dimension
	numbers := make([]uint16, in.Shape.Dims[d])
	for i := range numbers {
		v, ok := c.convert(&hlo.Instruction{Shape: in.Shape, Operands: []*hlo.Instruction{{Shape: shape.Array(shape.S64)}}},
			[3]uint16{c.constant(uint64(i))})
		if !ok {
			return nil, unsupported("iota of %v", in.Shape)
		}
		numbers[i] = v
	}
	var out value
	eachIndex(in.Shape.Dims, func(index []int64) { out = append(out, numbers[index[d]]) })
	return out, nil
}

// reread is bitcast where it changes nothing but the dimensions.
func (c *compiler) reread(in *hlo.Instruction, args []value) (value, error) {
	from, to := in.Operands[0].Shape, in.Shape
	plain := func(s shape.Shape) bool { return s.Layout == nil || s.Equal(s.WithoutLayout()) || s.Size() == 1 }
	if from.Type != to.Type || !plain(from) || !plain(to) {
		return nil, unsupported("bitcast")
	}
	return args[0], nil
}

// eachIndex calls f with every index of an array, in row-major order. The slice is used again.
func eachIndex(dims []int64, f func(index []int64)) {
	if slices.Contains(dims, 0) {
		return
	}
	index := make([]int64, len(dims))
	for {
		f(index)
		d := len(dims) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < dims[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// position returns the row-major position of an index.
func position(dims, index []int64) int64 {
	at := int64(0)
	for d, n := range dims {
		at = at*n + index[d]
	}
	return at
}

// moved returns the value of in whose element at each index is the operand's at the index that from says, which it
// writes to its second argument.
func moved(in *hlo.Instruction, v value, from func(index, operand []int64)) (value, error) {
	var out value
	dims := in.Operands[0].Shape.Dims
	operand := make([]int64, len(dims))
	eachIndex(in.Shape.Dims, func(index []int64) {
		from(index, operand)
		out = append(out, v[position(dims, operand)])
	})
	return out, nil
}

func (c *compiler) broadcast(in *hlo.Instruction, args []value) (value, error) {
	dims := in.Attrs.(*hlo.BroadcastAttrs).Dimensions
	return moved(in, args[0], func(index, operand []int64) {
		for d, to := range dims {
			operand[d] = min(index[to], in.Operands[0].Shape.Dims[d]-1)
		}
	})
}

func (c *compiler) transpose(in *hlo.Instruction, args []value) (value, error) {
	dims := in.Attrs.(*hlo.TransposeAttrs).Dimensions
	return moved(in, args[0], func(index, operand []int64) {
		for d, from := range dims {
			operand[from] = index[d]
		}
	})
}

func (c *compiler) reverse(in *hlo.Instruction, args []value) (value, error) {
	dims := in.Attrs.(*hlo.ReverseAttrs).Dimensions
	return moved(in, args[0], func(index, operand []int64) {
		copy(operand, index)
		for _, d := range dims {
			operand[d] = in.Shape.Dims[d] - 1 - index[d]
		}
	})
}

func (c *compiler) slice(in *hlo.Instruction, args []value) (value, error) {
	dims := in.Attrs.(*hlo.SliceAttrs).Slice
	return moved(in, args[0], func(index, operand []int64) {
		for d, s := range dims {
			operand[d] = s.Start + index[d]*max(s.Stride, 1)
		}
	})
}

func (c *compiler) concatenate(in *hlo.Instruction, args []value) (value, error) {
	d := int64(in.Attrs.(*hlo.ConcatenateAttrs).Dimension)
	var out value
	eachIndex(in.Shape.Dims, func(index []int64) {
		at := slices.Clone(index)
		k := 0
		for at[d] >= in.Operands[k].Shape.Dims[d] {
			at[d] -= in.Operands[k].Shape.Dims[d]
			k++
		}
		out = append(out, args[k][position(in.Operands[k].Shape.Dims, at)])
	})
	return out, nil
}

func (c *compiler) pad(in *hlo.Instruction, args []value) (value, error) {
	pads, dims := in.Attrs.(*hlo.PadAttrs).Padding, in.Operands[0].Shape.Dims
	var out value
	at := make([]int64, len(dims))
	eachIndex(in.Shape.Dims, func(index []int64) {
		for d, p := range pads {
			i := index[d] - p.Low
			if at[d] = i / (p.Interior + 1); i < 0 || i%(p.Interior+1) != 0 || at[d] >= dims[d] {
				out = append(out, args[1][0])
				return
			}
		}
		out = append(out, args[0][position(dims, at)])
	})
	return out, nil
}

func (c *compiler) dimensionSize(in *hlo.Instruction, _ []value) (value, error) {
	s, d := in.Operands[0].Shape, in.Attrs.(*hlo.DimensionAttrs).Dimension
	if s.IsDynamicDim(int(d)) {
		return nil, unsupported("size of a dynamic dimension")
	}
	return value{c.constant(uint64(s.Dims[d]))}, nil
}

// reduce applies the reducer to element after element, beginning with the init values.
func (c *compiler) reduce(in *hlo.Instruction, args []value) (value, error) {
	a, n := in.Attrs.(*hlo.ReduceAttrs), len(in.Operands)/2
	for i, o := range in.Operands[:n] {
		if o.Shape.Type != a.ToApply.Parameters[i].Shape.Type {
			return nil, unsupported("reduce in a wider type")
		}
	}
	dims := in.Operands[0].Shape.Dims
	var kept []int64
	for d := range dims {
		if !slices.Contains(a.Dimensions, int64(d)) {
			kept = append(kept, int64(d))
		}
	}
	groups := reduceGroups(dims, kept)
	out := make([]value, n)
	for _, g := range groups {
		acc := make([]value, 2*n)
		for i := range n {
			acc[i] = args[n+i][:1]
		}
		for _, at := range g {
			for i := range n {
				acc[n+i] = args[i][at : at+1]
			}
			v, err := c.inline(a.ToApply, acc)
			if err != nil {
				return nil, err
			}
			for i := range n {
				acc[i] = v[i : i+1]
			}
		}
		for i := range n {
			out[i] = append(out[i], acc[i]...)
		}
	}
	return slices.Concat(out...), nil
}

// reduceGroups returns the positions of the elements that go into each result.
func reduceGroups(dims, kept []int64) [][]int64 {
	size := int64(1)
	keptDims := make([]int64, len(kept))
	for i, d := range kept {
		keptDims[i] = dims[d]
		size *= dims[d]
	}
	groups := make([][]int64, size)
	at := make([]int64, len(kept))
	eachIndex(dims, func(index []int64) {
		for i, d := range kept {
			at[i] = index[d]
		}
		k := position(keptDims, at)
		groups[k] = append(groups[k], position(dims, index))
	})
	return groups
}
