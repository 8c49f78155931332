//go:build cgo

package cublas

// #cgo LDFLAGS: -lpthread
// #include <stdlib.h>
// #include "cublas.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is an opened cuBLAS. Its methods may run at the same time.
type Library struct {
	t    *C.cublas_table
	path string
}

// Open takes the functions of lib. It fails with errors.ErrUnsupported if lib lacks one.
func Open(lib *dl.Library) (*Library, error) {
	var missing *C.char
	l := &Library{C.halo_cublas_load(lib.Handle(), &missing), lib.Path()}
	if l.t == nil {
		return nil, dl.Missing(fmt.Errorf("cublas: %s lacks %s", lib.Path(), C.GoString(missing)))
	}
	return l, nil
}

// Path returns the library's file.
func (l *Library) Path() string { return l.path }

func (l *Library) check(call string, status C.uint) error {
	if status == 0 {
		return nil
	}
	return &Error{Call: call, Name: C.GoString(C.halo_cublasGetStatusName(l.t, status)), Status: int(status)}
}

// Handle is the library on one device. Its products may be enqueued from many threads, on any stream.
type Handle struct {
	library *Library
	p       *C.halo_cublas_handle
}

// NewHandle makes a handle for the device whose context is current on this thread.
func (l *Library) NewHandle() (*Handle, error) {
	h := &Handle{library: l}
	return h, l.check("cublasCreate", C.halo_cublas_open(l.t, &h.p))
}

// Close frees the handle. Its context must be current, and its products done.
func (h *Handle) Close() error { return h.library.check("cublasDestroy", C.halo_cublas_close(h.p)) }

// Call is a product, or triangular systems, ready to be enqueued.
type Call struct {
	library *Library
	p       unsafe.Pointer
	name    string // of the library's function
}

// Gemm makes a product, to be freed by Close. As a command it takes the addresses of A, B, C and of a workspace, and
// the workspace's bytes.
func (h *Handle) Gemm(g Gemm) *Call {
	p := (*C.halo_cublas_gemm)(C.calloc(1, C.sizeof_halo_cublas_gemm))
	*p = C.halo_cublas_gemm{handle: h.p, m: C.int64_t(g.M), n: C.int64_t(g.N), k: C.int64_t(g.K),
		batch: C.int64_t(g.Batch), transa: number(g.TransA), transb: number(g.TransB),
		compute: C.int64_t(g.Compute), a: matrix(g.A), b: matrix(g.B), c: matrix(g.C)}
	C.halo_cublas_start(p)
	return &Call{h.library, unsafe.Pointer(p), "cublasGemmStridedBatchedEx"}
}

// Trsm makes triangular systems, to be freed by Close. As a command they take the addresses of A, of X, which has B
// before, and of a workspace, and the workspace's bytes.
func (h *Handle) Trsm(s Trsm) *Call {
	p := (*C.halo_cublas_trsm)(C.calloc(1, C.sizeof_halo_cublas_trsm))
	*p = C.halo_cublas_trsm{handle: h.p, _type: C.int64_t(s.Type), m: C.int64_t(s.M), k: C.int64_t(s.K),
		batch: C.int64_t(s.Batch), right: number(s.Right), upper: number(s.Upper), unit: number(s.Unit),
		op: C.int64_t(s.Op)}
	C.halo_cublas_start_trsm(p)
	return &Call{h.library, unsafe.Pointer(p), "cublas" + letters[s.Type] + "trsm"}
}

// letters are what the names of functions have for types.
var letters = map[Type]string{F32: "S", F64: "D", C64: "C", C128: "Z"}

func number(b bool) C.int64_t {
	if b {
		return 1
	}
	return 0
}

func matrix(m Matrix) C.halo_cublas_matrix {
	return C.halo_cublas_matrix{C.int64_t(m.Type), C.int64_t(m.Ld), C.int64_t(m.Stride)}
}

// Pointer is the halo_cuda_call of c, for cgo/cuda.
func (c *Call) Pointer() unsafe.Pointer { return c.p }

// Failed makes an error of a status that enqueueing c has returned.
func (c *Call) Failed(status int) error { return c.library.check(c.name, C.uint(status)) }

// Close frees c, which must not be enqueued any more.
func (c *Call) Close() { C.free(c.p) }
