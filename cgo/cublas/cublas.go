// Package cublas calls NVIDIA's library of matrix products, which is opened at run time. Products are made once and run
// as commands of cgo/cuda's arrays.
package cublas

import (
	"errors"
	"fmt"
)

// Type is the type of a matrix's elements, by the library's numbers.
type Type int64

// The types of elements.
const (
	F32  Type = 0
	F64  Type = 1
	F16  Type = 2
	S8   Type = 3
	C64  Type = 4
	C128 Type = 5
	S32  Type = 10
	BF16 Type = 14
)

// Compute is the type in which products are summed, by the library's numbers.
type Compute int64

// What products may be summed in. Complex numbers are summed as their parts. SumTF32 lets operands be rounded to TF32.
const (
	SumF32  Compute = 68
	SumF64  Compute = 70
	SumS32  Compute = 72
	SumTF32 Compute = 77
)

// Matrix is a matrix in memory, column-major: the distance of its columns and, in a batch, of matrices, in elements.
type Matrix struct {
	Type       Type
	Ld, Stride int64
}

// Gemm is a product C = A B of matrices M by K and K by N, Batch of them. A transposed operand is stored as the
// transpose of what it stands for.
type Gemm struct {
	M, N, K, Batch int64
	TransA, TransB bool
	A, B, C        Matrix
	Compute        Compute
}

// Op says what is done to a matrix before it is used.
type Op int64

// What may be done to a matrix.
const (
	None Op = iota
	Transpose
	Adjoint
)

// Trsm is triangular systems op(A) X = B, or X op(A) = B if it is Right, of column-major matrices A of M by M, Batch of
// them one after the other, of which one triangle counts. X has K columns, or K rows if it is Right, and no gaps.
type Trsm struct {
	Type               Type
	M, K, Batch        int64
	Right, Upper, Unit bool
	Op                 Op
}

// Error is a call of the library that has failed.
type Error struct {
	// Call is the library's function, Name what it calls the status.
	Call, Name string
	Status     int
}

// Error returns the call and the name of the status.
func (e *Error) Error() string { return fmt.Sprintf("cublas: %s: %s", e.Call, e.Name) }

// The statuses for what the library does not do, at all or on a device.
const (
	archMismatch = 8
	notSupported = 15
)

// Is makes errors.Is find errors.ErrUnsupported where the library does not do what it is asked.
func (e *Error) Is(target error) bool {
	return target == errors.ErrUnsupported && (e.Status == notSupported || e.Status == archMismatch)
}
