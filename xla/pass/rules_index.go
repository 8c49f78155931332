package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// indexRules make slices of what takes from known places and single slices of gathers and scatters.
var indexRules = map[hlo.Opcode][]rule{
	hlo.DynamicSlice:       {dynamicSliceAll, dynamicSliceKnown},
	hlo.DynamicUpdateSlice: {updateAll},
	hlo.Gather:             {gatherOne, gatherFlat},
	hlo.Scatter:            {scatterNothing, scatterOne, scatterFlat},
	hlo.GetDimensionSize:   {knownSize},
	hlo.Sort:               {sortOne},
}

// dynamicSliceAll: a slice as large as its operand, which the clamped indices cannot move.
func dynamicSliceAll(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if sameSizes(in, in.Operands[0]) {
		return in.Operands[0]
	}
	return nil
}

// dynamicSliceKnown: indices that are constants, or that do not matter.
func dynamicSliceKnown(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, indices := in.Operands[0], in.Operands[1:]
	if len(indices) != x.Shape.Rank() || !scalars(indices) {
		return nil
	}
	dims := make(hlo.SliceDims, len(indices))
	for d, n := range in.Shape.Dims {
		start, ok := knownStart(indices[d], x.Shape.Dims[d]-n)
		if !ok {
			return nil
		}
		dims[d] = hlo.SliceDim{Start: start, Limit: start + n, Stride: 1}
	}
	return s.slice(x, dims)
}

// scalars reports whether all of list are: the first form of dynamic slices has one vector of indices.
func scalars(list []*hlo.Instruction) bool {
	return !slices.ContainsFunc(list, func(o *hlo.Instruction) bool { return !o.Shape.IsScalar() })
}

// knownStart returns an index clamped to 0 to last, if it is known.
func knownStart(index *hlo.Instruction, last int64) (int64, bool) {
	if last == 0 {
		return 0, true
	}
	i, ok := integer(index)
	if l := literalOf(index); !ok && l != nil && index.Shape.Type == shape.U64 {
		return last, true // beyond what an int64 holds
	}
	return max(0, min(i, last)), ok
}

// updateAll: an update of all, or of nothing.
func updateAll(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, update := in.Operands[0], in.Operands[1]
	switch {
	case sameSizes(x, update):
		return update
	case slices.Contains(update.Shape.Dims, 0):
		return x
	}
	return nil
}

// gatherOne: a gather of one slice is a dynamic slice, whose indices are clamped the same way.
func gatherOne(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a, x, indices := in.Attrs.(*hlo.GatherAttrs), in.Operands[0], in.Operands[1]
	if elements(indices.Shape) != int64(len(a.StartIndexMap)) || len(a.StartIndexMap) == 0 ||
		elements(in.Shape) != shape.Product(a.SliceSizes) {
		return nil
	}
	operands := append([]*hlo.Instruction{x}, s.starts(indices, a.StartIndexMap, x.Shape.Rank())...)
	slice := s.op(hlo.DynamicSlice, &hlo.DynamicSliceAttrs{Sizes: a.SliceSizes}, shape.Shape{}, operands...)
	return s.reshape(slice, in.Shape.Dims)
}

// starts takes the one index vector apart: dimension where[i] of an array of the rank begins at element i, the others
// at 0.
func (s *simplifier) starts(indices *hlo.Instruction, where []int64, rank int) []*hlo.Instruction {
	flat := s.reshape(indices, []int64{int64(len(where))})
	list := make([]*hlo.Instruction, rank)
	for i, d := range where {
		one := s.slice(flat, hlo.SliceDims{{Start: int64(i), Limit: int64(i) + 1, Stride: 1}})
		list[d] = s.reshape(one, []int64{})
	}
	for d := range list {
		if list[d] == nil {
			list[d] = s.constant(zeroOf(indices.Shape.Type))
		}
	}
	return list
}

// scatterNothing: no updates.
func scatterNothing(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if len(in.Operands) == 3 && slices.Contains(in.Operands[2].Shape.Dims, 0) &&
		in.Operands[0].Shape.Compatible(in.Shape) {
		return in.Operands[0]
	}
	return nil
}

// scatterOne: one window at a known place inside the operand, which replaces what is there, is a dynamic update. Where
// a window would stand over the edge scatter leaves it out, so the place must be known.
func scatterOne(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	a := in.Attrs.(*hlo.ScatterAttrs)
	if len(in.Operands) != 3 || !replaces(a.ToApply) || len(a.InputBatchingDims) > 0 ||
		!in.Operands[0].Shape.Compatible(in.Shape) || !slices.IsSorted(a.UpdateWindowDims) {
		return nil
	}
	x, indices, update := in.Operands[0], in.Operands[1], in.Operands[2]
	window := windowSizes(a, x.Shape, update.Shape)
	if elements(indices.Shape) != int64(len(a.ScatterDimsToOperandDims)) ||
		shape.Product(window) != elements(update.Shape) {
		return nil
	}
	starts := s.starts(indices, a.ScatterDimsToOperandDims, x.Shape.Rank())
	for d, i := range starts {
		if at, ok := integer(i); !ok || at < 0 || at+window[d] > x.Shape.Dims[d] {
			return nil
		}
	}
	operands := append([]*hlo.Instruction{x, s.reshape(update, window)}, starts...)
	return s.op(hlo.DynamicUpdateSlice, nil, shape.Shape{}, operands...)
}

// windowSizes are the sizes of a scatter's window in the operand's dimensions.
func windowSizes(a *hlo.ScatterAttrs, x, update shape.Shape) []int64 {
	window, next := make([]int64, x.Rank()), 0
	for d := range window {
		if window[d] = 1; !slices.Contains(a.InsertedWindowDims, int64(d)) {
			window[d] = update.Dims[a.UpdateWindowDims[next]]
			next++
		}
	}
	return window
}

// replaces reports whether c returns its second parameter.
func replaces(c *hlo.Computation) bool { return len(c.Parameters) == 2 && c.Root == c.Parameters[1] }

func knownSize(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	n := in.Operands[0].Shape.Dims[in.Attrs.(*hlo.DimensionAttrs).Dimension]
	if in.Shape.Type != shape.S32 || n != int64(int32(n)) {
		return nil
	}
	return s.constant(integerOf(shape.S32, n))
}

// sortOne: one element or none along the dimension is sorted.
func sortOne(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	d := int64(in.Attrs.(*hlo.SortAttrs).Dimension)
	if in.Operands[0].Shape.Dims[d] > 1 {
		return nil
	}
	if len(in.Operands) == 1 {
		return in.Operands[0]
	}
	return s.plainOp(hlo.Tuple, in.Operands...)
}
