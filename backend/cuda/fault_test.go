//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// residual is a block of a network: convolutions, a normalisation, a sum with what came in, a pooling.
const residual = `HloModule residual
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
larger { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b) }
ENTRY e { x = f32[1,6,6,4] parameter(0)
  k = f32[3,3,4,4] parameter(1)
  g = f32[4] parameter(2)
  y = f32[1,6,6,4] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  gs = f32[1,6,6,4] broadcast(g), dimensions={3}
  z = f32[1,6,6,4] multiply(y, gs)
  zero = f32[] constant(0)
  zeros = f32[1,6,6,4] broadcast(zero), dimensions={}
  r = f32[1,6,6,4] maximum(z, zeros)
  y2 = f32[1,6,6,4] convolution(r, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  s = f32[1,6,6,4] add(y2, x)
  low = f32[] constant(-inf)
  p = f32[1,3,3,4] reduce-window(s, low), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=larger
  ROOT m = f32[1,4] reduce(p, zero), dimensions={1,2}, to_apply=add }`

// product is a product of matrices by the library, and what is done with it.
const product = `HloModule product
ENTRY e { x = f32[20,32] parameter(0)
  y = f32[32,24] parameter(1)
  z = f32[20,24] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[20,24] negate(z) }`

// TestFaults has calls of the driver fail in turn, from opening to closing: there is an error, a run after it gives the
// reference's answer, and nothing is left. It takes some thirty calls, or each if $HALO_EMU is all.
func TestFaults(t *testing.T) {
	programs := map[string]struct {
		text string
		args []*literal.Literal
	}{
		"loop":     {control, []*literal.Literal{numbers(t, 3)}},
		"product":  {product, []*literal.Literal{numbers(t, 20, 32), numbers(t, 32, 24)}},
		"residual": {residual, []*literal.Literal{numbers(t, 1, 6, 6, 4), numbers(t, 3, 3, 4, 4), numbers(t, 4)}},
	}
	for name, p := range programs {
		t.Run(name, func(t *testing.T) {
			f := &faults{t: t, args: p.args}
			var err error
			if f.m, err = hlo.Parse([]byte(p.text), name); err != nil {
				t.Fatal(err)
			}
			f.want = answer(t, exec.Reference(), p.text, exec.Options{}, p.args...)
			f.life(0)
			if f.calls < 50 {
				t.Fatalf("a life has %d calls", f.calls)
			}
			step, lives := max(1, f.calls/32), 0
			if os.Getenv("HALO_EMU") == "all" {
				step = 1
			}
			for n := 1; n <= f.calls; n += step {
				f.life(n)
				lives++
			}
			t.Logf("%d calls, %d lives, %d errors", f.calls, lives, f.errors)
			if f.errors < lives*9/10 { // a few ask for what nobody needs
				t.Errorf("%d of %d faults were told", f.errors, lives)
			}
		})
	}
}

// faults is a program under test, and what its life without faults has shown.
type faults struct {
	t             *testing.T
	m             *hlo.Module
	args          []*literal.Literal
	want          *literal.Literal
	calls, errors int
	before        []int
	failed        bool // in this life
	freeing       bool // it was a call that frees something
}

// told notes an error, which only a life with a fault may have, and that once.
func (f *faults) told(n int, err error) bool {
	f.t.Helper()
	if err == nil {
		return false
	}
	if n == 0 || f.failed {
		f.t.Fatalf("call %d fails, then: %v", n, err)
	}
	f.failed = true
	f.errors++
	f.freeing = strings.Contains(err.Error(), "Destroy")
	return true
}

// life opens the emulator, compiles and runs the program some times and closes all, with call n failing; what fails is
// done again.
func (f *faults) life(n int) {
	f.t.Setenv("HALO_CUDA_EMU_FAIL", fmt.Sprint(n))
	f.failed, f.freeing = false, false
	d, err := open(Options{Emulated: true})
	if n == 0 {
		testfile.Library(f.t, "cuda-emu", err)
	}
	if f.told(n, err) {
		return // what holds the context for a moment gives it up
	}
	f.before = f.living(d)
	b := exec.New(&machine{d})
	p, err := b.Compile(context.Background(), f.m, exec.Options{})
	if f.told(n, err) {
		if p, err = b.Compile(context.Background(), f.m, exec.Options{}); f.told(n, err) {
			return
		}
	}
	for range 3 {
		f.run(n, p)
	}
	p.Close()
	if n == 0 {
		if f.calls, err = d.Attribute(emu.Calls); err != nil {
			f.t.Fatal(err)
		}
	}
	f.end(n, d)
}

// objects are what a program must not leave behind.
var objects = []struct {
	name string
	a    cuda.Attribute
}{{"blocks", emu.Blocks}, {"streams", emu.Streams}, {"modules", emu.Modules}, {"graphs", emu.Graphs}}

// living counts objects of the process: other tests have some.
func (f *faults) living(d *device) []int {
	var list []int
	for _, o := range objects {
		n, err := d.Attribute(o.a)
		if err != nil {
			f.t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

func (f *faults) run(n int, p exec.Program) {
	out, err := p.Run(context.Background(), [][]*literal.Literal{f.args}, exec.RunOptions{})
	if f.told(n, err) {
		out, err = p.Run(context.Background(), [][]*literal.Literal{f.args}, exec.RunOptions{})
		f.told(n, err)
	}
	if d := literal.Compare(out[0], f.want, literal.Tolerance{ULP: 8, RTol: 1e-5, ATol: 1e-5}); d != nil {
		f.t.Fatalf("call %d fails: %v", n, d)
	}
}

// end closes the device and counts what is left, unless closing is what failed.
func (f *faults) end(n int, d *device) {
	for i, now := range f.living(d) {
		if now != f.before[i] && (f.failed && !f.freeing || n == 0) {
			f.t.Errorf("call %d fails: %d %s lived before, %d are left", n, f.before[i], objects[i].name, now)
		}
	}
	err := d.Close()
	if err == nil {
		return
	}
	if n == 0 || f.failed {
		f.t.Errorf("call %d fails: closing: %v", n, err)
	} else if strings.Contains(err.Error(), "cuDevicePrimaryCtxRelease") {
		if err := d.Device.Close(); err != nil {
			f.t.Errorf("call %d fails: closing again: %v", n, err)
		}
	}
}
