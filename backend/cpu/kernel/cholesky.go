package kernel

import (
	"math"
	"math/cmplx"

	"github.com/halo-xla/halo/xla/shape"
)

// choleskyBlock is the columns that are factored before the rows below use them.
const choleskyBlock = 64

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
		finish(a, n, factor(p, a, n), lower)
		store(dst[at:at+size], a, t)
	}
	batch := int64(len(src) / size)
	if n < 2*choleskyBlock {
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

// root is the square root of v's real part, and whether that is positive.
func root[T wide](v T) (T, bool) {
	switch p := any(&v).(type) {
	case *float64:
		ok := *p > 0
		*p = math.Sqrt(*p)
		return v, ok
	case *complex128:
		ok := real(*p) > 0
		*p = complex(math.Sqrt(real(*p)), 0)
		return v, ok
	}
	return v, false
}

// factor puts the lower factor in the lower triangle of a, column block by column block. It reports whether a is
// positive definite.
func factor[T wide](parallel Parallel, a []T, n int) bool {
	for first := 0; first < n; first += choleskyBlock {
		end := min(first+choleskyBlock, n)
		for i := first; i < end; i++ {
			eliminate(a, n, i, first, i)
			s, ok := root(a[i*n+i] - dotConj(a[i*n:i*n+i], a[i*n:i*n+i]))
			if !ok {
				return false
			}
			a[i*n+i] = s
		}
		rows := int64(max(1, 1<<14/(choleskyBlock*end)))
		below := int64(n - end)
		parallel(ceilDiv(below, rows), func(task int64) {
			for i := task * rows; i < min((task+1)*rows, below); i++ {
				eliminate(a, n, end+int(i), first, end)
			}
		})
	}
	return true
}

// eliminate computes the factor's row i in the columns from first to end, which are at most i.
func eliminate[T wide](a []T, n, i, first, end int) {
	row := a[i*n : i*n+end]
	known := row[:first]
	j := first
	for ; j+4 <= end; j += 4 { // four sums at a time; each in the order of columns
		s := dotConj4(known, a[j*n:], a[(j+1)*n:], a[(j+2)*n:], a[(j+3)*n:])
		for k := range s {
			l := a[(j+k)*n : (j+k+1)*n]
			addDotConj(&s[k], row[first:j+k], l[first:])
			row[j+k] = (row[j+k] - s[k]) / l[j+k]
		}
	}
	for ; j < end; j++ {
		l := a[j*n : (j+1)*n]
		row[j] = (row[j] - dotConj(row[:j], l)) / l[j]
	}
}

// dotConj is the sum of x[k] times the conjugate of y[k].
func dotConj[T wide](x, y []T) T {
	var sum T
	addDotConj(&sum, x, y)
	return sum
}

// addDotConj adds each x[k] times the conjugate of y[k] to sum. Products are rounded, as in the evaluator: Go may fuse
// them with the sum otherwise.
func addDotConj[T wide](sum *T, x, y []T) {
	switch sum := any(sum).(type) {
	case *float64:
		y := any(y).([]float64)
		for k, v := range any(x).([]float64) {
			*sum += float64(v * y[k])
		}
	case *complex128:
		y := any(y).([]complex128)
		for k, v := range any(x).([]complex128) {
			*sum += timesComplex(v, cmplx.Conj(y[k]))
		}
	}
}

// dotConj4 is dotConj of x with four others.
func dotConj4[T wide](x, y0, y1, y2, y3 []T) [4]T {
	if x, ok := any(x).([]float64); ok {
		return any(dotReal4(x, any(y0).([]float64), any(y1).([]float64), any(y2).([]float64), any(y3).([]float64))).([4]T)
	}
	return [4]T{dotConj(x, y0), dotConj(x, y1), dotConj(x, y2), dotConj(x, y3)}
}

func dotReal4(x, y0, y1, y2, y3 []float64) [4]float64 {
	y0, y1, y2, y3 = y0[:len(x)], y1[:len(x)], y2[:len(x)], y3[:len(x)]
	var s0, s1, s2, s3 float64
	for k, v := range x {
		s0 += float64(v * y0[k])
		s1 += float64(v * y1[k])
		s2 += float64(v * y2[k])
		s3 += float64(v * y3[k])
	}
	return [4]float64{s0, s1, s2, s3}
}
