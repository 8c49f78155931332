package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/cgo/loops/gemm"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// gemmTypes are the element types that our native kernels know, with those that hold the same bits.
var gemmTypes = map[shape.ElementType]gemm.Type{shape.F32: gemm.F32, shape.F64: gemm.F64, shape.BF16: gemm.BF16,
	shape.F16: gemm.F16, shape.S8: gemm.S8, shape.U8: gemm.U8, shape.S16: gemm.S16, shape.U16: gemm.U16,
	shape.S32: gemm.S32, shape.U32: gemm.S32, shape.S64: gemm.S64, shape.U64: gemm.S64}

// gemmSums are the types of sums by the type that kernel.SumType gives.
var gemmSums = map[shape.ElementType]gemm.Sum{shape.F32: gemm.SumF32, shape.F64: gemm.SumF64, shape.U32: gemm.SumI32,
	shape.U64: gemm.SumI64}

// gemmOwn are the types that sums have in memory.
var gemmOwn = [...]gemm.Type{gemm.SumF32: gemm.F32, gemm.SumF64: gemm.F64, gemm.SumI32: gemm.S32,
	gemm.SumI64: gemm.S64}

// nativeContraction computes by our native kernels, which take any strides.
func nativeContraction(_ *exec.Lowering, c *contraction) *thunk {
	sum, ok := gemmSums[kernel.SumType(c.lhsType, c.rhsType, c.outType)]
	l, ok1 := gemmOperand(c.LHS, c.lhsType, c.lhs, sum)
	r, ok2 := gemmOperand(c.RHS, c.rhsType, c.rhs, sum)
	o, ok3 := gemmOperand(c.Out, c.outType, c.out, sum)
	if !(ok && ok1 && ok2 && ok3) {
		return nil
	}
	b, m, n, k := c.Sizes()
	if n == 1 && m > 1 && !lanes(&c.Contraction) { // a vector is best as the one row
		l, r, m, n = r, l, n, m
		o.Rows, o.Columns = o.Columns, o.Rows
	}
	rows, columns := blocks(m, n, k, 1)
	g := gemm.Contraction{LHS: l, RHS: r, Out: o, B: int64(b), M: int64(m), N: int64(n), K: int64(k), Sum: sum,
		TileM: int64(min(rows, gemm.MaxTileM)), TileN: int64(min(columns, gemm.MaxTileN))}
	g.PerTask = perTask(int(g.TileM), int(g.TileN), k, float64(b)*flopsOf(m, n, k))
	own := gemmOwn[sum]
	if lanes(&c.Contraction) && l.Type == own && r.Type == own && o.Type == own {
		g.Lanes = true
		g.TileM = min(max(taskFlops/(2*g.B*g.K), 1), g.M, 1<<14)
	}
	return recordThunk("loops contraction", c.uses(), gemm.Contract(run.Level(), g))
}

// fewLanes is how many batch indices make it worth while to compute them side by side.
const fewLanes = 8

// lanes says whether batch indices are neighbours in all three arrays, and there is one row of rhs for each: a
// depthwise convolution.
func lanes(c *kernel.Contraction) bool {
	b, _, n, k := c.Sizes()
	if n > 1 || b < fewLanes || k > gemm.MaxLanesK {
		return false
	}
	for _, w := range []kernel.Walk{c.LHS.Batch, c.RHS.Batch, c.Out.Batch} {
		if s, ok := w.Stride(); !ok || s != 1 {
			return false
		}
	}
	return true
}

// gemmOperand is an operand as the native kernels take it, if they know its type and it has few steps.
func gemmOperand(o kernel.Operand, t shape.ElementType, at exec.Slice, sum gemm.Sum) (g gemm.Operand, ok bool) {
	g = gemm.Operand{Ref: ref(at), First: int64(o.First)}
	if g.Type, ok = gemmTypes[t]; !ok || t.IsFloat() != (sum <= gemm.SumF64) || len(o.Batch) > gemm.MaxSteps ||
		len(o.Rows) > gemm.MaxSteps || len(o.Columns) > gemm.MaxSteps {
		return g, false
	}
	if sum == gemm.SumF64 && t.Bits() < 32 {
		return g, false
	}
	g.Batch, g.Rows, g.Columns = gemmSteps(o.Batch), gemmSteps(o.Rows), gemmSteps(o.Columns)
	return g, true
}

func gemmSteps(w kernel.Walk) []gemm.Step {
	var list []gemm.Step
	for _, s := range w {
		list = append(list, gemm.Step{N: int64(s.N), Stride: int64(s.Stride)})
	}
	return list
}
