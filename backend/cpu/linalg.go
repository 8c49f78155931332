package cpu

import (
	"github.com/halo-xla/halo/backend/cpu/kernel"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// lowerCholesky factors a batch of matrices. Row 96.
func lowerCholesky(l *exec.Lowering) (exec.Thunk, error) {
	a, out, s := l.Operand(0), l.Result(), l.In.Shape
	n, lower := s.Dims[len(s.Dims)-1], l.In.Attrs.(*hlo.CholeskyAttrs).Lower
	uses := append(exec.Reads(a), exec.Writes(out)...)
	t := goThunk("go cholesky", uses, func(r *exec.Run) error {
		kernel.Cholesky(r.Parallel, r.Bytes(out), r.Bytes(a), s.Type, n, lower)
		return nil
	})
	return t.overwriting(exec.Pair{Result: out.Slot, Operand: a.Slot}), nil
}

// lowerTriangularSolve solves a batch of triangular systems. Row 97.
func lowerTriangularSolve(l *exec.Lowering) (exec.Thunk, error) {
	a, b, out, s := l.Operand(0), l.Operand(1), l.Result(), l.In.Shape
	solve := newSolve(l.In)
	uses := append(exec.Reads(a, b), exec.Writes(out)...)
	t := goThunk("go triangular solve", uses, func(r *exec.Run) error {
		kernel.TriangularSolve(r.Parallel, r.Bytes(out), r.Bytes(a), r.Bytes(b), s.Type, solve)
		return nil
	})
	return t.overwriting(exec.Pair{Result: out.Slot, Operand: b.Slot}), nil
}

// newSolve is what in says to the kernels.
func newSolve(in *hlo.Instruction) kernel.Solve {
	a, b := in.Attrs.(*hlo.TriangularSolveAttrs), in.Shape.Dims
	rows, columns := b[len(b)-2], b[len(b)-1]
	s := kernel.Solve{
		M: rows, K: columns, Left: a.LeftSide, Lower: a.Lower, Unit: a.UnitDiagonal,
		Transposed: a.TransposeA != hlo.NoTranspose, Adjoined: a.TransposeA == hlo.Adjoint,
	}
	if !s.Left {
		s.M, s.K = columns, rows
	}
	return s
}
