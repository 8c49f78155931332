package xla_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/backend/cuda"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func init() {
	os.Setenv("HALO_CUDA_EMU_DEVICES", "2") // for all tests: it is read once
}

// remoteClient is a client of emulated GPUs, whose memory is their own.
func remoteClient(t *testing.T, o xla.ClientOptions) *xla.Client {
	t.Helper()
	b, err := cuda.New(cuda.Options{Emulated: true, Devices: max(o.Devices, 1)})
	testfile.Library(t, "cuda-emu", err)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c, err := xla.NewClient(b, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		wantNothingLive(t, c)
	})
	return c
}

func wantSlice[T literal.Element](t *testing.T, b *xla.Buffer, want ...T) {
	t.Helper()
	got, err := xla.ToSlice[T](b)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestRemoteBuffers has results be the next arguments, and counts what is in the memory of the device.
func TestRemoteBuffers(t *testing.T) {
	c := remoteClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	defer x.Close()
	a, v := scalar(t, c, float32(2)), buffer(t, c, []float32{1, 2, 3})
	if live := c.Live(); live.Buffers != 2 || live.BufferBytes != 16 || live.RemoteBytes != 16 {
		t.Errorf("two arrays of 16 bytes: got %+v", live)
	}
	for range 3 {
		out, err := x.Execute(t.Context(), a, v, v)
		if err != nil {
			t.Fatal(err)
		}
		v.Close()
		v = out[0]
	}
	wantSlice(t, v, 27, 54, float32(81))
	to := make([]float32, 3)
	if err := x.ExecuteInto(t.Context(), xla.RunOptions{}, []any{to}, a, v, v); err != nil || to[2] != 243 {
		t.Errorf("into a slice: got %v, %v", to, err)
	}
	if _, err := x.ExecuteWith(t.Context(), xla.RunOptions{Donate: []int{1}}, a, v, a); err == nil {
		t.Error("a scalar is taken for an array")
	}
	wantSlice(t, v, 27, 54, float32(81)) // which has used nothing up
	out, err := x.ExecuteWith(t.Context(), xla.RunOptions{Donate: []int{1}}, a, v, v)
	if err != nil {
		t.Fatal(err)
	}
	wantSlice(t, out[0], 81, 162, float32(243))
	_, err = x.Execute(t.Context(), a, v, v)
	wantCode(t, err, xla.Closed, "argument 1")
	if _, err := xla.ToSlice[float32](v); !errors.Is(err, xla.ErrClosed) {
		t.Errorf("reading what was donated: got %v", err)
	}
	_, err = xla.ToSlice[int32](out[0])
	wantCode(t, err, xla.InvalidArgument, "cannot copy f32[3]")
	wantCode(t, out[0].To(make([]float32, 2)), xla.InvalidArgument, "want 3")
	bad, err := literal.FromBytes(shape.Array(shape.Pred, 2), []byte{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.FromLiteral(bad)
	if err != nil {
		t.Fatal(err)
	}
	_, err = xla.ToSlice[bool](p)
	wantCode(t, err, xla.InvalidArgument, "neither 0 nor 1")
	p.Close()
	other := remoteClient(t, xla.ClientOptions{})
	foreign := buffer(t, other, []float32{1, 2, 3})
	_, err = x.Execute(t.Context(), a, foreign, foreign)
	wantCode(t, err, xla.InvalidArgument, "is on device cuda-emu:0 of another client, want cuda-emu:0: CopyTo")
	for _, b := range []*xla.Buffer{a, foreign, out[0]} {
		b.Close()
	}
}

// mixed has results that are an argument, the same with another shape, a constant, what the host makes, what is made of
// that, one value twice, and nothing.
const mixed = `HloModule mixed
ENTRY e { x = f32[300,2] parameter(0)
  h = f32[200,3] reshape(x)
  k = f32[3] constant({1,2,3})
  c = f32[300,2] custom-call(x), custom_call_target="double"
  s = f32[300,2] negate(c)
  none = f32[0] constant({})
  ROOT t = (f32[300,2], f32[200,3], f32[3], f32[300,2], f32[300,2], f32[300,2], f32[0]) tuple(x, h, k, c, s, s, none) }`

// TestRemoteResults wants each kind of result to be right and to stay so when others are closed.
func TestRemoteResults(t *testing.T) {
	double := func(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		out := args[0].Clone()
		v, err := literal.View[float32](out)
		for i := range v {
			v[i] *= 2
		}
		return out, err
	}
	c := remoteClient(t, xla.ClientOptions{Handlers: xla.HandlerMap{"double": double}})
	x := compile(t, c, mixed)
	defer x.Close()
	data := make([]float32, 600)
	for i := range data {
		data[i] = float32(i)
	}
	v := buffer(t, c, data, 300, 2)
	for range 3 {
		out, err := x.Execute(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		v.Close() // a result has its memory
		for i, last := range []float32{599, 599, 3, 1198, -1198, -1198, 0} {
			got, err := xla.ToSlice[float32](out[i])
			if err != nil || len(got) > 0 && got[len(got)-1] != last {
				t.Errorf("result %d: got %v, %v, want %v at its end", i, got[max(len(got)-1, 0):], err, last)
			}
			if i > 0 {
				out[i].Close()
			}
		}
		v = out[0]
	}
	v.Close()
}

// TestRemoteLayouts wants a literal to come back as it was given, tuples and arrays of unknown size too.
func TestRemoteLayouts(t *testing.T) {
	c := remoteClient(t, xla.ClientOptions{})
	columns := shape.Array(shape.F32, 2, 3)
	columns.Layout = &shape.Layout{MinorToMajor: []int64{0, 1}}
	l, err := literal.FromBytes(columns, make([]byte, 24))
	if err != nil {
		t.Fatal(err)
	}
	l.Bytes()[4], l.Bytes()[7] = 1, 0x40 // element 1,0
	row, err := literal.FromSlice([]int32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	short := literal.Zeros(shape.Array(shape.S32, 3))
	short.SetDynamicSize(0, 2)
	empty := literal.Zeros(shape.Array(shape.F32, 0, 4))
	for _, want := range []*literal.Literal{l, row, short, empty, literal.NewTuple(row, l), literal.NewToken()} {
		b, err := c.FromLiteral(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Literal()
		if err != nil || got.String() != want.String() || !b.Shape().Equal(want.Shape()) {
			t.Errorf("got %v of %v, %v, want %v", got, b.Shape(), err, want)
		}
		b.Close()
	}
	x := compile(t, c, "ENTRY e { x = f32[2,3] parameter(0) ROOT y = f32[3,2] transpose(x), dimensions={1,0} }")
	defer x.Close()
	b, err := c.FromLiteral(l)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	out, err := x.Execute(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	defer out[0].Close()
	want, err := xla.ToSlice[float32](b)
	if err != nil {
		t.Fatal(err)
	}
	wantSlice(t, out[0], want[0], want[3], want[1], want[4], want[2], want[5])
}

// TestRemoteSizes runs a program for the sizes that its arguments have.
func TestRemoteSizes(t *testing.T) {
	c := remoteClient(t, xla.ClientOptions{})
	x, err := c.Compile(t.Context(), xla.Program{Source: []byte(`
func.func public @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.negate %arg0 : tensor<?xf32>
  return %0 : tensor<?xf32>
}`)}, xla.CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, n := range []int{3, 5, 3} {
		v := make([]float32, n)
		v[n-1] = 1
		b := buffer(t, c, v)
		out, err := x.Execute(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := xla.ToSlice[float32](out[0])
		if err != nil || len(got) != n || got[n-1] != -1 {
			t.Errorf("got %v, %v", got, err)
		}
		b.Close()
		out[0].Close()
	}
}

// TestRemoteLimits wants what has no room to be an error, and all that was there before to go on.
func TestRemoteLimits(t *testing.T) {
	t.Setenv("HALO_CUDA_EMU_MEMORY", "1000000")
	for name, o := range map[string]xla.ClientOptions{"device": {}, "limit": {MemoryLimit: 900_000}} {
		t.Run(name, func(t *testing.T) {
			c := remoteClient(t, o)
			x := compile(t, c, "ENTRY e { x = f32[100000] parameter(0) ROOT y = f32[100000] negate(x) }")
			defer x.Close()
			one, two := buffer(t, c, make([]float32, 100_000)), buffer(t, c, make([]float32, 100_000))
			_, err := xla.FromSlice(c, make([]float32, 100_000))
			wantCode(t, err, xla.ResourceExhausted, "limit passed")
			_, err = x.Execute(t.Context(), one)
			wantCode(t, err, xla.ResourceExhausted, "limit passed")
			two.Close()
			out, err := x.Execute(t.Context(), one)
			if err != nil {
				t.Fatal(err)
			}
			out[0].Close()
			one.Close()
		})
	}
}

// TestRemoteDevices has devices of two GPUs, between which buffers are copied.
func TestRemoteDevices(t *testing.T) {
	c := remoteClient(t, xla.ClientOptions{Devices: 2})
	second := c.Devices()[1]
	x, err := c.Compile(t.Context(), xla.Program{Source: []byte(axpy)}, xla.CompileOptions{Devices: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	a, v := scalar(t, c, float32(2)), buffer(t, c, []float32{1, 2, 3})
	_, err = x.Execute(t.Context(), a, v, v)
	wantCode(t, err, xla.InvalidArgument, "CopyTo")
	var there []*xla.Buffer
	for _, b := range []*xla.Buffer{a, v} {
		moved, err := b.CopyTo(second)
		if err != nil {
			t.Fatal(err)
		}
		there = append(there, moved)
		b.Close()
	}
	out, err := x.Execute(t.Context(), there[0], there[1], there[1])
	if err != nil || out[0].Device() != second {
		t.Fatal(err)
	}
	wantSlice(t, out[0], 3, 6, float32(9))
	sum := compileText(t, c, fmt.Sprintf(sumOf, "replica_count=2"), xla.CompileOptions{})
	defer sum.Close()
	list := [][]*xla.Buffer{{pair(t, c, 1)}, {pair(t, second, 10)}}
	both, err := sum.ExecuteDevices(t.Context(), xla.RunOptions{Donate: []int{0}}, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range both {
		wantSlice(t, l[0], 11, float32(-11))
	}
	for _, b := range append(there, out[0], both[0][0], both[1][0]) {
		b.Close()
	}
}

// TestRemoteLost wants every call to say so once the device is lost, everything to close, and the next process's device,
// which a new client stands for, to work.
func TestRemoteLost(t *testing.T) {
	const illegalAddress = 700
	for call := 40; call < 90; call += 7 {
		t.Run(fmt.Sprint(call), func(t *testing.T) {
			t.Setenv("HALO_CUDA_EMU_FAIL", fmt.Sprintf("%d:%d", call, illegalAddress))
			c := remoteClient(t, xla.ClientOptions{})
			var told error
			err := useDevice(t, c)
			for i := 0; i < 40 && told == nil; i++ {
				told, err = err, useDevice(t, c)
			}
			if told == nil || err == nil {
				t.Fatalf("got %v, then %v", told, err)
			}
			wantCode(t, err, xla.Failed, "is lost")
		})
	}
}

// useDevice makes buffers, compiles and runs a program, and reads what comes out.
func useDevice(t *testing.T, c *xla.Client) error {
	v, err := xla.FromSlice(c, []float32{1, 2, 3})
	if err != nil {
		return err
	}
	defer v.Close()
	x, err := c.Compile(t.Context(), xla.Program{Source: []byte("ENTRY e { x = f32[3] parameter(0) ROOT y = f32[3] sine(x) }")},
		xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer x.Close()
	out, err := x.Execute(t.Context(), v)
	if err != nil {
		return err
	}
	defer out[0].Close()
	_, err = xla.ToSlice[float32](out[0])
	return err
}

// TestRemoteCopies copies to the same GPU, another, another client and the host's memory: a copy is what it was when
// the first is closed, or given up to an execution.
func TestRemoteCopies(t *testing.T) {
	c := remoteClient(t, xla.ClientOptions{Devices: 2})
	x, err := c.Compile(t.Context(), xla.Program{Source: []byte(`HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[300] parameter(0) ROOT y = f32[300] negate(x) }`)}, xla.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	host := newClient(t, xla.ClientOptions{})
	data := make([]float32, 300)
	for i := range data {
		data[i] = float32(i)
	}
	for _, to := range []*xla.Device{c.Devices()[0], c.Devices()[1], remoteClient(t, xla.ClientOptions{}).Devices()[0],
		host.Devices()[0]} {
		b := buffer(t, c, data)
		copied, err := b.CopyTo(to)
		if err != nil || copied.Device() != to {
			t.Fatal(err)
		}
		out, err := x.ExecuteWith(t.Context(), xla.RunOptions{Donate: []int{0}}, b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.CopyTo(to); !errors.Is(err, xla.ErrClosed) {
			t.Errorf("a copy of what was donated: got %v", err)
		}
		wantSlice(t, copied, data...)
		out[0].Close()
		wantSlice(t, copied, data...)
		copied.Close()
	}
	host.Close()
	wantNothingLive(t, host)
}

// TestRemoteAtOnce has many goroutines share weights, hand results on and give them up.
func TestRemoteAtOnce(t *testing.T) {
	c := remoteClient(t, xla.ClientOptions{})
	x := compile(t, c, strings.Replace(axpy, "HloModule axpy", "HloModule axpy, input_output_alias={ {}: (2, {}, may-alias) }", 1))
	defer x.Close()
	a, w := scalar(t, c, float32(1)), buffer(t, c, []float32{1, 2, 3})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			v, err := xla.FromSlice(c, []float32{0, 0, 0})
			for i := range 8 {
				if err != nil {
					t.Error(err)
					return
				}
				var out []*xla.Buffer
				out, err = x.ExecuteWith(t.Context(), xla.RunOptions{Donate: []int{2}[:i%2]}, a, w, v)
				v.Close()
				if err == nil {
					v = out[0]
				}
			}
			wantSlice(t, v, 8, 16, float32(24))
			v.Close()
		})
	}
	wg.Wait()
	a.Close()
	w.Close()
}

// Weights are brought to a device once. The state of a loop stays there from step to step, in one place: each step
// overwrites the state of the one before, which it is given up for.
func ExampleRunOptions() {
	ctx := context.Background()
	client, err := xla.NewClient(xla.Reference(), xla.ClientOptions{}) // or cuda.New(cuda.Options{}) for a GPU
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	exe, err := client.Compile(ctx, xla.Program{Source: []byte(`HloModule step, input_output_alias={ {}: (1, {}, may-alias) }
ENTRY step { w = f32[3] parameter(0) state = f32[3] parameter(1) ROOT next = f32[3] add(state, w) }`)},
		xla.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	w, err := xla.FromSlice(client, []float32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	state, err := xla.FromSlice(client, []float32{0, 0, 0})
	for range 10 {
		if err != nil {
			log.Fatal(err)
		}
		var out []*xla.Buffer
		if out, err = exe.ExecuteWith(ctx, xla.RunOptions{Donate: []int{1}}, w, state); err == nil {
			state = out[0]
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	defer state.Close()
	fmt.Println(xla.ToSlice[float32](state))
	// Output: [10 20 30] <nil>
}
