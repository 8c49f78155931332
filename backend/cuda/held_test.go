//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"testing"

	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// step is a step of a loop: a state with weights that stay the same.
const step = `HloModule step, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[600000] parameter(0)
  w = f32[600000] parameter(1)
  y = f32[600000] sine(x)
  ROOT z = f32[600000] multiply(y, w) }`

// onEmulator opens the emulator's device for a test that counts what lives there.
func onEmulator(t *testing.T) (*device, exec.Backend) {
	t.Helper()
	d, err := open(Options{Emulated: true})
	testfile.Library(t, "cuda-emu", err)
	return d, exec.New(&machine{d})
}

func hold(t *testing.T, b exec.Backend, l *literal.Literal) *exec.Array {
	t.Helper()
	a, err := exec.Hold(b, 0, l, 0)
	if err != nil || a == nil {
		t.Fatalf("got %v, %v", a, err)
	}
	return a
}

// execute runs p on arrays of the device and leaves the result there.
func execute(t *testing.T, p exec.Program, o exec.RunOptions, args ...*exec.Array) *exec.Array {
	t.Helper()
	c := exec.Call{Args: make([]*literal.Literal, len(args)), Arrays: args, Keep: true, Options: o}
	if err := p.Call(context.Background(), &c); err != nil {
		t.Fatal(err)
	}
	if c.Kept[0] == nil {
		t.Fatalf("the result is on the host: %v", c.Results[0].Shape())
	}
	return c.Kept[0]
}

func count(t *testing.T, d *device) (calls, blocks int) {
	t.Helper()
	calls, err := d.Attribute(emu.Calls)
	if err == nil {
		blocks, err = d.Attribute(emu.Blocks)
	}
	if err != nil {
		t.Fatal(err)
	}
	return calls, blocks
}

// TestHeld runs steps whose results are the next step's arguments: nothing of them goes over the host, however long
// the arrays are, the answers are the reference's, and with donation the state stays where it is.
func TestHeld(t *testing.T) {
	x, w := numbers(t, 600_000), numbers(t, 600_000)
	want := x
	for range 6 {
		out, err := compiled(t, exec.Reference(), parsed(t, step), exec.Options{}).Run(context.Background(),
			[][]*literal.Literal{{want, w}}, exec.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want = out[0]
	}
	for _, donated := range []bool{false, true} {
		d, b := onEmulator(t)
		_, others := count(t, d)
		p := compiled(t, b, parsed(t, step), exec.Options{})
		o := exec.RunOptions{Donated: [][]bool{{donated, false}}}
		weights, state := hold(t, b, w), hold(t, b, x)
		var calls, blocks int
		for i := range 6 {
			before, _ := count(t, d)
			next := execute(t, p, o, state, weights)
			state.Close()
			state = next
			now, living := count(t, d)
			if i > 2 && (now-before != calls || living != blocks) {
				t.Errorf("donated %v: step %d makes %d calls and leaves %d blocks, the one before %d and %d", donated, i,
					now-before, living, calls, blocks)
			}
			calls, blocks = now-before, living
		}
		blocks -= others
		t.Logf("donated %v: %d calls a step, %d blocks", donated, calls, blocks)
		if most := 20; calls > most { // a copy of an array over the host takes more
			t.Errorf("a step makes %d calls of the driver, want at most %d", calls, most)
		}
		if want := map[bool]int{true: 3, false: 4}[donated]; blocks != want { // and the memory of the program
			t.Errorf("donated %v: %d blocks live, want %d", donated, blocks, want)
		}
		got, err := state.Literal()
		if err != nil {
			t.Fatal(err)
		}
		if diff := literal.Compare(got, want, literal.Tolerance{ULP: 16}); diff != nil {
			t.Errorf("donated %v: %v", donated, diff)
		}
		state.Close()
		weights.Close()
	}
}

// TestHeldAddresses runs a program with more lists of addresses than graphs are kept for.
func TestHeldAddresses(t *testing.T) {
	const text = `HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[40] parameter(0)
  y = f32[40] sort(x), dimensions={0}, to_apply=less
  z = f32[] constant(0)
  ROOT s = f32[40] reduce-window(y, z), window={size=3 pad=1_1}, to_apply=add }
less { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT }`
	d, b := onEmulator(t)
	p := compiled(t, b, parsed(t, text), exec.Options{})
	x := numbers(t, 40)
	want := answer(t, exec.Reference(), text, exec.Options{}, x)
	before, err := d.Attribute(emu.Graphs)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		var args, results []*exec.Array
		for range 2 * mostGraphs {
			args = append(args, hold(t, b, x))
			results = append(results, execute(t, p, exec.RunOptions{}, args[len(args)-1]))
		}
		for i, a := range results {
			got, err := a.Literal()
			if err != nil {
				t.Fatal(err)
			}
			if diff := literal.Compare(got, want, literal.Tolerance{ULP: 4}); diff != nil {
				t.Errorf("execution %d: %v", i, diff)
			}
			a.Close()
			args[i].Close()
		}
	}
	if n, err := d.Attribute(emu.Graphs); err != nil || n-before != mostGraphs {
		t.Errorf("%d graphs are kept, %v, want %d", n-before, err, mostGraphs)
	}
}

// TestHeldWithoutRoom wants arrays that the device has no room for to be refused, and the limit to count all of them.
func TestHeldWithoutRoom(t *testing.T) {
	all := smallDevice(t, 1_000_000)
	_, b := onEmulator(t)
	x := numbers(t, 100_000)
	first, second := hold(t, b, x), hold(t, b, x)
	if _, err := exec.Hold(b, 0, x, 0); !errors.Is(err, hlo.ErrLimit) {
		t.Errorf("a third array of 400 kB on a device of 1 MB: got %v", err)
	}
	second.Close()
	if _, err := exec.Hold(b, 0, x, 799_999); !errors.Is(err, hlo.ErrLimit) {
		t.Errorf("beyond the limit: got %v", err)
	}
	other := hold(t, b, numbers(t, 130_000)) // what was closed makes room
	other.Close()
	got, err := first.Literal()
	if err != nil || got.String() != x.String() {
		t.Errorf("the first array has changed, %v", err)
	}
	first.Close()
	if exec.RemoteBytes(b, 0) != all {
		t.Errorf("the device has %d bytes", exec.RemoteBytes(b, 0))
	}
}
