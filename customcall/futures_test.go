package customcall_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/shape"
)

// later makes an instance of the function of futures.c that doubles a number, and a call of it.
func later(t *testing.T, r *customcall.Registry, kind byte) (customcall.Instance, *ffi.Call) {
	t.Helper()
	scalar := ffi.Value{Type: shape.F32}
	site := &ffi.Site{Target: "later", Version: ffi.TypedFFI, Operands: []ffi.Value{scalar}, Results: []ffi.Value{scalar},
		Attrs: ffi.Attrs{{Name: "kind", Value: ffi.Scalar{Type: shape.S64, Data: []byte{kind, 0, 0, 0, 0, 0, 0, 0}}}}}
	h, _ := r.Handler("later")
	i, err := h.Instantiate(t.Context(), site)
	if err != nil {
		t.Fatal(err)
	}
	in := binary.NativeEndian.AppendUint32(nil, math.Float32bits(3))
	return i, &ffi.Call{Site: site, RunID: 1, Operands: []ffi.Buffer{{Value: scalar, Data: in}},
		Results: []ffi.Buffer{{Value: scalar, Data: make([]byte, 4)}}}
}

func number(c *ffi.Call) float32 {
	return math.Float32frombits(binary.NativeEndian.Uint32(c.Results[0].Data))
}

// pointer calls a function of a library that is loaded already.
func pointer(t *testing.T, path, name string) {
	t.Helper()
	l, err := dl.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := l.Symbol(name)
	if err != nil {
		t.Fatal(err)
	}
	ffi.Pointer(p, l.Handle())
}

// soonUnmapped waits for a library to be unloaded.
func soonUnmapped(t *testing.T, what, path string) {
	t.Helper()
	for range 3000 {
		if !mapped(t, path) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s: the library is not unloaded", what)
}

// The first end of a future counts, on whatever thread, and the library is unloaded when the thread is gone.
func TestFutures(t *testing.T) {
	for kind, want := range []string{"", "", "", 5: "", 6: "ABORTED: an error at once", 7: "a future that it did not create"} {
		if kind == 3 || kind == 4 {
			continue
		}
		path := built(t, "futures.c")
		r := customcall.New()
		if err := r.Load(path, nil); err != nil {
			t.Fatal(err)
		}
		i, c := later(t, r, byte(kind))
		for range 300 {
			clear(c.Results[0].Data)
			err := i.Call(t.Context(), c)
			if want != "" {
				wantError(t, "a future", err, want)
			} else if err != nil || number(c) != 6 {
				t.Fatalf("kind %d: got %v, %v, want 6", kind, number(c), err)
			}
		}
		r.Close()
		i.Close()
		soonUnmapped(t, want, path)
	}
}

// A call whose context ends is over; its future, which is ended after instance and registry are closed, is not forgotten:
// memory and library are there until then.
func TestFutureEndedTooLate(t *testing.T) {
	path := built(t, "futures.c")
	r := customcall.New()
	if err := r.Load(path, nil); err != nil {
		t.Fatal(err)
	}
	i, c := later(t, r, 3)
	var left *ffi.Unfinished
	var err error
	for wait := 5 * time.Millisecond; left == nil && wait < time.Minute; wait *= 2 { // it may pass before the call
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		err = i.Call(ctx, c)
		errors.As(err, &left)
		cancel()
	}
	if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &left) {
		t.Fatalf("got %v, want that the deadline passed", err)
	}
	wantError(t, "too late", err, "did not end it in time: context deadline exceeded")
	r.Close()
	i.Close()
	select {
	case <-left.Over():
		t.Error("over before the function has ended the future")
	case <-time.After(20 * time.Millisecond):
	}
	if !mapped(t, path) {
		t.Error("unloaded before the function has ended the future")
	}
	pointer(t, path, "let_go")
	<-left.Over()
	if number(c) != 6 {
		t.Errorf("got %v, want 6: the function has written to another place", number(c))
	}
	soonUnmapped(t, "too late", path)
}

// A library stays as long as a thread that may run its code, and no longer.
func TestThreadThatStays(t *testing.T) {
	path := built(t, "futures.c")
	r := customcall.New()
	if err := r.Load(path, nil); err != nil {
		t.Fatal(err)
	}
	pointer(t, path, "stay_alive")
	i, c := later(t, r, 4)
	if err := i.Call(t.Context(), c); err != nil || number(c) != 6 {
		t.Fatalf("got %v, %v, want 6", number(c), err)
	}
	r.Close()
	i.Close()
	if !mapped(t, path) {
		t.Fatal("unloaded under a thread")
	}
	pointer(t, path, "end_threads")
	soonUnmapped(t, "the thread is gone", path)
}

// Clients hold a registry: its handlers are there until it and they are closed, in whatever order.
func TestHold(t *testing.T) {
	for _, first := range []bool{true, false} {
		path := built(t, "functions.c")
		r := customcall.New()
		if err := r.Load(path, nil); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := r.Hold(); err != nil {
				t.Fatal(err)
			}
		}
		ends := []func(){r.Release, r.Release, func() { r.Close(); r.Close() }}
		if first {
			ends[0], ends[2] = ends[2], ends[0]
		}
		for _, end := range ends {
			h, _ := r.Handler("add_one")
			i, err := h.Instantiate(t.Context(), &ffi.Site{Target: "add_one", Version: ffi.TypedFFI})
			if err != nil {
				t.Fatal(err)
			}
			if i.Close(); !mapped(t, path) {
				t.Errorf("closed first: %v: unloaded while somebody holds it", first)
			}
			end()
			if first {
				wantError(t, "hold", r.Hold(), "closed")
				wantError(t, "register", r.Register("x", nothing), "closed")
			}
		}
		if _, ok := r.Handler("add_one"); ok || mapped(t, path) {
			t.Errorf("closed first: %v: there although nobody holds it", first)
		}
	}
}
