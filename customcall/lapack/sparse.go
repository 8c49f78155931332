package lapack

import (
	"slices"

	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/customcall/dense"
)

// perturbed solves tridiagonal systems that may be singular.
func perturbed[T openblas.Number](s *site) (step, error) {
	s.kernel = "go " + s.target.family
	n, k := s.at('n'), s.at('r')
	s.same(3)
	return func(in, out [][]byte) {
		lower := slices.Clone(as[T](in[0])[1:])
		dense.SolvePerturbed(n, k, lower, slices.Clone(as[T](in[1])), slices.Clone(as[T](in[2])), as[T](out[0]))
	}, nil
}

// index is the type of indices of sparse matrices.
type index interface{ int32 | int64 }

// number is a type of their elements.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | openblas.Number
}

// csr multiplies a sparse matrix by a dense one, or by a vector. Row i has the elements starts[i] to starts[i+1].
func csr[T number](s *site) (step, error) {
	if got, want := s.at('q'), s.at('r')+1; got != want {
		s.fail("got %d starts of rows, want %d", got, want)
	}
	return multiply[T](s, false), nil
}

// multiply multiplies a sparse matrix, or its transpose, by a dense one, or by a vector. What lies outside of it is
// padding.
func multiply[T number](s *site, turned bool) step {
	s.kernel = "go " + s.target.family
	s.rowMajor()
	visit, width, rows, height := s.pattern(), 1, s.at('r'), s.at('m')
	if s.operands[3].Shape.Rank() == 2 {
		width = s.at('n')
	}
	return func(in, out [][]byte) {
		values, x, y := as[T](in[0]), as[T](in[3]), as[T](out[0])
		visit(in, func(at, row, column int) {
			if turned {
				row, column = column, row
			}
			if uint(row) < uint(rows) && uint(column) < uint(height) {
				accumulate(y[row*width:(row+1)*width], x[column*width:(column+1)*width], values[at])
			}
		})
	}
}

// accumulate adds f x to y.
func accumulate[T number](y, x []T, f T) {
	for i, v := range x {
		y[i] += f * v
	}
}
