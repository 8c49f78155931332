package lapack

import (
	"slices"

	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/customcall/dense"
	"github.com/halo-xla/halo/xla/shape"
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
	s.kernel = "go csr"
	s.rowMajor()
	if got, want := s.at('q'), s.at('r')+1; got != want {
		s.fail("got %d starts of rows, want %d", got, want)
	}
	if s.operands[1].Shape.Type == shape.S64 {
		return csrBy[T, int64](s), nil
	}
	return csrBy[T, int32](s), nil
}

func csrBy[T number, I index](s *site) step {
	rows, width, height := s.at('r'), 1, s.at('m')
	if s.operands[3].Shape.Rank() == 2 {
		width = s.at('n')
	}
	return func(in, out [][]byte) {
		values, columns, starts := as[T](in[0]), as[I](in[1]), as[I](in[2])
		x, y := as[T](in[3]), as[T](out[0])
		for i := range rows {
			to := y[i*width : (i+1)*width]
			for at := max(starts[i], 0); at < min(starts[i+1], I(len(values))); at++ {
				if c := int(columns[at]); c >= 0 && c < height { // others are padding
					accumulate(to, x[c*width:(c+1)*width], values[at])
				}
			}
		}
	}
}

// accumulate adds f x to y.
func accumulate[T number](y, x []T, f T) {
	for i, v := range x {
		y[i] += f * v
	}
}

// sparse is a family for every type.
func sparse(s, d, c, z, s8, s16, s32, s64, u8, u16, u32, u64 builder) family {
	f := floats(s, d, c, z)
	for i, b := range []builder{s8, s16, s32, s64, u8, u16, u32, u64} {
		f[integers[i]] = b
	}
	return f
}

var integers = [...]shape.ElementType{shape.S8, shape.S16, shape.S32, shape.S64, shape.U8, shape.U16, shape.U32,
	shape.U64}
