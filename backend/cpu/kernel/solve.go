package kernel

import "github.com/halo-xla/halo/xla/shape"

// Solve says what a triangular solve is: op(a) x = b for x, or x op(a) = b if not Left, with a batch of M by M matrices
// a, of which one triangle is read, and K right-hand sides each.
type Solve struct {
	M, K                 int64
	Left, Lower, Unit    bool
	Transposed, Adjoined bool // op: neither, the transpose, or the transpose (set too) with conjugation
}

// panel is how many right-hand sides are solved at a time.
const panel = 4

// flip says whether the rows of the substitution are the columns of a: x op(a) = b is op(a)^T x^T = b^T.
func (s Solve) flip() bool { return s.Transposed == s.Left }

// steps returns the distance of the unknowns of one right-hand side in b, and of a right-hand side to the next.
func (s Solve) steps() (unknown, side int64) {
	if s.Left {
		return s.K, 1
	}
	return 1, s.M
}

// TriangularSolve solves a batch of systems of elements of type t, floats or complex numbers. dst and b may be the
// same. Sums are taken wide and in the order of columns.
func TriangularSolve(parallel Parallel, dst, a, b []byte, t shape.ElementType, s Solve) {
	if t.IsComplex() {
		solveAll[complex128](parallel, dst, a, b, t, s)
	} else {
		solveAll[float64](parallel, dst, a, b, t, s)
	}
}

func solveAll[T wide](parallel Parallel, dst, a, b []byte, t shape.ElementType, s Solve) {
	bytes := int64(t.Bytes())
	square, size := s.M*s.M*bytes, s.M*s.K*bytes
	if size == 0 {
		return
	}
	one := func(i int64, p Parallel) {
		rows := make([]T, s.M*s.M)
		load(rows, a[i*square:(i+1)*square], t)
		s.triangle(func(x, y int64) { rows[x*s.M+y] = conj(rows[x*s.M+y]) },
			func(x, y int64) { rows[x*s.M+y], rows[y*s.M+x] = rows[y*s.M+x], rows[x*s.M+y] })
		solvePanels(p, dst[i*size:(i+1)*size], b[i*size:(i+1)*size], t, rows, s)
	}
	batch := int64(len(b)) / size
	if s.K < 4*panel || s.M*s.M*s.K < 1<<17 {
		perTask := max(1, 1<<15/(s.M*s.M*s.K))
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

// triangle calls conj for each element of an M by M matrix if op conjugates, and swap for each pair of mirrored
// elements if the matrix is to be flipped.
func (s Solve) triangle(conj, swap func(x, y int64)) {
	for x := range s.M {
		for y := range s.M {
			if s.Adjoined {
				conj(x, y)
			}
			if s.flip() && y < x {
				swap(x, y)
			}
		}
	}
}

// solvePanels solves one system, a few right-hand sides at a time.
func solvePanels[T wide](parallel Parallel, dst, b []byte, t shape.ElementType, rows []T, s Solve) {
	unknown, side := s.steps()
	panels := ceilDiv(s.K, panel)
	perTask := max(1, 1<<14/(s.M*s.M))
	bytes := int64(t.Bytes())
	parallel(ceilDiv(panels, perTask), func(task int64) {
		x := make([]T, s.M*panel)
		for p := task * perTask; p < min((task+1)*perTask, panels); p++ {
			count := min(panel, s.K-p*panel)
			s.move(count, p*panel*side, unknown, side, func(i, at int64) { load(x[i:i+1], b[at*bytes:(at+1)*bytes], t) })
			substitute(x, rows, int(s.M), s.Lower != s.flip(), s.Unit)
			s.move(count, p*panel*side, unknown, side, func(i, at int64) { store(dst[at*bytes:(at+1)*bytes], x[i:i+1], t) })
		}
	})
}

// move calls f with the place in a panel, and in b, of each element of count right-hand sides from first on.
func (s Solve) move(count, first, unknown, side int64, f func(i, at int64)) {
	for i := range s.M {
		for r := range count {
			f(i*panel+r, first+i*unknown+r*side)
		}
	}
}

// substitute solves for a panel x[m][panel] in place.
func substitute[T wide](x, rows []T, m int, lower, unit bool) {
	for k := range m {
		i, row, known := k, rows[k*m:k*m+k], x[:k*panel]
		if !lower {
			i = m - 1 - k
			row, known = rows[i*m+i+1:(i+1)*m], x[(i+1)*panel:]
		}
		var sums [panel]T
		sumPanel(&sums, row, known)
		for r, s := range sums {
			v := x[i*panel+r] - s
			if !unit {
				v /= rows[i*m+i]
			}
			x[i*panel+r] = v
		}
	}
}

// sumPanel computes row times known[len(row)][panel]. Products are rounded, as in addDotConj.
func sumPanel[T wide](sums *[panel]T, row, known []T) {
	switch sums := any(sums).(type) {
	case *[panel]float64:
		var s0, s1, s2, s3 float64
		known := any(known).([]float64)
		for j, a := range any(row).([]float64) {
			v := known[j*panel : j*panel+panel]
			s0 += float64(a * v[0])
			s1 += float64(a * v[1])
			s2 += float64(a * v[2])
			s3 += float64(a * v[3])
		}
		*sums = [panel]float64{s0, s1, s2, s3}
	case *[panel]complex128:
		known := any(known).([]complex128)
		for j, a := range any(row).([]complex128) {
			for r := range sums {
				sums[r] += timesComplex(a, known[j*panel+r])
			}
		}
	}
}
