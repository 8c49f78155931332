package hlo

import (
	"math"
	"math/cmplx"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// field is the arithmetic of the two kinds of matrices.
type field[T float64 | complex128] struct {
	conj func(T) T
	// dot is the sum of x[k] times conj(y[k]), plain that of x[k] times y[k].
	dot, plain func(x, y []T) T
	// root is the square root of v's real part and whether that is positive.
	root func(v T) (T, bool)
	nan  T
}

var (
	reals = field[float64]{
		conj: func(v float64) float64 { return v }, dot: dotReal, plain: dotReal,
		root: func(v float64) (float64, bool) { return math.Sqrt(v), v > 0 }, nan: math.NaN(),
	}
	complexes = field[complex128]{
		conj: cmplx.Conj, dot: dotConj, plain: dotComplex,
		root: func(v complex128) (complex128, bool) { return complex(math.Sqrt(real(v)), 0), real(v) > 0 },
		nan:  complex(math.NaN(), math.NaN()),
	}
)

func dotReal(x, y []float64) float64 {
	sum := 0.0
	for k, v := range x {
		sum += float64(v * y[k])
	}
	return sum
}

func dotComplex(x, y []complex128) complex128 {
	sum := complex128(0)
	for k, v := range x {
		sum += mulC128(v, y[k])
	}
	return sum
}

func dotConj(x, y []complex128) complex128 {
	sum := complex128(0)
	for k, v := range x {
		sum += mulC128(v, cmplx.Conj(y[k]))
	}
	return sum
}

func evalCholesky(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	dims, lower := args[0].Shape().Dims, in.Attrs.(*CholeskyAttrs).Lower
	w, n := args[0].Wide(), int(dims[len(dims)-1])
	var err error
	if w.Class == shape.FloatClass {
		err = choleskyAll(e, reals, w.F, n, lower)
	} else {
		err = choleskyAll(e, complexes, w.C, n, lower)
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(args[0].Shape(), w), nil
}

// choleskyAll factors a batch of n by n matrices in place.
func choleskyAll[T float64 | complex128](e *Evaluator, f field[T], v []T, n int, lower bool) error {
	if n == 0 {
		return nil
	}
	l := make([]T, n*n)
	for len(v) > 0 {
		a := v[:n*n]
		v = v[n*n:]
		ok, err := cholesky(e, f, l, a, n, lower)
		if err != nil {
			return err
		}
		for i := range n {
			for j := range n {
				switch {
				case !ok:
					a[i*n+j] = f.nan
				case lower && j <= i:
					a[i*n+j] = l[i*n+j]
				case !lower && i <= j:
					a[i*n+j] = f.conj(l[j*n+i])
				default:
					a[i*n+j] = 0
				}
			}
		}
	}
	return nil
}

// cholesky puts the lower factor of the matrix a, of which one triangle is read, into that of l. It reports whether a
// is positive definite.
func cholesky[T float64 | complex128](e *Evaluator, f field[T], l, a []T, n int, lower bool) (bool, error) {
	for i := range n {
		row := l[i*n : (i+1)*n]
		for j := range i + 1 {
			s := a[i*n+j]
			if !lower {
				s = f.conj(a[j*n+i])
			}
			s -= f.dot(row[:j], l[j*n:j*n+j])
			if j < i {
				row[j] = s / l[j*n+j]
				continue
			}
			root, ok := f.root(s)
			if !ok {
				return false, nil
			}
			row[j] = root
		}
		if i%64 == 63 {
			if err := e.tick(); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

func evalTriangularSolve(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	attrs, s := in.Attrs.(*TriangularSolveAttrs), args[1].Shape()
	a, b := args[0].Wide(), args[1].Wide()
	m := int(args[0].Shape().Dims[len(s.Dims)-1])
	other := int(s.Dims[len(s.Dims)-1]) // k on the left
	if !attrs.LeftSide {
		other = int(s.Dims[len(s.Dims)-2])
	}
	if m == 0 || other == 0 {
		return args[1], nil
	}
	var err error
	if a.Class == shape.FloatClass {
		err = solveAll(e, reals, a.F, b.F, m, other, attrs)
	} else {
		err = solveAll(e, complexes, a.C, b.C, m, other, attrs)
	}
	if err != nil {
		return nil, err
	}
	return literal.FromWide(s, b), nil
}

// solveAll solves a batch of systems with m unknowns and k right-hand sides in place of b.
func solveAll[T float64 | complex128](e *Evaluator, f field[T], a, b []T, m, k int, attrs *TriangularSolveAttrs) error {
	rows, line := make([]T, m*m), make([]T, m)
	step, next := k, 1 // of the unknowns of one right-hand side, and to the next one
	if !attrs.LeftSide {
		step, next = 1, m
	}
	// x op(a) = b is op(a)^T x^T = b^T: transposed or not, but conjugated by op alone.
	flip := (attrs.TransposeA != NoTranspose) == attrs.LeftSide
	lower := attrs.Lower != flip
	for ; len(b) > 0; a, b = a[m*m:], b[m*k:] {
		loadTriangle(f, rows, a[:m*m], m, lower, flip, attrs.TransposeA == Adjoint)
		for r := range k {
			for i := range line {
				line[i] = b[r*next+i*step]
			}
			substitute(f, rows, line, lower, attrs.UnitDiagonal)
			for i, v := range line {
				b[r*next+i*step] = v
			}
			if r%64 == 63 {
				if err := e.tick(); err != nil {
					return err
				}
			}
		}
		if err := e.tick(); err != nil {
			return err
		}
	}
	return nil
}

// loadTriangle copies the triangle of a that is read to rows, transposed and conjugated if asked; there it is the lower
// or upper one.
func loadTriangle[T float64 | complex128](f field[T], rows, a []T, m int, lower, flip, conj bool) {
	for i := range m {
		from, to := 0, i+1
		if !lower {
			from, to = i, m
		}
		for j := from; j < to; j++ {
			v := a[i*m+j]
			if flip {
				v = a[j*m+i]
			}
			if conj {
				v = f.conj(v)
			}
			rows[i*m+j] = v
		}
	}
}

// substitute solves one triangular system in place of its right-hand side.
func substitute[T float64 | complex128](f field[T], rows, line []T, lower, unit bool) {
	m := len(line)
	for k := range line {
		i, known := k, line[:k]
		row := rows[i*m : i*m+k]
		if !lower {
			i = m - 1 - k
			row, known = rows[i*m+i+1:(i+1)*m], line[i+1:]
		}
		v := line[i] - f.plain(row, known)
		if !unit {
			v /= rows[i*m+i]
		}
		line[i] = v
	}
}
