package kernel

import (
	"math"
	"math/cmplx"

	"github.com/halo-xla/halo/xla/cholesky"
	"github.com/halo-xla/halo/xla/shape"
)

// leastShared is the size of matrices that all threads factor together; of smaller ones each takes some.
const leastShared = 128

// Cholesky factors a batch of n by n matrices of floats or complex numbers of type t from src to dst, which may be the
// same: a = l l^H, or a = u^H u if not lower. One triangle of src is read, the other of dst is zero. A matrix that is
// not positive definite gives NaN. Sums are taken wide and in the order of columns.
func Cholesky(parallel Parallel, dst, src []byte, t shape.ElementType, n int64, lower bool) {
	if t.IsComplex() {
		choleskyAll[complex128](parallel, dst, src, t, int(n), lower)
	} else {
		choleskyAll[float64](parallel, dst, src, t, int(n), lower)
	}
}

func choleskyAll[T wide](parallel Parallel, dst, src []byte, t shape.ElementType, n int, lower bool) {
	size := n * n * t.Bytes()
	if size == 0 {
		return
	}
	one := func(i int64, p Parallel) {
		at := int(i) * size
		a := make([]T, n*n)
		load(a, src[at:at+size], t)
		if !lower {
			transpose(a, n)
		}
		finish(a, n, cholesky.Factor(p, n, a) == 0, lower)
		store(dst[at:at+size], a, t)
	}
	batch := int64(len(src) / size)
	if n < leastShared {
		perTask := max(1, 1<<15/int64(n*n*n))
		parallel(ceilDiv(batch, perTask), func(task int64) {
			for i := task * perTask; i < min((task+1)*perTask, batch); i++ {
				one(i, Serial)
			}
		})
		return
	}
	for i := range batch {
		one(i, parallel)
	}
}

// transpose replaces the n by n matrix a by its conjugate transpose.
func transpose[T wide](a []T, n int) {
	for i := range n {
		a[i*n+i] = conj(a[i*n+i])
		for j := range i {
			a[i*n+j], a[j*n+i] = conj(a[j*n+i]), conj(a[i*n+j])
		}
	}
}

func conj[T wide](v T) T {
	if c, ok := any(v).(complex128); ok {
		return any(cmplx.Conj(c)).(T)
	}
	return v
}

// finish makes of the factor in a's lower triangle what is asked for.
func finish[T wide](a []T, n int, ok, lower bool) {
	if !ok {
		for i := range a {
			a[i] = notANumber[T]()
		}
		return
	}
	for i := range n {
		clear(a[i*n+i+1 : (i+1)*n])
	}
	if !lower {
		transpose(a, n)
	}
}

func notANumber[T wide]() T {
	var v T
	switch p := any(&v).(type) {
	case *float64:
		*p = math.NaN()
	case *complex128:
		*p = complex(math.NaN(), math.NaN())
	}
	return v
}
