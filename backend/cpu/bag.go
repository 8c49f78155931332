package cpu

import (
	"slices"

	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/index"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// minBagged is how many floats a row has at least for which it pays to add it as a whole.
const minBagged = 8

// bagged reports whether a reduction adds whole rows that its operand gathers, a few to each row of the result.
func bagged(in *hlo.Instruction) bool {
	g, a := in.Operands[0], in.Attrs.(*hlo.ReduceAttrs)
	if !run.Available() || in.Shape.Type != shape.F32 || reducerOf(a.ToApply, 1) != kernel.AddOf {
		return false
	}
	d := g.Attrs.(*hlo.GatherAttrs)
	rank, offset := g.Shape.Rank(), len(d.OffsetDims)
	batch := rank - offset
	return slices.Equal(d.OffsetDims, upFrom(batch, offset)) &&
		slices.Equal(slices.Sorted(slices.Values(a.Dimensions)), upFrom(batch-len(a.Dimensions), len(a.Dimensions))) &&
		inOnePiece(g.Operands[0].Shape.Dims, d.SliceSizes) && shape.Product(d.SliceSizes) >= minBagged &&
		g.Shape.Size() > 0 && bagOf(in) > 1 && bagOf(in) <= index.MaxBag
}

// upFrom is the n numbers from first on.
func upFrom(first, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(first + i)
	}
	return list
}

// bagOf is how many rows of its operand the reduction adds to one of the result.
func bagOf(in *hlo.Instruction) int64 { return in.Operands[0].Shape.Size() / in.Shape.Size() }

// lowerBags lowers the fusion of such a reduction.
func lowerBags(l *exec.Lowering, c *hlo.Computation) exec.Thunk {
	reduce, operand := c.Root, func(p *hlo.Instruction) exec.Slice {
		return l.Operand(int(p.Attrs.(*hlo.ParameterAttrs).Number))
	}
	gather := reduce.Operands[0]
	from, by := unwrapped(gather.Operands[1])
	src, starts, init := operand(gather.Operands[0]), operand(from), operand(reduce.Operands[1])
	x := indexingOf(gather)
	x.Wrap = by
	row, bag := shape.Product(gather.Attrs.(*hlo.GatherAttrs).SliceSizes), bagOf(reduce)
	part := max(1, windowBytes/(x.Width*row*bag))
	r := nativePlan(&x, starts).Bags(ref(l.Result()), ref(src), ref(init), row, bag, part)
	return recordThunk("loops bags", append(exec.Reads(src, starts, init), exec.Writes(l.Result())...), r)
}
