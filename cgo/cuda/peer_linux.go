//go:build cgo

package cuda

// #include "cuda.h"
import "C"

import "unsafe"

// Pointer returns the driver's handle, for other libraries of CUDA.
func (s Stream) Pointer() unsafe.Pointer { return s.p }

// Happened reports whether e has happened, and fails with what has failed before it.
func (d *Device) Happened(e Event) (bool, error) {
	status := C.halo_cuEventQuery(d.t, d.context, e.c())
	if status == NotReady {
		return false, nil
	}
	return status == 0, d.check("cuEventQuery", status)
}
