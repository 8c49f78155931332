package lapack_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// kind is an element type with LAPACK's letter, and the unit of its last place.
type kind struct {
	letter string
	t      shape.ElementType
	ulp    float64
}

var kinds = []kind{{"s", shape.F32, 1.0 / (1 << 23)}, {"d", shape.F64, 1.0 / (1 << 52)},
	{"c", shape.C64, 1.0 / (1 << 23)}, {"z", shape.C128, 1.0 / (1 << 52)}}

func (k kind) complex() bool { return k.t.IsComplex() }

func (k kind) real() shape.ElementType {
	return map[shape.ElementType]shape.ElementType{shape.F32: shape.F32, shape.F64: shape.F64, shape.C64: shape.F32,
		shape.C128: shape.F64}[k.t]
}

// name is the target of a family; other is what complex types call it.
func (k kind) name(family, other string) string {
	if k.complex() && other != "" {
		family = other
	}
	return "lapack_" + k.letter + family + "_ffi"
}

// matrix is m by n in rows.
type matrix struct {
	m, n int
	v    []complex128
}

func zeros(m, n int) matrix { return matrix{m, n, make([]complex128, m*n)} }

func (a matrix) at(i, j int) complex128 { return a.v[i*a.n+j] }

func (a matrix) set(i, j int, x complex128) { a.v[i*a.n+j] = x }

func identity(n int) matrix {
	a := zeros(n, n)
	for i := range n {
		a.set(i, i, 1)
	}
	return a
}

func (a matrix) adjoint() matrix {
	b := zeros(a.n, a.m)
	for i := range a.m {
		for j := range a.n {
			b.set(j, i, cmplx.Conj(a.at(i, j)))
		}
	}
	return b
}

func (a matrix) times(b matrix) matrix {
	c := zeros(a.m, b.n)
	for i := range a.m {
		for j := range b.n {
			sum := complex128(0)
			for k := range a.n {
				sum += a.at(i, k) * b.at(k, j)
			}
			c.set(i, j, sum)
		}
	}
	return c
}

// keep returns the elements for which f holds; the others are 0.
func (a matrix) keep(f func(i, j int) bool) matrix {
	b := zeros(a.m, a.n)
	for i := range a.m {
		for j := range a.n {
			if f(i, j) {
				b.set(i, j, a.at(i, j))
			}
		}
	}
	return b
}

// columns returns the first n columns.
func (a matrix) columns(n int) matrix {
	b := zeros(a.m, n)
	for i := range a.m {
		copy(b.v[i*n:(i+1)*n], a.v[i*a.n:])
	}
	return b
}

func diagonal(d []complex128) matrix {
	a := zeros(len(d), len(d))
	for i, x := range d {
		a.set(i, i, x)
	}
	return a
}

// near fails unless a and b differ by at most tol in every element.
func near(t *testing.T, what string, a, b matrix, tol float64) {
	t.Helper()
	if a.m != b.m || a.n != b.n {
		t.Fatalf("%s: got %d by %d, want %d by %d", what, a.m, a.n, b.m, b.n)
	}
	for i := range a.v {
		if d := cmplx.Abs(a.v[i] - b.v[i]); !(d <= tol) {
			t.Fatalf("%s: element %d,%d is %v, want %v, within %g", what, i/max(a.n, 1), i%max(a.n, 1), a.v[i], b.v[i], tol)
		}
	}
}

func random(r *rand.Rand, k kind, m, n int) matrix {
	a := zeros(m, n)
	for i := range a.v {
		im := 0.0
		if k.complex() {
			im = r.NormFloat64()
		}
		a.v[i] = complex(r.NormFloat64(), im)
	}
	return roundTo(k.t, a)
}

// roundTo rounds to what an element type holds.
func roundTo(t shape.ElementType, a matrix) matrix {
	return matrices(literalOf(t, []int64{int64(a.m), int64(a.n)}, a))[0]
}

// literalOf makes an array of matrices.
func literalOf(t shape.ElementType, dims []int64, list ...matrix) *literal.Literal {
	w := literal.MakeWide(t.Class(), 0)
	for _, a := range list {
		for _, x := range a.v {
			switch t.Class() {
			case shape.ComplexClass:
				w.C = append(w.C, x)
			case shape.FloatClass:
				w.F = append(w.F, real(x))
			default:
				w.I = append(w.I, int64(real(x)))
			}
		}
	}
	return literal.FromWide(shape.Array(t, dims...), w)
}

