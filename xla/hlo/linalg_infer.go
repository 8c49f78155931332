package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// checkSquare fails unless s is a batch of square matrices of floats or complex numbers.
func checkSquare(name string, s shape.Shape) error {
	if !s.Type.IsFloat() && !s.Type.IsComplex() {
		return fmt.Errorf("%s: got %v, want floats or complex numbers", name, s)
	}
	rank := len(s.Dims)
	if rank < 2 { // cholesky C2, triangular_solve C2
		return fmt.Errorf("%s: got %v, want rank 2 or more", name, s)
	}
	if !compatibleDim(s, rank-2, s, rank-1) { // cholesky C3, triangular_solve C4
		return fmt.Errorf("%s: got %v, want square matrices", name, s)
	}
	return nil
}

func inferCholesky(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	a := in.Operands[0].Shape.WithoutLayout()
	return a, checkSquare("a", a) // C1
}

func inferTriangularSolve(in *Instruction) (shape.Shape, error) {
	if err := sameTypes(in); err != nil { // C1
		return poison, err
	}
	attrs := in.Attrs.(*TriangularSolveAttrs)
	a, b := in.Operands[0].Shape, in.Operands[1].Shape.WithoutLayout()
	if err := checkSquare("a", a); err != nil {
		return poison, err
	}
	rank := len(a.Dims)
	if len(b.Dims) != rank { // C2
		return poison, fmt.Errorf("ranks differ: a is %v, b is %v", a, b)
	}
	for d := range rank - 2 { // C3
		if !compatibleDim(a, d, b, d) {
			return poison, fmt.Errorf("batch sizes differ: dimension %d of a %v and b %v", d, a, b)
		}
	}
	shared := rank - 1
	if attrs.LeftSide {
		shared = rank - 2
	}
	if !compatibleDim(a, rank-1, b, shared) { // C3
		return poison, fmt.Errorf("sizes differ: dimension %d of b %v, want that of a %v", shared, b, a)
	}
	if attrs.TransposeA == TransposeInvalid || attrs.TransposeA > Adjoint { // row 97
		return poison, fmt.Errorf("transpose_a: got %s, want %s, %s or %s", transposeNames[TransposeInvalid],
			transposeNames[NoTranspose], transposeNames[TransposeMatrix], transposeNames[Adjoint])
	}
	return b, nil
}

// Cholesky is the triangular factor of each Hermitian positive definite matrix of a: the lower one, a = l l^H, or the
// upper one, a = u^H u. Only that triangle of a is read, of its diagonal the real part; the other triangle of the
// result is zero. A matrix that is not positive definite gives NaN everywhere.
//
//	a T[B..., n, n]   result T[B..., n, n]
//
// It fails if a has rank below 2, is not square or is neither float nor complex. Law: row 96.
func (b *Builder) Cholesky(a *Instruction, lower bool) *Instruction {
	return b.add(Cholesky, &CholeskyAttrs{Lower: lower}, shape.Shape{}, a)
}

// TriangularSolve solves op(a) x = rhs, or x op(a) = rhs if not leftSide, for x. lower says which triangle of a is
// meant, before op; only it is read. With unitDiagonal the diagonal counts as 1 and is not read. Singular matrices give
// what IEEE division gives.
//
//	a T[B..., m, m]   rhs T[B..., m, k], or T[B..., k, m] on the right   result like rhs
//
// It fails if sizes or element types do not fit or transposeA is invalid. Law: row 97.
func (b *Builder) TriangularSolve(a, rhs *Instruction, leftSide, lower, unitDiagonal bool,
	transposeA TransposeA) *Instruction {
	attrs := &TriangularSolveAttrs{LeftSide: leftSide, Lower: lower, UnitDiagonal: unitDiagonal, TransposeA: transposeA}
	return b.add(TriangularSolve, attrs, shape.Shape{}, a, rhs)
}
