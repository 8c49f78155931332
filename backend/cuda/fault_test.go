//go:build cgo && linux

package cuda

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
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

// convolution is one by the library, with weights in an order that it does not take.
const convolution = `HloModule convolution
ENTRY e { x = f32[1,5,5,2] parameter(0)
  k = f32[3,3,2,2] parameter(1)
  ROOT y = f32[1,5,5,2] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f }`

// withBias is a product of matrices with a bias.
var withBias = "HloModule m\nENTRY e { x = f32[20,20] parameter(0)\n v = f32[20] constant({" +
	strings.TrimSuffix(strings.Repeat("0.5, 0.25, ", 10), ", ") + "})\n d = f32[20,20] dot(x, x), lhs_contracting_dims={1}, " +
	"rhs_contracting_dims={0}\n b = f32[20,20] broadcast(v), dimensions={1}\n ROOT r = f32[20,20] add(b, d) }"

// faulty are programs whose calls fail in turn, each with a library that has calls of its own.
func faulty(t *testing.T) map[string]*faults {
	return map[string]*faults{
		"loop":   {text: control, args: []*literal.Literal{numbers(t, 3)}},
		"nested": {text: nestedLoops, args: []*literal.Literal{numbers(t, 40), literal.Scalar[int32](7)}},
		"chains": {text: chains(4), args: []*literal.Literal{numbers(t, 300)}},
		"product": {text: product, args: []*literal.Literal{numbers(t, 20, 32), numbers(t, 32, 24)},
			library: "cublasLt", status: 13, says: "CUBLAS_STATUS_EXECUTION_FAILED", fewest: 30},
		"residual": {text: residual, args: []*literal.Literal{numbers(t, 1, 6, 6, 4), numbers(t, 3, 3, 4, 4), numbers(t, 4)}},
		"held": {text: residual, args: []*literal.Literal{numbers(t, 1, 6, 6, 4), numbers(t, 3, 3, 4, 4), numbers(t, 4)},
			holds: true},
		"whole": {text: "HloModule m\n" + wholeLoops["an array that is summed in each round"],
			args: []*literal.Literal{numbers(t, 40), literal.Scalar[int32](7)}},
		"biased": {text: withBias, args: []*literal.Literal{filled(shape.F32, 0.25, 20, 20)},
			library: "cublasLt", status: 13, says: "CUBLAS_STATUS_EXECUTION_FAILED", fewest: 45},
		"chosen": {text: withBias, args: []*literal.Literal{filled(shape.F32, 0.25, 20, 20)}, knows: true,
			library: "cublasLt", status: 13, says: "CUBLAS_STATUS_EXECUTION_FAILED", fewest: 15},
		"timed": {text: product, args: []*literal.Literal{numbers(t, 20, 32), numbers(t, 32, 24)},
			library: "cublas", status: 13, says: "CUBLAS_STATUS_EXECUTION_FAILED", fewest: 8},
		"triangles": {text: triangleText("f32[64,64]", "f32[64,3]", true, true, false, "NO_TRANSPOSE"),
			args:    []*literal.Literal{triangle(rand.New(rand.NewPCG(1, 1)), shape.Array(shape.F32, 64, 64), true, false), numbers(t, 64, 3)},
			library: "cublas", status: 13, says: "CUBLAS_STATUS_EXECUTION_FAILED", fewest: 6},
		"transforms": {text: backAndForth, args: []*literal.Literal{numbers(t, 3, 6, 8)},
			library: "cufft", status: 5, says: "CUFFT_INTERNAL_ERROR", fewest: 20},
		"convolution": {text: convolution, args: []*literal.Literal{numbers(t, 1, 5, 5, 2), numbers(t, 3, 3, 2, 2)},
			library: "cudnn", status: 5000, says: "CUDNN_STATUS_EXECUTION_FAILED", fewest: 400},
		"convolution chosen": {text: convolution, args: []*literal.Literal{numbers(t, 1, 5, 5, 2), numbers(t, 3, 3, 2, 2)},
			knows: true, library: "cudnn", status: 5000, says: "CUDNN_STATUS_EXECUTION_FAILED", fewest: 60},
		"factors": {text: solveText(shape.F32, "2,3,3", aSolve), args: []*literal.Literal{numbers(t, 2, 3, 3)},
			library: "cusolver", status: 7, says: "CUSOLVER_STATUS_INTERNAL_ERROR", fewest: 8},
	}
}

// TestFaults has calls of the driver, and of libraries, fail in turn, from opening to closing: there is an error, a run
// after it gives the reference's answer, and nothing is left. It takes some thirty calls of the driver, or each if
// $HALO_EMU is all, and each of a library.
func TestFaults(t *testing.T) {
	for name, f := range faulty(t) {
		t.Run(name, func(t *testing.T) {
			f.begin(t, name)
			f.variable, f.value = "HALO_CUDA_EMU_FAIL", "%d"
			f.life(0)
			if f.knows {
				f.life(0)
			}
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
			t.Logf("%d calls of the driver, %d lives, %d errors", f.calls, lives, f.errors)
			if f.errors < lives*8/10 { // a few ask for what nobody needs, and frees that fail are logged
				t.Errorf("%d of %d faults were told", f.errors, lives)
			}
		})
		if f.library != "" {
			t.Run(name+" "+f.library, func(t *testing.T) {
				f.begin(t, name)
				f.variable, f.value = "HALO_CUDA_EMU_LIB_FAIL", fmt.Sprintf("%s:%%d:%d", f.library, f.status)
				for f.failed = true; f.failed; {
					f.life(f.errors + 1)
				}
				t.Logf("%d calls of %s, each an error", f.errors, f.library)
				if f.errors < f.fewest {
					t.Errorf("%d calls can fail, want %d or more", f.errors, f.fewest)
				}
			})
		}
	}
}

