// Package openblas calls OpenBLAS, which is opened when it is first needed, and is a BLAS for gonum.
//
// An [Implementation] fulfils gonum's interfaces for all four types. Products, triangular solves and whatever else
// reads a dense matrix go to OpenBLAS; vector, banded and packed routines are gonum's own, which memory limits as it
// would any other. Without the library, and in builds without cgo, everything is gonum's.
//
// OpenBLAS is held to one thread a call. Calls may come from any number of goroutines; no more than GOMAXPROCS of them
// are inside the library at once, so that a thousand callers do not become a thousand threads of the system.
package openblas

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Implementation fulfils gonum's blas.Float32, blas.Float64, blas.Complex64 and blas.Complex128. Its zero value is
// ready:
//
//	blas64.Use(openblas.Implementation{})
//
// Matrices are row-major. Methods panic as gonum's do when arguments are wrong.
type Implementation struct{ gonum.Implementation }

var (
	_ blas.Float32    = Implementation{}
	_ blas.Float64    = Implementation{}
	_ blas.Complex64  = Implementation{}
	_ blas.Complex128 = Implementation{}
)

// The functions below say whether arguments are right beyond doubt and nothing is empty. What is not goes to gonum's
// implementation, which returns at once or panics with its own words; so these need not be kept in step with it.

const plain = blas.NoTrans

// fits says whether the library is there and the sizes are greater than 0 and fit its 32-bit integers.
func fits(sizes ...int) bool {
	for _, n := range sizes {
		if n <= 0 || n > math.MaxInt32 {
			return false
		}
	}
	return Load() == nil
}

// tall says whether a matrix of which op is m×n has its elements within length.
func tall(op blas.Transpose, m, n, length, ld int) bool {
	switch op {
	case blas.Trans, blas.ConjTrans:
		m, n = n, m
	case blas.NoTrans:
	default:
		return false
	}
	return ld >= n && ld <= math.MaxInt32 && (length-n)/ld >= m-1 && length >= n
}

// half says whether a triangular or symmetric matrix that multiplies an m×n one from the side fits length.
func half(s blas.Side, ul blas.Uplo, m, n, length, ld int) bool {
	if s == blas.Right {
		m = n
	}
	return (s == blas.Left || s == blas.Right) && triangle(ul, plain) && tall(plain, m, m, length, ld)
}

// vector says whether n elements with a stride fit length.
func vector(n, length, inc int) bool {
	if inc < 0 {
		inc = -inc
	}
	return inc > 0 && inc <= math.MaxInt32 && (length-1)/inc >= n-1 && length > 0
}

// strided says whether the vectors of y = op(A) x fit, A m×n.
func strided(op blas.Transpose, m, n, lengthX, incX, lengthY, incY int) bool {
	switch op {
	case blas.Trans, blas.ConjTrans:
		m, n = n, m
	case blas.NoTrans:
	default:
		return false
	}
	return vector(n, lengthX, incX) && vector(m, lengthY, incY)
}

func triangle(ul blas.Uplo, op blas.Transpose) bool {
	return (ul == blas.Upper || ul == blas.Lower) && (op == plain || op == blas.Trans || op == blas.ConjTrans)
}

// symmetric is triangle for complex updates A Aᵀ, hermitian for A Aᴴ.
func symmetric(ul blas.Uplo, op blas.Transpose) bool { return triangle(ul, op) && op != blas.ConjTrans }

func hermitian(ul blas.Uplo, op blas.Transpose) bool { return triangle(ul, op) && op != blas.Trans }

func triangular(ul blas.Uplo, op blas.Transpose, d blas.Diag) bool {
	return triangle(ul, op) && (d == blas.Unit || d == blas.NonUnit)
}
