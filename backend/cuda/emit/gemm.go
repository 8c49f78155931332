package emit

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Gemm is a product of matrices for a library, in row-major terms: C = A B of matrices M by K and K by N, Batch of
// them.
type Gemm struct {
	M, N, K, Batch int64
	A, B, C        Matrix
	// TF32 lets operands of f32 be rounded to TF32.
	TF32 bool
	// Bias is added to each row of C, one number of C's type for each column; nil for none.
	Bias *Buffer
	// Work is the workspace.
	Work Buffer
}

// Matrix is an operand or the result: where it lies, its type, how far apart neighbours of its rows and of its columns
// are, and the matrices of a batch, in elements. Row or Column is 1.
type Matrix struct {
	Buffer
	Type               shape.ElementType
	Row, Column, Batch int64
}

// gemmFrom is how large each side of a product is before a library is worth its call.
const gemmFrom = 16

// gemmSums are the types of operands and results that libraries take.
var gemmSums = map[[2]shape.ElementType]bool{
	{shape.F32, shape.F32}: true, {shape.F64, shape.F64}: true, {shape.C64, shape.C64}: true,
	{shape.C128, shape.C128}: true, {shape.F16, shape.F16}: true, {shape.F16, shape.F32}: true,
	{shape.BF16, shape.BF16}: true, {shape.BF16, shape.F32}: true, {shape.S8, shape.S32}: true,
}

// LowerGemm returns a dot, or a convolution whose window is one place, as one product of a library, with a workspace of
// some bytes as its first scratch buffer; nil if in is neither, not of types that libraries take and of matrices
// without a copy, or is small.
func LowerGemm(in *hlo.Instruction, workspace int64) *Emission {
	g := gemmOf(in)
	if g == nil || min(g.M, g.N, g.K) < gemmFrom || g.Batch == 0 || g.A.Type == shape.S8 && !g.fours() {
		return nil
	}
	e := &Emission{Steps: []Step{{Gemm: g}}}
	g.Work = e.scratch(workspace)
	return e
}

// gemmOf is the product that in is, nil if it is none.
func gemmOf(in *hlo.Instruction) *Gemm {
	if in.IsDynamic() {
		return nil
	}
	switch a := in.Attrs.(type) {
	case *hlo.DotAttrs:
		return dotGemm(in, a)
	case *hlo.ConvolutionAttrs:
		return pointwise(in, a)
	}
	return nil
}

// dotGemm is the product that a dot is.
func dotGemm(in *hlo.Instruction, a *hlo.DotAttrs) *Gemm {
	if in.Op != hlo.Dot {
		return nil
	}
	lhs, rhs := in.Operands[0].Shape, in.Operands[1].Shape
	s := splitOf(in)
	tf32 := s != nil && s.operand == "tf32" && s.parts == 1 && lhs.Type == shape.F32
	if s != nil && !tf32 || lhs.Type != rhs.Type || !gemmSums[[2]shape.ElementType{lhs.Type, in.Shape.Type}] {
		return nil
	}
	x, xok := matrixOf(lhs, a.LHSBatch, a.LHSContracting)
	y, yok := matrixOf(rhs, a.RHSBatch, a.RHSContracting)
	if !xok || !yok {
		return nil
	}
	return &Gemm{M: x.kept, N: y.kept, K: x.depth, Batch: x.batch, TF32: tf32,
		A: Matrix{Buffer{Operand, 0}, lhs.Type, x.keptStep, x.depthStep, x.batchStep},
		B: Matrix{Buffer{Operand, 1}, rhs.Type, y.depthStep, y.keptStep, y.batchStep},
		C: Matrix{Buffer{Result, 0}, in.Shape.Type, y.kept, 1, x.kept * y.kept}}
}

// MayRound reports whether in, or a product or convolution in it if it is a fusion, is of operands of f32 of which each
// has the default precision, without an algorithm: what users may allow to be rounded.
func MayRound(in *hlo.Instruction) bool {
	var wanted hlo.Precision
	switch a := in.Attrs.(type) {
	case *hlo.FusionAttrs:
		return slices.ContainsFunc(a.Calls.Instructions, MayRound)
	case *hlo.DotAttrs:
		if in.Op != hlo.Dot || a.Algorithm != "" {
			return false
		}
		wanted = a.Precision
	case *hlo.ConvolutionAttrs:
		wanted = a.Precision
	default:
		return false
	}
	return in.Operands[0].Shape.Type == shape.F32 && in.Operands[1].Shape.Type == shape.F32 &&
		!slices.ContainsFunc(wanted, func(l hlo.PrecisionLevel) bool { return l != hlo.DefaultPrecision })
}

// fours reports whether all distances are multiples of four, which libraries want of bytes.
func (g *Gemm) fours() bool {
	for _, m := range []Matrix{g.A, g.B} {
		if max(m.Row, m.Column)%4 != 0 || m.Batch%4 != 0 {
			return false
		}
	}
	return true
}

// side is an operand of a dot as matrices.
type side struct {
	batch, kept, depth             int64
	batchStep, keptStep, depthStep int64
}

// matrixOf returns an array as matrices: its batch dimensions, those that it keeps and those that it sums over must be
// neighbours in order each, and the innermost one none of the batch.
func matrixOf(s shape.Shape, batch, contracting []int64) (side, bool) {
	var kept []int64
	for d := range int64(s.Rank()) {
		if !slices.Contains(batch, d) && !slices.Contains(contracting, d) {
			kept = append(kept, d)
		}
	}
	var m side
	var ok [3]bool
	m.batch, m.batchStep, ok[0] = oneDimension(s.Dims, batch)
	m.kept, m.keptStep, ok[1] = oneDimension(s.Dims, kept)
	m.depth, m.depthStep, ok[2] = oneDimension(s.Dims, contracting)
	return m, ok == [3]bool{true, true, true} && min(m.keptStep, m.depthStep) == 1
}

// oneDimension returns some dimensions as one: its size and the distance of neighbours.
func oneDimension(dims, list []int64) (size, step int64, ok bool) {
	size, step = 1, 0
	all := shape.Strides(dims)
	for i := len(list) - 1; i >= 0; i-- {
		d := list[i]
		if dims[d] == 1 {
			continue
		}
		if step == 0 {
			step = all[d]
		} else if all[d] != size*step {
			return 0, 0, false
		}
		size *= dims[d]
	}
	return size, step, true
}
