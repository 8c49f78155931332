package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/xla/shape"
)

// linalgTypes are element types with the unit roundoff of their results.
var linalgTypes = []struct {
	t    shape.ElementType
	unit float64
}{
	{shape.F64, 0x1p-53}, {shape.F32, 0x1p-24}, {shape.F16, 0x1p-11}, {shape.BF16, 0x1p-8},
	{shape.C128, 0x1p-53}, {shape.C64, 0x1p-24},
}

// matrices returns count random n by m matrices, rounded to t, and their bytes.
func matrices(r *rand.Rand, t shape.ElementType, count, n, m int) ([]complex128, []byte) {
	v := make([]complex128, count*n*m)
	for i := range v {
		v[i] = complex(r.NormFloat64(), 0)
		if t.IsComplex() {
			v[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
	}
	return rounded(v, t)
}

// rounded returns v rounded to t, and its bytes.
func rounded(v []complex128, t shape.ElementType) ([]complex128, []byte) {
	b := make([]byte, len(v)*t.Bytes())
	if t.IsComplex() {
		store(b, v, t)
		load(v, b, t)
		return v, b
	}
	re := make([]float64, len(v))
	for i := range v {
		re[i] = real(v[i])
	}
	store(b, re, t)
	return widened(b, t), b
}

func widened(b []byte, t shape.ElementType) []complex128 {
	v := make([]complex128, len(b)/t.Bytes())
	if t.IsComplex() {
		load(v, b, t)
		return v
	}
	re := make([]float64, len(v))
	load(re, b, t)
	for i := range v {
		v[i] = complex(re[i], 0)
	}
	return v
}

// The residual of a factor is small: |a - l l^H| <= c n u sum |l| |l^H|, element by element.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, tc := range linalgTypes {
		for _, n := range []int{1, 2, 5, 63, 64, 65, 130, 200} {
			batch := 3
			x, _ := matrices(r, tc.t, batch, n, n)
			a := make([]complex128, len(x))
			for m := range batch {
				gram(a[m*n*n:(m+1)*n*n], x[m*n*n:(m+1)*n*n], n)
			}
			a, src := rounded(a, tc.t)
			for _, lower := range []bool{true, false} {
				var want []byte
				for _, threads := range []int64{1, 2, 3, 7} {
					dst := make([]byte, len(src))
					Cholesky(goroutines(threads), dst, src, tc.t, int64(n), lower)
					if want == nil {
						want = dst
					} else if !bytes.Equal(dst, want) {
						t.Errorf("%v, n = %d: other bits with %d threads", tc.t, n, threads)
					}
				}
				l := widened(want, tc.t)
				for m := range batch {
					checkFactor(t, fmt.Sprintf("%v[%d,%d] lower=%v", tc.t, n, n, lower), l[m*n*n:], a[m*n*n:], n, lower, tc.unit)
				}
			}
		}
	}
}

// gram sets a to x x^H + n, which is positive definite.
func gram(a, x []complex128, n int) {
	for i := range n {
		for j := range n {
			for k := range n {
				a[i*n+j] += x[i*n+k] * cmplx.Conj(x[j*n+k])
			}
		}
		a[i*n+i] += complex(float64(n), 0)
	}
}

func checkFactor(t *testing.T, name string, l, a []complex128, n int, lower bool, unit float64) {
	t.Helper()
	at := func(i, k int) complex128 { return l[i*n+k] }
	if !lower {
		at = func(i, k int) complex128 { return cmplx.Conj(l[k*n+i]) }
	}
	for i := range n {
		for j := range i + 1 {
			if i != j && at(j, i) != 0 {
				t.Fatalf("%s: element %d,%d is %v, want 0", name, j, i, at(j, i))
			}
			sum, absolute := complex128(0), 0.0
			for k := range j + 1 {
				p := at(i, k) * cmplx.Conj(at(j, k))
				sum, absolute = sum+p, absolute+cmplx.Abs(p)
			}
			want := a[i*n+j]
			if !lower {
				want = cmplx.Conj(a[j*n+i])
			}
			if d := cmplx.Abs(sum - want); !(d <= 4*float64(n+1)*unit*(absolute+cmplx.Abs(want))) {
				t.Fatalf("%s: product at %d,%d is %v, want %v", name, i, j, sum, want)
			}
		}
	}
}

