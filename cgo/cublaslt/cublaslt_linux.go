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

// Call is a product, which can be enqueued once a way to do it has been taken.
type Call struct {
	library *Library
	p       *C.halo_cublaslt_product
}

// Product describes a product; the context must be current. It fails with errors.ErrUnsupported if the library does not
// do it. As a command it takes the addresses of A, B, D, of the bias if there is one, and of a workspace with 256
// bytes more than the way takes.
func (h *Handle) Product(p Product) (*Call, error) {
	if p.Batch > math.MaxInt32 {
		return nil, &Error{Call: "cublasLtMatmul", Name: fmt.Sprintf("a batch of %d", p.Batch), Status: notSupported}
	}
	const sumF32, sumTF32 = 68, 77
	s := C.halo_cublaslt_shape{a: matrix(p.A), b: matrix(p.B), d: matrix(p.D), batch: C.int64_t(p.Batch),
		transa: number(p.TransA), transb: number(p.TransB), compute: sumF32, bias: number(p.Bias)}
	if p.TF32 {
		s.compute = sumTF32
	}
	c := &Call{library: h.library}
	err := h.library.check("cublasLtMatmulDescCreate", C.halo_cublaslt_open(h.library.t, h.p, &s, &c.p))
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Ways returns up to so many ways that the library proposes with at most some bytes of workspace, its first choice
// first; the context must be current. Sums are whole or in parts that are kept in the type of sums. It fails with
// errors.ErrUnsupported if there is none.
func (c *Call) Ways(most int64, count int) ([]Way, error) {
	ways := make([]C.halo_cublaslt_way, count)
	var found C.int
	err := c.library.check("cublasLtMatmulAlgoGetHeuristic",
		C.halo_cublaslt_ways(c.p, C.int64_t(most), &ways[0], C.int(count), &found))
	if err != nil {
		return nil, err
	}
	list := make([]Way, found)
	for i := range list {
		list[i] = wayOf(&ways[i])
	}
	return list, nil
}

// Check asks the library whether a way that was written down does the product on this device, and returns it with the
// workspace that it takes; the context must be current. It fails with errors.ErrUnsupported if not.
func (c *Call) Check(w Way) (Way, error) {
	way := w.c()
	err := c.library.check("cublasLtMatmulAlgoCheck", C.halo_cublaslt_check(c.p, &way))
	return wayOf(&way), err
}

// Take has the product done in a way from now on. Nothing that was enqueued before may be left.
func (c *Call) Take(w Way) {
	way := w.c()
	C.halo_cublaslt_take(c.p, &way)
}

func wayOf(w *C.halo_cublaslt_way) Way {
	way := Way{Work: int64(w.bytes)}
	for i, v := range w.algorithm {
		way.Algorithm[i] = uint64(v)
	}
	return way
}

func (w Way) c() C.halo_cublaslt_way {
	way := C.halo_cublaslt_way{bytes: C.int64_t(w.Work)}
	for i, v := range w.Algorithm {
		way.algorithm[i] = C.uint64_t(v)
	}
	return way
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
