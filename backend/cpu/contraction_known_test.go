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
