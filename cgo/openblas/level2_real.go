//go:build cgo

package openblas

// #include "openblas.h"
import "C"

import "gonum.org/v1/gonum/blas"

// Sgemv computes y = alpha op(A) x + beta y, A m×n.
func (i Implementation) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int,
	beta float32, y []float32, incY int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && strided(tA, m, n, len(x), incX, len(y), incY)) {
		i.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_sgemv(rowMajor, transposes[tA], C.int(m), C.int(n), C.float(alpha), (*C.float)(&a[0]), C.int(lda),
		(*C.float)(&x[0]), C.int(incX), C.float(beta), (*C.float)(&y[0]), C.int(incY))
}

// Ssymv computes y = alpha A x + beta y with a symmetric A.
func (i Implementation) Ssymv(ul blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int,
	beta float32, y []float32, incY int) {
	if !(fits(n) && triangle(ul, plain) && tall(plain, n, n, len(a), lda) &&
		strided(plain, n, n, len(x), incX, len(y), incY)) {
		i.Implementation.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_ssymv(rowMajor, uplos[ul], C.int(n), C.float(alpha), (*C.float)(&a[0]), C.int(lda),
		(*C.float)(&x[0]), C.int(incX), C.float(beta), (*C.float)(&y[0]), C.int(incY))
}

// Strmv computes x = op(A) x with a triangular A.
func (i Implementation) Strmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float32, lda int, x []float32,
	incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Strmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_strmv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), (*C.float)(&a[0]), C.int(lda),
		(*C.float)(&x[0]), C.int(incX))
}

// Strsv solves op(A) y = x for a triangular A, and puts y in the place of x.
func (i Implementation) Strsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float32, lda int, x []float32,
	incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Strsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_strsv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), (*C.float)(&a[0]), C.int(lda),
		(*C.float)(&x[0]), C.int(incX))
}

// Sger computes A = alpha x yᵀ + A, A m×n.
func (i Implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32,
	lda int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && vector(m, len(x), incX) && vector(n, len(y), incY)) {
		i.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	defer enter()()
	C.shim_cblas_sger(rowMajor, C.int(m), C.int(n), C.float(alpha), (*C.float)(&x[0]), C.int(incX),
		(*C.float)(&y[0]), C.int(incY), (*C.float)(&a[0]), C.int(lda))
}

// Dgemv computes y = alpha op(A) x + beta y, A m×n.
func (i Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int,
	beta float64, y []float64, incY int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && strided(tA, m, n, len(x), incX, len(y), incY)) {
		i.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_dgemv(rowMajor, transposes[tA], C.int(m), C.int(n), C.double(alpha), (*C.double)(&a[0]),
		C.int(lda), (*C.double)(&x[0]), C.int(incX), C.double(beta), (*C.double)(&y[0]), C.int(incY))
}

// Dsymv computes y = alpha A x + beta y with a symmetric A.
func (i Implementation) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int,
	beta float64, y []float64, incY int) {
	if !(fits(n) && triangle(ul, plain) && tall(plain, n, n, len(a), lda) &&
		strided(plain, n, n, len(x), incX, len(y), incY)) {
		i.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_dsymv(rowMajor, uplos[ul], C.int(n), C.double(alpha), (*C.double)(&a[0]), C.int(lda),
		(*C.double)(&x[0]), C.int(incX), C.double(beta), (*C.double)(&y[0]), C.int(incY))
}

// Dtrmv computes x = op(A) x with a triangular A.
func (i Implementation) Dtrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64,
	incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_dtrmv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), (*C.double)(&a[0]), C.int(lda),
		(*C.double)(&x[0]), C.int(incX))
}

// Dtrsv solves op(A) y = x for a triangular A, and puts y in the place of x.
func (i Implementation) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64,
	incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_dtrsv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), (*C.double)(&a[0]), C.int(lda),
		(*C.double)(&x[0]), C.int(incX))
}

// Dger computes A = alpha x yᵀ + A, A m×n.
func (i Implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64,
	lda int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && vector(m, len(x), incX) && vector(n, len(y), incY)) {
		i.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	defer enter()()
	C.shim_cblas_dger(rowMajor, C.int(m), C.int(n), C.double(alpha), (*C.double)(&x[0]), C.int(incX),
		(*C.double)(&y[0]), C.int(incY), (*C.double)(&a[0]), C.int(lda))
}