// matrices returns the matrices of an array; a vector is a matrix of one column.
func matrices(l *literal.Literal) []matrix { return split(l, 2) }

// vectors returns the last dimension of an array as columns.
func vectors(l *literal.Literal) []matrix { return split(l, 1) }

func split(l *literal.Literal, rank int) []matrix {
	s, w := l.Shape(), l.Wide()
	d := s.Dims[s.Rank()-rank:]
	m, n := int(d[0]), 1
	if rank == 2 {
		n = int(d[1])
	}
	var list []matrix
	for at := 0; at+m*n <= w.Len() && m*n > 0; at += m * n {
		a := zeros(m, n)
		for i := range a.v {
			switch {
			case w.C != nil:
				a.v[i] = w.C[at+i]
			case w.F != nil:
				a.v[i] = complex(w.F[at+i], 0)
			default:
				a.v[i] = complex(float64(w.I[at+i]), 0)
			}
		}
		list = append(list, a)
	}
	return list
}

func ints(l *literal.Literal) []int64 { return l.Wide().I }

// call evaluates one custom call. results are shapes; one alone is no tuple.
func call(t *testing.T, target, config string, results []shape.Shape, args ...*literal.Literal) []*literal.Literal {
	t.Helper()
	out, err := try(target, config, results, args...)
	if errors.Is(err, errors.ErrUnsupported) && strings.Contains(err.Error(), "needs OpenBLAS") {
		testfile.Library(t, "openblas", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func try(target, config string, results []shape.Shape, args ...*literal.Literal) ([]*literal.Literal, error) {
	b := hlo.NewBuilder("main")
	operands := make([]*hlo.Instruction, len(args))
	for i, a := range args {
		operands[i] = b.ConstantLiteral(a)
	}
	s := results[0]
	if len(results) > 1 {
		s = shape.TupleOf(results...)
	}
	o := hlo.CustomCallOptions{Opaque: config, APIVersion: hlo.APITypedFFI}
	c, err := b.Build(b.CustomCall(target, operands, s, o))
	if err != nil {
		return nil, err
	}
	m := hlo.NewModule("m", c)
	h := lapack.Handlers{}
	if err := hlo.Unsupported(m, h); err != nil {
		return nil, err
	}
	out, err := hlo.Evaluate(context.Background(), m, nil, hlo.EvalOptions{Handlers: h})
	if err != nil {
		return nil, err
	}
	return out.Leaves(), nil
}

// batches are the dimensions of batches that tests run through, with how many matrices they are.
var batches = []struct {
	dims []int64
	n    int
}{{nil, 1}, {[]int64{3}, 3}, {[]int64{2, 2}, 4}}

// each runs f for every type and batch.
func each(t *testing.T, f func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int)) {
	for _, k := range kinds {
		for _, b := range batches {
			t.Run(k.t.String()+"/"+shape.Array(shape.S32, b.dims...).String(), func(t *testing.T) {
				f(t, rand.New(rand.NewPCG(1, 2)), k, b.dims, b.n)
			})
		}
	}
}

func of(t shape.ElementType, lead []int64, dims ...int64) shape.Shape {
	return shape.Array(t, append(append([]int64(nil), lead...), dims...)...)
}

// several returns count random matrices and the array of them.
func several(r *rand.Rand, k kind, lead []int64, count, m, n int, f func(matrix) matrix) ([]matrix, *literal.Literal) {
	var list []matrix
	for range count {
		a := random(r, k, m, n)
		if f != nil {
			a = roundTo(k.t, f(a))
		}
		list = append(list, a)
	}
	return list, literalOf(k.t, of(k.t, lead, int64(m), int64(n)).Dims, list...)
}

func positive(a matrix) matrix {
	b := a.times(a.adjoint())
	for i := range b.m {
		b.set(i, i, complex(real(b.at(i, i))+1, 0))
	}
	return b
}

func hermitian(a matrix) matrix {
	b, c := a.adjoint(), zeros(a.m, a.n)
	for i := range c.v {
		c.v[i] = (a.v[i] + b.v[i]) / 2
	}
	return c
}

func lower(i, j int) bool { return i >= j }

func upper(i, j int) bool { return i <= j }

func TestPotrf(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const n = 7
		list, a := several(r, k, lead, count, n, n, positive)
		results := []shape.Shape{a.Shape(), of(shape.S32, lead)}
		for config, half := range map[string]func(i, j int) bool{"{uplo = 76 : ui8}": lower, "{uplo = 85 : ui8}": upper} {
			out := call(t, k.name("potrf", ""), config, results, a)
			for i, f := range matrices(out[0]) {
				l := f.keep(half)
				product := l.times(l.adjoint())
				if !half(1, 0) {
					product = l.adjoint().times(l)
				}
				near(t, "L Lᴴ", product, list[i], 100*n*k.ulp)
				other := func(i, j int) bool { return !half(i, j) }
				near(t, "the other triangle", f.keep(other), list[i].keep(other), 0)
				if got := ints(out[1])[i]; got != 0 {
					t.Errorf("info is %d, want 0", got)
				}
			}
		}
	})
}

