//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

// counted goes round as often as its argument says, over an array that is too large for a loop in one kernel.
const counted = `HloModule counted
cond { s = (s32[], s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = f32[5000] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[5000] sine(x)
  z = f32[5000] reverse(y), dimensions={0}
  ROOT t = (s32[], s32[], f32[5000]) tuple(j, n, z) }
ENTRY e { x = f32[5000] parameter(0)
  n = s32[] parameter(1)
  zero = s32[] constant(0)
  a = f32[5000] add(x, x)
  s = (s32[], s32[], f32[5000]) tuple(zero, n, a)
  w = (s32[], s32[], f32[5000]) while(s), condition=cond, body=body
  r = f32[5000] get-tuple-element(w), index=2
  ROOT q = f32[5000] negate(r) }`

// nestedLoops has a loop and a choice of three in a loop: rounds of the inner one, and the branch, change from round to
// round of the outer one.
const nestedLoops = `HloModule nested
inner_cond { s = (s32[], s32[], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT more = pred[] compare(i, n), direction=LT }
inner_body { s = (s32[], s32[], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = f32[40] get-tuple-element(s), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  p = pred[] compare(i, one), direction=EQ
  y = f32[40] conditional(p, x, x), true_computation=turn, false_computation=same
  z = f32[40] sine(y)
  ROOT t = (s32[], s32[], f32[40]) tuple(j, n, z) }
turn { v = f32[40] parameter(0)
  ROOT w = f32[40] reverse(v), dimensions={0} }
same { ROOT v = f32[40] parameter(0) }
less { v = f32[40] parameter(0)
  c = f32[] constant(0.5)
  b = f32[40] broadcast(c), dimensions={}
  m = f32[40] multiply(v, b)
  ROOT w = f32[40] reverse(m), dimensions={0} }
cond { s = (s32[], s32[], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], s32[], f32[40]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = f32[40] get-tuple-element(s), index=2
  zero = s32[] constant(0)
  one = s32[] constant(1)
  five = s32[] constant(5)
  rounds = s32[] remainder(i, five)
  in = (s32[], s32[], f32[40]) tuple(zero, rounds, x)
  out = (s32[], s32[], f32[40]) while(in), condition=inner_cond, body=inner_body
  y = f32[40] get-tuple-element(out), index=2
  which = s32[] subtract(i, one)
  z = f32[40] conditional(which, y, y, y), branch_computations={turn, same, less}
  j = s32[] add(i, one)
  ROOT t = (s32[], s32[], f32[40]) tuple(j, n, z) }
ENTRY e { x = f32[40] parameter(0)
  n = s32[] parameter(1)
  zero = s32[] constant(0)
  s = (s32[], s32[], f32[40]) tuple(zero, n, x)
  ROOT w = (s32[], s32[], f32[40]) while(s), condition=cond, body=body }`

