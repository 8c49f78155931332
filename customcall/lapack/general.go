package lapack

import (
	"slices"

	"github.com/halo-xla/halo/cgo/openblas"
)

// sides says which eigenvectors a call wants.
func (s *site) sides() (left, right byte) {
	if !s.has("compute_left") {
		left, right = 'N', 'N'
		if s.flag("left", true) {
			left = 'V'
		}
		if s.flag("right", true) {
			right = 'V'
		}
		return left, right
	}
	return s.letter("compute_left", "VN"), s.letter("compute_right", "VN")
}

// geevReal has eigenvalues in two parts, and vectors of complex numbers.
func geevReal[T openblas.Real, C complex64 | complex128](s *site) (step, error) {
	f, err := choose(s, openblas.GeevReal[T])
	n := s.at('n')
	left, right := s.sides()
	return func(in, out [][]byte) {
		a := slices.Clone(as[T](in[0]))
		if !finite(a) {
			report(out, 4, illegal)
			return
		}
		vl, vr := make([]T, n*n), make([]T, n*n)
		wi := as[T](out[1])
		info := f(left, right, n, a, as[T](out[0]), wi, vl, vr)
		if info == 0 {
			unpack(n, wi, vl, as[C](out[2]))
			unpack(n, wi, vr, as[C](out[3]))
		}
		report(out, 4, info)
	}, err
}

// unpack makes the eigenvectors of a real matrix from LAPACK's form: the columns of a pair are real and imaginary part.
func unpack[T openblas.Real, C complex64 | complex128](n int, wi, packed []T, vectors []C) {
	for j := 0; j < n; j++ {
		v, x := vectors[j*n:(j+1)*n], packed[j*n:(j+1)*n]
		if wi[j] == 0 || j+1 == n {
			for i := range v {
				v[i] = C(complex(float64(x[i]), 0))
			}
			continue
		}
		y, w := packed[(j+1)*n:(j+2)*n], vectors[(j+1)*n:(j+2)*n]
		for i := range v {
			v[i] = C(complex(float64(x[i]), float64(y[i])))
			w[i] = C(complex(float64(x[i]), -float64(y[i])))
		}
		j++
	}
}

func geevComplex[T complex64 | complex128, R openblas.Real](s *site) (step, error) {
	f, err := choose(s, openblas.GeevComplex[T, R])
	n := s.at('n')
	left, right := s.sides()
	return func(in, out [][]byte) {
		a := slices.Clone(as[T](in[0]))
		if !finite(a) {
			report(out, 3, illegal)
			return
		}
		report(out, 3, f(left, right, n, a, as[T](out[0]), as[T](out[1]), as[T](out[2])))
	}, err
}

// geevPacked leaves the vectors of a real matrix in LAPACK's form, and has complex eigenvalues.
func geevPacked[T openblas.Real, C complex64 | complex128](s *site) (step, error) {
	f, err := choose(s, openblas.GeevReal[T])
	n := s.at('n')
	left, right := s.sides()
	s.same(0)
	return func(_, out [][]byte) {
		a, wr, wi, w := as[T](out[0]), make([]T, n), make([]T, n), as[C](out[1])
		if !finite(a) {
			report(out, 4, illegal)
			return
		}
		report(out, 4, f(left, right, n, a, wr, wi, as[T](out[2]), as[T](out[3])))
		for i := range w {
			w[i] = C(complex(float64(wr[i]), float64(wi[i])))
		}
	}, err
}

func geevPackedComplex[T complex64 | complex128, R openblas.Real](s *site) (step, error) {
	f, err := choose(s, openblas.GeevComplex[T, R])
	n := s.at('n')
	left, right := s.sides()
	s.same(0)
	return func(_, out [][]byte) {
		a := as[T](out[0])
		if !finite(a) {
			report(out, 4, illegal)
			return
		}
		report(out, 4, f(left, right, n, a, as[T](out[1]), as[T](out[2]), as[T](out[3])))
	}, err
}

// schur says whether a call wants Schur vectors, V or N. An order of the eigenvalues cannot be asked for.
func (s *site) schur() byte {
	s.letter("sort", "N")
	return s.letter("mode", "VN")
}

func geesReal[T openblas.Real](s *site) (step, error) {
	f, err := choose(s, openblas.GeesReal[T])
	n, job := s.at('n'), s.schur()
	s.same(0)
	return func(_, out [][]byte) {
		a := as[T](out[0])
		if !finite(a) {
			report(out, 5, illegal)
			return
		}
		report(out, 5, f(job, n, a, as[T](out[2]), as[T](out[3]), as[T](out[1])))
	}, err
}

func geesComplex[T complex64 | complex128, R openblas.Real](s *site) (step, error) {
	f, err := choose(s, openblas.GeesComplex[T, R])
	n, job := s.at('n'), s.schur()
	s.same(0)
	return func(_, out [][]byte) {
		a := as[T](out[0])
		if !finite(a) {
			report(out, 4, illegal)
			return
		}
		report(out, 4, f(job, n, a, as[T](out[2]), as[T](out[1])))
	}, err
}