func TestPotrfOfNotPositive(t *testing.T) {
	a := identity(4)
	a.set(2, 2, -1)
	for _, k := range kinds {
		results := []shape.Shape{of(k.t, nil, 4, 4), of(shape.S32, nil)}
		out := call(t, k.name("potrf", ""), "{uplo = 76 : ui8}", results, literalOf(k.t, []int64{4, 4}, a))
		if got := ints(out[1])[0]; got != 3 {
			t.Errorf("%s: info is %d, want 3", k.t, got)
		}
	}
}

func TestGetrf(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		for _, d := range [][2]int{{6, 6}, {8, 5}, {4, 7}, {1, 3}} {
			m, n := d[0], d[1]
			least := min(m, n)
			list, a := several(r, k, lead, count, m, n, nil)
			results := []shape.Shape{a.Shape(), of(shape.S32, lead, int64(least)), of(shape.S32, lead)}
			out := call(t, k.name("getrf", ""), "{}", results, a)
			pivots := call(t, "cu_lu_pivots_to_permutation", "{}", []shape.Shape{of(shape.S32, lead, int64(m))},
				minusOne(out[1]))
			for i, f := range matrices(out[0]) {
				l := f.keep(func(i, j int) bool { return i > j }).columns(least)
				for j := range least {
					l.set(j, j, 1)
				}
				u := matrix{least, n, f.keep(upper).v[:least*n]}
				product := l.times(u)
				want := zeros(m, n)
				for row, from := range ints(pivots[0])[i*m : (i+1)*m] {
					copy(want.v[row*n:(row+1)*n], list[i].v[int(from)*n:])
				}
				near(t, "L U", product, want, 100*k.ulp*float64(least))
			}
		}
	})
}

// minusOne counts pivots from 0.
func minusOne(l *literal.Literal) *literal.Literal {
	w := l.Wide()
	for i := range w.I {
		w.I[i]--
	}
	return literal.FromWide(l.Shape(), w)
}

func TestSingular(t *testing.T) {
	for _, k := range kinds {
		a := zeros(3, 3)
		a.set(0, 0, 1)
		results := []shape.Shape{of(k.t, nil, 3, 3), of(shape.S32, nil, 3), of(shape.S32, nil)}
		out := call(t, k.name("getrf", ""), "{}", results, literalOf(k.t, []int64{3, 3}, a))
		if got := ints(out[2])[0]; got != 2 {
			t.Errorf("%s: info is %d, want 2", k.t, got)
		}
	}
}

// reflected is Q of a QR decomposition: m by n.
func reflected(t *testing.T, k kind, a, tau *literal.Literal) *literal.Literal {
	t.Helper()
	return call(t, k.name("orgqr", "ungqr"), "{}", []shape.Shape{a.Shape()}, a, tau)[0]
}

func TestGeqrf(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		for _, d := range [][2]int{{6, 6}, {8, 5}, {5, 1}} {
			m, n := d[0], d[1]
			list, a := several(r, k, lead, count, m, n, nil)
			out := call(t, k.name("geqrf", ""), "{}", []shape.Shape{a.Shape(), of(k.t, lead, int64(n))}, a)
			q := matrices(reflected(t, k, out[0], out[1]))
			for i, f := range matrices(out[0]) {
				u := matrix{n, n, f.keep(upper).v[:n*n]}
				near(t, "Q R", q[i].times(u), list[i], 100*float64(m)*k.ulp)
				near(t, "Qᴴ Q", q[i].adjoint().times(q[i]), identity(n), 100*float64(m)*k.ulp)
			}
		}
	})
}

