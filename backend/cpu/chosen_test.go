package cpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const countTo = `HloModule m
body {
  s = (f32[], s32[]) parameter(0)
  x = f32[] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  half = f32[] constant(0.5)
  one = s32[] constant(1)
  y = f32[] multiply(x, half)
  z = f32[] add(y, half)
  j = s32[] add(i, one)
  ROOT r = (f32[], s32[]) tuple(z, j)
}
condition {
  s = (f32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(1000)
  ROOT again = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  s = (f32[], s32[]) tuple(x, i)
  ROOT w = (f32[], s32[]) while(s), condition=condition, body=body
}
`

// narrowDot becomes f32 as it is packed, and is not converted before.
const narrowDot = `ENTRY e { a = f16[96,100] parameter(0) b = f16[100,80] parameter(1)
  ROOT c = f16[96,80] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }`

// TestChosenKernels holds the choice of kernels: results would be right by slower ones, too.
func TestChosenKernels(t *testing.T) {
	window := func(dims, out, window string) string {
		return fmt.Sprintf(windowText, "f32", "maximum", dims, out, window)
	}
	for _, c := range []struct{ op, kernel, text string }{
		{"while", "while by program", countTo},
		{"reduce-window", "pool", window("1,9,9,16", "1,4,4,16", "{size=1x3x3x1 stride=1x2x2x1}")},
		{"reduce-window", "running", window("9,9", "9,9", "{size=1x9 pad=0_0x8_0}")},
		{"reduce", "reduce", fmt.Sprintf(reduceBench, "add", "9,70", "9", "reduce", "dimensions={1}")},
		{"dot", "gemm", narrowDot},
	} {
		_, p := compiled(t, cpu.New(cpu.Options{}), c.text)
		found := ""
		for _, s := range p.Report() {
			if s.Op == c.op {
				found = s.Kernel
			}
		}
		p.Close()
		want := "loops " + c.kernel
		if !run.Available() {
			want = "go "
		}
		if !strings.HasPrefix(found, want) {
			t.Errorf("%s runs by %q, want %q", c.op, found, want)
		}
	}
	agrees(t, countTo, within{}, literal.Scalar(float32(3)), literal.Scalar(int32(0)))
	agrees(t, countTo, within{}, literal.Scalar(float32(3)), literal.Zero(shape.S32))
}
