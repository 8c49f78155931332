//go:build cgo

package openblas

// #include "openblas.h"
import "C"

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"
)

// Cgemm computes C = alpha op(A) op(B) + beta C, op(A) m×k, op(B) k×n.
func (i Implementation) Cgemm(tA, tB blas.Transpose, m, n, k int, alpha complex64, a []complex64, lda int,
	b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	if !(fits(m, n, k) && tall(tA, m, k, len(a), lda) && tall(tB, k, n, len(b), ldb) && tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Cgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_cgemm(rowMajor, transposes[tA], transposes[tB], C.int(m), C.int(n), C.int(k),
		unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Csymm computes C = alpha A B + beta C or alpha B A + beta C with a symmetric A.
func (i Implementation) Csymm(s blas.Side, ul blas.Uplo, m, n int, alpha complex64, a []complex64, lda int,
	b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	if !(fits(m, n) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb) &&
		tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Csymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_csymm(rowMajor, sides[s], uplos[ul], C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Chemm computes C = alpha A B + beta C or alpha B A + beta C with a Hermitian A.
func (i Implementation) Chemm(s blas.Side, ul blas.Uplo, m, n int, alpha complex64, a []complex64, lda int,
	b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	if !(fits(m, n) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb) &&
		tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Chemm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_chemm(rowMajor, sides[s], uplos[ul], C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Csyrk computes the triangle ul of C = alpha A Aᵀ + beta C, or of alpha Aᵀ A + beta C.
func (i Implementation) Csyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex64, a []complex64, lda int,
	beta complex64, c []complex64, ldc int) {
	if !(fits(n, k) && symmetric(ul, t) && tall(t, n, k, len(a), lda) && tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Csyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_csyrk(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Cherk computes the triangle ul of C = alpha A Aᴴ + beta C, or of alpha Aᴴ A + beta C.
func (i Implementation) Cherk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []complex64, lda int,
	beta float32, c []complex64, ldc int) {
	if !(fits(n, k) && hermitian(ul, t) && tall(t, n, k, len(a), lda) && tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Cherk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_cherk(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), C.float(alpha), ptr(a), C.int(lda),
		C.float(beta), ptr(c), C.int(ldc))
}

// Csyr2k computes the triangle ul of C = alpha A Bᵀ + alpha B Aᵀ + beta C,
// or with the first of each pair transposed.
func (i Implementation) Csyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex64, a []complex64, lda int,
	b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	if !(fits(n, k) && symmetric(ul, t) && tall(t, n, k, len(a), lda) && tall(t, n, k, len(b), ldb) &&
		tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Csyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_csyr2k(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Cher2k computes the triangle ul of C = alpha A Bᴴ + conj(alpha) B Aᴴ + beta C,
// or with the first of each pair transposed.
func (i Implementation) Cher2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex64, a []complex64, lda int,
	b []complex64, ldb int, beta float32, c []complex64, ldc int) {
	if !(fits(n, k) && hermitian(ul, t) && tall(t, n, k, len(a), lda) && tall(t, n, k, len(b), ldb) &&
		tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Cher2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_cher2k(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), C.float(beta), ptr(c), C.int(ldc))
}

// Ctrmm computes B = alpha op(A) B or alpha B op(A) with a triangular A.
func (i Implementation) Ctrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex64,
	a []complex64, lda int, b []complex64, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Ctrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_ctrmm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n),
		unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(b), C.int(ldb))
}

// Ctrsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A, and puts X in the place of B.
func (i Implementation) Ctrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex64,
	a []complex64, lda int, b []complex64, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Ctrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_ctrsm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n),
		unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(b), C.int(ldb))
}

// Zgemm computes C = alpha op(A) op(B) + beta C, op(A) m×k, op(B) k×n.
func (i Implementation) Zgemm(tA, tB blas.Transpose, m, n, k int, alpha complex128, a []complex128, lda int,
	b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	if !(fits(m, n, k) && tall(tA, m, k, len(a), lda) && tall(tB, k, n, len(b), ldb) && tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Zgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_zgemm(rowMajor, transposes[tA], transposes[tB], C.int(m), C.int(n), C.int(k),
		unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Zsymm computes C = alpha A B + beta C or alpha B A + beta C with a symmetric A.
func (i Implementation) Zsymm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int,
	b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	if !(fits(m, n) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb) &&
		tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Zsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_zsymm(rowMajor, sides[s], uplos[ul], C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Zhemm computes C = alpha A B + beta C or alpha B A + beta C with a Hermitian A.
func (i Implementation) Zhemm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int,
	b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	if !(fits(m, n) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb) &&
		tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Zhemm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_zhemm(rowMajor, sides[s], uplos[ul], C.int(m), C.int(n), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Zsyrk computes the triangle ul of C = alpha A Aᵀ + beta C, or of alpha Aᵀ A + beta C.
func (i Implementation) Zsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int,
	beta complex128, c []complex128, ldc int) {
	if !(fits(n, k) && symmetric(ul, t) && tall(t, n, k, len(a), lda) && tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Zsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_zsyrk(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Zherk computes the triangle ul of C = alpha A Aᴴ + beta C, or of alpha Aᴴ A + beta C.
func (i Implementation) Zherk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []complex128, lda int,
	beta float64, c []complex128, ldc int) {
	if !(fits(n, k) && hermitian(ul, t) && tall(t, n, k, len(a), lda) && tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Zherk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_zherk(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), C.double(alpha), ptr(a), C.int(lda),
		C.double(beta), ptr(c), C.int(ldc))
}

// Zsyr2k computes the triangle ul of C = alpha A Bᵀ + alpha B Aᵀ + beta C,
// or with the first of each pair transposed.
func (i Implementation) Zsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int,
	b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	if !(fits(n, k) && symmetric(ul, t) && tall(t, n, k, len(a), lda) && tall(t, n, k, len(b), ldb) &&
		tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Zsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_zsyr2k(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), unsafe.Pointer(&beta), ptr(c), C.int(ldc))
}

// Zher2k computes the triangle ul of C = alpha A Bᴴ + conj(alpha) B Aᴴ + beta C,
// or with the first of each pair transposed.
func (i Implementation) Zher2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int,
	b []complex128, ldb int, beta float64, c []complex128, ldc int) {
	if !(fits(n, k) && hermitian(ul, t) && tall(t, n, k, len(a), lda) && tall(t, n, k, len(b), ldb) &&
		tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Zher2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_zher2k(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), unsafe.Pointer(&alpha), ptr(a),
		C.int(lda), ptr(b), C.int(ldb), C.double(beta), ptr(c), C.int(ldc))
}

// Ztrmm computes B = alpha op(A) B or alpha B op(A) with a triangular A.
func (i Implementation) Ztrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex128,
	a []complex128, lda int, b []complex128, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Ztrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_ztrmm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n),
		unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(b), C.int(ldb))
}

// Ztrsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A, and puts X in the place of B.
func (i Implementation) Ztrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha complex128,
	a []complex128, lda int, b []complex128, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Ztrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_ztrsm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n),
		unsafe.Pointer(&alpha), ptr(a), C.int(lda), ptr(b), C.int(ldb))
}
