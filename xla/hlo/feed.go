package hlo

import (
	"context"
	"errors"
	"sync"

	"github.com/halo-xla/halo/xla/literal"
)

// ErrFeedClosed is what a device gets that reads from a closed, empty infeed, or writes to a closed outfeed.
var ErrFeedClosed = errors.New("the feed is closed")

// Feed is the queues between the host and one device: the infeed, which infeed ops read, and the outfeed, to which
// outfeed ops write. Devices may share a Feed. It may be used from several goroutines.
type Feed struct{ in, out queue }

// NewFeed returns a feed whose queues hold capacity values each before the writer waits; 0 means any number.
func NewFeed(capacity int) *Feed {
	f := &Feed{}
	for _, q := range []*queue{&f.in, &f.out} {
		q.capacity, q.changed = capacity, make(chan struct{})
	}
	return f
}

// TransferToInfeed puts a value at the end of the infeed. It waits while the queue is full, and fails with ctx's error
// when ctx ends, or if the feed is closed.
func (f *Feed) TransferToInfeed(ctx context.Context, l *literal.Literal) error {
	return f.in.put(ctx, l)
}

// TransferFromOutfeed takes the next value that the device wrote. It waits for one, and fails with ctx's error when ctx
// ends, or with ErrFeedClosed if the feed is closed and the queue empty.
func (f *Feed) TransferFromOutfeed(ctx context.Context) (*literal.Literal, error) {
	return f.out.take(ctx)
}

// Read takes the next value of the infeed, as the device does, and Write puts one at the end of the outfeed. They wait
// and fail as TransferFromOutfeed and TransferToInfeed do.
func (f *Feed) Read(ctx context.Context) (*literal.Literal, error) { return f.in.take(ctx) }

// Write is the other side of TransferFromOutfeed.
func (f *Feed) Write(ctx context.Context, l *literal.Literal) error { return f.out.put(ctx, l) }

// Close says that the host feeds no more: once the infeed is empty, infeed ops fail. What is in the queues stays.
func (f *Feed) Close() {
	f.in.close()
	f.out.close()
}

// CloseInfeed is Close for the infeed alone.
func (f *Feed) CloseInfeed() { f.in.close() }

// queue is a bounded first-in first-out queue.
type queue struct {
	capacity int

	mu      sync.Mutex
	values  []*literal.Literal
	closed  bool
	changed chan struct{} // closed and replaced whenever something changes
	dropped bool          // what is put is dropped
}

func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

// try does f under the lock; if f says that it must wait, it returns what to wait for.
func (q *queue) try(f func() (done bool)) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f() {
		q.wake()
		return nil
	}
	return q.changed
}

// until tries f until it is done or ctx ends.
func (q *queue) until(ctx context.Context, f func() (done bool)) error {
	for {
		changed := q.try(f)
		if changed == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (q *queue) put(ctx context.Context, l *literal.Literal) (err error) {
	waited := q.until(ctx, func() bool {
		if q.closed {
			err = ErrFeedClosed
			return true
		}
		if q.dropped {
			return true
		}
		if q.capacity > 0 && len(q.values) >= q.capacity {
			return false
		}
		q.values = append(q.values, l)
		return true
	})
	return errors.Join(waited, err)
}

func (q *queue) take(ctx context.Context) (l *literal.Literal, err error) {
	waited := q.until(ctx, func() bool {
		if len(q.values) > 0 {
			l, q.values = q.values[0], q.values[1:]
			return true
		}
		if q.closed {
			err = ErrFeedClosed
		}
		return q.closed
	})
	return l, errors.Join(waited, err)
}
