package hlo

// CholeskyAttrs are the attributes of cholesky, row 96.
type CholeskyAttrs struct{ Lower bool }

// Fields lists the attributes.
func (a *CholeskyAttrs) Fields() []Field { return []Field{{"lower", "lower", &a.Lower, Set}} }

// TriangularSolveAttrs are the attributes of triangular-solve, row 97.
type TriangularSolveAttrs struct {
	LeftSide, Lower, UnitDiagonal bool
	TransposeA                    TransposeA
}

// Fields lists the attributes.
func (a *TriangularSolveAttrs) Fields() []Field {
	return []Field{
		{"left_side", "left_side", &a.LeftSide, Set},
		{"lower", "lower", &a.Lower, Set},
		{"unit_diagonal", "unit_diagonal", &a.UnitDiagonal, Set},
		{"transpose_a", "transpose_a", &a.TransposeA, Set},
	}
}

// TransposeA says how the matrix of a triangular solve is taken.
type TransposeA uint8

// The ways to take the matrix. The zero value is an error.
const (
	TransposeInvalid TransposeA = iota
	NoTranspose
	TransposeMatrix
	Adjoint
)

var transposeNames = names{"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}
