package xla

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Device is one of a client's devices. Buffers are on a device, a device runs its part of a program, and has queues to
// and from the host: the infeed and the outfeed, and two for each channel of host transfers.
//
// A queue holds ClientOptions.FeedCapacity values; who writes to a full one waits, and so does who reads from an empty
// one. Values come out in the order in which they went in. Client.Close closes all queues: those who wait fail with
// hlo.ErrFeedClosed, which nobody else gets as long as there are values to read.
//
// A device of another process of ClientOptions.Job has neither buffers nor queues here.
type Device struct {
	client *Client
	id     int
	rank   int
	feed   *hlo.Feed

	mu       sync.Mutex
	channels map[int64]*hlo.Feed
	closed   bool
}

// Home is where a buffer is made: on a Device, or with a Client, which stands for its first device in this process.
type Home interface{ home() *Device }

func (d *Device) home() *Device { return d }

func (c *Client) home() *Device {
	if c == nil {
		return nil
	}
	return c.devices[c.rank()*max(c.options.Devices, 1)]
}

func (c *Client) rank() int {
	if j := c.options.Job; j != nil {
		return j.Rank()
	}
	return 0
}

// defaultFeedCapacity is how many values a queue holds if the options do not say.
const defaultFeedCapacity = 16

// newDevices makes the devices of a client.
func (c *Client) newDevices() error {
	o := &c.options
	ranks, each := 1, max(o.Devices, 1)
	if o.Job != nil {
		ranks = o.Job.Ranks()
	}
	if o.Devices < 0 || each > collective.MaxDevices/ranks {
		return errorf(InvalidArgument, "%d devices in each of %d processes, want 1 to %d, or 0 for 1", o.Devices, ranks,
			collective.MaxDevices/ranks)
	}
	if o.FeedCapacity < 0 {
		return errorf(InvalidArgument, "queues of %d values, want 1 or more, or 0 for %d", o.FeedCapacity,
			defaultFeedCapacity)
	}
	if o.FeedCapacity == 0 {
		o.FeedCapacity = defaultFeedCapacity
	}
	for id := range ranks * each {
		c.devices = append(c.devices, &Device{client: c, id: id, rank: id / each, feed: hlo.NewFeed(o.FeedCapacity),
			channels: map[int64]*hlo.Feed{}})
	}
	return nil
}

// Devices returns the client's devices, by ID, those of other processes too.
func (c *Client) Devices() []*Device { return append([]*Device(nil), c.devices...) }

// ID returns the device's number, from 0.
func (d *Device) ID() int { return d.id }

// Rank returns the number of the process that has the device.
func (d *Device) Rank() int { return d.rank }

// Local reports whether that is this process.
func (d *Device) Local() bool { return d.rank == d.client.rank() }

// here fails if the device is in another process.
func (d *Device) here() error {
	if d.Local() {
		return nil
	}
	return errorf(InvalidArgument, "device %v is in the process of rank %d, and this is rank %d", d, d.rank,
		d.client.rank())
}

// usable fails if there is no device, it is in another process, or the client is closed.
func (d *Device) usable() error {
	if d == nil {
		return errNoClient
	}
	if err := d.here(); err != nil {
		return err
	}
	return d.client.open()
}

// String returns the backend's name and the device's number: "cpu:0".
func (d *Device) String() string { return fmt.Sprintf("%s:%d", d.client.backend.Name(), d.id) }

// FromLiteral makes a buffer of l on the device. l must not be changed afterwards.
func (d *Device) FromLiteral(l *literal.Literal) (*Buffer, error) {
	if err := d.usable(); err != nil {
		return nil, err
	}
	if err := checkLiteral(l); err != nil {
		return nil, err
	}
	return d.put(l, false)
}

// checkLiteral fails unless l is a value.
func checkLiteral(l *literal.Literal) error {
	if l == nil {
		return errorf(InvalidArgument, "literal is nil")
	}
	if s := l.Shape(); s.Type == shape.Invalid {
		return errorf(InvalidArgument, "the literal has no type: got %v", s)
	}
	return nil
}

// Infeed puts a value, an array or a tuple of arrays, at the end of the device's infeed, of which the program's infeed
// ops take one each. It must not be changed afterwards. It waits while the queue is full.
//
// It fails with ctx's error when ctx ends, and with hlo.ErrFeedClosed once the queue is closed. An infeed op that wants
// another shape than that of the value it finds fails, and names both.
func (d *Device) Infeed(ctx context.Context, l *literal.Literal) error {
	return d.feedIn(ctx, "infeed", d.feed, l)
}

