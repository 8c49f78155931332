//go:build cgo

package cufft

// #cgo LDFLAGS: -lpthread
// #include <stdlib.h>
// #include "cufft.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is an opened cuFFT. Its methods may run at the same time.
type Library struct {
	t       *C.cufft_table
	path    string
	version int
}

// Open takes the functions of lib. It fails with errors.ErrUnsupported if lib lacks one or is of another version.
func Open(lib *dl.Library) (*Library, error) {
	var missing *C.char
	l := &Library{t: C.halo_cufft_load(lib.Handle(), &missing), path: lib.Path()}
	if l.t == nil {
		return nil, dl.Missing(fmt.Errorf("cufft: %s lacks %s", lib.Path(), C.GoString(missing)))
	}
	var v C.int
	if err := l.check("cufftGetVersion", C.halo_cufftGetVersion(l.t, &v)); err != nil {
		return nil, err
	}
	l.version = int(v)
	return l, checkVersion(l.path, l.version)
}

// Path returns the library's file.
func (l *Library) Path() string { return l.path }

// Version returns its version as people write it: 11.4.1.
func (l *Library) Version() string { return versionText(l.version) }

func (l *Library) check(call string, status C.uint) error {
	if status == 0 {
		return nil
	}
	return &Error{Call: call, Name: C.GoString(C.halo_cufft_status(status)), Status: int(status)}
}

// Plan is how the library does transforms of one shape on one device. It may be enqueued from many threads, on any
// stream.
type Plan struct {
	library *Library
	p       *C.halo_cufft_plan
	// Work is the size of the work area in bytes.
	Work int64
}

// NewPlan makes a plan for the device whose context is current on this thread.
func (l *Library) NewPlan(s Shape) (*Plan, error) {
	c := C.halo_cufft_shape{kind: C.int64_t(s.Kind), rank: C.int64_t(s.Rank), batch: C.int64_t(s.Batch),
		stride: C.int64_t(s.Stride), in_step: C.int64_t(s.InStep), out_step: C.int64_t(s.OutStep)}
	in, out := s.embed(s.Kind == C2R || s.Kind == Z2D), s.embed(s.Kind == R2C || s.Kind == D2Z)
	for i := range s.N {
		c.n[i], c.in_embed[i], c.out_embed[i] = C.longlong(s.N[i]), C.longlong(in[i]), C.longlong(out[i])
	}
	p := &Plan{library: l}
	var bytes C.size_t
	if err := l.check("cufftMakePlanMany64", C.halo_cufft_open(l.t, &c, &p.p, &bytes)); err != nil {
		return nil, err
	}
	p.Work = int64(bytes)
	return p, nil
}

// Close frees the plan. Its context must be current, and its transforms done.
func (p *Plan) Close() error { return p.library.check("cufftDestroy", C.halo_cufft_close(p.p)) }

// Call is a use of a plan that is ready to be enqueued.
type Call struct {
	library *Library
	p       *C.halo_cufft_transform
}

// Transform makes a use of the plan, count times with so many bytes between the arrays of each, to be freed by Close.
// Inverse says which way complex numbers go. As a command it takes the addresses of what is transformed, which kinds
// that give real numbers overwrite, of the result, and of the work area with 256 bytes more than Work.
func (p *Plan) Transform(inverse bool, count, inBytes, outBytes int64) *Call {
	c := &Call{p.library, (*C.halo_cufft_transform)(C.calloc(1, C.sizeof_halo_cufft_transform))}
	*c.p = C.halo_cufft_transform{plan: p.p, sign: -1, count: C.int64_t(count), in_bytes: C.int64_t(inBytes),
		out_bytes: C.int64_t(outBytes)}
	if inverse {
		c.p.sign = 1
	}
	C.halo_cufft_start(c.p)
	return c
}

// Pointer is the halo_cuda_call of the transform, for cgo/cuda.
func (c *Call) Pointer() unsafe.Pointer { return unsafe.Pointer(c.p) }

// Failed makes an error of a status that enqueueing the transform has returned.
func (c *Call) Failed(status int) error { return c.library.check("cufftExec", C.uint(status)) }

// Close frees the use, which must not be enqueued any more.
func (c *Call) Close() { C.free(unsafe.Pointer(c.p)) }
