package xla

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/hlo"
)

// ExecuteDevices runs the program once on all its devices: args[d] are the arguments of device d, in the order of
// Devices, and so are the results. Of devices in other processes the arguments do not count, and there are no results.
// The first fault of any device ends all, and names the device.
func (x *Executable) ExecuteDevices(ctx context.Context, o RunOptions, args [][]*Buffer) (_ [][]*Buffer, err error) {
	defer guard(&err)
	if err := x.checkDevices(); err != nil {
		return nil, x.fault(err)
	}
	n := len(x.devices)
	if len(args) != n {
		return nil, x.fault(errorf(InvalidArgument, "got %d lists of arguments, want %d: %s", len(args), n, sizeOf(x.grid)))
	}
	l, err := x.Launch(ctx, o)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	results, errs := make([][]*Buffer, n), make([]error, n)
	var wg sync.WaitGroup
	for d, dev := range x.devices {
		if dev.Local() {
			wg.Go(func() { results[d], errs[d] = l.Execute(ctx, d, args[d]...) })
		}
	}
	wg.Wait()
	if err := cmp.Or(errs...); err != nil {
		for _, list := range results {
			closeBuffers(list)
		}
		return nil, err
	}
	return results, nil
}

func closeBuffers(list []*Buffer) {
	for _, b := range list {
		b.Close()
	}
}

// fault tells the processes that share the program's devices of an error that is not theirs.
func (x *Executable) fault(err error) error {
	if x.spread {
		x.client.options.Job.Fail(err)
	}
	return err
}

// Devices returns the devices on which the program runs, replica by replica and in each partition by partition.
func (x *Executable) Devices() []*Device { return append([]*Device(nil), x.devices...) }

// checkDevices fails if the client does not have the program's devices, or the program is not one for each of them.
func (x *Executable) checkDevices() error {
	if n := x.grid.Size(); n != len(x.devices) {
		return errorf(InvalidArgument, "%s is for %s, %d devices; the client has %d: ClientOptions.Devices says how many",
			x.state.name, sizeOf(x.grid), n, len(x.client.devices))
	}
	return nil
}

// Launch is one execution on all devices of a program, each of which a goroutine of the caller's drives with Execute.
// It is over when all devices in this process have been, or when it is closed.
type Launch struct {
	x      *Executable
	o      RunOptions
	hub    *collective.Hub
	ctx    context.Context
	cancel context.CancelFunc
	start  time.Time
	id     exec.ID

	mu            sync.Mutex
	begun         []bool // those in other processes have
	running, left int    // devices that are under way, and that have not ended
	over          error  // why no more may begin
}

// Launch begins an execution. Devices wait for each other no longer than ctx lasts: then those that wait fail with an
// error that names the collective, its group and the devices that have not come. Close the launch when all calls of
// Execute have returned, or earlier: a device that has not begun then is missed by the others, which fail.
//
// With devices in several processes, all of these begin it, and each executes its own devices. It waits for the others.
func (x *Executable) Launch(ctx context.Context, o RunOptions) (_ *Launch, err error) {
	if err := x.checkDevices(); err != nil {
		return nil, x.fault(err)
	}
	if len(o.Donate) > 0 && o.Donate[0] < 0 {
		return nil, x.fault(errorf(InvalidArgument, "donated argument %d, want one from 0 on", o.Donate[0]))
	}
	n := len(x.devices)
	l := &Launch{x: x, o: o, begun: make([]bool, n), id: exec.NewID(), start: x.client.clock()}
	if l.hub, err = x.join(ctx); err != nil {
		return nil, wrap(err, Failed)
	}
	for d, dev := range x.devices {
		if l.begun[d] = !dev.Local(); dev.Local() {
			l.left++
		}
	}
	l.hub.Expect()
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.hub.AfterFault(l.cancel)
	if err := x.state.launched(l); err != nil {
		l.cancel()
		return nil, x.fault(err)
	}
	if l.left == 0 { // it was enough to begin it
		l.Close()
	}
	return l, nil
}

// join returns where the devices meet.
func (x *Executable) join(ctx context.Context) (*collective.Hub, error) {
	if !x.spread {
		return collective.NewHub(x.grid), nil
	}
	owners := make([]int, len(x.devices))
	for d, dev := range x.devices {
		owners[d] = dev.rank
	}
	return x.client.options.Job.Join(ctx, x.grid, owners, x.state.name, x.state.fingerprint)
}

