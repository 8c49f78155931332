package lapack

import (
	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/customcall/dense"
)

// report writes LAPACK's info, if the call asks for it.
func report(out [][]byte, at, info int) {
	if at < len(out) && len(out[at]) == 4 {
		as[int32](out[at])[0] = int32(info)
	}
}

// potrf works on the rows as they are: they are the columns of the transpose, whose other triangle it factors.
func potrf[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Potrf[T], dense.Potrf[T])
	n, uplo := s.at('n'), byte('L'+'U')-s.uplo()
	s.same(0)
	s.rowMajor()
	s.doing(Problem{Routine: "potrf", Lower: uplo == 'U'})
	return func(_, out [][]byte) { report(out, 1, f(uplo, n, as[T](out[0]))) }, err
}

func getrf[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Getrf[T], dense.Getrf[T])
	m, n := s.at('m'), s.at('n')
	s.same(0)
	s.doing(Problem{Routine: "getrf"})
	return func(_, out [][]byte) {
		a := as[T](out[0])
		report(out, 2, careful(a, f, dense.Getrf[T])(m, n, a, as[int32](out[1])))
	}, err
}

// careful returns inGo for a matrix with a NaN or an infinity, which OpenBLAS's kernels may lose on the way.
func careful[T openblas.Number, F any](a []T, f, inGo F) F {
	if finite(a) {
		return f
	}
	return inGo
}

// luOf is getrf with pivots from 0, and the permutation they make.
func luOf[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Getrf[T], dense.Getrf[T])
	m, n := s.at('m'), s.at('n')
	s.same(0)
	return func(_, out [][]byte) {
		p := as[int32](out[1])
		careful(as[T](out[0]), f, dense.Getrf[T])(m, n, as[T](out[0]), p)
		for i := range p {
			p[i]--
		}
		permute(p, as[int32](out[2]))
	}, err
}

// pivots makes the permutation of exchanges, counted from 0.
func pivots(s *site) (step, error) {
	s.kernel = "go pivots"
	return func(in, out [][]byte) { permute(as[int32](in[0]), as[int32](out[0])) }, nil
}

// permute exchanges, for each i in turn, element i of what begins as 0, 1, 2... and the one that exchanges says.
func permute(exchanges, permutation []int32) {
	for i := range permutation {
		permutation[i] = int32(i)
	}
	for i, x := range exchanges {
		if i < len(permutation) && x >= 0 && int(x) < len(permutation) {
			permutation[i], permutation[x] = permutation[x], permutation[i]
		}
	}
}

func geqrf[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Geqrf[T], dense.Geqrf[T])
	m, n := s.at('m'), s.at('n')
	s.same(0)
	s.doing(Problem{Routine: "geqrf"})
	return func(_, out [][]byte) {
		a := as[T](out[0])
		careful(a, f, dense.Geqrf[T])(m, n, a, as[T](out[1]))
	}, err
}

func geqp3[T openblas.Number, R openblas.Real](s *site) (step, error) {
	f, err := choose(s, openblas.Geqp3[T, R])
	m, n := s.at('m'), s.at('n')
	s.same(0, 1)
	return func(_, out [][]byte) { f(m, n, as[T](out[0]), as[int32](out[1]), as[T](out[2])) }, err
}

// orgqr may get more factors than there are columns, as TensorFlow writes it; those are left out.
func orgqr[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Orgqr[T], dense.Orgqr[T])
	m, n := s.at('m'), s.at('n')
	k := min(s.at('q'), n)
	if n > m {
		s.fail("the matrix is %d by %d, want no more columns than rows", m, n)
	}
	s.same(0)
	s.doing(Problem{Routine: "orgqr", K: int64(k)})
	return func(in, out [][]byte) { f(m, n, k, as[T](out[0]), as[T](in[1])) }, err
}

func ormqr[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Ormqr[T], dense.Ormqr[T])
	m, n, rows, k := s.at('m'), s.at('n'), s.at('r'), s.at('p')
	side, trans := s.multiplication()
	want := m
	if side == 'R' {
		want = n
	}
	if rows != want || k > rows || k > s.at('q') {
		s.fail("the reflectors are %d by %d, with %d factors, want %d rows", rows, s.at('q'), k, want)
	}
	s.same(2)
	return func(in, out [][]byte) {
		a := append([]T(nil), as[T](in[0])...) // is changed while it is used
		f(side, trans, m, n, k, a, as[T](in[1]), as[T](out[0]))
	}, err
}

// multiplication says from which side a matrix is multiplied, and by what.
func (s *site) multiplication() (side, trans byte) {
	if s.has("side") {
		side, trans = s.letter("side", "LR"), s.letter("trans", "NTC")
	} else {
		side, trans = 'R', 'N'
		if s.flag("left", true) {
			side = 'L'
		}
		if s.flag("transpose", false) {
			trans = 'T'
		}
	}
	if trans == 'T' && s.element.IsComplex() {
		trans = 'C'
	}
	return side, trans
}

func gehrd[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Gehrd[T], dense.Gehrd[T])
	n, low, high := s.at('n'), int(s.integer("low")), int(s.integer("high"))
	if n > 0 && (low < 1 || high > n || low > high) {
		s.fail("low is %d and high %d, want 1 to %d", low, high, n)
	}
	s.same(0)
	return func(_, out [][]byte) { report(out, 2, f(n, low, high, as[T](out[0]), as[T](out[1]))) }, err
}

func gtsv[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Gtsv[T], dense.Gtsv[T])
	n, k := s.at('n'), s.at('r')
	s.same(0, 1, 2, 3)
	return func(_, out [][]byte) {
		lower := as[T](out[0]) // the first has no place in the matrix
		report(out, 4, f(n, k, lower[1:], as[T](out[1]), as[T](out[2]), as[T](out[3])))
	}, err
}

// gtsv2 is gtsv without its factors.
func gtsv2[T openblas.Number](s *site) (step, error) {
	f, err := choose(s, openblas.Gtsv[T], dense.Gtsv[T])
	n, k := s.at('n'), s.at('r')
	s.same(3)
	return func(in, out [][]byte) {
		lower := append([]T(nil), as[T](in[0])[1:]...)
		middle, upper := append([]T(nil), as[T](in[1])...), append([]T(nil), as[T](in[2])...)
		f(n, k, lower, middle, upper, as[T](out[0]))
	}, err
}