// outcome is one run of p.
func outcome(t *testing.T, p exec.Program, args ...*literal.Literal) *literal.Literal {
	t.Helper()
	out, err := p.Run(context.Background(), [][]*literal.Literal{args}, exec.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// drivers are versions of CUDA whose drivers have conditional nodes, and not.
var drivers = map[string]bool{"12040": true, "12020": false}

// TestLoops runs loops and choices in each other for many numbers of rounds, on drivers with conditional nodes and
// without: the first run, in which the host begins, and those after it have the reference's answers.
func TestLoops(t *testing.T) {
	for _, text := range []string{counted, nestedLoops} {
		m := parsed(t, text)
		x := numbers(t, m.Entry.Parameters[0].Shape.Dims...)
		reference := compiled(t, exec.Reference(), m, exec.Options{})
		for version := range drivers {
			t.Setenv("HALO_CUDA_EMU_VERSION", version)
			b := either(t)
			p := compiled(t, b, parsed(t, text), exec.Options{})
			for i, n := range []int32{7, 0, 1, 2, 13, 13, 6} {
				if i == 3 {
					p = compiled(t, b, parsed(t, text), exec.Options{})
				}
				rounds := literal.Scalar(n)
				got, want := outcome(t, p, x, rounds), outcome(t, reference, x, rounds)
				for k, l := range want.Leaves() {
					if d := literal.Compare(got.Leaves()[k], l, literal.Tolerance{ULP: 64}); d != nil {
						t.Errorf("%s on a driver of %s: %d rounds: %v", m.Name, version, n, d)
					}
				}
			}
		}
	}
}

// TestLoopCalls wants a loop to take as many calls of the driver whatever its rounds, once it has begun, where the driver
// has conditional nodes and is to use them, and more of them elsewhere.
func TestLoopCalls(t *testing.T) {
	for _, c := range []struct {
		version        string
		host, constant bool
	}{{"12040", false, true}, {"12040", true, false}, {"12020", false, false}} {
		t.Setenv("HALO_CUDA_EMU_VERSION", c.version)
		for _, text := range []string{counted, nestedLoops} {
			d, err := open(Options{Emulated: true, HostControl: c.host})
			testfile.Library(t, "cuda-emu", err)
			b, m := exec.New(&machine{d}), parsed(t, text)
			x := numbers(t, m.Entry.Parameters[0].Shape.Dims...)
			var calls [3][]int // of the first run, the second and the third
			for _, n := range []int32{8, 20, 90} {
				p := compiled(t, b, m, exec.Options{})
				for run := range calls {
					before, _ := count(t, d)
					outcome(t, p, x, literal.Scalar(n))
					now, _ := count(t, d)
					calls[run] = append(calls[run], now-before)
				}
			}
			t.Logf("%+v, %s: 8, 20, 90 rounds take %v calls", c, m.Name, calls)
			for run, n := range calls {
				if c.constant != (n[1] == n[2]) || c.constant && run > 0 && n[0] != n[1] {
					t.Errorf("%+v, %s: run %d takes %v calls for 8, 20, 90 rounds", c, m.Name, run, n)
				}
			}
		}
	}
}

// TestEndlessLoop ends a loop of billions of rounds on the device by its context, in a first run, which the host has
// begun, and in a later one, which is all a graph's; the program then works as before.
func TestEndlessLoop(t *testing.T) {
	for version := range drivers {
		t.Setenv("HALO_CUDA_EMU_VERSION", version)
		b := either(t)
		for _, text := range []string{counted, nestedLoops} {
			m := parsed(t, text)
			x := numbers(t, m.Entry.Parameters[0].Shape.Dims...)
			want := outcome(t, compiled(t, exec.Reference(), m, exec.Options{}), x, literal.Scalar[int32](9))
			p := compiled(t, b, m, exec.Options{})
			for run := range 3 {
				ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
				start := time.Now()
				_, err := p.Run(ctx, [][]*literal.Literal{{x, literal.Scalar[int32](2e9)}}, exec.RunOptions{})
				cancel()
				if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 10*time.Second {
					t.Errorf("%s, run %d: got %v after %v", m.Name, run, err, took)
				}
				got := outcome(t, p, x, literal.Scalar[int32](9))
				for k, l := range want.Leaves() {
					if d := literal.Compare(got.Leaves()[k], l, literal.Tolerance{ULP: 64}); d != nil {
						t.Errorf("%s, run %d: %v", m.Name, run, d)
					}
				}
			}
		}
	}
}

// TestLoopAddresses runs a loop with more lists of addresses than graphs are kept for.
func TestLoopAddresses(t *testing.T) {
	d, b := onEmulator(t)
	p := compiled(t, b, parsed(t, counted), exec.Options{})
	x := numbers(t, 5000)
	want := outcome(t, compiled(t, exec.Reference(), parsed(t, counted), exec.Options{}), x, literal.Scalar[int32](5))
	n := hold(t, b, literal.Scalar[int32](5))
	before, err := d.Attribute(emu.Graphs)
	if err != nil {
		t.Fatal(err)
	}
	var args, results []*exec.Array
	for range 3 * mostGraphs {
		args = append(args, hold(t, b, x))
		results = append(results, execute(t, p, exec.RunOptions{}, args[len(args)-1], n))
	}
	for i, a := range results {
		got, err := a.Literal()
		if err != nil {
			t.Fatal(err)
		}
		if diff := literal.Compare(got, want, literal.Tolerance{ULP: 64}); diff != nil {
			t.Errorf("execution %d: %v", i, diff)
		}
		a.Close()
		args[i].Close()
	}
	n.Close()
	if most, err := d.Attribute(emu.Graphs); err != nil || most-before > mostGraphs+1 { // and that of the first run's rest
		t.Errorf("%d graphs are kept, %v, want at most %d", most-before, err, mostGraphs+1)
	}
}

// TestLibraryInBranch wants a branch with a library's call to be right when it is first taken after others were.
func TestLibraryInBranch(t *testing.T) {
	const text = `HloModule m
multiply { v = f32[20,20] parameter(0)
  d = f32[20,20] dot(v, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT w = f32[20,20] sine(d) }
plain { v = f32[20,20] parameter(0)
  ROOT w = f32[20,20] add(v, v) }
ENTRY e { x = f32[20,20] parameter(0)
  p = pred[] parameter(1)
  a = f32[20,20] cosine(x)
  y = f32[20,20] conditional(p, a, a), true_computation=multiply, false_computation=plain
  r = f32[20,20] reverse(y), dimensions={0}
  ROOT q = f32[20,20] negate(r) }`
	d, b := onEmulator(t)
	p, reference := compiled(t, b, parsed(t, text), exec.Options{}), compiled(t, exec.Reference(), parsed(t, text), exec.Options{})
	x := numbers(t, 20, 20)
	var calls []int
	for _, which := range []bool{false, false, false, true, true, false, true, true} {
		arg := literal.Scalar(which)
		want := outcome(t, reference, x, arg)
		before, _ := count(t, d)
		got := outcome(t, p, x, arg)
		now, _ := count(t, d)
		calls = append(calls, now-before)
		if diff := literal.Compare(got, want, literal.Tolerance{RTol: 1e-5, ATol: 1e-5}); diff != nil {
			t.Errorf("%v: %v", which, diff)
		}
	}
	if n := len(calls); calls[n-1] != calls[n-3] || calls[n-1] >= calls[2] {
		t.Errorf("runs take %v calls, want fewer and equal ones in the end", calls)
	}
}

// TestRefusedGraphs has calls in turn say that something is not supported: where that is a graph, the host decides.
func TestRefusedGraphs(t *testing.T) {
	f := &faults{text: nestedLoops, args: []*literal.Literal{numbers(t, 40), literal.Scalar[int32](7)}}
	f.begin(t, "nested")
	f.variable, f.value = "HALO_CUDA_EMU_FAIL", "%d:801"
	f.life(0)
	lives := 0
	for n := 1; n <= f.calls; n += max(1, f.calls/40) {
		f.life(n)
		lives++
	}
	t.Logf("%d calls, %d lives, %d errors", f.calls, lives, f.errors)
	if f.errors == 0 || f.errors > lives-5 {
		t.Errorf("%d of %d lives had an error, want some without", f.errors, lives)
	}
}

// TestHostInLoop has a loop with a step of the host's in it: the host decides, and pieces around it are graphs.
func TestHostInLoop(t *testing.T) {
	text := fmt.Sprintf(`HloModule m
cond { s = (s32[], f32[2,3,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[2,3,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[2,3,3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  r = (f32[2,3,3], s32[2]) custom-call(x), custom_call_target="lapack_spotrf_ffi", %s
  c = f32[2,3,3] get-tuple-element(r), index=0
  y = f32[2,3,3] add(x, c)
  ROOT t = (s32[], f32[2,3,3]) tuple(j, y) }
ENTRY e { x = f32[2,3,3] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[2,3,3]) tuple(zero, x)
  w = (s32[], f32[2,3,3]) while(s), condition=cond, body=body
  ROOT q = f32[2,3,3] get-tuple-element(w), index=1 }`, `api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}`)
	x := numbers(t, 2, 3, 3)
	dominate(x)
	got := answer(t, either(t), text, withLAPACK, x)
	want := answer(t, exec.Reference(), text, withLAPACK, x)
	if d := literal.Compare(got, want, literal.Tolerance{RTol: 1e-4, ATol: 1e-4}); d != nil {
		t.Error(d)
	}
}
