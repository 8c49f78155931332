package cpu_test

import (
	"context"
	"testing"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/loops/run"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Sub-normal numbers are zero where that is asked for, on the caller's thread and on those of the pool, and nowhere else
// afterwards.
func TestFlushDenormals(t *testing.T) {
	testfile.Native(t, run.Available())
	const n = 3 << 20
	m := parsed(t, "ENTRY e { a = f32[3145728] parameter(0)\n ROOT c = f32[3145728] multiply(a, a) }")
	w := literal.MakeWide(shape.FloatClass, n)
	for i := range w.F {
		w.F[i] = 1e-20
	}
	args := [][]*literal.Literal{{literal.FromWide(shape.Array(shape.F32, n), w)}}
	for _, flush := range []bool{true, false, true, false} {
		o := exec.Options{FlushDenormals: flush}
		p, err := cpu.New(cpu.Options{Threads: 3}).Compile(context.Background(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := p.Run(context.Background(), args, exec.RunOptions{})
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range out[0].Wide().F {
			if (v == 0) != flush {
				t.Fatalf("flush %v: element %d is %v", flush, i, v)
			}
		}
	}
}
