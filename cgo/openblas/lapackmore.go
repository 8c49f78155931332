package openblas

// Gesdd finds the singular values s[min(m,n)] of each A[m,n], and with job A all singular vectors U[m,m] and VT[n,n],
// with S the first min(m,n) of each, with N none. It destroys A. There are as many matrices as there is info.
func Gesdd[T Number, R Real](job byte, m, n int, a []T, s []R, u, vt []T, info []int32) {
	k, count := min(m, n), len(info)
	ldu, ldvt := singularSizes(job, m, n, count, a, s, u, vt)
	more := []any{make([]int32, 8*k)}
	if isComplex[T]() {
		size := 7 * k
		if job != 'N' {
			size = max(5*k*k+5*k, 2*max(m, n)*k+2*k*k+k)
		}
		more = []any{make([]R, max(size, 1)), more[0]}
	}
	workedAll("gesdd", info, func(work []T, size int) []any {
		return append([]any{letter(job), m, n, parts(a, count), ld(m), parts(s, count), parts(u, count), ldu,
			parts(vt, count), ldvt, work, size}, more...)
	})
}

// Gesvd is Gesdd by another method, which is slower and has more accurate small values.
func Gesvd[T Number, R Real](job byte, m, n int, a []T, s []R, u, vt []T, info []int32) {
	count := len(info)
	ldu, ldvt := singularSizes(job, m, n, count, a, s, u, vt)
	var more []any
	if isComplex[T]() {
		more = []any{make([]R, 5*min(m, n)+1)}
	}
	workedAll("gesvd", info, func(work []T, size int) []any {
		return append([]any{letter(job), letter(job), m, n, parts(a, count), ld(m), parts(s, count), parts(u, count), ldu,
			parts(vt, count), ldvt, work, size}, more...)
	})
}

// singularSizes checks what singular vectors go into and returns the leading dimensions.
func singularSizes[T Number, R Real](job byte, m, n, count int, a []T, s []R, u, vt []T) (ldu, ldvt int) {
	holds(len(a), m*n*count)
	holds(len(s), min(m, n)*count)
	rows, columns := n, m // of VT, of U
	switch job {
	case 'N':
		return ld(m), ld(n)
	case 'S':
		rows, columns = min(m, n), min(m, n)
	}
	holds(len(u), m*columns*count)
	holds(len(vt), rows*n*count)
	return ld(m), ld(rows)
}

// GeevReal finds the eigenvalues wr + i wi of A[n,n] and, with jobs V, left and right eigenvectors as LAPACK packs
// them: the two columns of a conjugate pair are real and imaginary part. It destroys A.
func GeevReal[T Real](left, right byte, n int, a, wr, wi, vl, vr []T) int {
	holds(len(a), n*n)
	holds(min(len(wr), len(wi)), n)
	holds(min(len(vl), len(vr)), n*n)
	args := []any{letter(left), letter(right), n, a, ld(n), wr, wi, vl, ld(n), vr, ld(n)}
	return worked("geev", func(work []T, size int) []any { return append(args[:11:11], work, size) })
}

// GeevComplex finds the eigenvalues w of A[n,n] and, with jobs V, left and right eigenvectors. It destroys A.
func GeevComplex[T complex64 | complex128, R Real](left, right byte, n int, a, w, vl, vr []T) int {
	holds(len(a), n*n)
	holds(len(w), n)
	holds(min(len(vl), len(vr)), n*n)
	more := make([]R, 2*n)
	args := []any{letter(left), letter(right), n, a, ld(n), w, vl, ld(n), vr, ld(n)}
	return worked("geev", func(work []T, size int) []any { return append(args[:10:10], work, size, more) })
}

// GeesReal makes a real Schur form of A[n,n], with its eigenvalues wr + i wi and, with job V, the Schur vectors vs.
func GeesReal[T Real](job byte, n int, a, wr, wi, vs []T) int {
	holds(len(a), n*n)
	holds(min(len(wr), len(wi)), n)
	holds(len(vs), n*n)
	args := []any{letter(job), letter('N'), nil, n, a, ld(n), make([]int32, 1), wr, wi, vs, ld(n)}
	return worked("gees", func(work []T, size int) []any {
		return append(args[:11:11], work, size, make([]int32, n+1))
	})
}

// GeesComplex makes the Schur form of A[n,n], with its eigenvalues w and, with job V, the Schur vectors vs.
func GeesComplex[T complex64 | complex128, R Real](job byte, n int, a, w, vs []T) int {
	holds(len(a), n*n)
	holds(len(w), n)
	holds(len(vs), n*n)
	args := []any{letter(job), letter('N'), nil, n, a, ld(n), make([]int32, 1), w, vs, ld(n)}
	return worked("gees", func(work []T, size int) []any {
		return append(args[:10:10], work, size, make([]R, n+1), make([]int32, n+1))
	})
}

// Gehrd reduces A[n,n] to upper Hessenberg form, of which rows and columns outside low to high, counted from 1, are
// triangular already. The reflectors have factors tau[n-1].
func Gehrd[T Number](n, low, high int, a, tau []T) int {
	holds(len(a), n*n)
	holds(len(tau), n-1)
	return worked("gehrd", func(work []T, size int) []any { return []any{n, low, high, a, ld(n), tau, work, size} })
}

// Sytrd reduces the symmetric or Hermitian A[n,n], given by its triangle uplo, to a tridiagonal matrix with the
// diagonal d[n] and e[n-1] beside it. The reflectors have factors tau[n-1].
func Sytrd[T Number, R Real](uplo byte, n int, a []T, d, e []R, tau []T) int {
	holds(len(a), n*n)
	holds(len(d), n)
	holds(min(len(e), len(tau)), n-1)
	return worked("sytrd", func(work []T, size int) []any {
		return []any{letter(uplo), n, a, ld(n), d, e, tau, work, size}
	})
}

// Gtsv solves a tridiagonal system of n unknowns and k right-hand sides B[n,k] by elimination, which leaves the factors
// in dl[n-1], d[n] and du[n-1].
func Gtsv[T Number](n, k int, dl, d, du, b []T) int {
	holds(min(len(dl), len(du)), n-1)
	holds(len(d), n)
	holds(len(b), n*k)
	return routine[T]("gtsv", n, k, dl, d, du, b, ld(n))
}
