package cpu

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/cgo/onednn"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/shape"
)

// TestCalls wants steps of libraries, and no others, to tell of their calls: of a product whose rows lie pages apart,
// of small ones and of one with a vector, which are ours, and of one that is oneDNN's where that is.
func TestCalls(t *testing.T) {
	vendors := 0
	for _, s := range [][2]int{{1024, 1024}, {1000, 1000}, {40, 40}, {300, 1}} {
		p := compiled(t, fmt.Sprintf(`ENTRY e { x = f32[%[1]d,%[1]d] parameter(0)  y = f32[%[1]d,%[2]d] parameter(1)
  d = f32[%[1]d,%[2]d] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[%[2]d,%[1]d] transpose(d), dimensions={1,0} }`, s[0], s[1]))
		for _, s := range p.Report() {
			vendor := strings.HasPrefix(s.Kernel, "onednn") || strings.HasPrefix(s.Kernel, "openblas")
			if vendor != (s.Calls.Count > 0) || vendor != (s.Calls.Longest > 0) {
				t.Errorf("%s by %s: got %+v", s.Op, s.Kernel, s.Calls)
			}
			if vendor {
				vendors++
			}
		}
	}
	testfile.Library(t, "onednn", onednn.Load())
	if vendors == 0 {
		t.Error("no step was a library's")
	}
}

// TestProductCalls checks an estimate by hand: 2 * 64 * 128 * 1024 operations at the assumed pace, since they take
// longer than the bytes, and the bytes of a product with a vector, which take longer than its operations.
func TestProductCalls(t *testing.T) {
	pace := map[run.ISA]float64{run.Base: 10e3, run.AVX2: 40e3, run.AVX512: 80e3, run.NEON: 20e3}[run.Level()] // a us
	got := productCalls(7, 64, 128, 1024, shape.F32)
	if want := time.Duration(2*64*128*1024/pace) * time.Microsecond; got.Count != 7 || got.Longest/2 > want ||
		got.Longest*2 < want {
		t.Errorf("got %+v, want 7 calls of about %v", got, want)
	}
	if got, want := productCalls(1, 1, 4096, 4096, shape.F32).Longest, 13*time.Millisecond; got < want || got > 2*want {
		t.Errorf("a product with a vector: got %v, want %v", got, want)
	}
	if got := (exec.Calls{Count: 2, Longest: 3}).Then(exec.Calls{Count: 1, Longest: 5}); got.Count != 3 || got.Longest != 5 {
		t.Errorf("calls one after the other: got %+v, want 3 of 5 ns", got)
	}
}
