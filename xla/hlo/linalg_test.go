package hlo

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// triangle returns a random n by n matrix with a heavy diagonal, garbage in the triangle that is not to be read.
func triangle(r *rand.Rand, n int, lower bool) (clean, dirty []complex128) {
	clean, dirty = make([]complex128, n*n), make([]complex128, n*n)
	for i := range n {
		for j := range n {
			v := complex(r.NormFloat64(), r.NormFloat64())
			switch {
			case i == j:
				clean[i*n+j] = v + complex(float64(n)+2, 0)
			case (j < i) == lower:
				clean[i*n+j] = v
			}
			dirty[i*n+j] = clean[i*n+j]
			if clean[i*n+j] == 0 {
				dirty[i*n+j] = cmplx.NaN()
			}
		}
	}
	return clean, dirty
}

// matmul is a times b, matrices of n by m and m by k.
func matmul(a, b []complex128, n, m, k int) []complex128 {
	out := make([]complex128, n*k)
	for i := range n {
		for j := range k {
			for l := range m {
				out[i*k+j] += a[i*m+l] * b[l*k+j]
			}
		}
	}
	return out
}

// turned is the transpose of an n by m matrix, conjugated if asked.
func turned(a []complex128, n, m int, conj bool) []complex128 {
	out := make([]complex128, n*m)
	for i := range n {
		for j := range m {
			out[j*n+i] = a[i*m+j]
			if conj {
				out[j*n+i] = cmplx.Conj(a[i*m+j])
			}
		}
	}
	return out
}

func matrix(t *testing.T, typ shape.ElementType, v []complex128, dims ...int64) *literal.Literal {
	t.Helper()
	w := literal.MakeWide(typ.Class(), len(v))
	for i, c := range v {
		setCell(w, i, Cell{F: real(c), Im: imag(c)})
	}
	return literal.FromWide(shape.Array(typ, dims...), w)
}

func realParts(v []complex128) []complex128 {
	out := make([]complex128, len(v))
	for i := range v {
		if out[i] = complex(real(v[i]), 0); cmplx.IsNaN(v[i]) {
			out[i] = cmplx.NaN()
		}
	}
	return out
}

// wideNumbers returns the elements of a result as complex numbers.
func wideNumbers(l *literal.Literal) []complex128 {
	w := l.Wide()
	out := make([]complex128, w.Len())
	for i := range out {
		c := cellAt(w, i)
		out[i] = complex(c.F, c.Im)
	}
	return out
}

func TestTriangularSolve(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	const m, k = 5, 3
	for mode := range 48 {
		left, lower, unit, isReal := mode&1 != 0, mode&2 != 0, mode&4 != 0, mode&8 != 0
		how := TransposeA(mode/16) + NoTranspose
		clean, dirty := triangle(r, m, lower)
		x, typ := randomComplex(r, m*k), shape.C128
		if isReal {
			clean, dirty, x, typ = realParts(clean), realParts(dirty), realParts(x), shape.F64
		}
		if unit {
			for i := range m {
				clean[i*m+i], dirty[i*m+i] = 1, cmplx.NaN()
				for j := range m { // keep the system easy
					if j != i {
						clean[i*m+j], dirty[i*m+j] = clean[i*m+j]/8, dirty[i*m+j]/8
					}
				}
			}
		}
		op := clean
		if how != NoTranspose {
			op = turned(clean, m, m, how == Adjoint)
		}
		rows, cols := int64(m), int64(k)
		b := matmul(op, x, m, m, k)
		if !left {
			rows, cols = k, m
			b = matmul(x, op, k, m, m)
		}
		out := run(t, build(t, "main", func(bl *Builder) *Instruction {
			a := bl.ConstantLiteral(matrix(t, typ, append(dirty, dirty...), 2, m, m))
			rhs := bl.ConstantLiteral(matrix(t, typ, append(b, b...), 2, rows, cols))
			return bl.TriangularSolve(a, rhs, left, lower, unit, how)
		}))
		got := wideNumbers(out)
		wantNear(t, "first", got[:m*k], x)
		wantNear(t, "second", got[m*k:], x)
	}
}

