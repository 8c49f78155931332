package lapack

import (
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/cgo/openblas"
	"github.com/halo-xla/halo/customcall/dense"
)

// illegal is LAPACK's info for a matrix with a NaN or an infinity.
const illegal = -4

// syevd leaves NaN where a matrix is not finite: LAPACK would give wrong numbers or none.
func syevd[T openblas.Number, R openblas.Real](s *site) (step, error) {
	f, err := choose(s, openblas.Syevd[T, R], syevdInGo[T, R])
	n, job, uplo := s.at('n'), byte('V'), byte('L')
	if s.has("mode") {
		job = s.letter("mode", "VN")
	}
	if !s.target.logical {
		uplo = s.uplo()
	} else if s.call.Common != nil && strings.HasPrefix(s.call.Common.Config, "0,") { // Eigh: is it the lower one?
		uplo = 'U'
	}
	s.same(0)
	s.doing(Problem{Routine: "syevd", Lower: uplo == 'L', Vectors: job})
	return s.steps(func(out [][]byte, count int) {
		a, w, info := as[T](out[0]), as[R](out[1]), infos(out, 2, count)
		inRuns(count, func(i int) bool { return finiteTriangle(a[i*n*n:(i+1)*n*n], n, uplo) }, func(from, to int) {
			f(job, uplo, n, a[from*n*n:to*n*n], w[from*n:to*n], info[from:to])
		}, func(i int) {
			fillNaN(a[i*n*n : (i+1)*n*n])
			fillNaN(w[i*n : (i+1)*n])
			info[i] = int32(n)
		})
	}), err
}

// syevdInGo is openblas.Syevd in Go.
func syevdInGo[T openblas.Number, R openblas.Real](job, uplo byte, n int, a []T, w []R, info []int32) {
	for i := range info {
		info[i] = int32(dense.Syevd(job, uplo, n, a[i*n*n:(i+1)*n*n], w[i*n:(i+1)*n]))
	}
}

// infos are where count matrices report LAPACK's info, in a result or, if the call asks for none, nowhere.
func infos(out [][]byte, at, count int) []int32 {
	if at < len(out) && len(out[at]) == 4*count {
		return as[int32](out[at])
	}
	return make([]int32, count)
}

// inRuns calls do for as many of 0 to count-1 at a time as are good one after the other, and bad for each of the rest.
func inRuns(count int, good func(i int) bool, do func(from, to int), bad func(i int)) {
	from := 0
	for i := range count {
		if good(i) {
			continue
		}
		if from < i {
			do(from, i)
		}
		bad(i)
		from = i + 1
	}
	if from < count {
		do(from, count)
	}
}

// finiteTriangle is finite for one triangle of a column-major matrix.
func finiteTriangle[T openblas.Number](a []T, n int, uplo byte) bool {
	for j := range n {
		column := a[j*n : j*n+j+1]
		if uplo == 'L' {
			column = a[j*n+j : (j+1)*n]
		}
		if !finite(column) {
			return false
		}
	}
	return true
}

// finite says whether no element is a NaN or an infinity, which are not 0 less themselves. Four sums at once do not
// wait for one another.
func finite[T openblas.Number](a []T) bool {
	var s [4]T
	for ; len(a) >= 4; a = a[4:] {
		s[0] += a[0] - a[0]
		s[1] += a[1] - a[1]
		s[2] += a[2] - a[2]
		s[3] += a[3] - a[3]
	}
	for _, x := range a {
		s[0] += x - x
	}
	return s[0]+s[1]+s[2]+s[3] == 0
}

func fillNaN[T openblas.Number](a []T) {
	var x any
	switch any(a).(type) {
	case []float32:
		x = float32(math.NaN())
	case []float64:
		x = math.NaN()
	case []complex64:
		x = complex(float32(math.NaN()), float32(math.NaN()))
	default:
		x = complex(math.NaN(), math.NaN())
	}
	for i := range a {
		a[i] = x.(T)
	}
}