func TestGeqp3(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const m, n = 6, 4
		list, a := several(r, k, lead, count, m, n, nil)
		free := literal.Zeros(of(shape.S32, lead, n))
		out := call(t, k.name("geqp3", ""), "{}", []shape.Shape{a.Shape(), free.Shape(), of(k.t, lead, n)}, a, free)
		q := matrices(reflected(t, k, out[0], out[2]))
		for i, f := range matrices(out[0]) {
			want := zeros(m, n)
			for j, from := range ints(out[1])[i*n : (i+1)*n] {
				for row := range m {
					want.set(row, j, list[i].at(row, int(from)-1))
				}
			}
			near(t, "Q R", q[i].times(matrix{n, n, f.keep(upper).v[:n*n]}), want, 100*m*k.ulp)
			if cmplx.Abs(f.at(0, 0)) < cmplx.Abs(f.at(n-1, n-1)) {
				t.Error("the diagonal of R grows")
			}
		}
	})
}

func TestOrmqr(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const m, n = 5, 3
		_, a := several(r, k, lead, count, m, m, nil)
		factors := call(t, k.name("geqrf", ""), "{}", []shape.Shape{a.Shape(), of(k.t, lead, m)}, a)
		q := matrices(reflected(t, k, factors[0], factors[1]))
		for _, left := range []bool{true, false} {
			rows, columns := m, n
			if !left {
				rows, columns = n, m
			}
			list, c := several(r, k, lead, count, rows, columns, nil)
			for _, turned := range []bool{false, true} {
				config := "{left = " + text(left) + ", transpose = " + text(turned) + "}"
				out := call(t, k.name("ormqr", "unmqr"), config, []shape.Shape{c.Shape()}, factors[0], factors[1], c)
				for i, got := range matrices(out[0]) {
					by := q[i]
					if turned {
						by = by.adjoint()
					}
					first, second := list[i], by
					if left {
						first, second = by, list[i]
					}
					near(t, config, got, first.times(second), 200*m*k.ulp)
				}
			}
		}
	})
}

func text(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func TestSyevd(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		const n = 8
		list, a := several(r, k, lead, count, n, n, hermitian)
		results := []shape.Shape{a.Shape(), of(k.real(), lead, n), of(shape.S32, lead)}
		for _, uplo := range []string{"76", "85"} {
			out := call(t, k.name("syevd", "heevd"), "{mode = 86 : ui8, uplo = "+uplo+" : ui8}", results, a)
			w := vectors(out[1])
			for i, v := range matrices(out[0]) {
				near(t, "A V", list[i].times(v), v.times(diagonal(w[i].v)), 200*n*k.ulp)
				near(t, "Vᴴ V", v.adjoint().times(v), identity(n), 200*n*k.ulp)
				for j := 1; j < n; j++ {
					if real(w[i].v[j]) < real(w[i].v[j-1]) {
						t.Error("eigenvalues do not ascend")
					}
				}
			}
		}
	})
}

func TestNaN(t *testing.T) {
	for _, k := range kinds {
		a := identity(3)
		a.set(1, 1, complex(math.NaN(), 0))
		square, info := of(k.t, nil, 3, 3), of(shape.S32, nil)
		l := literalOf(k.t, []int64{3, 3}, a)
		for target, results := range map[string][]shape.Shape{
			k.name("gesdd", ""): {square, of(k.real(), nil, 3), square, square, info},
			k.name("gesvd", ""): {square, of(k.real(), nil, 3), square, square, info},
		} {
			out := call(t, target, "{mode = 65 : ui8}", results, l)
			if got := ints(out[4])[0]; got == 0 {
				t.Errorf("%s: info is 0", target)
			}
		}
		out := call(t, k.name("syevd", "heevd"), "{mode = 86 : ui8, uplo = 76 : ui8}",
			[]shape.Shape{square, of(k.real(), nil, 3), info}, l)
		if ints(out[2])[0] == 0 || !cmplx.IsNaN(matrices(out[0])[0].v[0]) {
			t.Errorf("%s: eigenvalues of NaN: got %v", k.t, out)
		}
	}
}

// Matrices that are done some at a time give what each gives alone, also beside one with a NaN.
func TestSomeAtATime(t *testing.T) {
	const count = 67
	for _, k := range kinds {
		r := rand.New(rand.NewPCG(3, 4))
		list, _ := several(r, k, []int64{count}, count, 3, 3, hermitian)
		for _, i := range []int{0, 5, 6, 63, 66} {
			withNaN(list[i])
		}
		for target, config := range map[string]string{k.name("syevd", "heevd"): "{mode = 86 : ui8, uplo = 76 : ui8}",
			k.name("gesdd", ""): "{mode = 83 : ui8}", k.name("gesvd", ""): "{mode = 78 : ui8}"} {
			many := call(t, target, config, spectra(k, target, count), literalOf(k.t, []int64{count, 3, 3}, list...))
			for i, a := range list {
				one := call(t, target, config, spectra(k, target, 1), literalOf(k.t, []int64{1, 3, 3}, a))
				for j := range one {
					each := len(one[j].Bytes())
					if !bytes.Equal(many[j].Bytes()[i*each:(i+1)*each], one[j].Bytes()) {
						t.Fatalf("%s: result %d of matrix %d differs from that of one alone, %v", target, j, i, one[j])
					}
				}
			}
		}
	}
}

