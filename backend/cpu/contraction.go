package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// contraction is what dots and convolutions come down to: the products and sums to make, and where the arrays are.
type contraction struct {
	kernel.Contraction
	lhsType, rhsType, outType shape.ElementType
	split                     *kernel.Split
	lhs, rhs, out             exec.Slice
	weights                   *literal.Literal // rhs, if it is known at compile
}

// contractors are the ways to compute a contraction, best first. A way that does not take one returns nil.
var contractors = []func(l *exec.Lowering, c *contraction) *thunk{knownProduct, batchedProduct, matMul, packedProduct,
	vectorProduct, blasProduct, movedProduct, nativeContraction}

// contract lowers a contraction to the best there is for its types and sizes.
func contract(l *exec.Lowering, c contraction) *thunk {
	b, m, n, k := c.Sizes()
	if c.split != nil || b*m*n*k == 0 {
		return goContract(c)
	}
	if parts := sumParts(&c); parts > 1 {
		return contractParts(l, c, parts)
	}
	if run.Available() {
		for _, f := range contractors {
			if t := f(l, &c); t != nil {
				return t
			}
		}
	}
	return goContract(c)
}

// goContract multiplies in Go.
func goContract(c contraction) *thunk {
	k := kernel.NewContractor(c.Contraction, c.lhsType, c.rhsType, c.outType, c.split)
	return goThunk("go contraction", c.uses(), func(r *exec.Run) error {
		lhs, rhs, out := r.Bytes(c.lhs), r.Bytes(c.rhs), r.Bytes(c.out)
		r.Parallel(k.Tasks, func(task int64) { k.Run(out, lhs, rhs, task) })
		return r.Cancelled()
	})
}

// uses are what the contraction reads and writes.
func (c *contraction) uses() []exec.Use {
	return append(exec.Reads(c.lhs, c.rhs), exec.Writes(c.out)...)
}

// Products of fewer than blockFlops are one piece, or up to fewBlocks of fewFlops where pieces pack little and there
// is no batch; beyond, more pieces, up to maxBlocks, or so many that none has more than longFlops, which take a
// millisecond or two. No piece has less than minBlock rows or columns, since it packs its rows and columns by itself,
// or fewBlock where there are few.
const (
	fewFlops   = 1_500_000
	fewBlocks  = 4
	blockFlops = 15_000_000
	longFlops  = 200_000_000
	maxBlocks  = 64
	minBlock   = 64
	fewBlock   = 32 // of few pieces
	fewUses    = 56
)

// farElements are more than a second cache has room for.
const farElements = 1 << 18

// vectorCost is how many times as long an operation of a product with a vector takes, which waits for memory.
const vectorCost = 32

// flopsOf is how long a product takes, in operations of f32 of a product of matrices.
func flopsOf(m, n, k int) float64 {
	flops := 2 * float64(m) * float64(n) * float64(k)
	if min(m, n) == 1 {
		flops *= vectorCost
	}
	return flops
}

// wantedBlocks is the number of pieces that a product should have, whose operations take so many times as long as those
// of f32.
func wantedBlocks(m, n, k int, cost float64) float64 {
	flops := flopsOf(m, n, k)
	return max(min(flops/blockFlops, maxBlocks), flops*cost/longFlops)
}

// costs are how many times as long as of f32 an operation of a type takes, if not once.
var costs = map[shape.ElementType]float64{shape.F64: 2, shape.C64: 4, shape.C128: 8}

// costOf is the cost of an operation of type t.
func costOf(t shape.ElementType) float64 { return max(costs[t], 1) }

// fewOf is how many pieces a product that is no batch should have where they pack little: one if an element takes part
// in so few operations that it is as soon multiplied as fetched from where another thread has computed it. What a
// vector is multiplied by is near if there is so little of it, and costs a quarter of what it does from memory. What is
// more than farElements, which pieces divide between them as long as sums are shorter than a side, comes from farther
// away in any case.
func fewOf(m, n, k int) float64 {
	flops, far := flopsOf(m, n, k), k < max(m, n) && m*k+k*n+m*n >= farElements
	switch {
	case min(m, n) == 1:
		flops /= 4
	case !far && flops < fewUses*float64(m*k+k*n+m*n):
		return 1
	}
	return min(flops/fewFlops, fewBlocks)
}

// blocks returns the numbers of rows and columns of the pieces of an m by n product with sums of k terms: a function of
// the shape and the cost of an operation alone.
func blocks(m, n, k int, cost float64) (rows, columns int) {
	return blocksOf(m, n, minBlock, wantedBlocks(m, n, k, cost))
}

// blocksOf divides rows and columns until there are as many pieces as wanted, or pieces would have less than least.
func blocksOf(m, n, least int, wanted float64) (rows, columns int) {
	rows, columns = m, n
	for count := 2.0; count <= wanted; count *= 2 {
		switch {
		case columns >= rows && columns >= 2*least:
			columns = halve(columns)
		case rows >= 2*least:
			rows = halve(rows)
		default:
			return rows, columns
		}
	}
	return rows, columns
}

// halve is half of n, rounded up to whole vectors.
func halve(n int) int { return (n/2 + 15) / 16 * 16 }
