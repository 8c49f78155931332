package cuda

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

func TestPassOrder(t *testing.T) {
	if err := pass.CheckOrder(passes(false), passOrder); err != nil {
		t.Error(err)
	}
}

// TestNoDriver wants a sentence where there is no driver, and never the emulator in its place.
func TestNoDriver(t *testing.T) {
	t.Setenv("HALO_LIBS", "-cuda")
	if _, err := New(Options{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
	if _, err := New(Options{Plain: true}); err == nil || !strings.Contains(err.Error(), "Plain") {
		t.Errorf("Plain without the emulator: got %v", err)
	}
}

// chosen are the options of tests that a GPU may run, too: scripts/gpu-check sets $HALO_GPU.
func chosen() Options { return Options{Emulated: os.Getenv("HALO_GPU") == ""} }

// chosenName is the name of chosen's device in $HALO_NEED.
func chosenName() string {
	if chosen().Emulated {
		return "cuda-emu"
	}
	return "cuda"
}

// either returns the backend on the emulator, or on a GPU if $HALO_GPU is set; or skips the test.
func either(t *testing.T) exec.Backend {
	t.Helper()
	b, err := New(chosen())
	testfile.Library(t, chosenName(), err)
	return b
}

// emulated returns the backend on the emulator, or skips the test.
func emulated(t *testing.T) exec.Backend {
	t.Helper()
	b, err := New(Options{Emulated: true})
	testfile.Library(t, "cuda-emu", err)
	info, err := Describe(Options{Emulated: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(info.Name, "no GPU") || b.Name() != "cuda-emu" {
		t.Fatalf("the emulator is called %s, its device %s", b.Name(), info.Name)
	}
	return b
}

func parsed(t *testing.T, text string) *hlo.Module {
	t.Helper()
	m, err := hlo.Parse([]byte(text), "test.hlo")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// compiled compiles a program until the test ends.
func compiled(t *testing.T, b exec.Backend, m *hlo.Module, o exec.Options) exec.Program {
	t.Helper()
	p, err := b.Compile(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// answer compiles a program and runs it some times on arguments; all answers must be the same.
func answer(t *testing.T, b exec.Backend, text string, o exec.Options, args ...*literal.Literal) *literal.Literal {
	t.Helper()
	p := compiled(t, b, parsed(t, text), o)
	var first *literal.Literal
	for range 3 { // command by command, captured, as a graph
		out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out[0]
		} else if out[0].String() != first.String() {
			t.Fatalf("another run gave %v, the first %v", out[0], first)
		}
	}
	return first
}

// TestNewArchitecture wants text for the driver's compiler where NVRTC does not know the device.
func TestNewArchitecture(t *testing.T) {
	t.Setenv("HALO_CUDA_EMU_ARCH", "120")
	b := emulated(t)
	x := numbers(t, 2)
	const text = "HloModule m\nENTRY e { x = f32[2] parameter(0)\n ROOT y = f32[2] add(x, x) }"
	if got := answer(t, b, text, exec.Options{}, x).String(); got != "f32[2] {-1.2, -0.70000005}" {
		t.Errorf("got %s", got)
	}
}

// numbers is an array of small numbers.
func numbers(t *testing.T, dims ...int64) *literal.Literal {
	t.Helper()
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i%7)/4 - 0.6
	}
	l, err := literal.FromSlice(data, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestConcurrent has many goroutines run one program.
func TestConcurrent(t *testing.T) {
	b := either(t)
	p := compiled(t, b, parsed(t, control), exec.Options{})
	x := numbers(t, 3)
	want := answer(t, b, control, exec.Options{}, x).String()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				out, err := p.Run(context.Background(), [][]*literal.Literal{{x}}, exec.RunOptions{})
				if err != nil || out[0].String() != want {
					t.Errorf("got %v, %v, want %s", out, err, want)
				}
			}
		})
	}
	wg.Wait()
}

const control = `HloModule control
cond { s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT more = pred[] compare(i, n), direction=LT }
twice { v = f32[3] parameter(0)
  ROOT w = f32[3] add(v, v) }
half { v = f32[3] parameter(0)
  c = f32[] constant(0.5)
  b = f32[3] broadcast(c), dimensions={}
  ROOT w = f32[3] multiply(v, b) }
body { s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  two = s32[] constant(2)
  k = s32[] remainder(i, two)
  y = f32[3] conditional(k, x, x), branch_computations={twice, half}
  z = f32[3] sine(y)
  ROOT t = (s32[], f32[3]) tuple(j, z) }
ENTRY e { x = f32[3] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[3]) tuple(zero, x)
  ROOT w = (s32[], f32[3]) while(s), condition=cond, body=body }`

// TestControlFlow runs loops and choices on the device, which the host decides on, and compares with the reference.
func TestControlFlow(t *testing.T) {
	b := either(t)
	x := numbers(t, 3)
	for name, o := range map[string]exec.Options{"plain": {}, "profiled": {Profile: true}, "verified": {Verify: true}} {
		got := answer(t, b, control, o, x)
		want := answer(t, exec.Reference(), control, o, x)
		if d := literal.Compare(got, want, literal.Tolerance{ULP: 8}); d != nil {
			t.Errorf("%s: %v", name, d)
		}
	}
}
