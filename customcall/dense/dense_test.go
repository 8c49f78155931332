package dense_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/halo-xla/halo/customcall/dense"
)

// columns returns a matrix column by column.
func columns(a mat.Matrix) []float64 {
	m, n := a.Dims()
	var list []float64
	for j := range n {
		for i := range m {
			list = append(list, a.At(i, j))
		}
	}
	return list
}

func random(r *rand.Rand, m, n int) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			a.Set(i, j, r.NormFloat64())
		}
	}
	return a
}

func near(t *testing.T, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s: number %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}

// Eigenvalues and singular values are gonum's, also where they are equal, or 0.
func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	full := random(r, 9, 9)
	var low mat.Dense
	low.Mul(random(r, 9, 2), random(r, 2, 9))
	same := mat.NewDiagDense(9, []float64{2, 2, 2, 1, 1, 0, 0, -3, -3})
	for _, a := range []mat.Matrix{full, &low, same, mat.NewDense(9, 9, nil), mat.NewDense(1, 1, []float64{-2})} {
		n, _ := a.Dims()
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDNone) {
			t.Fatal("gonum does not find the singular values")
		}
		s := make([]float64, n)
		if info := dense.Gesdd('N', n, n, columns(a), s, nil, nil); info != 0 {
			t.Errorf("Gesdd: info is %d", info)
		}
		near(t, "singular values", s, svd.Values(nil), 1e-13*float64(n))
		symmetric := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				symmetric.SetSym(i, j, a.At(i, j))
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(symmetric, false) {
			t.Fatal("gonum does not find the eigenvalues")
		}
		for _, uplo := range []byte("LU") {
			w := make([]float64, n)
			if info := dense.Syevd('N', uplo, n, columns(symmetric), w); info != 0 {
				t.Errorf("Syevd: info is %d", info)
			}
			near(t, "eigenvalues", w, eigen.Values(nil), 1e-13*float64(n))
		}
	}
}

// Factors are unique: gonum's are the same.
func TestFactors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 8
	a := random(r, n, n)
	var square mat.Dense
	square.Mul(a, a.T())
	var cholesky mat.Cholesky
	if !cholesky.Factorize(mat.NewSymDense(n, square.RawMatrix().Data)) {
		t.Fatal("gonum does not factor")
	}
	var upper mat.TriDense
	cholesky.UTo(&upper)
	got := columns(&square)
	if info := dense.Potrf('U', n, got); info != 0 {
		t.Errorf("Potrf: info is %d", info)
	}
	for j := range n {
		near(t, "U", got[j*n:j*n+j+1], columns(&upper)[j*n:j*n+j+1], 1e-12)
	}
	var lu mat.LU
	lu.Factorize(a)
	var l, u mat.TriDense
	lu.LTo(&l)
	lu.UTo(&u)
	got = columns(a)
	if info := dense.Getrf(n, n, got, make([]int32, n)); info != 0 {
		t.Errorf("Getrf: info is %d", info)
	}
	for j := range n {
		near(t, "U", got[j*n:j*n+j+1], columns(&u)[j*n:j*n+j+1], 1e-12)
		near(t, "L", got[j*n+j+1:(j+1)*n], columns(&l)[j*n+j+1:(j+1)*n], 1e-12)
	}
	var qr mat.QR
	qr.Factorize(a)
	var rr mat.Dense
	qr.RTo(&rr)
	got, tau := columns(a), make([]float64, n)
	dense.Geqrf(n, n, got, tau)
	for j := range n {
		near(t, "R", got[j*n:j*n+j+1], columns(&rr)[j*n:j*n+j+1], 1e-12)
	}
}

// The two triangles of a Cholesky factor are adjoint, to the bit, their product is the matrix, and the triangle that is
// not factored stays as it is; a matrix that is not positive is told by its first such column.
func TestPotrf(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 7, 64, 65, 131} {
		a := hermitian(r, n)
		lower, upper := slices.Clone(a), slices.Clone(a)
		if i, k := dense.Potrf('L', n, lower), dense.Potrf('U', n, upper); i != 0 || k != 0 {
			t.Fatalf("n = %d: infos are %d and %d", n, i, k)
		}
		for j := range n {
			for i := range n {
				low, up, was := lower[j*n+i], upper[i*n+j], a[j*n+i]
				if i < j && (low != was || upper[i*n+j] != a[i*n+j]) {
					t.Fatalf("n = %d: the other triangle was changed at %d,%d", n, i, j)
				}
				if i < j {
					continue
				}
				if low != cmplx.Conj(up) {
					t.Fatalf("n = %d, at %d,%d: the lower factor has %v, the upper %v", n, i, j, low, up)
				}
				for k := range j + 1 {
					was -= lower[k*n+i] * cmplx.Conj(lower[k*n+j])
				}
				if !(cmplx.Abs(was) <= 1e-12*float64(n)) {
					t.Errorf("n = %d, at %d,%d: the product is %v off", n, i, j, was)
				}
			}
		}
		for _, uplo := range []byte("LU") {
			bad := slices.Clone(a)
			bad[n*n-1] = -1
			if info := dense.Potrf(uplo, n, bad); info != n {
				t.Errorf("n = %d, %c, the last element is below 0: info is %d", n, uplo, info)
			}
		}
	}
}

// hermitian returns a positive definite matrix.
func hermitian(r *rand.Rand, n int) []complex128 {
	x, a := make([]complex128, n*n), make([]complex128, n*n)
	for i := range x {
		x[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	for j := range n {
		for i := j; i < n; i++ {
			for k := range n {
				a[j*n+i] += x[k*n+i] * cmplx.Conj(x[k*n+j])
			}
			if i == j {
				a[j*n+i] = complex(real(a[j*n+i])+1, 0)
			}
			a[i*n+j] = cmplx.Conj(a[j*n+i])
		}
	}
	return a
}

// Nothing is wrong with matrices that have no elements.
func TestEmpty(t *testing.T) {
	var none []complex64
	for what, info := range map[string]int{
		"Potrf": dense.Potrf('L', 0, none),
		"Getrf": dense.Getrf(0, 3, none, nil),
		"Geqrf": dense.Geqrf(0, 0, none, none),
		"Syevd": dense.Syevd('V', 'L', 0, none, []float32{}),
		"Gtsv":  dense.Gtsv(0, 2, none, none, none, none),
	} {
		if info != 0 {
			t.Errorf("%s: info is %d, want 0", what, info)
		}
	}
}
