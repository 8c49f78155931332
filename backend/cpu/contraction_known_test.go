package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// TestKnownProducts wants of products by known weights, of sizes around those of pieces, what the reference gives, to the
// bit, for 1 and 3 threads: with weights as they are and transposed, with rows that are pages apart, with lhs transposed,
// and with NaN and infinities.
func TestKnownProducts(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(31, 1))
	for _, s := range [][3]int{{2, 3, 5}, {5, 64, 300}, {8, 1024, 64}, {13, 520, 129}, {60, 1024, 260}, {97, 70, 515},
		{330, 260, 270}} {
		for form := range 4 {
			text := knownProgram(s[0], s[1], s[2], form)
			m, reference := compile(t, exec.Reference(), text)
			args := []*literal.Literal{small(r, m.Entry.Parameters[0].Shape), small(r, m.Entry.Parameters[1].Shape),
				small(r, m.Entry.Parameters[2].Shape)}
			sprinkle(r, args[2])
			if form == 0 {
				sprinkle(r, args[0])
			}
			want := execute(t, reference, args...)
			for _, threads := range []int{1, 3} {
				p := compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1]})
				if d := literal.Compare(execute(t, p, args[0], args[2]), want, literal.Tolerance{}); d != nil {
					t.Fatalf("%v, %d threads: %v\n%s", s, threads, d, text)
				}
				if k := p.Report()[0].Kernel; hasWideTiles() && k != "loops panels" {
					t.Errorf("%v: got %s, want our own kernel", s, k)
				}
			}
		}
	}
}

// knownProgram is a product of m by k and k by n with an epilogue, in one of four forms: either operand may be
// transposed.
func knownProgram(m, k, n, form int) string {
	a, b, from, to := []int{m, k}, []int{k, n}, 1, 0
	if form&1 != 0 {
		b[0], b[1], to = n, k, 1
	}
	if form&2 != 0 {
		a[0], a[1], from = k, m, 0
	}
	return fmt.Sprintf("ENTRY e { a = f32[%d,%d] parameter(0) b = f32[%d,%d] parameter(1) y = f32[%d,%d] dot(a, b), "+
		"lhs_contracting_dims={%d}, rhs_contracting_dims={%d} c = f32[%[5]d,%[6]d] parameter(2) "+
		"ROOT r = f32[%[5]d,%[6]d] add(y, c) }", a[0], a[1], b[0], b[1], m, n, from, to)
}

// TestKnownEnds adds a bias to products of many rows with short sums or few columns, takes what is above one number and
// then what is below another, in the kernel or behind it: sums are exact, some of them are NaN.
func TestKnownEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 3))
	for _, s := range []struct {
		m, k, n     int
		least, most string
		taken       bool // by our kernel, with all that follows, at AVX2
	}{{150, 16, 64, "0", "6", true}, {321, 32, 192, "0", "6", true}, {200, 33, 100, "0", "2.5", true},
		{700, 192, 32, "0", "6", true}, {143, 70, 48, "0", "inf", true}, {143, 70, 40, "0", "6", false},
		{150, 15, 64, "0", "6", false}, {150, 16, 64, "0", "0", false}, {150, 16, 64, "-1", "3", false},
		{150, 16, 64, "0", "nan", false}} {
		text := fmt.Sprintf(`ENTRY e { a = f32[%d,%d] parameter(0) b = f32[%[2]d,%d] parameter(1) v = f32[%[3]d] parameter(2)
			y = f32[%[1]d,%[3]d] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
			c = f32[%[1]d,%[3]d] broadcast(v), dimensions={1} d = f32[%[1]d,%[3]d] add(y, c)
			l = f32[] constant(%[4]s) x = f32[%[1]d,%[3]d] broadcast(l), dimensions={} p = f32[%[1]d,%[3]d] maximum(x, d)
			h = f32[] constant(%[5]s) z = f32[%[1]d,%[3]d] broadcast(h), dimensions={}
			ROOT q = f32[%[1]d,%[3]d] minimum(z, p) }`, s.m, s.k, s.n, s.least, s.most)
		m, reference := compile(t, exec.Reference(), text)
		args := smallArguments(r, m)
		sprinkle(r, args[0])
		want := execute(t, reference, args...)
		for _, threads := range []int{1, 2, 3, 7} {
			p := compileBound(t, New(Options{Threads: threads}), m, map[int64]*literal.Literal{1: args[1], 2: args[2]})
			step, all := p.Report()[0], int64(4*(s.m*s.k+s.k*(s.n+15)/16*16+s.m*s.n+s.n))
			if all += 4 * 16 * int64(s.k); run.Level() == run.AVX2 && (step.Kernel == "loops panels" && step.Bytes < all) != s.taken {
				t.Errorf("%v: %v", s, step) // the result is written once if that is all
			}
			if d := literal.Compare(execute(t, p, args[0]), want, literal.Tolerance{}); d != nil {
				t.Errorf("%v, %d threads: %v", s, threads, d)
			}
		}
	}
}
