package dense

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
)

// implementation iterates on real matrices of two diagonals.
var implementation gonum.Implementation

// Syevd finds the eigenvalues w[n] of the symmetric or Hermitian A[n,n], given by its triangle uplo, and with job V its
// eigenvectors, which replace A. info is not 0 if they are not found.
func Syevd[T Number, R Real](job, uplo byte, n int, a []T, w []R) (info int) {
	values := make([]float64, n)
	through(func(l [][]float64) { info = syevd(job, uplo, n, l[0], values) },
		func(l [][]complex128) { info = syevd(job, uplo, n, l[0], values) }, a)
	narrow(w, values)
	return info
}

// syevd reduces A to a real tridiagonal matrix by reflectors, whose eigenvectors they take back.
func syevd[W wide](job, uplo byte, n int, a []W, w []float64) int {
	if n == 0 {
		return 0
	}
	whole(uplo, n, a)
	beside, tau := make([]float64, max(n-1, 0)), make([]W, max(n-1, 0))
	tridiagonal(n, a, w, beside, tau)
	if job == 'N' {
		return notOK(implementation.Dsterf(n, w, beside))
	}
	z := make([]float64, n*n)
	if !implementation.Dsteqr(lapack.EVTridiag, n, w, beside, z, n, make([]float64, max(1, 2*n-2))) {
		return n
	}
	q := columnsOf[W](z, n, n, n)
	for i := n - 2; i >= 0; i-- {
		reflect(a[i*n+i+1:(i+1)*n], tau[i], q, n)
	}
	copy(a, q)
	return 0
}

func notOK(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// whole writes the other triangle of a Hermitian matrix.
func whole[W wide](uplo byte, n int, a []W) {
	for j := range n {
		a[j*n+j] = of[W](re(a[j*n+j]))
		for i := j + 1; i < n; i++ {
			if uplo == 'L' {
				a[i*n+j] = conj(a[j*n+i])
			} else {
				a[j*n+i] = conj(a[i*n+j])
			}
		}
	}
}

// twoSided replaces A, from row and column first on, by Hᴴ A H with H = I - tau v vᴴ.
func twoSided[W wide](n, first int, v []W, tau W, a []W) {
	if tau == 0 {
		return
	}
	y := make([]W, len(v))
	for j, x := range v {
		axpy(y, a[(first+j)*n+first:(first+j+1)*n], x)
	}
	half := conj(tau) * tau * dot(v, y) / 2
	for i := range y {
		y[i] = tau*y[i] - half*v[i]
	}
	for j := range v {
		column := a[(first+j)*n+first : (first+j+1)*n]
		axpy(column, v, -conj(y[j]))
		axpy(column, y, -conj(v[j]))
	}
}

// columnsOf makes a column-major matrix of m rows, with z, k by k in rows, in its corner, and with its first columns of
// the identity where z has none.
func columnsOf[W wide](z []float64, k, m, n int) []W {
	a := make([]W, m*n)
	for j := range n {
		if j >= k {
			a[j*m+j] = 1
			continue
		}
		for i := range k {
			a[j*m+i] = of[W](z[i*k+j])
		}
	}
	return a
}

// Gesdd finds the singular values s[min(m,n)] of A[m,n], and with job A all singular vectors U[m,m] and VT[n,n], with S
// the first min(m,n) of each, with N none. It destroys A. info is not 0 if they are not found.
func Gesdd[T Number, R Real](job byte, m, n int, a []T, s []R, u, vt []T) (info int) {
	values := make([]float64, min(m, n))
	through(func(l [][]float64) { info = gesdd(job, m, n, l[0], values, l[1], l[2]) },
		func(l [][]complex128) { info = gesdd(job, m, n, l[0], values, l[1], l[2]) }, a, u, vt)
	narrow(s, values)
	return info
}

// gesdd reduces A to a real bidiagonal matrix by reflectors from both sides. A matrix with more columns than rows is
// done by its adjoint.
func gesdd[W wide](job byte, m, n int, a []W, s []float64, u, vt []W) int {
	if min(m, n) == 0 {
		return 0
	}
	if m < n {
		rows := m
		if job == 'A' {
			rows = n
		}
		left, right := make([]W, n*rows), make([]W, m*m)
		info := gesdd(job, n, m, adjoint(a, m, n), s, left, right)
		if job != 'N' {
			copy(u, adjoint(right, m, m))
			copy(vt, adjoint(left, n, rows))
		}
		return info
	}
	beside := make([]float64, max(n-1, 0))
	tau, rows, rowTau := bidiagonal(m, n, a, s, beside)
	if job == 'N' {
		return notOK(implementation.Dbdsqr(blas.Upper, n, 0, 0, 0, s, beside, nil, 1, nil, 1, nil, 1,
			make([]float64, 4*n)))
	}
	left, right := unit(n), unit(n)
	if !implementation.Dbdsqr(blas.Upper, n, n, n, 0, s, beside, right, n, left, n, nil, 1, make([]float64, 4*n)) {
		return 1
	}
	columns := n
	if job == 'A' {
		columns = m
	}
	q := columnsOf[W](left, n, m, columns)
	product(m, n, a, tau, q)
	copy(u, q)
	p := adjoint(columnsOf[W](right, n, n, n), n, n)
	for i := len(rows) - 1; i >= 0; i-- {
		reflect(rows[i], rowTau[i], p, n)
	}
	copy(vt, adjoint(p, n, n))
	return 0
}

func unit(n int) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 1
	}
	return a
}

// bidiagonal reduces A[m,n], m >= n, to the diagonal d and beside, above it. The reflectors from the left are in A,
// with factors tau, those from the right in rows.
func bidiagonal[W wide](m, n int, a []W, d, beside []float64) (tau []W, rows [][]W, rowTau []W) {
	tau = make([]W, n)
	for i := range n {
		v := a[i*m+i : (i+1)*m]
		var t W
		d[i], t = reflector(v)
		tau[i] = t
		reflect(v, conj(t), a[(i+1)*m:n*m], m)
		if i+1 == n {
			break
		}
		row := make([]W, n-i-1)
		for j := range row {
			row[j] = conj(a[(i+1+j)*m+i])
		}
		beside[i], t = reflector(row)
		sum := make([]W, m-i)
		for j, x := range row {
			axpy(sum, a[(i+1+j)*m+i:(i+2+j)*m], x)
		}
		for j, x := range row {
			axpy(a[(i+1+j)*m+i:(i+2+j)*m], sum, -t*conj(x))
		}
		rows, rowTau = append(rows, row), append(rowTau, t)
	}
	return tau, rows, rowTau
}
