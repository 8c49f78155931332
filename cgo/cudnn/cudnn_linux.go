//go:build cgo

package cudnn

// #cgo LDFLAGS: -lpthread
// #include <stdlib.h>
// #include "cudnn.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Library is an opened cuDNN. Its methods may run at the same time.
type Library struct {
	t       *C.cudnn_table
	path    string
	version int
}

// Open takes the functions of lib. It fails with errors.ErrUnsupported if lib lacks one, is of another version, or was
// made for another major version of CUDA than cuda; 0 stands for any.
func Open(lib *dl.Library, cuda int) (*Library, error) {
	var missing *C.char
	l := &Library{t: C.halo_cudnn_load(lib.Handle(), &missing), path: lib.Path()}
	if l.t == nil {
		return nil, dl.Missing(fmt.Errorf("cudnn: %s lacks %s", lib.Path(), C.GoString(missing)))
	}
	l.version = int(C.halo_cudnnGetVersion(l.t))
	return l, checkVersion(l.path, l.version, int(C.halo_cudnnGetCudartVersion(l.t)), cuda)
}

// Path returns the library's file.
func (l *Library) Path() string { return l.path }

// Version returns its version as people write it: 9.10.2.
func (l *Library) Version() string { return versionText(l.version) }

func (l *Library) check(call string, status C.uint) error {
	if status == 0 {
		return nil
	}
	return &Error{Call: call, Name: C.GoString(C.halo_cudnnGetErrorString(l.t, status)), Status: int(status)}
}

// Handle is the library on one device. Its convolutions may be enqueued from many threads, on any stream.
type Handle struct {
	library *Library
	p       *C.halo_cudnn
}

// NewHandle makes a handle for the device whose context is current on this thread. It fails with errors.ErrUnsupported
// if the library cannot be used, as one whose parts are not beside it.
func (l *Library) NewHandle() (*Handle, error) {
	h := &Handle{library: l}
	if err := l.check("cudnnCreate", C.halo_cudnn_create(l.t, nil, &h.p)); err != nil {
		return nil, err
	}
	return h, nil
}

// Described makes a handle for a device that is described in JSON, as the library writes it, and need not be there: to
// see which convolutions the library takes. They must not be enqueued. It fails with errors.ErrUnsupported if the
// library knows no such device.
func (l *Library) Described(device string) (*Handle, error) {
	text := C.CString(device)
	defer C.free(unsafe.Pointer(text))
	h := &Handle{library: l}
	if err := l.check("a described device", C.halo_cudnn_create(l.t, text, &h.p)); err != nil {
		return nil, err
	}
	return h, nil
}

// Close frees the handle. Its context must be current, and its convolutions done and closed.
func (h *Handle) Close() error { return h.library.check("cudnnDestroy", C.halo_cudnn_destroy(h.p)) }

// Call is a convolution, which can be enqueued once a way to do it has been taken.
type Call struct {
	library *Library
	p       *C.halo_cudnn_plan
	// Way is what was taken.
	Way
}

// Convolution describes c; the context must be current. It fails with errors.ErrUnsupported if the library does not do
// it. As a command it takes the addresses of X, W and Y, of the bias and of what is added if there are such, and of a
// workspace with 256 bytes more than Work.
func (h *Handle) Convolution(c Convolution) (*Call, error) {
	s := C.halo_cudnn_shape{kind: C.int64_t(c.Kind), rank: C.int64_t(c.Space), sum: C.int64_t(c.Sum), x: tensor(c.X),
		w: tensor(c.W), y: tensor(c.Y), bias: number(c.Bias), added: number(c.Added), rounded: number(c.TF32)}
	for i := range MaxSpace {
		s.stride[i], s.dilation[i] = C.int64_t(c.Stride[i]), C.int64_t(c.Dilation[i])
		s.pre[i], s.post[i] = C.int64_t(c.Pre[i]), C.int64_t(c.Post[i])
	}
	out := &Call{library: h.library}
	var said [C.HALO_SAID]C.char
	if err := h.library.said(C.halo_cudnn_open(h.p, &s, &out.p, &said[0]), &said[0]); err != nil {
		return nil, err
	}
	return out, nil
}

func number(yes bool) C.int64_t {
	if yes {
		return 1
	}
	return 0
}

// said is the error of a status of a convolution, with what the library has said besides; nil for none.
func (l *Library) said(status C.uint, said *C.char) error {
	err := l.check("a convolution", status)
	if err != nil {
		err.(*Error).Said = C.GoString(said)
	}
	return err
}

// Ways returns up to so many ways that the library proposes with at most some bytes of workspace, its first choice
// first; the context must be current. Only ways are taken that compute with the operands as they are, or in TF32 if
// that is allowed, in sums of the type that is asked for, not by transforms that spread an infinity, and that say of
// themselves that they give the same result each time. It fails with errors.ErrUnsupported if there is none.
func (c *Call) Ways(most int64, count int) ([]Way, error) {
	ways := make([]C.halo_cudnn_way, count)
	var found C.int64_t
	var said [C.HALO_SAID]C.char
	status := C.halo_cudnn_ways(c.p, C.int64_t(most), &ways[0], C.int64_t(count), &found, &said[0])
	if err := c.library.said(status, &said[0]); err != nil {
		return nil, err
	}
	list := make([]Way, found)
	for i, w := range ways[:found] {
		list[i] = Way{int64(w.mode), int64(w.index), int64(w.engine), int64(w.notes), int64(w.bytes)}
	}
	return list, nil
}

// Take has the convolution done in a way from now on, which may take some bytes of workspace; the context must be
// current, and nothing that was enqueued before may be left. It fails with errors.ErrUnsupported if the library does
// not propose the way as it is.
func (c *Call) Take(w Way, most int64) error {
	way := C.halo_cudnn_way{mode: C.int64_t(w.Mode), index: C.int64_t(w.Index), engine: C.int64_t(w.Engine),
		notes: C.int64_t(w.Notes), bytes: C.int64_t(w.Work)}
	var said [C.HALO_SAID]C.char
	if err := c.library.said(C.halo_cudnn_take(c.p, C.int64_t(most), &way, &said[0]), &said[0]); err != nil {
		return err
	}
	c.Way = w
	return nil
}

func tensor(t Tensor) C.halo_cudnn_tensor {
	out := C.halo_cudnn_tensor{_type: C.int64_t(t.Type)}
	for i := range t.Dims {
		out.dims[i], out.strides[i] = C.int64_t(t.Dims[i]), C.int64_t(t.Strides[i])
	}
	return out
}

// Pointer is the halo_cuda_call of the convolution, for cgo/cuda.
func (c *Call) Pointer() unsafe.Pointer { return unsafe.Pointer(c.p) }

// Failed makes an error of a status that enqueueing the convolution has returned.
func (c *Call) Failed(status int) error {
	return c.library.check("cudnnBackendExecute", C.uint(status))
}

// Close frees the convolution, which must not be enqueued any more.
func (c *Call) Close() { C.halo_cudnn_close(c.p) }