func TestCholeskyNotPositive(t *testing.T) {
	for _, n := range []int{3, 150} {
		a := make([]float64, 2*n*n)
		for i := range n {
			a[i*n+i], a[n*n+i*n+i] = 4, 9
		}
		a[n*n-1] = -1 // the last of the first matrix
		Cholesky(Serial, asBytes(a), asBytes(a), shape.F64, int64(n), true)
		if !math.IsNaN(a[0]) || !math.IsNaN(a[n*n-1]) || !math.IsNaN(a[1]) {
			t.Errorf("n = %d: got %v, want NaN", n, a[:n])
		}
		if a[n*n] != 3 || a[n*n+1] != 0 || a[2*n*n-1] != 3 {
			t.Errorf("n = %d, the next of the batch: got %v..., want 3, 0", n, a[n*n:n*n+2])
		}
	}
}

func TestTriangularSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, tc := range linalgTypes {
		for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 4}, {40, 9}, {70, 70}} {
			m, k, batch := size[0], size[1], 2
			a, _ := matrices(r, tc.t, batch, m, m)
			for i := range a { // so that no solution grows large, with a diagonal of ones either
				a[i] /= complex(float64(m), 0)
			}
			for i := range batch * m {
				a[i*m+i%m] += 2
			}
			a, aBytes := rounded(a, tc.t)
			b, bBytes := matrices(r, tc.t, batch, m, k)
			for flags := range 32 {
				s := Solve{M: int64(m), K: int64(k), Left: flags&1 != 0, Lower: flags&2 != 0, Unit: flags&4 != 0,
					Transposed: flags&8 != 0, Adjoined: flags&24 == 24}
				x := bytes.Clone(bBytes)
				TriangularSolve(Serial, x, aBytes, x, tc.t, s)
				again := make([]byte, len(x))
				TriangularSolve(goroutines(3), again, aBytes, bBytes, tc.t, s)
				if !bytes.Equal(x, again) {
					t.Errorf("%v %+v: other bits with 3 threads", tc.t, s)
				}
				for i := range batch {
					checkSolution(t, tc.t, s, a[i*m*m:], widened(x, tc.t)[i*m*k:], b[i*m*k:], tc.unit)
				}
			}
		}
	}
}

// checkSolution fails unless the residual is small: |b - op(a) x| <= c m u |op(a)| |x|.
func checkSolution(t *testing.T, e shape.ElementType, s Solve, a, x, b []complex128, unit float64) {
	t.Helper()
	m := int(s.M)
	op := func(i, j int) complex128 { // the matrix of the left form
		if s.flip() {
			i, j = j, i
		}
		v := a[i*m+j]
		switch {
		case i == j && s.Unit:
			v = 1
		case i < j && s.Lower, i > j && !s.Lower:
			v = 0
		}
		if s.Adjoined {
			v = cmplx.Conj(v)
		}
		return v
	}
	unknown, side := s.steps()
	for r := range int(s.K) {
		for i := range m {
			sum, absolute := complex128(0), 0.0
			for j := range m {
				p := op(i, j) * x[j*int(unknown)+r*int(side)]
				sum, absolute = sum+p, absolute+cmplx.Abs(p)
			}
			want := b[i*int(unknown)+r*int(side)]
			if d := cmplx.Abs(sum - want); !(d <= 4*float64(m+1)*unit*(absolute+cmplx.Abs(want))) {
				t.Fatalf("%v %+v, side %d, row %d: op(a) x is %v, want %v", e, s, r, i, sum, want)
			}
		}
	}
}
