package gemm

import "github.com/halo-xla/halo/cgo/loops/run"

// Packed is c[i, j] = sum over p < K of a[i, p] b[p, j] for i < M and j < N, for each place, by kernels of our own that
// bring both operands into their own order first. Elements that are neighbours along an index are so many apart; those
// of a row of c are side by side.
type Packed struct {
	A, B, C run.Ref
	// Scratch is memory of Bytes bytes.
	Scratch                            run.Ref
	M, N, K                            int64
	RowA, ColumnA, RowB, ColumnB, RowC int64
	Kind                               Kind
	Rounding                           Rounding
	Places                             []Place
}

// Kind is what the elements of a and b are. Sums are f64, f32 of smaller floats, s32 of integers.
type Kind int64

// Kinds of products.
const (
	ProductF32 Kind = iota
	ProductF64
	ProductF16
	ProductBF16
	ProductS8S8
	ProductS8U8
	ProductU8S8
	ProductU8U8
)

// Rounding is what sums of f32 become in c.
type Rounding int64

// Roundings.
const (
	Sums Rounding = iota // as they are
	ToF16
	ToBF16
)

// Place is where the matrices of one product begin, in bytes behind the operands.
type Place struct{ A, B, C int64 }
