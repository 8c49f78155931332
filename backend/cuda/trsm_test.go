//go:build cgo && linux

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// triangles are triangular systems, and what runs them where the library is there.
var triangles = []struct{ kernel, a, b string }{
	{"cublas trsm", "f32[64,64]", "f32[64,33]"},
	{"cublas trsm", "f64[2,70,70]", "f64[2,70,5]"},
	{"cublas trsm", "c64[2,4,64,64]", "c64[2,4,64,3]"},
	{"cublas trsm", "c128[65,65]", "c128[65,1]"},
	{"cuda triangular-solve", "f32[63,63]", "f32[63,33]"},
	{"cuda triangular-solve", "f32[9,64,64]", "f32[9,64,2]"},
	{"cuda triangular-solve", "bf16[64,64]", "bf16[64,2]"},
}

// triangleText is a program of triangular systems.
func triangleText(a, b string, left, lower, unit bool, op string) string {
	if !left { // the last two sizes of b change places
		kind, dims, _ := strings.Cut(strings.TrimSuffix(b, "]"), "[")
		d := strings.Split(dims, ",")
		n := len(d)
		d[n-1], d[n-2] = d[n-2], d[n-1]
		b = kind + "[" + strings.Join(d, ",") + "]"
	}
	return fmt.Sprintf("HloModule m\nENTRY e { a = %s parameter(0)\n b = %s parameter(1)\n ROOT r = %[2]s triangular-solve(a, b), "+
		"left_side=%[3]v, lower=%[4]v, unit_diagonal=%[5]v, transpose_a=%[6]s }", a, b, left, lower, unit, op)
}

// triangle is a matrix whose systems are well conditioned, with NaN where nothing may be read.
func triangle(r *rand.Rand, s shape.Shape, lower, unit bool) *literal.Literal {
	w := literal.MakeWide(s.Type.Class(), int(s.Size()))
	m := int(s.Dims[s.Rank()-1])
	for at := range int(s.Size()) {
		i, j := at/m%m, at%m
		v := r.NormFloat64() / float64(4*m)
		switch {
		case i == j && unit, i != j && lower == (j > i):
			v = math.NaN()
		case i == j:
			v = 1 + r.Float64()
		}
		if s.Type.IsComplex() {
			w.C[at] = complex(v, r.NormFloat64()/float64(4*m))
		} else {
			w.F[at] = v
		}
	}
	return literal.FromWide(s, w)
}

// TestTriangles compares triangular systems with the evaluator's: sides, triangles, diagonals and what is done to the
// matrix, and wants what runs them told.
func TestTriangles(t *testing.T) {
	b, r := either(t), rand.New(rand.NewPCG(3, 9))
	for n, c := range triangles {
		for way := range 12 {
			left, lower, unit := way&1 == 0, way&2 == 0, way%3 == 1
			op := []string{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}[way/4]
			if n > 0 && way%7 != n%7 { // all of them with the first
				continue
			}
			text := triangleText(c.a, c.b, left, lower, unit, op)
			m := parsed(t, text)
			if got := compiled(t, b, m, exec.Options{}).Report()[0].Kernel; got != c.kernel {
				t.Errorf("%s\nis run by %s, want %s", text, got, c.kernel)
			}
			p := m.Entry.Parameters
			args := []*literal.Literal{triangle(r, p[0].Shape, lower, unit), randomLiteral(r, p[1].Shape, false)}
			checkTriangle(t, b, text, args)
		}
	}
}

func checkTriangle(t *testing.T, b exec.Backend, text string, args []*literal.Literal) {
	t.Helper()
	near := literal.Tolerance{RTol: 1e-5, ATol: 1e-5}
	if args[0].Shape().Type == shape.BF16 {
		near = literal.Tolerance{RTol: 1e-2, ATol: 1e-2}
	}
	got, want := answer(t, b, text, exec.Options{}, args...), answer(t, exec.Reference(), text, exec.Options{}, args...)
	if d := literal.Compare(got, want, near); d != nil {
		t.Errorf("%s\n%v", text, d)
	}
}

// TestTrianglesNotFinite wants a NaN or an infinity to reach as far as in a substitution, wherever it is, and a
// singular matrix to give what IEEE gives: the emulated library spreads it.
func TestTrianglesNotFinite(t *testing.T) {
	b, r := either(t), rand.New(rand.NewPCG(5, 1))
	for _, left := range []bool{true, false} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0} {
			text := triangleText("f32[2,64,64]", "f32[2,64,5]", left, true, false, "NO_TRANSPOSE")
			p := parsed(t, text).Entry.Parameters
			a, x := triangle(r, p[0].Shape, true, false), randomLiteral(r, p[1].Shape, false)
			where, at := x, 37
			if v == 0 { // on the diagonal
				where, at = a, 20*64+20
			}
			w := where.Wide()
			w.F[at] = v
			if v == 0 {
				a = literal.FromWide(a.Shape(), w)
			} else {
				x = literal.FromWide(x.Shape(), w)
			}
			checkTriangle(t, b, text, []*literal.Literal{a, x})
		}
	}
}
