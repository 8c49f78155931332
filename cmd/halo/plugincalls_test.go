package main

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/cgo/crash"
	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/customcall/lapack"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
)

// callers are the backends that custom calls are tried on; the CPU's has one place for executions.
func callers() []xla.Backend { return []xla.Backend{cpu.New(cpu.Options{Threads: 1}), xla.Reference()} }

// clientOf returns a client whose custom calls r serves.
func clientOf(t *testing.T, b xla.Backend, r *customcall.Registry) *xla.Client {
	t.Helper()
	c, err := xla.NewClient(b, xla.ClientOptions{Handlers: r})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// compiled is a program of a client that returns an array of f32.
func compiled(t *testing.T, c *xla.Client, text string) *xla.Executable {
	t.Helper()
	x, err := c.Compile(t.Context(), xla.Program{Source: []byte(text)}, xla.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// first runs a program of one result and returns its first element.
func first(ctx context.Context, x *xla.Executable, args ...*xla.Buffer) (float32, error) {
	out, err := x.Execute(ctx, args...)
	if err != nil {
		return 0, err
	}
	defer out[0].Close()
	v, err := xla.ToSlice[float32](out[0])
	if err != nil {
		return 0, err
	}
	return v[0], nil
}

func isMapped(t *testing.T, path string) bool {
	maps, err := os.ReadFile("/proc/self/maps")
	testfile.Library(t, "proc", err)
	return strings.Contains(string(maps), path)
}

// A library is unloaded when its registry, the clients that share it and their programs are closed; the registry may be
// the first.
func TestLibraryOfClients(t *testing.T) {
	testfile.Native(t, crash.Available)
	path := sharedLibrary(t, "libtwice.so", "void twice(void *out, const void **in) { *(float *)out = 2 * *(const float *)in[0]; }")
	r := customcall.New()
	if err := r.Load(path, nil); err != nil {
		t.Fatal(err)
	}
	var clients []*xla.Client
	for _, b := range callers() {
		clients = append(clients, clientOf(t, b, r))
	}
	r.Close()
	if _, err := xla.NewClient(xla.Reference(), xla.ClientOptions{Handlers: r}); !errors.Is(err, customcall.ErrClosed) {
		t.Errorf("a client of a closed registry: got %v", err)
	}
	for _, c := range clients {
		x := compiled(t, c, `ENTRY e { a = f32[] constant(4) ROOT r = f32[] custom-call(a), custom_call_target="twice" }`)
		if v, err := first(t.Context(), x); err != nil || v != 8 {
			t.Errorf("%s: got %v, %v, want 8", c.BackendName(), v, err)
		}
		if !isMapped(t, path) {
			t.Errorf("%s: unloaded too early", c.BackendName())
		}
		c.Close()
		x.Close()
		c.Close()
	}
	if isMapped(t, path) {
		t.Error("not unloaded")
	}
}

// held is a program whose function, of customcall/testdata/futures.c, ends its calls when it is let go.
const held = `ENTRY e {
  x = f32[20000] parameter(0)
  y = f32[20000] add(x, x)
  ROOT z = f32[20000] custom-call(y), custom_call_target="later", api_version=API_VERSION_TYPED_FFI, backend_config="{kind = 3 : i64}"
}`

// argument is an array whose first element is v.
func argument(t *testing.T, c *xla.Client, v float32) *xla.Buffer {
	t.Helper()
	list := make([]float32, 20000)
	list[0] = v
	made, err := xla.FromSlice(c, list)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// unfinished runs x until a deadline that passes during its call.
func unfinished(t *testing.T, c *xla.Client, x *xla.Executable) *ffi.Unfinished {
	t.Helper()
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		in := argument(t, c, 5)
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		_, err := first(ctx, x, in)
		cancel()
		in.Close()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%s: got %v, want that the deadline passed", c.BackendName(), err)
		}
		if u := (*ffi.Unfinished)(nil); errors.As(err, &u) {
			return u
		}
	}
}

// A call that its context ends keeps what its function may still write to: nobody else gets the memory meanwhile.
func TestMemoryOfUnfinishedCalls(t *testing.T) {
	testfile.Native(t, crash.Available)
	path := sharedLibrary(t, "libfutures.so", `#include "`+absolute(t, "../../customcall/testdata/futures.c")+`"`,
		"-I"+absolute(t, "../../ffi/include"), "-pthread")
	for _, b := range callers() {
		r := customcall.New()
		if err := r.Load(path, nil); err != nil {
			t.Fatal(err)
		}
		c := clientOf(t, b, r)
		x, other := compiled(t, c, held), compiled(t, c, "ENTRY e { x = f32[20000] parameter(0) ROOT y = f32[20000] negate(x) }")
		left := []*ffi.Unfinished{unfinished(t, c, x), unfinished(t, c, x), unfinished(t, c, x)}
		x.Close()
		runtime.GC()
		var seen []*xla.Buffer
		for i := range 30 {
			in := argument(t, c, float32(i))
			out, err := other.Execute(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			in.Close()
			seen = append(seen, out[0])
		}
		letGo(t, path)
		for _, u := range left {
			<-u.Over()
		}
		for i, out := range seen {
			if v, err := xla.ToSlice[float32](out); err != nil || v[0] != -float32(i) {
				t.Errorf("%s: got %v, %v, want %v", c.BackendName(), v[0], err, -i)
			}
			out.Close()
		}
		x = compiled(t, c, held)
		if v, err := first(t.Context(), x, argument(t, c, 5)); err != nil || v != 20 { // which ends by itself now
			t.Errorf("%s: got %v, %v, want 20", c.BackendName(), v, err)
		}
		r.Close()
		c.Close()
		x.Close()
		for n := 0; isMapped(t, path); n++ {
			if time.Sleep(10 * time.Millisecond); n > 3000 {
				t.Fatalf("%s: not unloaded", c.BackendName())
			}
		}
	}
}

// letGo has the functions of a library that is loaded end their calls.
func letGo(t *testing.T, path string) {
	t.Helper()
	l, err := dl.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	let, err := l.Symbol("let_go")
	if err != nil {
		t.Fatal(err)
	}
	ffi.Pointer(let, l.Handle())
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	a, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// LAPACK is there on every backend with the handlers of package lapack, beside functions of the user's, whose registry
// the client holds through them.
func TestLinearAlgebraOfClients(t *testing.T) {
	const text = `ENTRY e {
  a = f32[2,2] constant({{4, 2}, {2, 5}})
  l = (f32[2,2]{0,1}, s32[]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
    operand_layout_constraints={f32[2,2]{0,1}}, api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
  f = f32[2,2]{0,1} get-tuple-element(l), index=0
  s = f32[2,2] slice(f), slice={[0:2], [0:2]}
  ROOT r = f32[2,2] custom-call(s), custom_call_target="same"
}`
	for _, b := range callers() {
		r := customcall.New()
		same := func(_ context.Context, c *ffi.Call) error { copy(c.Results[0].Data, c.Operands[0].Data); return nil }
		if err := r.Register("same", same); err != nil {
			t.Fatal(err)
		}
		c, err := xla.NewClient(b, xla.ClientOptions{Handlers: lapack.Handlers{User: r}})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if v, err := first(t.Context(), compiled(t, c, text)); err != nil || v != 2 {
			t.Errorf("%s: got %v, %v, want 2", c.BackendName(), v, err)
		}
		c.Close()
		if _, ok := r.Handler("same"); ok {
			t.Errorf("%s: the registry is held although its client is closed", c.BackendName())
		}
	}
}

// Go functions that panic or end their goroutine fail, and so do those that run a program that does; one may run programs
// of its own client, which has one place for executions, and compile them.
func TestGoFunctions(t *testing.T) {
	const text = `ENTRY e { ROOT r = f32[] custom-call(), custom_call_target="%" }`
	for _, b := range callers() {
		r := customcall.New()
		defer r.Close()
		c := clientOf(t, b, r)
		nested := func(target string) customcall.Func {
			return func(ctx context.Context, call *ffi.Call) error {
				x, err := c.Compile(ctx, xla.Program{Source: []byte(strings.Replace(text, "%", target, 1))}, xla.CompileOptions{})
				if err != nil {
					return err
				}
				defer x.Close()
				v, err := first(ctx, x)
				binary.NativeEndian.PutUint32(call.Results[0].Data, math.Float32bits(v))
				return err
			}
		}
		for target, f := range map[string]customcall.Func{
			"panics": func(context.Context, *ffi.Call) error { panic("ouch") },
			"exits":  func(context.Context, *ffi.Call) error { runtime.Goexit(); return nil },
			"outer":  nested("middle"), "middle": nested("inner"),
			"inner":           func(_ context.Context, call *ffi.Call) error { call.Results[0].Data[3] = 0x40; return nil },
			"outer of panics": nested("panics"), "outer of exits": nested("exits"),
		} {
			if err := r.Register(target, f); err != nil {
				t.Fatal(err)
			}
		}
		for target, want := range map[string]string{"panics": "the function panicked: ouch", "exits": "ended its goroutine",
			"outer": "", "outer of panics": "the function panicked: ouch", "outer of exits": "ended its goroutine"} {
			v, err := first(t.Context(), compiled(t, c, strings.Replace(text, "%", target, 1)))
			if want == "" && (err != nil || v != 2) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s of %s: got %v, %v, want %q", target, c.BackendName(), v, err, want)
			}
		}
	}
}

// Functions in Go and in C serve one program from sixteen goroutines at the same time, each with its own numbers.
func TestFunctionsAtOnce(t *testing.T) {
	testfile.Native(t, crash.Available)
	path := sharedLibrary(t, "libtwice.so", "void twice(void *out, const void **in) { *(float *)out = 2 * *(const float *)in[0]; }")
	const text = `ENTRY e {
  x = f32[1] parameter(0)
  y = f32[1] custom-call(x), custom_call_target="plus_one"
  ROOT r = f32[1] custom-call(y), custom_call_target="twice"
}`
	for _, b := range callers() {
		r := customcall.New()
		defer r.Close()
		err := r.Register("plus_one", func(_ context.Context, c *ffi.Call) error {
			v := math.Float32frombits(binary.NativeEndian.Uint32(c.Operands[0].Data)) + 1
			binary.NativeEndian.PutUint32(c.Results[0].Data, math.Float32bits(v))
			return nil
		})
		if err := errors.Join(err, r.Load(path, nil)); err != nil {
			t.Fatal(err)
		}
		c := clientOf(t, b, r)
		x := compiled(t, c, text)
		var all sync.WaitGroup
		for g := range 16 {
			all.Go(func() {
				for i := range 50 {
					n := float32(1000*g + i)
					arg, err := xla.FromSlice(c, []float32{n})
					if err != nil {
						t.Error(err)
						return
					}
					if v, err := first(t.Context(), x, arg); err != nil || v != 2*(n+1) {
						t.Errorf("%s: got %v, %v, want %v", c.BackendName(), v, err, 2*(n+1))
					}
					arg.Close()
				}
			})
		}
		all.Wait()
	}
}
