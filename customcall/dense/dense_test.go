package dense_test

import (
	"math"
	"math/rand/v2"
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
