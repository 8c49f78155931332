//go:build cgo

package openblas

// #include "openblas.h"
import "C"

import "gonum.org/v1/gonum/blas"

// Sgemm computes C = alpha op(A) op(B) + beta C, op(A) m×k, op(B) k×n.
func (i Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	if !(fits(m, n, k) && tall(tA, m, k, len(a), lda) && tall(tB, k, n, len(b), ldb) && tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_sgemm(rowMajor, transposes[tA], transposes[tB], C.int(m), C.int(n), C.int(k), C.float(alpha),
		(*C.float)(&a[0]), C.int(lda), (*C.float)(&b[0]), C.int(ldb), C.float(beta), (*C.float)(&c[0]), C.int(ldc))
}

// Ssymm computes C = alpha A B + beta C or alpha B A + beta C with a symmetric A.
func (i Implementation) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32,
	ldb int, beta float32, c []float32, ldc int) {
	if !(fits(m, n) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb) &&
		tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_ssymm(rowMajor, sides[s], uplos[ul], C.int(m), C.int(n), C.float(alpha), (*C.float)(&a[0]),
		C.int(lda), (*C.float)(&b[0]), C.int(ldb), C.float(beta), (*C.float)(&c[0]), C.int(ldc))
}

// Ssyrk computes the triangle ul of C = alpha A Aᵀ + beta C, or of alpha Aᵀ A + beta C.
func (i Implementation) Ssyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int,
	beta float32, c []float32, ldc int) {
	if !(fits(n, k) && triangle(ul, t) && tall(t, n, k, len(a), lda) && tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Ssyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_ssyrk(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), C.float(alpha), (*C.float)(&a[0]),
		C.int(lda), C.float(beta), (*C.float)(&c[0]), C.int(ldc))
}

// Ssyr2k computes the triangle ul of C = alpha A Bᵀ + alpha B Aᵀ + beta C,
// or with the first of each pair transposed.
func (i Implementation) Ssyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []float32, lda int,
	b []float32, ldb int, beta float32, c []float32, ldc int) {
	if !(fits(n, k) && triangle(ul, t) && tall(t, n, k, len(a), lda) && tall(t, n, k, len(b), ldb) &&
		tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Ssyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_ssyr2k(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), C.float(alpha), (*C.float)(&a[0]),
		C.int(lda), (*C.float)(&b[0]), C.int(ldb), C.float(beta), (*C.float)(&c[0]), C.int(ldc))
}

// Strmm computes B = alpha op(A) B or alpha B op(A) with a triangular A.
func (i Implementation) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32,
	a []float32, lda int, b []float32, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_strmm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n), C.float(alpha),
		(*C.float)(&a[0]), C.int(lda), (*C.float)(&b[0]), C.int(ldb))
}

// Strsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A, and puts X in the place of B.
func (i Implementation) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32,
	a []float32, lda int, b []float32, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_strsm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n), C.float(alpha),
		(*C.float)(&a[0]), C.int(lda), (*C.float)(&b[0]), C.int(ldb))
}

// Dgemm computes C = alpha op(A) op(B) + beta C, op(A) m×k, op(B) k×n.
func (i Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	if !(fits(m, n, k) && tall(tA, m, k, len(a), lda) && tall(tB, k, n, len(b), ldb) && tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_dgemm(rowMajor, transposes[tA], transposes[tB], C.int(m), C.int(n), C.int(k), C.double(alpha),
		(*C.double)(&a[0]), C.int(lda), (*C.double)(&b[0]), C.int(ldb), C.double(beta), (*C.double)(&c[0]), C.int(ldc))
}

// Dsymm computes C = alpha A B + beta C or alpha B A + beta C with a symmetric A.
func (i Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64,
	ldb int, beta float64, c []float64, ldc int) {
	if !(fits(m, n) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb) &&
		tall(plain, m, n, len(c), ldc)) {
		i.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_dsymm(rowMajor, sides[s], uplos[ul], C.int(m), C.int(n), C.double(alpha), (*C.double)(&a[0]),
		C.int(lda), (*C.double)(&b[0]), C.int(ldb), C.double(beta), (*C.double)(&c[0]), C.int(ldc))
}

// Dsyrk computes the triangle ul of C = alpha A Aᵀ + beta C, or of alpha Aᵀ A + beta C.
func (i Implementation) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	beta float64, c []float64, ldc int) {
	if !(fits(n, k) && triangle(ul, t) && tall(t, n, k, len(a), lda) && tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_dsyrk(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), C.double(alpha), (*C.double)(&a[0]),
		C.int(lda), C.double(beta), (*C.double)(&c[0]), C.int(ldc))
}

// Dsyr2k computes the triangle ul of C = alpha A Bᵀ + alpha B Aᵀ + beta C,
// or with the first of each pair transposed.
func (i Implementation) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	if !(fits(n, k) && triangle(ul, t) && tall(t, n, k, len(a), lda) && tall(t, n, k, len(b), ldb) &&
		tall(plain, n, n, len(c), ldc)) {
		i.Implementation.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	defer enter()()
	C.shim_cblas_dsyr2k(rowMajor, uplos[ul], transposes[t], C.int(n), C.int(k), C.double(alpha), (*C.double)(&a[0]),
		C.int(lda), (*C.double)(&b[0]), C.int(ldb), C.double(beta), (*C.double)(&c[0]), C.int(ldc))
}

// Dtrmm computes B = alpha op(A) B or alpha B op(A) with a triangular A.
func (i Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64,
	a []float64, lda int, b []float64, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_dtrmm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n), C.double(alpha),
		(*C.double)(&a[0]), C.int(lda), (*C.double)(&b[0]), C.int(ldb))
}

// Dtrsm solves op(A) X = alpha B or X op(A) = alpha B for a triangular A, and puts X in the place of B.
func (i Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64,
	a []float64, lda int, b []float64, ldb int) {
	if !(fits(m, n) && triangular(ul, tA, d) && half(s, ul, m, n, len(a), lda) && tall(plain, m, n, len(b), ldb)) {
		i.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	defer enter()()
	C.shim_cblas_dtrsm(rowMajor, sides[s], uplos[ul], transposes[tA], diags[d], C.int(m), C.int(n), C.double(alpha),
		(*C.double)(&a[0]), C.int(lda), (*C.double)(&b[0]), C.int(ldb))
}