// vectors says which singular vectors a call wants, A all, S the first, N none, and whether their shapes are right.
func (s *site) vectors() byte {
	job := byte('A')
	switch all := s.at('u') == s.at('m') && s.at('v') == s.at('n'); {
	case s.has("mode"):
		job = s.letter("mode", "ASN")
	case !s.flag("compute_uv", true):
		job = 'N'
	case !s.flag("full_matrices", all):
		job = 'S'
	}
	want := [2]int{s.at('m'), s.at('n')}
	if job == 'S' {
		want = [2]int{s.at('k'), s.at('k')}
	}
	if got := [2]int{s.at('u'), s.at('v')}; job != 'N' && got != want {
		s.fail("got %d and %d singular vectors, want %d and %d", got[0], got[1], want[0], want[1])
	}
	return job
}

type singular[T openblas.Number, R openblas.Real] func(job byte, m, n int, a []T, s []R, u, vt []T, info []int32)

func gesdd[T openblas.Number, R openblas.Real](s *site) (step, error) {
	f, err := choose[singular[T, R]](s, openblas.Gesdd[T, R], gesddInGo[T, R])
	return decompose(s, f), err
}

func gesvd[T openblas.Number, R openblas.Real](s *site) (step, error) {
	f, err := choose[singular[T, R]](s, openblas.Gesvd[T, R], gesddInGo[T, R])
	if s.transposed {
		s.rowMajor()
		s.dims['m'], s.dims['n'] = s.dims['n'], s.dims['m']
		s.dims['u'], s.dims['v'] = s.dims['v'], s.dims['u']
	}
	return decompose(s, f), err
}

// gesddInGo is openblas.Gesdd in Go.
func gesddInGo[T openblas.Number, R openblas.Real](job byte, m, n int, a []T, s []R, u, vt []T, info []int32) {
	count := len(info)
	for i := range info {
		info[i] = int32(dense.Gesdd(job, m, n, between(a, i, i+1, count), between(s, i, i+1, count),
			between(u, i, i+1, count), between(vt, i, i+1, count)))
	}
}

// between is what some of count have of an array, from one to before another.
func between[T any](a []T, from, to, count int) []T {
	each := len(a) / count
	return a[from*each : to*each]
}

// decompose makes the step of a singular value decomposition.
func decompose[T openblas.Number, R openblas.Real](s *site, f singular[T, R]) step {
	m, n, job := s.at('m'), s.at('n'), s.vectors()
	s.same(0)
	s.doing(Problem{Routine: "gesvd", Vectors: job})
	return s.steps(func(out [][]byte, count int) {
		a, info := as[T](out[0]), infos(out, 4, count)
		inRuns(count, func(i int) bool { return finite(between(a, i, i+1, count)) }, func(from, to int) {
			f(job, m, n, between(a, from, to, count), between(as[R](out[1]), from, to, count),
				between(as[T](out[2]), from, to, count), between(as[T](out[3]), from, to, count), info[from:to])
		}, func(i int) { info[i] = illegal })
	})
}

// gesvdj gives V instead of its adjoint.
func gesvdj[T openblas.Number, R openblas.Real](s *site) (step, error) {
	f, err := choose[singular[T, R]](s, openblas.Gesdd[T, R], gesddInGo[T, R])
	n, v := s.at('n'), s.at('v')
	inner := decompose(s, f)
	s.problem.Adjoint, s.many = true, nil
	return func(in, out [][]byte) {
		inner(in, out)
		adjoin(as[T](out[3]), v, n)
	}, err
}

// adjoin replaces the column-major matrix m by n with its adjoint.
func adjoin[T openblas.Number](a []T, m, n int) {
	old := slices.Clone(a)
	for j := range n {
		for i := range m {
			a[i*n+j] = conjugate(old[j*m+i])
		}
	}
}

func conjugate[T openblas.Number](x T) T {
	switch x := any(&x).(type) {
	case *complex64:
		*x = complex(real(*x), -imag(*x))
	case *complex128:
		*x = complex(real(*x), -imag(*x))
	}
	return x
}

type tridiagonalizer[T openblas.Number, R openblas.Real] = func(uplo byte, n int, a []T, d, e []R, tau []T) int

func sytrd[T openblas.Number, R openblas.Real](s *site) (step, error) {
	uplo, inGo := s.uplo(), []tridiagonalizer[T, R]{dense.Sytrd[T, R]}
	if uplo == 'U' {
		inGo = nil
	}
	f, err := choose(s, openblas.Sytrd[T, R], inGo...)
	n := s.at('n')
	s.same(0)
	return func(_, out [][]byte) {
		report(out, 4, f(uplo, n, as[T](out[0]), as[R](out[1]), as[R](out[2]), as[T](out[3])))
	}, err
}
