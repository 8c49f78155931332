//go:build cgo

package cusolver

// #include <stdlib.h>
// #include "cusolver.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is an opened cuSOLVER. Its methods may run at the same time.
type Library struct {
	t       *C.cusolver_table
	path    string
	version int
}

// Open takes the functions of lib. It fails with errors.ErrUnsupported if lib lacks one or is of another version.
func Open(lib *dl.Library) (*Library, error) {
	var missing *C.char
	l := &Library{t: C.halo_cusolver_load(lib.Handle(), &missing), path: lib.Path()}
	if l.t == nil {
		return nil, dl.Missing(fmt.Errorf("cusolver: %s lacks %s", lib.Path(), C.GoString(missing)))
	}
	var v C.int
	if err := l.check("cusolverGetVersion", C.halo_cusolverGetVersion(l.t, &v)); err != nil {
		return nil, err
	}
	l.version = int(v)
	return l, checkVersion(l.path, l.version)
}

// Path returns the library's file.
func (l *Library) Path() string { return l.path }

// Version returns its version as people write it: 11.6.1.
func (l *Library) Version() string { return versionText(l.version) }

func (l *Library) check(call string, status C.uint) error {
	if status == 0 {
		return nil
	}
	return &Error{Call: call, Name: C.GoString(C.halo_cusolver_status(status)), Status: int(status)}
}

// Handle is the library on one device, for one goroutine and one stream at a time.
type Handle struct {
	library *Library
	p       *C.halo_cusolver_handle
}

// NewHandle makes a handle for the device whose context is current on this thread.
func (l *Library) NewHandle() (*Handle, error) {
	h := &Handle{library: l}
	if err := l.check("cusolverDnCreate", C.halo_cusolver_open(l.t, &h.p)); err != nil {
		return nil, err
	}
	return h, nil
}

// Close frees the handle. Its context must be current, and what it has enqueued done.
func (h *Handle) Close() error {
	return h.library.check("cusolverDnDestroy", C.halo_cusolver_close(h.p))
}

func (p *Problem) c() C.halo_cusolver_problem {
	out := C.halo_cusolver_problem{routine: C.int64_t(p.Routine), _type: C.int64_t(p.Type), m: C.int64_t(p.M),
		n: C.int64_t(p.N), k: C.int64_t(p.K), vectors: C.int64_t(p.Vectors)}
	if p.Upper {
		out.upper = 1
	}
	return out
}

// Work returns the work space that p takes; the context must be current. It fails with errors.ErrUnsupported for what
// the library does not do.
func (h *Handle) Work(p *Problem) (Work, error) {
	if err := p.check(); err != nil {
		return Work{}, err
	}
	var device, host C.size_t
	c := p.c()
	err := h.library.check(p.Routine.String()+"_bufferSize", C.halo_cusolver_work(h.p, &c, &device, &host))
	return Work{int64(device), int64(host)}, err
}

// Run enqueues p for each of a batch, on a stream that is not captured; the context must be current. The arrays begin
// at at, and step is how far each of the batch is from the one before. work is the address of the work space, aligned
// to 256 bytes, of which there is as much as Work has said.
func (h *Handle) Run(p *Problem, stream unsafe.Pointer, batch int64, at, step Arrays, work uint64, size Work) error {
	c := p.c()
	places, steps := at.c(), step.c()
	return h.library.check(p.Routine.String(), C.halo_cusolver_run(h.p, &c, (*C.struct_CUstream_st)(stream),
		C.int64_t(batch), &places, &steps, C.uint64_t(work), C.size_t(size.Device), C.size_t(size.Host)))
}

func (a Arrays) c() C.halo_cusolver_arrays {
	return C.halo_cusolver_arrays{a: C.uint64_t(a.A), vector: C.uint64_t(a.Vector), u: C.uint64_t(a.U),
		vt: C.uint64_t(a.VT), info: C.uint64_t(a.Info)}
}
