package dense

import "github.com/halo-xla/halo/xla/cholesky"

// Potrf factors the triangle uplo of A[n,n]; info is the first column that is not positive, from 1.
func Potrf[T Number](uplo byte, n int, a []T) (info int) {
	through(func(w [][]float64) { info = potrf(uplo, n, w[0]) }, func(w [][]complex128) { info = potrf(uplo, n, w[0]) }, a)
	return info
}

// potrf works on U's columns, which are the rows of the conjugate of A's lower factor, or on a copy of L by rows.
func potrf[W wide](uplo byte, n int, a []W) (info int) {
	if uplo == 'U' {
		return cholesky.Factor(serial, n, a)
	}
	rows := make([]W, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			rows[i*n+j] = a[j*n+i]
		}
	}
	info = cholesky.Factor(serial, n, rows)
	for j := range n {
		for i := j; i < n; i++ {
			a[j*n+i] = rows[i*n+j]
		}
	}
	return info
}

// serial runs f for 0 to n-1, one after another.
func serial(n int64, f func(i int64)) {
	for i := range n {
		f(i)
	}
}

// Getrf factors A[m,n] = P L U; pivots[min(m,n)] count rows from 1, info is the first pivot that is 0, from 1.
func Getrf[T Number](m, n int, a []T, pivots []int32) (info int) {
	through(func(w [][]float64) { info = getrf(m, n, w[0], pivots) },
		func(w [][]complex128) { info = getrf(m, n, w[0], pivots) }, a)
	return info
}

func getrf[W wide](m, n int, a []W, pivots []int32) (info int) {
	for j := range min(m, n) {
		column := a[j*m : (j+1)*m]
		best := j
		for i := j + 1; i < m; i++ {
			if size(column[i]) > size(column[best]) {
				best = i
			}
		}
		pivots[j] = int32(best + 1)
		if column[best] == 0 {
			if info == 0 {
				info = j + 1
			}
			continue
		}
		for at := 0; at < n*m && best != j; at += m {
			a[at+j], a[at+best] = a[at+best], a[at+j]
		}
		for i := j + 1; i < m; i++ {
			column[i] /= column[j]
		}
		for at := (j + 1) * m; at < n*m; at += m {
			axpy(a[at+j+1:at+m], column[j+1:], -a[at+j])
		}
	}
	return info
}

// Geqrf factors A[m,n] = Q R, Q as reflectors with factors tau[min(m,n)].
func Geqrf[T Number](m, n int, a, tau []T) int {
	through(func(w [][]float64) { geqrf(m, n, w[0], w[1]) }, func(w [][]complex128) { geqrf(m, n, w[0], w[1]) }, a, tau)
	return 0
}

func geqrf[W wide](m, n int, a, tau []W) {
	for j := range min(m, n) {
		v := a[j*m+j : (j+1)*m]
		beta, t := reflector(v)
		tau[j] = t
		reflect(v, conj(t), a[(j+1)*m:n*m], m)
		v[0] = of[W](beta)
	}
}

// Orgqr makes the first n columns of the product of k reflectors in A[m,n].
func Orgqr[T Number](m, n, k int, a, tau []T) int {
	through(func(w [][]float64) { orgqr(m, n, k, w[0], w[1]) },
		func(w [][]complex128) { orgqr(m, n, k, w[0], w[1]) }, a, tau)
	return 0
}

func orgqr[W wide](m, n, k int, a, tau []W) {
	q := make([]W, m*n)
	for j := range n {
		q[j*m+j] = 1
	}
	v := make([]W, m)
	for j := k - 1; j >= 0; j-- {
		copy(v[j:], a[j*m+j:(j+1)*m])
		v[j] = 1
		reflect(v[j:], tau[j], q[j*m:], m) // columns before have nothing in these rows yet
	}
	copy(a, q)
}

// product multiplies C, of m rows, by the first k reflectors of A[m,*] from the left.
func product[W wide](m, k int, a, tau, c []W) {
	v := make([]W, m)
	for j := k - 1; j >= 0; j-- {
		copy(v[j:], a[j*m+j:(j+1)*m])
		v[j] = 1
		reflect(v[j:], tau[j], c, m)
	}
}

// Ormqr multiplies C[m,n] by the product of the k reflectors in A, or by its adjoint if trans is not N.
func Ormqr[T Number](side, trans byte, m, n, k int, a, tau, c []T) int {
	through(func(w [][]float64) { ormqr(side, trans, m, n, k, w[0], w[1], w[2]) },
		func(w [][]complex128) { ormqr(side, trans, m, n, k, w[0], w[1], w[2]) }, a, tau, c)
	return 0
}

// ormqr on the right is the adjoint of ormqr of the adjoint on the left.
func ormqr[W wide](side, trans byte, m, n, k int, a, tau, c []W) {
	if side == 'R' {
		turned := adjoint(c, m, n)
		other := byte('N')
		if trans == 'N' {
			other = 'C'
		}
		ormqr('L', other, n, m, k, a, tau, turned)
		copy(c, adjoint(turned, n, m))
		return
	}
	if trans == 'N' {
		product(m, k, a, tau, c)
		return
	}
	v := make([]W, m)
	for j := range k {
		copy(v[j:], a[j*m+j:(j+1)*m])
		v[j] = 1
		reflect(v[j:], conj(tau[j]), c, m)
	}
}

// adjoint returns the adjoint of A[m,n].
func adjoint[W wide](a []W, m, n int) []W {
	b := make([]W, n*m)
	for j := range n {
		for i := range m {
			b[i*n+j] = conj(a[j*m+i])
		}
	}
	return b
}

// Gtsv solves a tridiagonal system of n unknowns and k right-hand sides B[n,k] by elimination with exchanges; info is
// the first pivot that is 0, from 1.
func Gtsv[T Number](n, k int, dl, d, du, b []T) (info int) {
	through(func(w [][]float64) { info = gtsv(n, k, w[0], w[1], w[2], w[3]) },
		func(w [][]complex128) { info = gtsv(n, k, w[0], w[1], w[2], w[3]) }, dl, d, du, b)
	return info
}

func gtsv[W wide](n, k int, dl, d, du, b []W) int {
	for i := range n - 1 {
		switch {
		case dl[i] == 0:
			if d[i] == 0 {
				return i + 1
			}
		case size(d[i]) >= size(dl[i]):
			by := dl[i] / d[i]
			d[i+1] -= by * du[i]
			for at := i; at < n*k; at += n {
				b[at+1] -= by * b[at]
			}
			dl[i] = 0
		default:
			exchange(i, n, k, dl, d, du, b)
		}
	}
	if n > 0 && d[n-1] == 0 {
		return n
	}
	for at := 0; at < n*k; at += n {
		for x, i := b[at:at+n], n-1; i >= 0; i-- {
			if i+1 < n {
				x[i] -= du[i] * x[i+1]
			}
			if i+2 < n {
				x[i] -= dl[i] * x[i+2]
			}
			x[i] /= d[i]
		}
	}
	return 0
}

// exchange eliminates below row i with rows i and i+1 exchanged; dl[i] becomes the second element beside the diagonal.
func exchange[W wide](i, n, k int, dl, d, du, b []W) {
	by, next := d[i]/dl[i], d[i+1]
	d[i], d[i+1], dl[i] = dl[i], du[i]-by*next, 0
	if i+2 < n {
		dl[i] = du[i+1]
		du[i+1] *= -by
	}
	du[i] = next
	for at := i; at < n*k; at += n {
		b[at], b[at+1] = b[at+1], b[at]-by*b[at+1]
	}
}
