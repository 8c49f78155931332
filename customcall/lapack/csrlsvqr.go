package lapack

import (
	"math/cmplx"
	"slices"

	"github.com/halo-xla/halo/cgo/openblas"
)

// csrlsvqr solves a sparse system by rotations: each row of the matrix is turned into the rows of R that begin where it
// does, until nothing is left of it or R has no such row yet. Where R is singular, or has nothing larger than the
// tolerance on its diagonal, the solution is NaN; cuSOLVER fails there. The order of elimination is that of the matrix.
func csrlsvqr[T openblas.Number](s *site) (step, error) {
	s.kernel = "go " + s.target.family
	s.rowMajor()
	n, visit, least := s.at('n'), s.pattern(), s.fraction("tol")
	if got := s.at('q'); got != n+1 {
		s.fail("got %d starts of rows, want %d", got, n+1)
	}
	return func(in, out [][]byte) {
		rows := make([]equation, n)
		values, b, x := as[T](in[0]), as[T](in[3]), as[T](out[0])
		visit(in, func(at, row, column int) {
			if uint(column) < uint(n) {
				rows[row].terms = append(rows[row].terms, term{column, wide(values[at])})
			}
		})
		r := make([]*equation, n)
		for i := range rows {
			rows[i].right = wide(b[i])
			rows[i].sort()
			rows[i].reduce(r)
		}
		solution := make([]complex128, n)
		if !substitute(r, solution, least) {
			fillNaN(x)
			return
		}
		for i, v := range solution {
			x[i] = narrow[T](v)
		}
	}, nil
}

// term is an element of a row, equation a row with its right-hand side: by columns, of which each is there once.
type term struct {
	column int
	value  complex128
}

type equation struct {
	terms []term
	right complex128
}

// sort orders the terms and adds those of one column.
func (e *equation) sort() {
	slices.SortStableFunc(e.terms, func(a, b term) int { return a.column - b.column })
	kept := e.terms[:0]
	for _, t := range e.terms {
		if last := len(kept) - 1; last >= 0 && kept[last].column == t.column {
			kept[last].value += t.value
		} else {
			kept = append(kept, t)
		}
	}
	e.terms = kept
}

// reduce turns e into the rows of r, which begin with the column that is their number.
func (e *equation) reduce(r []*equation) {
	for len(e.terms) > 0 {
		if e.terms[0].value == 0 {
			e.terms = e.terms[1:]
			continue
		}
		first := e.terms[0].column
		if r[first] == nil {
			r[first] = e
			return
		}
		r[first].rotate(e)
	}
}

// rotate turns e and x, which begin with the same column, so that x loses its first term.
func (e *equation) rotate(x *equation) {
	p, q := e.terms[0].value, x.terms[0].value
	h := complex(cmplx.Abs(complex(cmplx.Abs(p), cmplx.Abs(q))), 0)
	p, q = p/h, q/h
	turn := func(a, b complex128) (complex128, complex128) { return cmplx.Conj(p)*a + cmplx.Conj(q)*b, p*b - q*a }
	var kept, left []term
	for i, j := 0, 0; i < len(e.terms) || j < len(x.terms); {
		var column int
		var a, b complex128
		switch {
		case j == len(x.terms) || i < len(e.terms) && e.terms[i].column < x.terms[j].column:
			column, a = e.terms[i].column, e.terms[i].value
			i++
		case i == len(e.terms) || x.terms[j].column < e.terms[i].column:
			column, b = x.terms[j].column, x.terms[j].value
			j++
		default:
			column, a, b = e.terms[i].column, e.terms[i].value, x.terms[j].value
			i, j = i+1, j+1
		}
		a, b = turn(a, b)
		kept, left = append(kept, term{column, a}), append(left, term{column, b})
	}
	e.terms, x.terms = kept, left[1:]
	e.right, x.right = turn(e.right, x.right)
}

// substitute solves the triangular system r, and reports whether it could.
func substitute(r []*equation, x []complex128, least float64) bool {
	for i := len(r) - 1; i >= 0; i-- {
		if r[i] == nil || cmplx.Abs(r[i].terms[0].value) <= least {
			return false
		}
		sum := r[i].right
		for _, t := range r[i].terms[1:] {
			sum -= t.value * x[t.column]
		}
		x[i] = sum / r[i].terms[0].value
	}
	return true
}

func wide[T openblas.Number](x T) complex128 {
	switch x := any(x).(type) {
	case float32:
		return complex(float64(x), 0)
	case float64:
		return complex(x, 0)
	case complex64:
		return complex128(x)
	}
	return any(x).(complex128)
}

func narrow[T openblas.Number](x complex128) T {
	var t T
	switch p := any(&t).(type) {
	case *float32:
		*p = float32(real(x))
	case *float64:
		*p = real(x)
	case *complex64:
		*p = complex64(x)
	case *complex128:
		*p = x
	}
	return t
}
