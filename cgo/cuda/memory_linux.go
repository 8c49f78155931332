//go:build cgo

package cuda

// #include "cuda.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Alloc allocates memory at once. It fails with ErrOutOfMemory if there is not enough.
func (d *Device) Alloc(bytes int64) (Ptr, error) {
	var p C.ulonglong
	err := d.check("cuMemAlloc", C.halo_cuMemAlloc_v2(d.t, d.context, &p, C.size_t(bytes)))
	return Ptr(p), err
}

// Free frees what Alloc has allocated, after all work on the device.
func (d *Device) Free(p Ptr) error {
	return d.check("cuMemFree", C.halo_cuMemFree_v2(d.t, d.context, C.ulonglong(p)))
}

// Pooled reports whether the device has a pool, for AllocAsync and FreeAsync.
func (d *Device) Pooled() bool { return d.pool != nil }

// AllocAsync allocates memory of the device's pool, for what is enqueued on s from now on. It fails with ErrOutOfMemory
// if there is not enough.
func (d *Device) AllocAsync(bytes int64, s Stream) (Ptr, error) {
	var p C.ulonglong
	err := d.check("cuMemAllocAsync", C.halo_cuMemAllocAsync(d.t, d.context, &p, C.size_t(bytes), s.c()))
	return Ptr(p), err
}

// FreeAsync gives memory back to the pool when what is enqueued on s is done.
func (d *Device) FreeAsync(p Ptr, s Stream) error {
	return d.check("cuMemFreeAsync", C.halo_cuMemFreeAsync(d.t, d.context, C.ulonglong(p), s.c()))
}

// AllocHost allocates memory of the host that the device copies from and to without stops.
func (d *Device) AllocHost(bytes int64) (unsafe.Pointer, error) {
	const portable = 1
	var p unsafe.Pointer
	err := d.check("cuMemHostAlloc", C.halo_cuMemHostAlloc(d.t, d.context, &p, C.size_t(bytes), portable))
	return p, err
}

// AllocMapped allocates memory of the host that kernels read, and returns where they find it. FreeHost frees it.
func (d *Device) AllocMapped(bytes int64) (unsafe.Pointer, Ptr, error) {
	const portableAndMapped = 1 | 2
	var p unsafe.Pointer
	if err := d.check("cuMemHostAlloc", C.halo_cuMemHostAlloc(d.t, d.context, &p, C.size_t(bytes),
		portableAndMapped)); err != nil {
		return nil, 0, err
	}
	var at C.ulonglong
	err := d.check("cuMemHostGetDevicePointer", C.halo_cuMemHostGetDevicePointer_v2(d.t, d.context, &at, p, 0))
	if err != nil {
		return nil, 0, errors.Join(err, d.FreeHost(p))
	}
	return p, Ptr(at), nil
}

// FreeHost frees what AllocHost has allocated.
func (d *Device) FreeHost(p unsafe.Pointer) error {
	return d.check("cuMemFreeHost", C.halo_cuMemFreeHost(d.t, d.context, p))
}

// In copies src to the device and returns when that is done.
func (d *Device) In(dst Ptr, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return d.check("cuMemcpyHtoD", C.halo_cuMemcpyHtoD_v2(d.t, d.context, C.ulonglong(dst), unsafe.Pointer(&src[0]),
		C.size_t(len(src))))
}

// Out copies from the device to dst and returns when that is done.
func (d *Device) Out(dst []byte, src Ptr) error {
	if len(dst) == 0 {
		return nil
	}
	return d.check("cuMemcpyDtoH", C.halo_cuMemcpyDtoH_v2(d.t, d.context, unsafe.Pointer(&dst[0]), C.ulonglong(src),
		C.size_t(len(dst))))
}

// InAsync enqueues a copy to the device. src is memory of C, such as AllocHost's, that stays as it is until it is done.
func (d *Device) InAsync(dst Ptr, src unsafe.Pointer, bytes int64, s Stream) error {
	return d.check("cuMemcpyHtoDAsync",
		C.halo_cuMemcpyHtoDAsync_v2(d.t, d.context, C.ulonglong(dst), src, C.size_t(bytes), s.c()))
}

// OutAsync enqueues a copy from the device. dst is memory of C that nobody else uses until it is done.
func (d *Device) OutAsync(dst unsafe.Pointer, src Ptr, bytes int64, s Stream) error {
	return d.check("cuMemcpyDtoHAsync",
		C.halo_cuMemcpyDtoHAsync_v2(d.t, d.context, dst, C.ulonglong(src), C.size_t(bytes), s.c()))
}

// FillAsync enqueues writing value to count words of 32 bits.
func (d *Device) FillAsync(dst Ptr, value uint32, count int64, s Stream) error {
	return d.check("cuMemsetD32Async",
		C.halo_cuMemsetD32Async(d.t, d.context, C.ulonglong(dst), C.uint(value), C.size_t(count), s.c()))
}

func (s Stream) c() C.halo_stream { return C.halo_stream(s.p) }
