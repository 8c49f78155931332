//go:build cgo

package cuda

// #include "cuda.h"
import "C"

import (
	"time"
	"unsafe"
)

func (e Event) c() C.halo_event { return C.halo_event(e.p) }

// Handle is the driver's CUstream, for code that enqueues by itself: within Device.Within.
func (s Stream) Handle() uintptr { return uintptr(s.p) }

// NewStream makes a stream that does not wait for the default stream.
func (d *Device) NewStream() (Stream, error) {
	const nonBlocking = 1
	var s C.halo_stream
	err := d.check("cuStreamCreate", C.halo_cuStreamCreate(d.t, d.context, &s, nonBlocking))
	return Stream{unsafe.Pointer(s)}, err
}

// CloseStream frees a stream when what is enqueued on it is done.
func (d *Device) CloseStream(s Stream) error {
	return d.check("cuStreamDestroy", C.halo_cuStreamDestroy_v2(d.t, d.context, s.c()))
}

// Synchronize waits until what is enqueued on s is done, and fails with what has failed there.
func (d *Device) Synchronize(s Stream) error {
	return d.check("cuStreamSynchronize", C.halo_cuStreamSynchronize(d.t, d.context, s.c()))
}

// NewEvent makes an event that tells no times.
func (d *Device) NewEvent() (Event, error) {
	const disableTiming = 2
	var e C.halo_event
	err := d.check("cuEventCreate", C.halo_cuEventCreate(d.t, d.context, &e, disableTiming))
	return Event{unsafe.Pointer(e)}, err
}

// NewTimer makes an event that tells times.
func (d *Device) NewTimer() (Event, error) {
	var e C.halo_event
	err := d.check("cuEventCreate", C.halo_cuEventCreate(d.t, d.context, &e, 0))
	return Event{unsafe.Pointer(e)}, err
}

// Elapsed is the time between two events of NewTimer, which both have happened.
func (d *Device) Elapsed(from, to Event) (time.Duration, error) {
	var ms C.float
	err := d.check("cuEventElapsedTime", C.halo_cuEventElapsedTime(d.t, d.context, &ms, from.c(), to.c()))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// CloseEvent frees an event.
func (d *Device) CloseEvent(e Event) error {
	return d.check("cuEventDestroy", C.halo_cuEventDestroy_v2(d.t, d.context, e.c()))
}

// Record has e happen when what is enqueued on s is done.
func (d *Device) Record(e Event, s Stream) error {
	return d.check("cuEventRecord", C.halo_cuEventRecord(d.t, d.context, e.c(), s.c()))
}

// WaitFor waits until e has happened.
func (d *Device) WaitFor(e Event) error {
	return d.check("cuEventSynchronize", C.halo_cuEventSynchronize(d.t, d.context, e.c()))
}
