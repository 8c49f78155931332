//go:build cgo

package cuda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/nccl"
	"github.com/halo-xla/halo/xla/collective"
)

// lane is one communicator of a group, as far as this process is in it.
type lane struct {
	busy    bool
	offers  uint64 // by its first member
	mu      sync.Mutex
	changed chan struct{} // closed when done or broken has changed; there is another then
	done    uint64        // the collectives that are over
	used    bool          // by one of them, which ends it if it is broken
	broken  error
	ends    []end
}

func newLane() *lane { return &lane{changed: make(chan struct{})} }

// end is a GPU of this process that is a rank of a communicator.
type end struct {
	device *device
	comm   *nccl.Comm
	stream cuda.Stream
	event  cuda.Event
}

// fail makes a lane one that nobody uses any more, and ends its communicator unless it is in use.
func (l *lane) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = cmp.Or(l.broken, err)
	l.tell()
	if !l.used {
		l.end()
	}
}

// tell wakes those that wait for a change. The lane is locked.
func (l *lane) tell() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *lane) isBroken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken != nil
}

// end ends the communicator. The lane is locked.
func (l *lane) end() {
	for _, e := range l.ends {
		if err := errors.Join(e.comm.Abort(), e.device.CloseStream(e.stream), e.device.CloseEvent(e.event)); err != nil {
			slog.Warn("cuda: the end of a communicator", "error", err)
		}
	}
	l.ends = nil
}

// await waits until all collectives before number turn are over, and begins the use of the lane. When it fails, with
// the fault of the execution or because ctx ends, the lane is of no use to later ones, which count on this one.
func (l *lane) await(ctx context.Context, h *collective.Hub, turn uint64) error {
	for {
		l.mu.Lock()
		err, mine, changed := l.broken, l.done+1 == turn, l.changed
		if err == nil && turn <= l.done {
			err = fmt.Errorf("turn %d of a lane that has had %d", turn, l.done)
		}
		l.used = l.used || mine && err == nil
		l.mu.Unlock()
		if mine || err != nil {
			return err
		}
		if err := pause(ctx, h, changed, nil); err != nil {
			l.fail(err)
			return err
		}
	}
}

// leave ends the use of the lane by collective number turn, which failed with err if it did.
func (l *lane) leave(turn uint64, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done, l.used = turn, false
	if l.broken = cmp.Or(l.broken, err); l.broken != nil {
		l.end()
	}
	l.tell()
	return err
}
