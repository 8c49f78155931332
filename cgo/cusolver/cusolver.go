// Package cusolver calls NVIDIA's library of factorizations and decompositions of matrices, which is opened at run
// time.
package cusolver

import (
	"errors"
	"fmt"
	"math"
)

// Type is the type of a matrix's elements, by the library's numbers.
type Type int64

// The types of elements.
const (
	F32  Type = 0
	F64  Type = 1
	C64  Type = 4
	C128 Type = 5
)

// Routine is what is done with a matrix A, M by N.
type Routine int64

// The routines, in the order of cusolver.h.
const (
	// Potrf replaces a triangle of A by its Cholesky factor. Info is the first column that is not positive, from 1.
	Potrf Routine = iota
	// Getrf replaces A by its factors L and U. Vector has the rows exchanged in turn, s64 from 1, Info the first pivot
	// that is zero, from 1.
	Getrf
	// Geqrf replaces A by R and the reflectors of Q, with their factors in Vector.
	Geqrf
	// Orgqr replaces K reflectors by the first N columns of Q; Vector has their factors.
	Orgqr
	// Syevd replaces A by its eigenvectors, with the eigenvalues, which are real, in Vector. Info counts those that were
	// not found.
	Syevd
	// Gesvd gives the singular values of A, which are real, in Vector and the vectors in U and VT. Info counts those that
	// were not found. M is N or more. A is lost.
	Gesvd
)

var routineNames = [...]string{"potrf", "getrf", "geqrf", "orgqr", "syevd", "gesvd"}

// String returns LAPACK's name.
func (r Routine) String() string { return routineNames[r] }

// Problem is what is done with matrices M by N, which are column-major and without gaps.
type Problem struct {
	Routine Routine
	Type    Type
	M, N    int64
	// K is how many reflectors Orgqr gets.
	K int64
	// Upper says which triangle Potrf and Syevd take.
	Upper bool
	// Vectors is, for Syevd and Gesvd, which vectors are wanted: 'A' for all, 'S' for the first, 'N' for none.
	Vectors byte
}

// check fails for what the library has no room for, or does not do.
func (p *Problem) check() error {
	if p.Routine == Orgqr && max(p.M, p.N, p.K) > math.MaxInt32 {
		return fmt.Errorf("cusolver: %s: a matrix %d by %d, and sizes are of 32 bits: %w", p.Routine, p.M, p.N,
			errors.ErrUnsupported)
	}
	if p.M < 1 || p.N < 1 || p.Routine == Gesvd && p.M < p.N || p.Routine == Orgqr && (p.M < p.N || p.N < p.K) {
		return fmt.Errorf("cusolver: %s: a matrix %d by %d with K %d: %w", p.Routine, p.M, p.N, p.K,
			errors.ErrUnsupported)
	}
	return nil
}

// Work is the work space of a problem in bytes.
type Work struct{ Device, Host int64 }

// Arrays are the addresses of arrays on the device, or the bytes from one of a batch to the next.
type Arrays struct{ A, Vector, U, VT, Info uint64 }

// Error is a call of the library that has failed.
type Error struct {
	// Call is the library's function, Name what its header calls the status.
	Call, Name string
	Status     int
}

// Error returns the call and the name of the status.
func (e *Error) Error() string { return fmt.Sprintf("cusolver: %s: %s", e.Call, e.Name) }

// Statuses that say that the library does not do such matrices.
const (
	matrixNotSupported = 8
	notSupported       = 9
)

// Is makes errors.Is find errors.ErrUnsupported where the library does not do what it is asked.
func (e *Error) Is(target error) bool {
	return target == errors.ErrUnsupported && (e.Status == matrixNotSupported || e.Status == notSupported)
}

// checkVersion fails with errors.ErrUnsupported for versions whose functions may not be those of cusolver.h.
func checkVersion(path string, version int) error {
	if major := version / 1000; major != 11 && major != 12 {
		return fmt.Errorf("cusolver: %s has version %s, want 11 or 12: %w", path, versionText(version),
			errors.ErrUnsupported)
	}
	return nil
}

func versionText(v int) string { return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100) }
