package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// TestTermsApart wants products whose terms lie half a page apart in rhs, or a quarter in lhs, to be ours with vectors of
// 8.
func TestTermsApart(t *testing.T) {
	for _, s := range []size{{100, 512, 130, 1}, {256, 200, 131, 0}, {512, 512, 65, 0}} {
		testOwn(t, s, run.AVX2)
	}
}

// TestFewTerms wants products of few terms and large results to be ours with vectors of 8 and of 16.
func TestFewTerms(t *testing.T) {
	for _, s := range []size{{1024, 1030, 4, 1}, {77, 16384, 7, 0}} {
		testOwn(t, s, run.AVX2, run.AVX512)
	}
}

// size is that of a product, and from the dimension of lhs that has its terms.
type size struct{ m, n, k, from int }

// testOwn wants a product to be the reference's, to the bit, for any number of threads, and ours at some levels.
func testOwn(t *testing.T, s size, levels ...run.ISA) {
	t.Helper()
	testfile.Native(t, run.Available())
	r := rand.New(rand.NewPCG(11, 2))
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
		if k := p.Report()[0].Kernel; slices.Contains(levels, run.Level()) && k != "loops gemm" {
			t.Errorf("%v: got %s, want our own kernel", s, k)
		}
	}
}
