//go:build cgo

package cuda

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/halo-xla/halo/cgo/dl"
)

// Driver is an opened driver.
type Driver struct {
	t    *C.cuda_table
	path string
}

// Open starts the driver in lib. It fails if lib lacks a function, or with what the driver says: that there is no
// device.
func Open(lib *dl.Library) (*Driver, error) {
	var missing *C.char
	d := &Driver{C.halo_cuda_load(lib.Handle(), &missing), lib.Path()}
	if d.t == nil {
		return nil, fmt.Errorf("cuda: %s lacks %s, the driver is too old: %w", lib.Path(), C.GoString(missing),
			errors.ErrUnsupported)
	}
	if err := d.check("cuInit", C.halo_cuInit(d.t, 0)); err != nil {
		return nil, fmt.Errorf("%w (%s)", err, lib.Path())
	}
	return d, nil
}

// Path returns the driver's file.
func (d *Driver) Path() string { return d.path }

// check makes an error of a status that is not 0.
func (d *Driver) check(call string, status C.uint) error {
	if status == 0 {
		return nil
	}
	var name, text *C.char
	e := &Error{Call: call, Status: int(status), Name: fmt.Sprintf("status %d", status), Text: "the driver has no text"}
	if C.halo_cuGetErrorName(d.t, status, &name) == 0 && name != nil {
		e.Name = C.GoString(name)
	}
	if C.halo_cuGetErrorString(d.t, status, &text) == 0 && text != nil {
		e.Text = C.GoString(text)
	}
	return e
}

// Version returns the newest version of CUDA that the driver serves: 12040 is 12.4.
func (d *Driver) Version() (int, error) {
	var v C.int
	err := d.check("cuDriverGetVersion", C.halo_cuDriverGetVersion(d.t, &v))
	return int(v), err
}

// Devices returns how many there are.
func (d *Driver) Devices() (int, error) {
	var n C.int
	err := d.check("cuDeviceGetCount", C.halo_cuDeviceGetCount(d.t, &n))
	return int(n), err
}

// Device is a device with its primary context. It must be closed.
type Device struct {
	*Driver
	// Ordinal is the device's number.
	Ordinal int
	device  C.int
	context C.halo_context
	pool    C.halo_pool
	lost    atomic.Pointer[Error]
}

// check makes an error of a status that is not 0, and remembers the first after which nothing runs any more.
func (d *Device) check(call string, status C.uint) error {
	err := d.Driver.check(call, status)
	var e *Error
	if errors.As(err, &e) && e.Lost() {
		d.lost.CompareAndSwap(nil, e)
	}
	return err
}

// Lost returns why nothing runs on the device any more in this process, nil if that is not so.
func (d *Device) Lost() error {
	if e := d.lost.Load(); e != nil {
		return e
	}
	return nil
}

// Device opens a device.
func (d *Driver) Device(ordinal int) (*Device, error) {
	v := &Device{Driver: d, Ordinal: ordinal}
	if err := d.check("cuDeviceGet", C.halo_cuDeviceGet(d.t, &v.device, C.int(ordinal))); err != nil {
		return nil, err
	}
	if err := d.check("cuDevicePrimaryCtxRetain", C.halo_cuDevicePrimaryCtxRetain(d.t, &v.context, v.device)); err != nil {
		return nil, err
	}
	if err := v.findPool(); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

func (d *Device) findPool() error {
	n, err := d.Attribute(MemoryPools)
	if err != nil || n == 0 {
		return err
	}
	return d.check("cuDeviceGetDefaultMemPool", C.halo_cuDeviceGetDefaultMemPool(d.t, &d.pool, d.device))
}

// Within calls f on a thread on which the device's context is current, as libraries want it.
func (d *Device) Within(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.check("cuCtxSetCurrent", C.halo_cuCtxSetCurrent(d.t, d.context)); err != nil {
		return err
	}
	return f()
}

// Close gives up the primary context.
func (d *Device) Close() error {
	return d.check("cuDevicePrimaryCtxRelease", C.halo_cuDevicePrimaryCtxRelease_v2(d.t, d.device))
}

// Name returns what the driver calls the device.
func (d *Device) Name() (string, error) {
	var name [256]C.char
	err := d.check("cuDeviceGetName", C.halo_cuDeviceGetName(d.t, &name[0], C.int(len(name)-1), d.device))
	return C.GoString(&name[0]), err
}

// ID returns the number that no other device has, on any machine.
func (d *Device) ID() ([16]byte, error) {
	var id [16]byte
	err := d.check("cuDeviceGetUuid", C.halo_cuDeviceGetUuid_v2(d.t, (*C.struct_CUuuid_st)(unsafe.Pointer(&id)), d.device))
	return id, err
}

// Attribute returns a property of the device.
func (d *Device) Attribute(a Attribute) (int, error) {
	var v C.int
	err := d.check("cuDeviceGetAttribute", C.halo_cuDeviceGetAttribute(d.t, &v, C.uint(a), d.device))
	return int(v), err
}

// TotalMemory returns the size of the device's memory in bytes.
func (d *Device) TotalMemory() (int64, error) {
	var n C.size_t
	err := d.check("cuDeviceTotalMem", C.halo_cuDeviceTotalMem_v2(d.t, &n, d.device))
	return int64(n), err
}
