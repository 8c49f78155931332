package xla

import (
	"context"
	"runtime"
	"time"
	"unsafe"

	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// call is an execution on one device whose memory is used again.
type call struct{ exec.Call }

// Execute runs the program on one device. args are the arguments in the order of the parameters; the results are the
// elements of the program's result tuple, or its one result. It fails if count, types or shapes differ
// from the signature, naming the parameter, and with ctx's error when ctx ends.
func (x *Executable) Execute(ctx context.Context, args ...*Buffer) ([]*Buffer, error) {
	return x.ExecuteWith(ctx, RunOptions{}, args...)
}

// ExecuteWith is Execute with options.
func (x *Executable) ExecuteWith(ctx context.Context, o RunOptions, args ...*Buffer) ([]*Buffer, error) {
	c := x.takeCall()
	if err := x.call(ctx, c, o, args); err != nil {
		return nil, err
	}
	out := x.buffersOf(c, x.devices[0])
	x.state.keepCall(c)
	return out, nil
}

// ExecuteInto is ExecuteWith with the results in dst: one slice a result, as Buffer.To takes it, which no other memory
// of the call overlaps. It needs no new memory. When it fails, the slices may hold anything.
func (x *Executable) ExecuteInto(ctx context.Context, o RunOptions, dst []any, args ...*Buffer) error {
	if want := len(x.signature.Results); len(dst) != want {
		return errorf(InvalidArgument, "got %d slices for results, want %d", len(dst), want)
	}
	if !x.state.plain {
		return x.executeTo(ctx, o, dst, args)
	}
	c := x.takeCall()
	for i := range dst {
		b, err := bytesFor(dst[i], &x.signature.Results[i].Shape)
		if err != nil {
			return errorf(InvalidArgument, "result %d: %w", i, err)
		}
		c.Into = append(c.Into, b)
	}
	if err := x.call(ctx, c, o, args); err != nil {
		return err
	}
	x.state.keepCall(c)
	return nil
}

// executeTo is ExecuteInto by way of buffers.
func (x *Executable) executeTo(ctx context.Context, o RunOptions, dst []any, args []*Buffer) error {
	out, err := x.ExecuteWith(ctx, o, args...)
	if err != nil {
		return err
	}
	for i, b := range out {
		if e := b.To(dst[i]); e != nil && err == nil {
			err = errorf(InvalidArgument, "result %d: %w", i, e)
		}
		b.Close()
	}
	return err
}

// isPlain reports whether all results are arrays whose bytes are known to be right before they are there: neither sizes
// nor the bytes of an argument decide.
func (s *shared) isPlain() bool {
	for i, r := range s.signature.Results {
		if !r.Shape.IsArray() || r.Shape.IsDynamic() || r.Shape.Type == shape.Pred && !s.owned[i] {
			return false
		}
	}
	return true
}

// takeCall and keepCall use calls again; those of executions that failed are left to the collector.
func (x *Executable) takeCall() *call {
	if c, ok := x.state.calls.Get().(*call); ok {
		return c
	}
	return x.newCall()
}

// newCall returns a call with all that the executions of x have in common.
func (x *Executable) newCall() *call {
	c := &call{}
	c.Pinned, c.Keep = true, x.client.remote
	if len(x.devices) == 1 {
		c.On = x.devices[0].id
	}
	c.Options.Feeds, c.Options.Host = x.feeds, x.host
	if !x.spread {
		c.Options.Job = x.client.options.Job
	}
	return c
}

// keepCall keeps c without what others have given it. Most lists are empty: they are looked at before they are cleared.
func (st *execState) keepCall(c *call) {
	clear(c.Args)
	if len(c.Results) > 0 {
		clear(c.Results)
	}
	if len(c.Into) > 0 {
		clear(c.Into)
	}
	if c.Keep {
		clear(c.Arrays)
		clear(c.Kept)
		c.Arrays, c.Kept = c.Arrays[:0], c.Kept[:0]
	}
	c.Args, c.Results, c.Into, c.Recycle = c.Args[:0], c.Results[:0], c.Into[:0], nil
	c.Options.ID, c.Options.Donated = 0, nil
	st.calls.Put(c)
}

// call runs the program on one device.
func (x *Executable) call(ctx context.Context, c *call, o RunOptions, args []*Buffer) (err error) {
	defer guard(&err)
	if !x.state.gate.enter() {
		return x.state.refused()
	}
	v := visit{start: x.client.clock()}
	defer x.leave(&v, &err)
	if x.meets {
		return errorf(InvalidArgument, "%s is for %s: ExecuteDevices and Launch run it", x.state.name, sizeOf(x.grid))
	}
	if err := x.signature.take(&c.Call, args, x.devices[0]); err != nil {
		return err
	}
	defer dropAll(args)
	return x.run(ctx, c, o, args, &v)
}

// visit is an execution on one device.
type visit struct {
	start time.Time // for an observer
	how   uint64    // as it leaves the gate
}

// leave ends a visit of an executable, which counts if it has begun to run.
func (x *Executable) leave(v *visit, err *error) {
	x.state.gate.leave(v.how)
	if v.how == passed {
		x.client.noteExecute(x.state.name, 1, v.start, *err)
	}
}

// run runs the program with what c has taken of args, on the device that its place says; c's options have no more than
// what executions have in common and the execution's identity.
func (x *Executable) run(ctx context.Context, c *call, o RunOptions, args []*Buffer, v *visit) error {
	if len(o.Donate) > 0 {
		donated, err := donate(o.Donate, args)
		if err != nil {
			return err
		}
		c.Options.Donated = append(make([][]bool, c.Place.Device), donated)
	}
	c.Options.Seed, c.Options.MaxSteps = o.Seed, o.MaxSteps
	v.how = passed
	err := x.state.program.Call(ctx, &c.Call)
	runtime.KeepAlive(x)
	if err != nil {
		seen(args)
		return wrap(err, Failed)
	}
	x.share(c.Results, args)
	return nil
}

// seen marks the arguments of an execution that failed: a function that it was left with may use them still.
func seen(args []*Buffer) {
	for _, b := range args {
		b.state.seen.Store(true)
	}
}

// owner is a program some of whose results have memory that nothing else has.
type owner interface {
	// Owned reports whether leaf i of the results has.
	Owned(i int) bool
}

// ownedBy says which results of p have memory that nothing else has.
func ownedBy(p exec.Program, results int) []bool {
	list := make([]bool, results)
	if o, ok := p.(owner); ok {
		for i := range list {
			list[i] = o.Owned(i)
		}
	}
	return list
}

// share marks the arguments whose memory is that of a result too: it must not be used again.
func (x *Executable) share(out []*literal.Literal, args []*Buffer) {
	for i, e := range out {
		if !x.state.owned[i] && e != nil && len(e.Bytes()) > 0 {
			shareOne(e, args)
		}
	}
}

func shareOne(result *literal.Literal, args []*Buffer) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(result.Bytes())))
	for _, b := range args {
		if b.state.array != nil {
			continue
		}
		for _, e := range b.state.value.Leaves() {
			data := e.Bytes()
			if from := uintptr(unsafe.Pointer(unsafe.SliceData(data))); at-from < uintptr(len(data)) {
				b.state.seen.Store(true)
			}
		}
	}
}

// buffersOf makes buffers of the results of a call on d.
func (x *Executable) buffersOf(c *call, d *Device) []*Buffer {
	out := newBuffers(len(c.Results))
	for i, l := range c.Results {
		if i < len(c.Kept) && c.Kept[i] != nil {
			d.newRemote(out[i], c.Kept[i])
		} else if x.state.owned[i] {
			d.newBuffer(out[i], l, true, c.Recycle)
		} else {
			d.newBuffer(out[i], l, false, nil)
		}
	}
	return out
}

// newBuffers returns n buffers of nothing. One takes its memory together with the list, since most programs have one
// result.
func newBuffers(n int) []*Buffer {
	if n == 1 {
		one := &struct {
			list   [1]*Buffer
			buffer Buffer
		}{}
		one.list[0] = &one.buffer
		return one.list[:]
	}
	out := make([]*Buffer, n)
	for i := range out {
		out[i] = new(Buffer)
	}
	return out
}
