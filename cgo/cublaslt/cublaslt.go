// Package cublaslt calls NVIDIA's library of matrix products with epilogues, which is opened at run time: products plus
// a bias. They are made once and run as commands of cgo/cuda's arrays.
package cublaslt

import (
	"errors"
	"fmt"
)

// Type is the type of a matrix's elements, by the library's numbers.
type Type int64

// The types of elements.
const (
	F32  Type = 0
	F16  Type = 2
	BF16 Type = 14
)

// Matrix is a matrix as it lies in memory, column-major: the distance of its columns and, in a batch, of matrices, in
// elements.
type Matrix struct {
	Type              Type
	Rows, Columns, Ld int64
	Stride            int64
}

// Product is D = A B plus a bias, a number of D's type for each of D's rows; Batch of them, with one bias. A transposed
// operand is stored as the transpose of what it stands for.
type Product struct {
	A, B, D        Matrix
	TransA, TransB bool
	Batch          int64
	// TF32 lets operands of f32 be rounded to TF32. Sums are f32.
	TF32 bool
}

// Error is a call of the library that has failed.
type Error struct {
	// Call is the library's function, Name what it calls the status.
	Call, Name string
	Status     int
}

// Error returns the call and the name of the status.
func (e *Error) Error() string { return fmt.Sprintf("cublasLt: %s: %s", e.Call, e.Name) }

// notSupported is the status for products that the library does not do.
const notSupported = 15

// Is makes errors.Is find errors.ErrUnsupported where the library does not do what it is asked.
func (e *Error) Is(target error) bool {
	return target == errors.ErrUnsupported && e.Status == notSupported
}

// checkVersion fails with errors.ErrUnsupported for versions whose functions may not be those of cublaslt.h.
func checkVersion(path string, version int) error {
	if major := version / 10000; major != 12 && major != 13 {
		return fmt.Errorf("cublasLt: %s has version %s, want 12 or 13: %w", path, versionText(version),
			errors.ErrUnsupported)
	}
	return nil
}

func versionText(v int) string { return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100) }
