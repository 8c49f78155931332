package lapack

import (
	"math"

	"github.com/halo-xla/halo/cgo/openblas"
)

// syrk is alpha A Aᵀ + beta C, or alpha Aᵀ A + beta C if it is transposed, in the lower triangle; the other stays as it
// is in C. Nothing is conjugated. C is not looked at if beta is 0.
func syrk[T openblas.Number](s *site) (step, error) {
	s.kernel = "go " + s.target.family
	s.rowMajor()
	s.same(1)
	n, k, turned := s.at('m'), s.at('n'), s.flag("transpose", false)
	if turned {
		n, k = k, n
	}
	if got := s.at('p'); got != n {
		s.fail("the symmetric matrix has %d rows, want %d", got, n)
	}
	return func(in, out [][]byte) {
		a, c := as[T](in[0]), as[T](out[0])
		alpha, beta := as[T](in[2])[0], as[T](in[3])[0]
		if turned {
			a = transposed(a, k, n)
		}
		for i := range n {
			for j := range i + 1 {
				x := alpha * product(a[i*k:(i+1)*k], a[j*k:(j+1)*k])
				if beta != 0 {
					x += beta * c[i*n+j]
				}
				c[i*n+j] = x
			}
		}
	}, nil
}

// product is the sum of x y. Four sums at once do not wait for one another.
func product[T openblas.Number](x, y []T) T {
	var s [4]T
	y = y[:len(x)]
	for len(x) >= 4 {
		s[0] += x[0] * y[0]
		s[1] += x[1] * y[1]
		s[2] += x[2] * y[2]
		s[3] += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		s[0] += v * y[i]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// transposed returns the row-major A[m,n] by columns.
func transposed[T openblas.Number](a []T, m, n int) []T {
	b := make([]T, len(a))
	for i := range m {
		for j := range n {
			b[j*m+i] = a[i*n+j]
		}
	}
	return b
}

// choleskyUpdate makes R with Rᵀ R = R₀ᵀ R₀ + w wᵀ, R upper, by rotations of its rows and w, which are left in w.
func choleskyUpdate[T openblas.Real](s *site) (step, error) {
	s.kernel = "go " + s.target.family
	s.rowMajor()
	s.same(0, 1)
	n := s.at('n')
	return func(_, out [][]byte) {
		r, w := as[T](out[0]), as[T](out[1])
		for k := range n {
			row := r[k*n : (k+1)*n]
			if w[k] == 0 {
				continue
			}
			h := T(math.Hypot(float64(row[k]), float64(w[k])))
			c, d := row[k]/h, w[k]/h
			for j := k; j < n; j++ {
				row[j], w[j] = c*row[j]+d*w[j], c*w[j]-d*row[j]
			}
			w[k] = 0
		}
	}, nil
}
