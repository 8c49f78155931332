package dense

import (
	"math"
	"math/cmplx"
)

// bounds are the least normal number of a real type and the distance from 1 to the next.
type bounds struct{ tiny, eps float64 }

func boundsOf[T Number]() bounds {
	var x T
	switch any(x).(type) {
	case float64, complex128:
		return bounds{0x1p-1022, 0x1p-52}
	}
	return bounds{0x1p-126, 0x1p-23}
}

// SolvePerturbed solves a tridiagonal system of n unknowns and k right-hand sides B[n,k] by elimination with exchanges,
// as Gtsv does, but a pivot that is too small for the right-hand side is moved away from 0, as LAPACK's lagts does it:
// by the size of the largest element of U times the last place, and twice as far each time until nothing overflows.
// It computes in T, and destroys what it gets.
func SolvePerturbed[T Number](n, k int, dl, d, du, b []T) {
	second := make([]T, n) // beside du
	most := 0.0
	for i := range n {
		if i+1 < n {
			eliminate(i, n, k, dl, d, du, second, b)
		}
		most = max(most, magnitude(d[i]), magnitude(second[i]))
		if i+1 < n {
			most = max(most, magnitude(du[i]))
		}
	}
	limits := boundsOf[T]()
	by := max(most*limits.eps, limits.tiny)
	for at := 0; at < n*k; at += n {
		for x, i := b[at:at+n], n-1; i >= 0; i-- {
			if i+1 < n {
				x[i] -= du[i] * x[i+1]
			}
			if i+2 < n {
				x[i] -= second[i] * x[i+2]
			}
			x[i] = divide(x[i], d[i], by, limits.tiny)
		}
	}
}

// eliminate makes the element below the diagonal of row i zero.
func eliminate[T Number](i, n, k int, dl, d, du, second, b []T) {
	below := dl[i]
	switch {
	case below == 0:
	case magnitude(d[i]) >= magnitude(below):
		f := below / d[i]
		d[i+1] -= f * du[i]
		for at := i; at < n*k; at += n {
			b[at+1] -= f * b[at]
		}
	default:
		f, next := d[i]/below, d[i+1]
		d[i], d[i+1], du[i] = below, du[i]-f*next, next
		if i+2 < n {
			second[i] = du[i+1]
			du[i+1] *= -f
		}
		for at := i; at < n*k; at += n {
			b[at], b[at+1] = b[at+1], b[at]-f*b[at+1]
		}
	}
}

// divide is x / pivot, with pivot moved by more and more while the result would overflow.
func divide[T Number](x, pivot T, by, tiny float64) T {
	by = math.Copysign(by, realPart(pivot))
	for {
		p := magnitude(pivot)
		switch {
		case p == 0 || p < tiny && magnitude(x)*tiny > p || p >= tiny && p < 1 && magnitude(x) > p/tiny:
			pivot += fromReal[T](by)
			by *= 2
		case p < tiny:
			return (x * fromReal[T](1/tiny)) / (pivot * fromReal[T](1/tiny))
		default:
			return x / pivot
		}
	}
}

func magnitude[T Number](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return math.Abs(float64(x))
	case float64:
		return math.Abs(x)
	case complex64:
		return cmplx.Abs(complex128(x))
	}
	return cmplx.Abs(any(x).(complex128))
}

func realPart[T Number](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case float64:
		return x
	case complex64:
		return float64(real(x))
	}
	return real(any(x).(complex128))
}

func fromReal[T Number](v float64) T {
	var x T
	switch p := any(&x).(type) {
	case *float32:
		*p = float32(v)
	case *float64:
		*p = v
	case *complex64:
		*p = complex(float32(v), 0)
	case *complex128:
		*p = complex(v, 0)
	}
	return x
}
