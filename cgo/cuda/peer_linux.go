//go:build cgo

package cuda

// #include "cuda.h"
import "C"

import "unsafe"

// Pointer returns the driver's handle, for other libraries of CUDA.
func (s Stream) Pointer() unsafe.Pointer { return s.p }

// FetchAsync enqueues a copy from the memory of another device of the same driver, which may be without a way to this
// one: it then goes over the host.
func (d *Device) FetchAsync(dst Ptr, from *Device, src Ptr, bytes int64, s Stream) error {
	return d.check("cuMemcpyPeerAsync", C.halo_cuMemcpyPeerAsync(d.t, d.context, C.ulonglong(dst), d.context,
		C.ulonglong(src), from.context, C.size_t(bytes), s.c()))
}

// Happened reports whether e has happened, and fails with what has failed before it.
func (d *Device) Happened(e Event) (bool, error) {
	status := C.halo_cuEventQuery(d.t, d.context, e.c())
	if status == NotReady {
		return false, nil
	}
	return status == 0, d.check("cuEventQuery", status)
}