func TestTriangularSolveOfSingularMatrices(t *testing.T) {
	l, err := literal.FromSlice([]float32{0, 0, 1, 0}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	rhs, err := literal.FromSlice([]float32{1, 0}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := elems[float32](t, run(t, build(t, "main", func(b *Builder) *Instruction {
		return b.TriangularSolve(b.ConstantLiteral(l), b.ConstantLiteral(rhs), true, true, false, NoTranspose)
	})))
	if !math.IsInf(float64(got[0]), 1) || !math.IsInf(float64(got[1]), -1) {
		t.Errorf("got %v, want [+Inf -Inf]", got)
	}
}

func TestCholesky(t *testing.T) {
	seed := testfile.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	const n = 6
	for mode := range 4 {
		lower, isReal := mode&1 != 0, mode&2 != 0
		factor, _ := triangle(r, n, lower)
		typ := shape.C128
		if isReal {
			factor, typ = realParts(factor), shape.F64
		}
		for i := range n {
			factor[i*n+i] = complex(real(factor[i*n+i]), 0)
		}
		a := matmul(factor, turned(factor, n, n, true), n, n, n)
		if !lower {
			a = matmul(turned(factor, n, n, true), factor, n, n, n)
		}
		for i := range n { // what is not read
			for j := range n {
				if i != j && (j < i) != lower {
					a[i*n+j] = cmplx.NaN()
				}
			}
			if !isReal {
				a[i*n+i] += 7i
			}
		}
		bad := make([]complex128, n*n)
		bad[0] = -1
		out := wideNumbers(run(t, build(t, "main", func(b *Builder) *Instruction {
			return b.Cholesky(b.ConstantLiteral(matrix(t, typ, append(append([]complex128{}, bad...), a...), 2, n, n)), lower)
		})))
		for i, v := range out[:n*n] {
			if !math.IsNaN(real(v)) {
				t.Fatalf("seed %d: not positive definite: element %d is %v, want NaN", seed, i, v)
			}
		}
		wantNear(t, "factor", out[n*n:], factor)
	}
}

func TestLinearAlgebraOfNothing(t *testing.T) {
	a := literal.Zeros(shape.Array(shape.F32, 2, 0, 0))
	b := literal.Zeros(shape.Array(shape.F32, 2, 0, 3))
	if got := run(t, build(t, "main", func(bl *Builder) *Instruction { return bl.Cholesky(bl.ConstantLiteral(a), true) })); got.Shape().Size() != 0 {
		t.Errorf("cholesky: got %v", got.Shape())
	}
	got := run(t, build(t, "main", func(bl *Builder) *Instruction {
		return bl.TriangularSolve(bl.ConstantLiteral(a), bl.ConstantLiteral(b), true, true, false, NoTranspose)
	}))
	if got.Shape().String() != "f32[2,0,3]" {
		t.Errorf("triangular solve: got %v", got.Shape())
	}
}

func TestLinearAlgebraErrors(t *testing.T) {
	solve := func(left bool, how TransposeA, a, rhs shape.Shape) func(b *Builder) {
		return func(b *Builder) {
			b.TriangularSolve(b.Parameter(0, a, "a"), b.Parameter(1, rhs, "b"), left, true, false, how)
		}
	}
	f := func(dims ...int64) shape.Shape { return shape.Array(shape.F32, dims...) }
	for _, c := range []struct {
		name  string
		build func(b *Builder)
		want  string
	}{
		{"cholesky: rank C2", func(b *Builder) { b.Cholesky(b.Parameter(0, f(3), "a"), true) }, "want rank 2 or more"},
		{"cholesky: square C3", func(b *Builder) { b.Cholesky(b.Parameter(0, f(3, 4), "a"), true) }, "want square"},
		{"cholesky: type", func(b *Builder) { b.Cholesky(count(t, b, 2, 2), true) }, "want floats or complex"},
		{"solve: types C1", solve(true, NoTranspose, f(2, 2), shape.Array(shape.F64, 2, 2)), "element types differ"},
		{"solve: rank C2", solve(true, NoTranspose, f(4), f(4)), "want rank 2 or more"},
		{"solve: ranks C2", solve(true, NoTranspose, f(4, 4), f(1, 4, 4)), "ranks differ"},
		{"solve: batch C3", solve(true, NoTranspose, f(10, 5, 4, 4), f(10, 6, 4, 3)), "batch sizes differ: dimension 1"},
		{"solve: left size C3", solve(true, NoTranspose, f(4, 4), f(3, 4)), "sizes differ: dimension 0 of b"},
		{"solve: right size C3", solve(false, NoTranspose, f(4, 4), f(4, 3)), "sizes differ: dimension 1 of b"},
		{"solve: square C4", solve(true, NoTranspose, f(4, 3), f(4, 3)), "want square"},
		{"solve: transpose", solve(true, TransposeInvalid, f(4, 4), f(4, 4)), "transpose_a: got TRANSPOSE_INVALID"},
		{"solve: integers", solve(true, NoTranspose, shape.Array(shape.S32, 2, 2), shape.Array(shape.S32, 2, 2)), "want floats or complex"},
	} {
		wantError(t, c.name, buildError(t, c.build), c.want)
	}
}
