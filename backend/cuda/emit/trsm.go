package emit

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Trsm is triangular systems for a library, in row-major terms: op(A) X = B, or X op(A) = B if it is not Left, of
// matrices A of M by M and K right-hand sides, Batch of them. X has B before.
type Trsm struct {
	Type              shape.ElementType
	M, K, Batch       int64
	Left, Lower, Unit bool
	Transpose         hlo.TransposeA
	A, X, Work        Buffer
}

// trsmFrom is the size of matrices from which a library is worth its calls, one for each matrix: our kernel has a
// thread for each right-hand side of all.
const trsmFrom = 64

// LowerTriangularSolve returns in, triangular systems, by a library with a workspace of some bytes; nil if it is of no
// type that libraries take, or small. Where the library gives numbers that are not finite, kernels solve anew: how far
// it spreads these is not said, and the law has them reach no further than they do in a substitution.
func LowerTriangularSolve(in *hlo.Instruction, workspace int64) *Emission {
	s := in.Shape
	if in.Op != hlo.TriangularSolve || in.IsDynamic() || s.Size() == 0 || !solved[s.Type] {
		return nil
	}
	m, a := in.Operands[0].Shape.Dims[s.Rank()-1], in.Attrs.(*hlo.TriangularSolveAttrs)
	batch := in.Operands[0].Shape.Size() / (m * m)
	if m < trsmFrom || batch > m/8 {
		return nil
	}
	e := &Emission{}
	e.copy(theResult, Buffer{Operand, 1}, s.Size()*int64(s.Type.Bytes()))
	x := &Trsm{Type: s.Type, M: m, K: s.Size() / m / batch, Batch: batch, Left: a.LeftSide, Lower: a.Lower,
		Unit: a.UnitDiagonal, Transpose: a.TransposeA, A: Buffer{Operand, 0}, X: theResult, Work: e.scratch(workspace)}
	e.Steps = append(e.Steps, Step{Trsm: x})
	look := newBody(e, sizesOf(in)...)
	look.need("complex")
	flags, n := notFinite(look, theResult, s)
	again := newBody(e, sizesOf(in)...)
	again.unlessSet(flags, n)
	solveByThreads(again, in)
	return e
}
