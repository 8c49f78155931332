package collective

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrEnded is the fault of a device whose function, such as one of the user's that it calls, ended its goroutine.
var ErrEnded = errors.New("a custom call's function ended its goroutine")

// Drive runs the devices that are here, each in a goroutine of its own, and waits for all and then for those on other
// ranks, as Finish does. It fails with the first fault of any device, which ends the context of all. A panic goes on in
// the caller's goroutine, where it can be caught.
func (h *Hub) Drive(ctx context.Context, run func(ctx context.Context, device int) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer h.AfterFault(cancel)()
	d := &drive{run: run, hub: h, cancel: cancel}
	var wg sync.WaitGroup
	for device := range h.waits {
		if h.here(device) {
			wg.Go(func() { d.device(inner, device) })
		}
	}
	wg.Wait()
	if d.panic != nil {
		panic(d.panic)
	}
	return h.Finish(ctx)
}

// drive is one call of Drive.
type drive struct {
	run    func(ctx context.Context, device int) error
	hub    *Hub
	cancel context.CancelFunc
	mu     sync.Mutex
	panic  any
}

// device is the life of one device.
func (d *drive) device(ctx context.Context, self int) {
	defer d.hub.End(self)
	err := ErrEnded
	defer func() {
		if p := recover(); p != nil {
			d.mu.Lock()
			d.panic = p
			d.mu.Unlock()
			err = fmt.Errorf("it panicked: %v", p)
		}
		if err != nil {
			d.hub.FailOn(self, err)
			d.cancel()
		}
	}()
	err = d.run(ctx, self)
}

// FailOn is Fail with a fault of device self, whose name it has if there are others. It returns the fault of the
// execution.
func (h *Hub) FailOn(self int, err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil && len(h.waits) > 1 {
		err = fmt.Errorf("%s: %w", h.grid.Name(self), err)
	}
	h.fail(err)
	return h.err
}
