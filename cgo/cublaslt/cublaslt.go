// Package cublaslt calls NVIDIA's library of matrix products with epilogues, which is opened at run time: products, and
// those plus a bias. The library proposes ways to do one; it runs as a command of cgo/cuda's arrays.
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

// Product is D = A B, Batch of them. A transposed operand is stored as the transpose of what it stands for.
type Product struct {
	A, B, D        Matrix
	TransA, TransB bool
	Batch          int64
	// Bias says that a number of D's type is added for each of D's rows, the same to all of a batch.
	Bias bool
	// TF32 lets operands of f32 be rounded to TF32. Sums are f32.
	TF32 bool
}

// Way is how a product is done: an algorithm as the library writes it down, which holds for the library's version, the
// kind of device and the product that it was proposed for, and the bytes of workspace that it takes.
type Way struct {
	Algorithm [8]uint64
	Work      int64
}

// Error is a call of the library that has failed.
type Error struct {
	// Call is the library's function, Name what it calls the status.
	Call, Name string
	Status     int
}

// Error returns the call and the name of the status.
func (e *Error) Error() string { return fmt.Sprintf("cublasLt: %s: %s", e.Call, e.Name) }

// The statuses for products that the library does not do, and for ways that are not for a product or a device.
const (
	invalidValue = 7
	archMismatch = 8
	notSupported = 15
)

// Is makes errors.Is find errors.ErrUnsupported where the library does not do what it is asked.
func (e *Error) Is(target error) bool {
	refused := e.Status == notSupported ||
		e.Call == "cublasLtMatmulAlgoCheck" && (e.Status == invalidValue || e.Status == archMismatch)
	return target == errors.ErrUnsupported && refused
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