// faults is a program under test, and what its life without faults has shown.
type faults struct {
	text    string
	args    []*literal.Literal
	library string // which has a part in it, with a status and what that is called
	status  int
	says    string
	fewest  int  // calls
	holds   bool // arguments and results stay on the device
	knows   bool // how products are done is in a file

	t               *testing.T
	m               *hlo.Module
	want            *literal.Literal
	witness         *device // counts
	variable, value string  // that have a call fail
	calls, errors   int
	before          []int
	failed          bool // in this life
	freeing         bool // it was a call that frees something
	choices         string
}

// begin makes ready for lives of the program.
func (f *faults) begin(t *testing.T, name string) {
	var err error
	f.witness, err = open(Options{Emulated: true})
	testfile.Library(t, "cuda-emu", err)
	t.Cleanup(func() {
		if err := f.witness.Close(); err != nil {
			t.Error(err)
		}
	})
	if f.m, err = hlo.Parse([]byte(f.text), name); err != nil {
		t.Fatal(err)
	}
	f.t, f.errors, f.choices = t, 0, ""
	f.want = answer(t, exec.Reference(), f.text, withLAPACK, f.args...)
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
	if f.variable != "HALO_CUDA_EMU_FAIL" && !strings.Contains(err.Error(), f.library+": ") ||
		f.variable != "HALO_CUDA_EMU_FAIL" && !strings.Contains(err.Error(), f.says) {
		f.t.Errorf("call %d: got %v", n, err)
	}
	f.failed = true
	f.errors++
	f.freeing = strings.Contains(err.Error(), "Destroy")
	return true
}

// life opens the emulator, compiles and runs the program some times and closes all, with call n failing; what fails is
// done again.
func (f *faults) life(n int) {
	f.before = f.living()
	f.t.Setenv(f.variable, fmt.Sprintf(f.value, n))
	f.failed, f.freeing = false, false
	d, err := open(Options{Emulated: true})
	if f.told(n, err) {
		f.left(n)
		return
	}
	d.choices.folder = f.folder()
	b := exec.New(&machine{d})
	if p := f.compiled(n, b); p != nil {
		for range 3 {
			if f.holds {
				f.runHeld(n, b, p)
			} else {
				f.run(n, p)
			}
		}
		p.Close()
	}
	if n == 0 {
		if f.calls, err = d.Attribute(emu.Calls); err != nil {
			f.t.Fatal(err)
		}
	}
	f.end(n, d)
}

// folder is where a life finds how products are done, and keeps it.
func (f *faults) folder() func() (string, error) {
	if !f.knows || f.choices == "" {
		f.choices = f.t.TempDir()
	}
	return func() (string, error) { return f.choices, nil }
}

// compiled compiles the program, a second time if it fails.
func (f *faults) compiled(n int, b exec.Backend) exec.Program {
	p, err := b.Compile(context.Background(), f.m, withLAPACK)
	if f.told(n, err) {
		p, err = b.Compile(context.Background(), f.m, withLAPACK)
		f.told(n, err)
	}
	return p
}

// objects are what a life must not leave behind.
var objects = []struct {
	name string
	a    cuda.Attribute
}{{"blocks", emu.Blocks}, {"bytes of pinned memory", emu.Pinned}, {"streams", emu.Streams}, {"events", emu.Events},
	{"modules", emu.Modules}, {"graphs", emu.Graphs}, {"users of the context", emu.Contexts},
	{"objects of libraries", emu.Held}}

// living counts objects of the process: other tests have some.
func (f *faults) living() []int {
	var list []int
	for _, o := range objects {
		n, err := f.witness.Attribute(o.a)
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

// runHeld is run with arguments and results that stay on the device.
func (f *faults) runHeld(n int, b exec.Backend, p exec.Program) {
	c := exec.Call{Args: make([]*literal.Literal, len(f.args)), Keep: true}
	for _, l := range f.args {
		f.twice(n, func() error {
			a, err := exec.Hold(b, 0, l, 0)
			if err == nil {
				c.Arrays = append(c.Arrays, a)
			}
			return err
		})
	}
	f.twice(n, func() error { return p.Call(context.Background(), &c) })
	f.twice(n, func() error {
		out, err := c.Kept[0].Literal()
		if err != nil {
			return err
		}
		if d := literal.Compare(out, f.want, literal.Tolerance{ULP: 8, RTol: 1e-5, ATol: 1e-5}); d != nil {
			f.t.Fatalf("call %d fails: %v", n, d)
		}
		return nil
	})
	for _, a := range append(c.Arrays, c.Kept...) {
		a.Close()
	}
}

// twice does what may fail, and does it again if it does.
func (f *faults) twice(n int, do func() error) {
	f.t.Helper()
	if f.told(n, do()) {
		f.told(n, do())
	}
}

// left counts what is left, unless freeing is what failed.
func (f *faults) left(n int) {
	for i, now := range f.living() {
		if now != f.before[i] && (f.failed && !f.freeing || n == 0) {
			f.t.Errorf("call %d fails: %d %s lived before, %d are left", n, f.before[i], objects[i].name, now)
		}
	}
}

// end closes the device and counts what is left.
func (f *faults) end(n int, d *device) {
	err := d.Close()
	if err == nil {
		f.left(n)
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