// CloseInfeed says that there is no more to come: infeed ops fail once the queue is empty.
func (d *Device) CloseInfeed() { d.feed.CloseInfeed() }

// Outfeed takes the next value that one of the program's outfeed ops wrote, and waits for it. It fails as Infeed does.
func (d *Device) Outfeed(ctx context.Context) (*literal.Literal, error) {
	return d.take(ctx, "outfeed", d.feed)
}

// ToRecv hands l to the program's next recv from the host on a channel, and FromSend takes what its next send to the
// host on a channel sent. They wait and fail as Infeed and Outfeed do.
func (d *Device) ToRecv(ctx context.Context, channel int64, l *literal.Literal) error {
	return d.feedIn(ctx, fmt.Sprint("channel ", channel), d.channel(channel), l)
}

// FromSend is the other side of ToRecv.
func (d *Device) FromSend(ctx context.Context, channel int64) (*literal.Literal, error) {
	return d.take(ctx, fmt.Sprint("channel ", channel), d.channel(channel))
}

// feedIn hands l to the device by a queue.
func (d *Device) feedIn(ctx context.Context, queue string, f *hlo.Feed, l *literal.Literal) error {
	err := d.here()
	if err == nil {
		err = checkLiteral(l)
	}
	if err == nil {
		err = f.TransferToInfeed(ctx, l)
	}
	return feedError(d, queue, err)
}

// take takes what the device has put in a queue.
func (d *Device) take(ctx context.Context, queue string, f *hlo.Feed) (*literal.Literal, error) {
	if err := d.here(); err != nil {
		return nil, feedError(d, queue, err)
	}
	l, err := f.TransferFromOutfeed(ctx)
	return l, feedError(d, queue, err)
}

func feedError(d *Device, queue string, err error) error {
	if err == nil {
		return nil
	}
	code := Failed
	if errors.Is(err, hlo.ErrFeedClosed) {
		code = Closed
	}
	return wrap(fmt.Errorf("%s of device %v: %w", queue, d, err), code)
}

// channel returns the queues of a channel of host transfers.
func (d *Device) channel(id int64) *hlo.Feed {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.channels[id]
	if f == nil {
		f = hlo.NewFeed(d.client.options.FeedCapacity)
		d.channels[id] = f
		if d.closed {
			f.Close()
		}
	}
	return f
}

// closeQueues ends all waits for the host.
func (d *Device) closeQueues() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.feed.Close()
	for _, f := range d.channels {
		f.Close()
	}
}

// transfers serves the host transfers of a program from the queues of its devices.
type transfers []*Device

func (t transfers) Send(ctx context.Context, device int, channel int64, l *literal.Literal) error {
	return t[device].channel(channel).Write(ctx, l)
}

func (t transfers) Recv(ctx context.Context, device int, channel int64, s shape.Shape) (*literal.Literal, error) {
	return t[device].channel(channel).Read(ctx)
}

// placed returns the devices on which a program's replicas and partitions run, and says what is wrong with the options.
func (c *Client) placed(grid collective.Grid, ids []int) ([]*Device, error) {
	if err := grid.Check(); err != nil {
		return nil, errorf(InvalidArgument, "%w", err)
	}
	n := grid.Size()
	if ids != nil && len(ids) != n {
		return nil, errorf(InvalidArgument, "got %d devices, want %d: %s", len(ids), n, sizeOf(grid))
	}
	if n == 1 && ids == nil {
		return []*Device{c.home()}, nil
	}
	seen := map[int]bool{}
	var list []*Device
	for k := range n {
		id := k
		if ids != nil {
			id = ids[k]
		}
		if id < 0 || id >= len(c.devices) {
			if ids == nil {
				return []*Device{c.home()}, nil // it cannot run on all of its devices, which is no reason not to compile it
			}
			return nil, errorf(InvalidArgument, "device %d, and the client has %d", id, len(c.devices))
		}
		if seen[id] {
			return nil, errorf(InvalidArgument, "device %d is there twice", id)
		}
		seen[id] = true
		list = append(list, c.devices[id])
	}
	if n == 1 {
		return list, list[0].usable()
	}
	return list, nil
}

func sizeOf(g collective.Grid) string {
	return fmt.Sprintf("%d replicas of %d partitions", max(g.Replicas, 1), max(g.Partitions, 1))
}
