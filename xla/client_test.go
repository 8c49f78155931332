package xla_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

const axpy = `HloModule axpy
ENTRY main {
  a = f32[] parameter(0)
  x = f32[3] parameter(1)
  y = f32[3] parameter(2)
  wide = f32[3] broadcast(a), dimensions={}
  ax = f32[3] multiply(wide, x)
  ROOT r = f32[3] add(ax, y)
}
`

const forever = `HloModule forever
cond { s = s32[] parameter(0)
  ROOT t = pred[] constant(true) }
body { ROOT s = s32[] parameter(0) }
ENTRY main { z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=cond, body=body }
`

func newClient(t *testing.T, o xla.ClientOptions) *xla.Client {
	t.Helper()
	if o.Logger == nil { // the tests drop what they need no more
		o.Logger = slog.New(slog.DiscardHandler)
	}
	c, err := xla.NewClient(xla.Reference(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func compile(t *testing.T, c *xla.Client, text string) *xla.Executable {
	t.Helper()
	x, err := c.Compile(t.Context(), xla.Program{Name: "test.hlo", Source: []byte(text)}, xla.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func buffer[T literal.Element](t *testing.T, c *xla.Client, v []T, dims ...int64) *xla.Buffer {
	t.Helper()
	b, err := xla.FromSlice(c, v, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func scalar[T literal.Element](t *testing.T, c *xla.Client, v T) *xla.Buffer {
	t.Helper()
	b, err := xla.FromScalar(c, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantNothingLive(t *testing.T, c *xla.Client) {
	t.Helper()
	if live := c.Live(); live != (xla.Live{}) {
		t.Errorf("got %+v, want nothing live", live)
	}
}

func wantCode(t *testing.T, err error, code xla.Code, words string) {
	t.Helper()
	var e *xla.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(err.Error(), words) {
		t.Errorf("got %v, want the code %q and %q", err, code, words)
	}
}

func TestExecute(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	args := []*xla.Buffer{scalar(t, c, float32(2)), buffer(t, c, []float32{1, 2, 3}), buffer(t, c, []float32{10, 20, 30})}
	out, err := x.Execute(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, 3)
	if err := out[0].To(got); err != nil {
		t.Fatal(err)
	}
	if got[0] != 12 || got[1] != 24 || got[2] != 36 {
		t.Errorf("got %v, want [12 24 36]", got)
	}
	for _, b := range append(args, out...) {
		b.Close()
	}
	x.Close()
	c.Close()
	wantNothingLive(t, c)
}

func TestExecuteInto(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	args := []*xla.Buffer{scalar(t, c, float32(1)), buffer(t, c, []float32{1, 2, 3}), buffer(t, c, []float32{1, 1, 1})}
	got := make([]float32, 3)
	if err := x.ExecuteInto(t.Context(), xla.RunOptions{}, []any{got}, args...); err != nil {
		t.Fatal(err)
	}
	if got[0] != 2 || got[2] != 4 {
		t.Errorf("got %v, want [2 3 4]", got)
	}
	wantCode(t, x.ExecuteInto(t.Context(), xla.RunOptions{}, nil, args...), xla.InvalidArgument, "got 0 slices for results, want 1")
	wantCode(t, x.ExecuteInto(t.Context(), xla.RunOptions{}, []any{got[:2]}, args...), xla.InvalidArgument, "got a slice of 2 elements, want 3")
	wantCode(t, x.ExecuteInto(t.Context(), xla.RunOptions{}, []any{"x"}, args...), xla.InvalidArgument, "into a string")
}

func TestExecuteNamed(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	args := map[string]*xla.Buffer{"a": scalar(t, c, float32(3)), "x": buffer(t, c, []float32{1, 0, 0}), "y": buffer(t, c, []float32{0, 0, 1})}
	out, err := x.ExecuteNamed(t.Context(), xla.RunOptions{}, args)
	if err != nil {
		t.Fatal(err)
	}
	got, err := xla.ToSlice[float32](out["result0"])
	if err != nil || got[0] != 3 || got[2] != 1 {
		t.Errorf("got %v, %v, want [3 0 1]", got, err)
	}
	args["z"] = args["a"]
	_, err = x.ExecuteNamed(t.Context(), xla.RunOptions{}, args)
	wantCode(t, err, xla.InvalidArgument, `there is no parameter "z"`)
	delete(args, "x")
	_, err = x.ExecuteNamed(t.Context(), xla.RunOptions{}, args)
	wantCode(t, err, xla.InvalidArgument, `argument "x" is missing, want f32[3]`)
}

// TestSameNames wants each parameter and result of a program that gives several the same name to be had by name.
func TestSameNames(t *testing.T) {
	module, err := xla.Read(xla.Program{Source: []byte("HloModule m\nENTRY e { p = f32[] parameter(0)\n q = f32[] parameter(1)\n" +
		"r = f32[] parameter(2)\n d = f32[] subtract(p, q)\n ROOT t = (f32[], f32[]) tuple(d, r) }")})
	if err != nil {
		t.Fatal(err)
	}
	module.ParameterNames, module.ResultNames = []string{"a/b", "a/b", "a/b#2"}, []string{"y", "y"}
	c := newClient(t, xla.ClientOptions{})
	x, err := c.Compile(t.Context(), xla.Program{Module: module}, xla.CompileOptions{AllowReference: true})
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]*xla.Buffer{"a/b": scalar(t, c, float32(7)), "a/b#2": scalar(t, c, float32(4)),
		"a/b#2#2": scalar(t, c, float32(9))}
	out, err := x.ExecuteNamed(t.Context(), xla.RunOptions{}, args)
	if err != nil {
		t.Fatalf("%v: %v", x.Signature(), err)
	}
	for name, want := range map[string]float32{"y": 3, "y#2": 9} {
		if got, err := xla.ToSlice[float32](out[name]); err != nil || got[0] != want {
			t.Errorf("%s: got %v (%v), want %v", name, got, err, want)
		}
	}
}

func TestWrongArgumentsNameTheParameter(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	a, v := scalar(t, c, float32(1)), buffer(t, c, []float32{1, 2, 3})
	cases := []struct {
		args  []*xla.Buffer
		words string
	}{
		{[]*xla.Buffer{a, v}, "got 2 arguments, want 3: a f32[], x f32[3], y f32[3]"},
		{[]*xla.Buffer{a, v, a}, "argument 2 (y): got f32[], want f32[3]"},
		{[]*xla.Buffer{a, buffer(t, c, []float64{1, 2, 3}), v}, "argument 1 (x): got f64[3], want f32[3]"},
		{[]*xla.Buffer{a, buffer(t, c, []float32{1, 2}), v}, "argument 1 (x): got f32[2], want f32[3]"},
		{[]*xla.Buffer{a, nil, v}, "argument 1 (x): buffer is nil, want f32[3]"},
	}
	for _, tc := range cases {
		_, err := x.Execute(t.Context(), tc.args...)
		wantCode(t, err, xla.InvalidArgument, tc.words)
	}
}

func TestCloseInAnyOrder(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, order := range orders {
		c := newClient(t, xla.ClientOptions{})
		x := compile(t, c, axpy)
		b := buffer(t, c, []float32{1})
		closers := []interface{ Close() error }{c, x, b}
		for _, i := range order {
			for range 2 { // twice is once
				if err := closers[i].Close(); err != nil {
					t.Errorf("order %v: %v", order, err)
				}
			}
		}
		wantNothingLive(t, c)
	}
}

func TestUseAfterClose(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	b := buffer(t, c, []float32{1, 2, 3})
	a := scalar(t, c, float32(1))
	b.Close()
	_, err := b.Literal()
	wantCode(t, err, xla.Closed, "buffer f32[3]: closed")
	_, err = x.Execute(t.Context(), a, b, b)
	wantCode(t, err, xla.Closed, "argument 1 (x)")
	x.Close()
	_, err = x.Execute(t.Context(), a, b, b)
	wantCode(t, err, xla.Closed, "executable axpy")
	c.Close()
	_, err = xla.FromSlice(c, []float32{1})
	wantCode(t, err, xla.Closed, "client")
	_, err = c.Compile(t.Context(), xla.Program{Source: []byte(axpy)}, xla.CompileOptions{})
	wantCode(t, err, xla.Closed, "client")
	if !errors.Is(err, xla.ErrClosed) {
		t.Errorf("%v is not ErrClosed", err)
	}
}

func TestCloseWaitsForExecute(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, forever)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := x.Execute(ctx)
		failed <- err
	}()
	for c.Live().Running == 0 {
		runtime.Gosched()
	}
	closed := make(chan bool)
	go func() { x.Close(); c.Close(); close(closed) }()
	select {
	case <-closed:
		t.Fatal("Close returned while the program ran")
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	wantCode(t, <-failed, xla.Cancelled, "context canceled")
	<-closed
	wantNothingLive(t, c)
}

func TestManyGoroutines(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	v := buffer(t, c, []float32{1, 2, 3})
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			for i := range 50 {
				a, err := xla.FromScalar(c, float32(g*100+i))
				if err != nil {
					t.Error(err)
					return
				}
				out, err := x.Execute(t.Context(), a, v, v)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := xla.ToSlice[float32](out[0])
				if want := float32(3*(g*100+i) + 3); err != nil || got[2] != want {
					t.Errorf("got %v, %v, want %v at 2", got, err, want)
				}
				a.Close()
				out[0].Close()
			}
		})
	}
	wg.Wait()
	v.Close()
	x.Close()
	c.Close()
	wantNothingLive(t, c)
}

func TestDonate(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, axpy)
	a, v, w := scalar(t, c, float32(1)), buffer(t, c, []float32{1, 2, 3}), buffer(t, c, []float32{1, 2, 3})
	if _, err := x.ExecuteWith(t.Context(), xla.RunOptions{Donate: []int{1}}, a, v, w); err != nil {
		t.Fatal(err)
	}
	_, err := v.Literal()
	wantCode(t, err, xla.Closed, "closed")
	if _, err := w.Literal(); err != nil {
		t.Errorf("an argument that was not donated: %v", err)
	}
	_, err = x.ExecuteWith(t.Context(), xla.RunOptions{Donate: []int{3}}, a, w, w)
	wantCode(t, err, xla.InvalidArgument, "donated argument 3, want 0 to 2")
}

func TestLimits(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, forever)
	_, err := x.ExecuteWith(t.Context(), xla.RunOptions{MaxSteps: 1000})
	wantCode(t, err, xla.ResourceExhausted, "more than 1000 steps")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = x.Execute(ctx)
	wantCode(t, err, xla.Cancelled, "deadline exceeded")
	small := newClient(t, xla.ClientOptions{MemoryLimit: 100})
	big := compile(t, small, "HloModule big\nENTRY main { ROOT i = f32[1000] iota(), iota_dimension=0 }\n")
	_, err = big.Execute(t.Context())
	wantCode(t, err, xla.ResourceExhausted, "100 bytes")
	_, err = xla.NewClient(xla.Reference(), xla.ClientOptions{MemoryLimit: -1})
	wantCode(t, err, xla.InvalidArgument, "memory limit -1")
	_, err = xla.NewClient(nil, xla.ClientOptions{})
	wantCode(t, err, xla.InvalidArgument, "backend is nil")
}

const calls = `HloModule calls
ENTRY main {
  x = f32[2] parameter(0)
  ROOT y = f32[2] custom-call(x), custom_call_target="twice", api_version=API_VERSION_TYPED_FFI
}
`

func TestHandlers(t *testing.T) {
	twice := func(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		w := args[0].Wide()
		for i := range w.F {
			w.F[i] *= 2
		}
		return literal.FromWide(args[0].Shape(), w), nil
	}
	c := newClient(t, xla.ClientOptions{Handlers: xla.HandlerMap{"twice": twice}})
	x := compile(t, c, calls)
	b := buffer(t, c, []float32{1, float32(math.Inf(1))})
	out, err := x.Execute(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := xla.ToSlice[float32](out[0])
	if err != nil || got[0] != 2 || !math.IsInf(float64(got[1]), 1) {
		t.Errorf("got %v, %v, want [2 +Inf]", got, err)
	}
}

func TestMissingHandlerIsRefusedAtCompile(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	_, err := c.Compile(t.Context(), xla.Program{Name: "calls.hlo", Source: []byte(calls)}, xla.CompileOptions{})
	wantCode(t, err, xla.Unsupported, "twice")
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v is not errors.ErrUnsupported", err)
	}
}

func TestHandlerFaultsBecomeErrors(t *testing.T) {
	broken := map[string]xla.Handler{
		"a wrong shape": func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) {
			return literal.Scalar(1.0), nil
		},
		"the handler's words": func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) {
			return nil, errors.New("the handler's words")
		},
		"a panic": func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) {
			panic("a panic")
		},
		"nothing": func(context.Context, *hlo.Instruction, []*literal.Literal) (*literal.Literal, error) { return nil, nil },
	}
	for name, h := range broken {
		c := newClient(t, xla.ClientOptions{Handlers: xla.HandlerMap{"twice": h}})
		x := compile(t, c, calls)
		_, err := x.Execute(t.Context(), buffer(t, c, []float32{1, 2}))
		var e *xla.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, want an *xla.Error", name, err)
		}
	}
}

