package customcall_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/xla/shape"
)

// Functions of a GPU get the stream first, then one table of operands and results; here memory is the host's.
func TestStreamFrames(t *testing.T) {
	l, err := dl.Load(built(t, "functions.c"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, test := range []struct {
		function string
		version  ffi.Version
		x, want  float32
		fails    string
	}{
		{"on_stream", ffi.Original, 1, 100 + 1 + 2 + 6, ""},
		{"on_stream_status", ffi.StatusReturning, 1, 109, ""},
		{"on_stream_status", ffi.StatusReturningUnified, -1, 107, "INTERNAL: opaque"},
		{"stream_of", ffi.TypedFFI, 1, 100, ""},
	} {
		p, err := l.Symbol(test.function)
		if err != nil {
			t.Fatal(err)
		}
		scalar := ffi.Value{Type: shape.F32}
		site := &ffi.Site{Target: test.function, Version: test.version, Operands: []ffi.Value{scalar, scalar},
			Results: []ffi.Value{scalar}, Config: "opaque"}
		n, err := ffi.NewNative(site, ffi.Functions{Execute: p, Library: l.Handle(), OnStream: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		data := &[3]float32{test.x, 2, 0}
		var pins runtime.Pinner
		pins.Pin(data)
		f := n.Frame()
		for i := range data {
			f.Addresses[i] = uintptr(unsafe.Pointer(&data[i]))
		}
		f.On(100)
		err = f.Call(t.Context(), 1, 0)
		n.Release(f)
		pins.Unpin()
		n.Close(func([]int32, bool) {})
		if data[2] != test.want || test.fails == "" && err != nil {
			t.Errorf("%s: got %v, %v, want %v", test.function, data[2], err, test.want)
		}
		if test.fails != "" {
			wantError(t, test.function, err, test.fails)
		}
	}
}
