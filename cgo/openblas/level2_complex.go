//go:build cgo

package openblas

// #include "openblas.h"
import "C"

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
)

// Cgemv computes y = alpha op(A) x + beta y, A m×n.
func (i Implementation) Cgemv(tA blas.Transpose, m, n int, alpha complex64, a []complex64, lda int, x []complex64,
	incX int, beta complex64, y []complex64, incY int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && strided(tA, m, n, len(x), incX, len(y), incY)) {
		i.Implementation.Cgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_cgemv(rowMajor, transposes[tA], C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(a), C.int(lda),
		ptr(x), C.int(incX), unsafe.Pointer(&beta), ptr(y), C.int(incY))
}

// Chemv computes y = alpha A x + beta y with a Hermitian A.
func (i Implementation) Chemv(ul blas.Uplo, n int, alpha complex64, a []complex64, lda int, x []complex64, incX int,
	beta complex64, y []complex64, incY int) {
	if !(fits(n) && triangle(ul, plain) && tall(plain, n, n, len(a), lda) &&
		strided(plain, n, n, len(x), incX, len(y), incY)) {
		i.Implementation.Chemv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_chemv(rowMajor, uplos[ul], C.int(n), unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(x),
		C.int(incX), unsafe.Pointer(&beta), ptr(y), C.int(incY))
}

// Ctrmv computes x = op(A) x with a triangular A.
func (i Implementation) Ctrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []complex64, lda int,
	x []complex64, incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Ctrmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_ctrmv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), ptr(a), C.int(lda), ptr(x),
		C.int(incX))
}

// Ctrsv solves op(A) y = x for a triangular A, and puts y in the place of x.
func (i Implementation) Ctrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []complex64, lda int,
	x []complex64, incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Ctrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_ctrsv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), ptr(a), C.int(lda), ptr(x),
		C.int(incX))
}

// Cgeru computes A = alpha x yᵀ + A, A m×n.
func (i Implementation) Cgeru(m, n int, alpha complex64, x []complex64, incX int, y []complex64, incY int,
	a []complex64, lda int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && vector(m, len(x), incX) && vector(n, len(y), incY)) {
		i.Implementation.Cgeru(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	defer enter()()
	C.shim_cblas_cgeru(rowMajor, C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(x), C.int(incX), ptr(y),
		C.int(incY), ptr(a), C.int(lda))
}

// Cgerc computes A = alpha x yᴴ + A, A m×n.
func (i Implementation) Cgerc(m, n int, alpha complex64, x []complex64, incX int, y []complex64, incY int,
	a []complex64, lda int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && vector(m, len(x), incX) && vector(n, len(y), incY)) {
		i.Implementation.Cgerc(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	defer enter()()
	C.shim_cblas_cgerc(rowMajor, C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(x), C.int(incX), ptr(y),
		C.int(incY), ptr(a), C.int(lda))
}

// Zgemv computes y = alpha op(A) x + beta y, A m×n.
func (i Implementation) Zgemv(tA blas.Transpose, m, n int, alpha complex128, a []complex128, lda int, x []complex128,
	incX int, beta complex128, y []complex128, incY int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && strided(tA, m, n, len(x), incX, len(y), incY)) {
		i.Implementation.Zgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_zgemv(rowMajor, transposes[tA], C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(a), C.int(lda),
		ptr(x), C.int(incX), unsafe.Pointer(&beta), ptr(y), C.int(incY))
}

// Zhemv computes y = alpha A x + beta y with a Hermitian A.
func (i Implementation) Zhemv(ul blas.Uplo, n int, alpha complex128, a []complex128, lda int, x []complex128,
	incX int, beta complex128, y []complex128, incY int) {
	if !(fits(n) && triangle(ul, plain) && tall(plain, n, n, len(a), lda) &&
		strided(plain, n, n, len(x), incX, len(y), incY)) {
		i.Implementation.Zhemv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	defer enter()()
	C.shim_cblas_zhemv(rowMajor, uplos[ul], C.int(n), unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(x),
		C.int(incX), unsafe.Pointer(&beta), ptr(y), C.int(incY))
}

// Ztrmv computes x = op(A) x with a triangular A.
func (i Implementation) Ztrmv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []complex128, lda int,
	x []complex128, incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Ztrmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_ztrmv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), ptr(a), C.int(lda), ptr(x),
		C.int(incX))
}

// Ztrsv solves op(A) y = x for a triangular A, and puts y in the place of x.
func (i Implementation) Ztrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []complex128, lda int,
	x []complex128, incX int) {
	if !(fits(n) && triangular(ul, tA, d) && tall(plain, n, n, len(a), lda) && vector(n, len(x), incX)) {
		i.Implementation.Ztrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	defer enter()()
	C.shim_cblas_ztrsv(rowMajor, uplos[ul], transposes[tA], diags[d], C.int(n), ptr(a), C.int(lda), ptr(x),
		C.int(incX))
}

// Zgeru computes A = alpha x yᵀ + A, A m×n.
func (i Implementation) Zgeru(m, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int,
	a []complex128, lda int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && vector(m, len(x), incX) && vector(n, len(y), incY)) {
		i.Implementation.Zgeru(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	defer enter()()
	C.shim_cblas_zgeru(rowMajor, C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(x), C.int(incX), ptr(y),
		C.int(incY), ptr(a), C.int(lda))
}

// Zgerc computes A = alpha x yᴴ + A, A m×n.
func (i Implementation) Zgerc(m, n int, alpha complex128, x []complex128, incX int, y []complex128, incY int,
	a []complex128, lda int) {
	if !(fits(m, n) && tall(plain, m, n, len(a), lda) && vector(m, len(x), incX) && vector(n, len(y), incY)) {
		i.Implementation.Zgerc(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	defer enter()()
	C.shim_cblas_zgerc(rowMajor, C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(x), C.int(incX), ptr(y),
		C.int(incY), ptr(a), C.int(lda))
}