func TestPaddedArrayGoesInAndComesBack(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	x := compile(t, c, "HloModule id\nENTRY main { ROOT x = u8[2,3] parameter(0) }\n")
	s := shape.Array(shape.U8, 2, 3).WithLayout(&shape.Layout{MinorToMajor: []int64{0, 1}, PaddedDims: []int64{3, 5}, PaddingValue: shape.ZeroPad})
	golden := []byte("ad\x00be\x00cf\x00\x00\x00\x00\x00\x00\x00")
	l, err := literal.FromBytes(s, bytes.Clone(golden))
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.FromLiteral(l)
	if err != nil {
		t.Fatal(err)
	}
	out, err := x.Execute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := xla.ToSlice[uint8](out[0])
	if err != nil || string(got) != "abcdef" {
		t.Errorf("got %q, %v, want the logical elements abcdef", got, err)
	}
	row, err := out[0].Literal()
	if err != nil {
		t.Fatal(err)
	}
	back, err := row.Relayout(s.Layout)
	if err != nil || !bytes.Equal(back.Bytes(), golden) {
		t.Errorf("got %q, %v, want %q", back.Bytes(), err, golden)
	}
}

func TestDroppedBufferIsLogged(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	c := newClient(t, xla.ClientOptions{Logger: slog.New(slog.NewTextHandler(lockedWriter{&mu, &log}, nil))})
	func() { buffer(t, c, []float32{1, 2}) }()
	for range 5000 {
		runtime.GC()
		mu.Lock()
		text := log.String()
		mu.Unlock()
		if strings.Contains(text, "buffer f32[2]") {
			wantNothingLive(t, c)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("a dropped buffer was not logged")
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func TestDetect(t *testing.T) {
	cases := map[string]xla.Format{
		axpy: xla.HLOText, "// comment\nHloModule x": xla.HLOText, "/* c */ ENTRY main {}": xla.HLOText,
		"module {}": xla.MLIRText, "#loc = loc(unknown)\nmodule {}": xla.MLIRText, "func.func @main() { return }": xla.MLIRText,
		"\"builtin.module\"() ({}) : () -> ()": xla.MLIRText, "": xla.NoProgram, "// nothing\n": xla.NoProgram, "\x00\x01": xla.NoProgram, "what": xla.NoProgram,
	}
	for src, want := range cases {
		if got := xla.Detect([]byte(src)); got != want {
			t.Errorf("Detect(%q): got %q, want %q", src, got, want)
		}
	}
}

func TestBadTextHasAPosition(t *testing.T) {
	c := newClient(t, xla.ClientOptions{})
	_, err := c.Compile(t.Context(), xla.Program{Name: "bad.hlo", Source: []byte(strings.Replace(axpy, "multiply(wide, x)", "multiply(wide, z)", 1))}, xla.CompileOptions{})
	wantCode(t, err, xla.InvalidArgument, "bad.hlo:7:")
}
