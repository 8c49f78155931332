//go:build cgo

package cuda

// #include "cuda.h"
import "C"

import (
	"errors"
	"time"
	"unsafe"
)

func (e Event) c() C.halo_event { return C.halo_event(e.p) }

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

// Done reports whether what is enqueued on s is done.
func (d *Device) Done(s Stream) (bool, error) {
	return ready(d.check("cuStreamQuery", C.halo_cuStreamQuery(d.t, d.context, s.c())))
}

func ready(err error) (bool, error) {
	var e *Error
	if errors.As(err, &e) && e.Status == NotReady {
		return false, nil
	}
	return err == nil, err
}

// Wait makes what is enqueued on s from now on wait for e.
func (d *Device) Wait(s Stream, e Event) error {
	return d.check("cuStreamWaitEvent", C.halo_cuStreamWaitEvent(d.t, d.context, s.c(), e.c(), 0))
}

// NewEvent makes an event, which can tell times if timed.
func (d *Device) NewEvent(timed bool) (Event, error) {
	const disableTiming = 2
	flags := C.uint(disableTiming)
	if timed {
		flags = 0
	}
	var e C.halo_event
	err := d.check("cuEventCreate", C.halo_cuEventCreate(d.t, d.context, &e, flags))
	return Event{unsafe.Pointer(e)}, err
}

// CloseEvent frees an event.
func (d *Device) CloseEvent(e Event) error {
	return d.check("cuEventDestroy", C.halo_cuEventDestroy_v2(d.t, d.context, e.c()))
}

// Record has e happen when what is enqueued on s is done.
func (d *Device) Record(e Event, s Stream) error {
	return d.check("cuEventRecord", C.halo_cuEventRecord(d.t, d.context, e.c(), s.c()))
}

// Happened reports whether e has happened.
func (d *Device) Happened(e Event) (bool, error) {
	return ready(d.check("cuEventQuery", C.halo_cuEventQuery(d.t, d.context, e.c())))
}

// WaitFor waits until e has happened.
func (d *Device) WaitFor(e Event) error {
	return d.check("cuEventSynchronize", C.halo_cuEventSynchronize(d.t, d.context, e.c()))
}

// Elapsed returns the time between two timed events that have happened.
func (d *Device) Elapsed(from, to Event) (time.Duration, error) {
	var ms C.float
	err := d.check("cuEventElapsedTime", C.halo_cuEventElapsedTime(d.t, d.context, &ms, from.c(), to.c()))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}