// Execute runs device d's part of the program, d as in Devices, which may be done once. It returns when that device is
// done, or as soon as any device has failed. Donated arguments are those of this device. With devices in several
// processes, the last one here waits for those elsewhere.
func (l *Launch) Execute(ctx context.Context, d int, args ...*Buffer) (out []*Buffer, err error) {
	defer guard(&err)
	if d < 0 || d >= len(l.begun) {
		return nil, errorf(InvalidArgument, "device %d, want one of 0 to %d", d, len(l.begun)-1)
	}
	if dev := l.x.devices[d]; !dev.Local() {
		return nil, dev.usable()
	}
	if err := l.begin(d); err != nil {
		return nil, err
	}
	over := false
	defer func() {
		if !over {
			err = collective.ErrEnded
		}
		if err = l.end(d, err); err != nil {
			closeBuffers(out)
			out = nil
		}
	}()
	out, err = l.execute(ctx, d, args)
	over = true
	return out, err
}

func (l *Launch) execute(ctx context.Context, d int, args []*Buffer) (_ []*Buffer, err error) {
	defer guard(&err)
	if !l.x.state.gate.enter() {
		return nil, l.x.state.refused()
	}
	defer l.x.state.gate.leave(0)
	ctx, cancel := bothOf(ctx, l.ctx)
	defer cancel()
	c := l.x.newCall()
	c.Place, c.Options.ID = hlo.Place{Grid: l.x.grid, Device: d, Hub: l.hub}, l.id
	if err := l.x.signature.take(&c.Call, args, l.x.devices[d]); err != nil {
		return nil, err
	}
	defer dropAll(args)
	if err := l.x.run(ctx, c, l.o, args, &visit{}); err != nil { // a launch counts once for all its devices
		return nil, err
	}
	return l.x.buffersOf(c, l.x.devices[d]), nil
}

func (l *Launch) begin(d int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over != nil:
		return wrap(l.over, Closed)
	case l.begun[d]:
		return errorf(InvalidArgument, "%s has begun already", l.x.grid.Name(d))
	}
	l.begun[d] = true
	l.running++
	l.hub.Begin(d)
	return nil
}

// end notes that device d is done, and returns the launch's fault if it has one: err may follow from it.
func (l *Launch) end(d int, err error) error {
	if err != nil {
		err = l.hub.FailOn(d, err)
		l.cancel()
	}
	l.hub.End(d)
	l.mu.Lock()
	l.left--
	l.running--
	last := l.left == 0
	l.mu.Unlock()
	if last && err == nil {
		err = l.hub.Finish(l.ctx)
	}
	if last {
		l.Close()
	}
	l.release()
	err = wrap(err, Failed)
	if last {
		l.x.client.totals.executions.Add(1)
		l.x.client.noteExecute(l.x.state.name, len(l.begun), l.start, err)
	}
	return err
}

// Close ends the launch: devices that have not begun may not any more, and those that wait for them fail. It may be
// called twice, and always returns nil.
func (l *Launch) Close() error {
	l.stop(errorf(Closed, "launch of %s: %w", l.x.state.name, ErrClosed))
	return nil
}

func (l *Launch) stop(why error) {
	l.mu.Lock()
	first := l.over == nil
	if first {
		l.over = why
	}
	var missing []int
	for d, begun := range l.begun {
		if !begun {
			missing = append(missing, d)
		}
	}
	l.mu.Unlock()
	if !first {
		return
	}
	l.hub.Miss(missing, why)
	l.x.state.landed(l)
	l.release()
}

// release lets go of the context when the launch is over and no device is under way.
func (l *Launch) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over != nil && l.running == 0 {
		l.cancel()
	}
}

// both is a context that ends with the first of two, whose error it has.
type both struct {
	context.Context
	one, other context.Context
}

// Err returns why the first of the two has ended.
func (c *both) Err() error {
	if c.Context.Err() == nil {
		return nil
	}
	return cmp.Or(c.one.Err(), c.other.Err(), context.Canceled)
}

func bothOf(one, other context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(one)
	stop := context.AfterFunc(other, cancel)
	return &both{inner, one, other}, func() {
		stop()
		cancel()
	}
}
