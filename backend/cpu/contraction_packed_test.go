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

// TestTermsApart wants products whose terms lie half a page apart in rhs, or a quarter in lhs, to be the reference's, to the
// bit, for any number of threads, and ours with vectors of 8.
func TestTermsApart(t *testing.T) {
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(11, 2))
	for _, s := range []struct{ m, n, k, from int }{{100, 512, 130, 1}, {256, 200, 131, 0}, {512, 512, 65, 0}} {
		lhs := [2]int{s.m, s.k}
		if s.from == 0 {
			lhs = [2]int{s.k, s.m}
		}
		text := fmt.Sprintf("ENTRY e { a = f32[%d,%d] parameter(0) b = f32[%d,%d] parameter(1) ROOT y = f32[%d,%d] dot(a, b), "+
			"lhs_contracting_dims={%d}, rhs_contracting_dims={0} }", lhs[0], lhs[1], s.k, s.n, s.m, s.n, s.from)
		m, reference := compile(t, exec.Reference(), text)
		args := []*literal.Literal{small(r, m.Entry.Parameters[0].Shape), small(r, m.Entry.Parameters[1].Shape)}
		want := execute(t, reference, args...)
		for _, threads := range []int{1, 2, 3, 7} {
			p := compileBound(t, New(Options{Threads: threads}), m, nil)
			if d := literal.Compare(execute(t, p, args...), want, literal.Tolerance{}); d != nil {
				t.Errorf("%v, %d threads: %v", s, threads, d)
			}
			if k := p.Report()[0].Kernel; run.Level() == run.AVX2 && k != "loops gemm" {
				t.Errorf("%v: got %s, want our own kernel", s, k)
			}
		}
	}
}
