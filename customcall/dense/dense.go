// Package dense factors dense matrices in Go, for machines without LAPACK.
//
// The functions have the meaning, the arguments and the result info of LAPACK's routines of those names. Matrices are
// column-major without gaps. All is computed in float64 or complex128 and rounded once.
package dense

import (
	"math"
	"math/cmplx"
)

// Number is the type of elements.
type Number interface {
	float32 | float64 | complex64 | complex128
}

// Real is the type of their real parts.
type Real interface{ float32 | float64 }

// wide is what is computed with.
type wide interface{ float64 | complex128 }

// through calls the function for the class of T with lists, widened and narrowed again where that is needed.
func through[T Number](reals func([][]float64), complexes func([][]complex128), lists ...[]T) {
	var f [][]float64
	var c [][]complex128
	for _, l := range lists {
		switch l := any(l).(type) {
		case []float32:
			f = append(f, widen[float64](l))
		case []float64:
			f = append(f, l)
		case []complex64:
			w := make([]complex128, len(l))
			for i, x := range l {
				w[i] = complex128(x)
			}
			c = append(c, w)
		case []complex128:
			c = append(c, l)
		}
	}
	if c != nil {
		complexes(c)
	} else {
		reals(f)
	}
	for i, l := range lists {
		switch l := any(l).(type) {
		case []float32:
			narrow(l, f[i])
		case []complex64:
			for at, x := range c[i] {
				l[at] = complex64(x)
			}
		}
	}
}

func widen[W, T Real](l []T) []W {
	w := make([]W, len(l))
	for i, x := range l {
		w[i] = W(x)
	}
	return w
}

// narrow copies w to l, as far as both reach.
func narrow[T Real](l []T, w []float64) {
	for i, x := range w[:min(len(w), len(l))] {
		l[i] = T(x)
	}
}

func conj[W wide](x W) W {
	if c, ok := any(x).(complex128); ok {
		return any(cmplx.Conj(c)).(W)
	}
	return x
}

func re[W wide](x W) float64 {
	if c, ok := any(x).(complex128); ok {
		return real(c)
	}
	return any(x).(float64)
}

// size is |x|, of complex numbers |re x| + |im x|, which is how LAPACK chooses pivots.
func size[W wide](x W) float64 {
	if c, ok := any(x).(complex128); ok {
		return math.Abs(real(c)) + math.Abs(imag(c))
	}
	return math.Abs(any(x).(float64))
}

func of[W wide](x float64) W {
	var w W
	if _, ok := any(w).(complex128); ok {
		return any(complex(x, 0)).(W)
	}
	return any(x).(W)
}

// axpy adds a x to y.
func axpy[W wide](y, x []W, a W) {
	if a == 0 {
		return
	}
	for i, v := range x {
		y[i] += a * v
	}
}

// dot is the sum of conj(x) y.
func dot[W wide](x, y []W) W {
	var sum W
	if c, ok := any(x).([]complex128); ok {
		d, s := any(y).([]complex128), complex128(0)
		for i, v := range c {
			s += cmplx.Conj(v) * d[i]
		}
		return any(s).(W)
	}
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// norm is the length of x, without overflow on the way.
func norm[W wide](x []W) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, size(v))
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return most
	}
	sum := 0.0
	for _, v := range x {
		v /= of[W](most)
		sum += re(conj(v) * v)
	}
	return most * math.Sqrt(sum)
}

// reflector makes H = I - tau v vᴴ with Hᴴ x = beta e, v's first element 1: x is replaced by v, beta is returned.
func reflector[W wide](x []W) (beta float64, tau W) {
	alpha, rest := x[0], norm(x[1:])
	if rest == 0 && alpha == of[W](re(alpha)) {
		x[0] = 1
		return re(alpha), 0
	}
	beta = -math.Copysign(math.Hypot(norm(x[:1]), rest), re(alpha))
	b := of[W](beta)
	tau = (b - alpha) / b
	scale := 1 / (alpha - b)
	for i := range x {
		x[i] *= scale
	}
	x[0] = 1
	return beta, tau
}

// reflect multiplies the columns, of length rows, of which a has the lower ends of length len(v), by I - tau v vᴴ.
func reflect[W wide](v []W, tau W, a []W, rows int) {
	if tau == 0 {
		return
	}
	for end := rows; end <= len(a); end += rows {
		column := a[end-len(v) : end]
		axpy(column, v, -tau*dot(v, column))
	}
}
