//go:build cgo

package cublaslt

// #cgo LDFLAGS: -lpthread
// #include <stdlib.h>
// #include "cublaslt.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is an opened cuBLASLt. Its methods may run at the same time.
type Library struct {
	t       *C.cublaslt_table
	path    string
	version int
}

// Open takes the functions of lib. It fails with errors.ErrUnsupported if lib lacks one or is of another version.
func Open(lib *dl.Library) (*Library, error) {
	var missing *C.char
	l := &Library{t: C.halo_cublaslt_load(lib.Handle(), &missing), path: lib.Path()}
	if l.t == nil {
		return nil, dl.Missing(fmt.Errorf("cublasLt: %s lacks %s", lib.Path(), C.GoString(missing)))
	}
	l.version = int(C.halo_cublasLtGetVersion(l.t))
	return l, checkVersion(l.path, l.version)
}

// Path returns the library's file.
func (l *Library) Path() string { return l.path }

// Version returns its version as people write it: 12.9.1.
func (l *Library) Version() string { return versionText(l.version) }

func (l *Library) check(call string, status C.uint) error {
	if status == 0 {
		return nil
	}
	return &Error{Call: call, Name: C.GoString(C.halo_cublasLtGetStatusName(l.t, status)), Status: int(status)}
}

// Handle is the library on one device. Its products may be enqueued from many threads, on any stream.
type Handle struct {
	library *Library
	p       C.halo_lt
}

// NewHandle makes a handle for the device whose context is current on this thread.
func (l *Library) NewHandle() (*Handle, error) {
	h := &Handle{library: l}
	if err := l.check("cublasLtCreate", C.halo_cublasLtCreate(l.t, &h.p)); err != nil {
		return nil, err
	}
	return h, nil
}

// Close frees the handle. Its context must be current, and its products done and closed.
func (h *Handle) Close() error {
	return h.library.check("cublasLtDestroy", C.halo_cublasLtDestroy(h.library.t, h.p))
}

// Call is a product that is ready to be enqueued.
type Call struct {
	library *Library
	p       *C.halo_cublaslt_product
	// Work is the workspace that it takes in bytes.
	Work int64
}

// Product chooses how a product is done with at most some bytes of workspace; the context must be current. It fails
// with errors.ErrUnsupported if the library does not do it. As a command it takes the addresses of A, B, D, of the bias
// and of a workspace with 256 bytes more than Work.
func (h *Handle) Product(p Product, most int64) (*Call, error) {
	if p.Batch > math.MaxInt32 {
		return nil, &Error{Call: "cublasLtMatmul", Name: fmt.Sprintf("a batch of %d", p.Batch), Status: notSupported}
	}
	const sumF32, sumTF32 = 68, 77
	s := C.halo_cublaslt_shape{a: matrix(p.A), b: matrix(p.B), d: matrix(p.D), batch: C.int64_t(p.Batch),
		transa: number(p.TransA), transb: number(p.TransB), compute: sumF32}
	if p.TF32 {
		s.compute = sumTF32
	}
	c := &Call{library: h.library}
	var bytes C.size_t
	err := h.library.check("cublasLtMatmulAlgoGetHeuristic",
		C.halo_cublaslt_open(h.library.t, h.p, &s, C.size_t(most), &c.p, &bytes))
	if err != nil {
		return nil, err
	}
	c.Work = int64(bytes)
	return c, nil
}

func number(b bool) C.int64_t {
	if b {
		return 1
	}
	return 0
}

func matrix(m Matrix) C.halo_cublaslt_matrix {
	return C.halo_cublaslt_matrix{_type: C.int64_t(m.Type), rows: C.int64_t(m.Rows), columns: C.int64_t(m.Columns),
		ld: C.int64_t(m.Ld), stride: C.int64_t(m.Stride)}
}

// Pointer is the halo_cuda_call of the product, for cgo/cuda.
func (c *Call) Pointer() unsafe.Pointer { return unsafe.Pointer(c.p) }

// Failed makes an error of a status that enqueueing the product has returned.
func (c *Call) Failed(status int) error { return c.library.check("cublasLtMatmul", C.uint(status)) }

// Close frees the product, which must not be enqueued any more.
func (c *Call) Close() { C.halo_cublaslt_close(c.p) }