// spectra are the results of a target for count matrices 3 by 3.
func spectra(k kind, target string, count int64) []shape.Shape {
	lead := []int64{count}
	square, values, info := of(k.t, lead, 3, 3), of(k.real(), lead, 3), of(shape.S32, lead)
	if strings.Contains(target, "ev") {
		return []shape.Shape{square, values, info}
	}
	return []shape.Shape{square, values, square, square, info}
}

// A NaN stays one in what depends on it, and nowhere else.
func TestNaNInFactors(t *testing.T) {
	for _, k := range kinds {
		square, info := of(k.t, nil, 3, 3), of(shape.S32, nil)
		wide := literalOf(k.t, []int64{3, 3}, random(rand.New(rand.NewPCG(1, 2)), k, 3, 3))
		wide = literalOf(k.t, []int64{3, 3}, withNaN(matrices(wide)[0]))
		qr := call(t, k.name("geqrf", ""), "{}", []shape.Shape{square, of(k.t, nil, 3)}, wide)
		if f := matrices(qr[0])[0]; !cmplx.IsNaN(f.at(0, 1)) || !cmplx.IsNaN(f.at(2, 2)) || cmplx.IsNaN(f.at(0, 0)) {
			t.Errorf("%s: QR of a NaN in the second column: got %v", k.t, f)
		}
		lu := call(t, k.name("getrf", ""), "{}", []shape.Shape{square, of(shape.S32, nil, 3), info}, wide)
		if f := matrices(lu[0])[0]; !cmplx.IsNaN(f.at(2, 2)) || cmplx.IsNaN(f.at(0, 0)) {
			t.Errorf("%s: LU of a NaN in the second column: got %v", k.t, f)
		}
	}
}

// withNaN has a NaN in the middle.
func withNaN(a matrix) matrix {
	a.set(1, 1, complex(math.NaN(), 0))
	return a
}

func TestSingularValues(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, k kind, lead []int64, count int) {
		for _, family := range []string{"gesdd", "gesvd"} {
			for _, d := range [][2]int{{6, 6}, {8, 5}, {4, 7}, {1, 3}} {
				testSingularValues(t, r, k, family, lead, count, d[0], d[1])
			}
		}
	})
}

func testSingularValues(t *testing.T, r *rand.Rand, k kind, family string, lead []int64, count, m, n int) {
	least := min(m, n)
	list, a := several(r, k, lead, count, m, n, nil)
	for _, mode := range []struct {
		config string
		u, v   int
	}{{"{mode = 65 : ui8}", m, n}, {"{mode = 83 : ui8}", least, least}, {"{mode = 78 : ui8}", m, n}} {
		out := call(t, k.name(family, ""), mode.config, []shape.Shape{a.Shape(), of(k.real(), lead, int64(least)),
			of(k.t, lead, int64(m), int64(mode.u)), of(k.t, lead, int64(mode.v), int64(n)), of(shape.S32, lead)}, a)
		u, vt := matrices(out[2]), matrices(out[3])
		for i, s := range vectors(out[1]) {
			sum, norm := 0.0, 0.0
			for _, x := range s.v {
				sum += real(x) * real(x)
			}
			for _, x := range list[i].v {
				norm += real(x * cmplx.Conj(x))
			}
			if math.Abs(sum-norm) > 100*norm*float64(m+n)*k.ulp {
				t.Errorf("%s %s: the squares of the singular values sum to %g, want %g", family, mode.config, sum, norm)
			}
			if mode.config == "{mode = 78 : ui8}" {
				continue
			}
			tol := 100 * float64(m+n) * k.ulp
			some := matrix{least, n, vt[i].v[:least*n]}
			near(t, "U S Vᴴ", u[i].columns(least).times(diagonal(s.v)).times(some), list[i], tol)
			near(t, "Uᴴ U", u[i].adjoint().times(u[i]), identity(mode.u), tol)
			near(t, "Vᴴ V", vt[i].times(vt[i].adjoint()), identity(mode.v), tol)
		}
	}
}
