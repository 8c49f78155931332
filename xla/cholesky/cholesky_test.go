package cholesky_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/halo-xla/halo/xla/cholesky"
)

var sizes = []int{0, 1, 2, 5, 63, 64, 65, 130, 200}

// goroutines runs each task in one of its own.
func goroutines(n int64, f func(i int64)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// definition is the factor as it is defined, each sum in the order of columns and its products rounded.
func definition(n int, a []complex128) {
	for i := range n {
		for j := range i + 1 {
			re, im := 0.0, 0.0
			for k := range j {
				x, y := a[i*n+k], a[j*n+k]
				re += float64(real(x)*real(y)) + float64(imag(x)*imag(y))
				im += float64(imag(x)*real(y)) - float64(real(x)*imag(y))
			}
			re, im = real(a[i*n+j])-re, imag(a[i*n+j])-im
			if i == j {
				a[i*n+j] = complex(math.Sqrt(re), 0)
			} else {
				a[i*n+j] = complex(re/real(a[j*n+j]), im/real(a[j*n+j]))
			}
		}
	}
}

// positive is a random Hermitian matrix whose diagonal is large, with NaN above it.
func positive(r *rand.Rand, n int, isComplex bool) []complex128 {
	a := make([]complex128, n*n)
	for i := range a {
		switch row, column := i/n, i%n; {
		case column > row:
			a[i] = cmplx.NaN()
		case column == row:
			a[i] = complex(float64(n)+r.Float64(), 0)
		case isComplex:
			a[i] = complex(r.Float64()-0.5, r.Float64()-0.5)
		default:
			a[i] = complex(r.Float64()-0.5, 0)
		}
	}
	return a
}

func reals(c []complex128) []float64 {
	list := make([]float64, len(c))
	for i, x := range c {
		list[i] = real(x)
	}
	return list
}

// Every bit is the definition's, and what is above the diagonal stays.
func TestFactor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	same := func(x, y complex128) bool { return x == y || cmplx.IsNaN(x) && cmplx.IsNaN(y) }
	for _, n := range sizes {
		for _, isComplex := range []bool{false, true} {
			want := positive(r, n, isComplex)
			got, info := slices.Clone(want), 0
			if list := reals(got); isComplex {
				info = cholesky.Factor(goroutines, n, got)
			} else {
				info = cholesky.Factor(goroutines, n, list)
				for i, x := range list {
					got[i] = complex(x, imag(got[i]))
				}
			}
			definition(n, want)
			if info != 0 || !slices.EqualFunc(got, want, same) {
				t.Errorf("n = %d, complex %v: info is %d, or a bit differs", n, isComplex, info)
			}
		}
	}
}

// A factor of small whole numbers is found again from its product, exactly.
func TestFactorExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range sizes {
		want, a := make([]complex128, n*n), make([]complex128, n*n)
		for i := range n {
			for j := range i {
				want[i*n+j] = complex(float64(r.IntN(7)-3), float64(r.IntN(7)-3))
			}
			want[i*n+i] = complex(float64(1+r.IntN(4)), 0)
			for j := range i + 1 {
				for k := range j + 1 {
					a[i*n+j] += want[i*n+k] * cmplx.Conj(want[j*n+k])
				}
			}
		}
		if info := cholesky.Factor(goroutines, n, a); info != 0 || !slices.Equal(a, want) {
			t.Errorf("n = %d: info is %d, or an element differs", n, info)
		}
	}
}

func TestFactorNotPositive(t *testing.T) {
	for _, bad := range []float64{0, -1, math.NaN()} {
		for _, row := range []int{0, 3, 64, 129} {
			const n = 130
			a, c := make([]float64, n*n), make([]complex128, n*n)
			for i := range n {
				a[i*n+i], c[i*n+i] = 1, 1
			}
			a[row*n+row], c[row*n+row] = bad, complex(bad, 0)
			if got := cholesky.Factor(goroutines, n, a); got != row+1 {
				t.Errorf("%v in row %d: info is %d", bad, row, got)
			}
			if got := cholesky.Factor(goroutines, n, c); got != row+1 {
				t.Errorf("%v in row %d, complex: info is %d", bad, row, got)
			}
		}
	}
}

func ExampleFactor() {
	serial := func(n int64, f func(i int64)) {
		for i := range n {
			f(i)
		}
	}
	a := []float64{4, 0, 2, 5} // rows; what is above the diagonal is not looked at
	info := cholesky.Factor(serial, 2, a)
	fmt.Println(a, info)
	// Output: [2 0 1 2] 0
}
