package dense

// Sytrd reduces the symmetric or Hermitian A[n,n], given by its lower triangle, to a tridiagonal matrix with the
// diagonal d[n] and e[n-1] beside it. The reflectors, with factors tau[n-1], are in the triangle below. uplo must be L.
func Sytrd[T Number, R Real](uplo byte, n int, a []T, d, e []R, tau []T) int {
	if uplo != 'L' {
		panic("dense: bug: Sytrd works on lower triangles")
	}
	middle, beside := make([]float64, n), make([]float64, max(n-1, 0))
	through(func(l [][]float64) { sytrd(n, l[0], middle, beside, l[1]) },
		func(l [][]complex128) { sytrd(n, l[0], middle, beside, l[1]) }, a, tau)
	narrow(d, middle)
	narrow(e, beside)
	return 0
}

func sytrd[W wide](n int, a []W, d, e []float64, tau []W) {
	full := append([]W(nil), a...)
	whole('L', n, full)
	tridiagonal(n, full, d, e, tau)
	for j := range n {
		copy(a[j*n+j:(j+1)*n], full[j*n+j:(j+1)*n])
		if j+1 < n {
			a[j*n+j+1] = of[W](e[j]) // in the place of the 1 of the reflector
		}
	}
}

// tridiagonal reduces all of a Hermitian matrix. Below the diagonal are the reflectors then.
func tridiagonal[W wide](n int, a []W, d, e []float64, tau []W) {
	for i := range n {
		if d[i] = re(a[i*n+i]); i+1 == n {
			break
		}
		v := a[i*n+i+1 : (i+1)*n]
		e[i], tau[i] = reflector(v)
		twoSided(n, i+1, v, tau[i], a)
	}
}

// Gehrd reduces A[n,n] to upper Hessenberg form, of which rows and columns outside low to high, counted from 1, are
// triangular already. The reflectors, with factors tau[n-1], are below it.
func Gehrd[T Number](n, low, high int, a, tau []T) int {
	through(func(w [][]float64) { gehrd(n, low, high, w[0], w[1]) },
		func(w [][]complex128) { gehrd(n, low, high, w[0], w[1]) }, a, tau)
	return 0
}

func gehrd[W wide](n, low, high int, a, tau []W) {
	clear(tau)
	for i := low - 1; i < high-1; i++ {
		v := a[i*n+i+1 : i*n+high]
		beta, t := reflector(v)
		tau[i] = t
		sum := make([]W, high)
		for j, x := range v {
			axpy(sum, a[(i+1+j)*n:(i+1+j)*n+high], x)
		}
		for j, x := range v {
			axpy(a[(i+1+j)*n:(i+1+j)*n+high], sum, -t*conj(x))
		}
		for j := i + 1; j < n; j++ {
			reflect(v, conj(t), a[j*n:j*n+high], high)
		}
		v[0] = of[W](beta)
	}
}
