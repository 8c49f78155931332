package collective

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// errGone is why calls fail that need a rank whose transport is closed.
var errGone = errors.New("it has closed its transport")

var errClosed = errors.New("the transport is closed")

// loopback is the ranks of a Loopback together.
type loopback struct {
	mu      sync.Mutex
	boxes   map[address][][]byte
	changed chan struct{} // closed and replaced whenever something changes
	gone    []bool
	faults  []error // the first of each rank
}

// address is where messages wait for their receiver.
type address struct {
	tag      uint64
	from, to int
}

// loopbackRank is a Transport of a Loopback.
type loopbackRank struct {
	*loopback
	rank int
}

// Loopback returns the transports of n ranks that are goroutines of this process: for tests of what runs over others.
func Loopback(n int) []Transport {
	l := &loopback{boxes: map[address][][]byte{}, changed: make(chan struct{}), gone: make([]bool, n),
		faults: make([]error, n)}
	ranks := make([]Transport, n)
	for i := range ranks {
		ranks[i] = &loopbackRank{l, i}
	}
	return ranks
}

func (r *loopbackRank) Rank() int  { return r.rank }
func (r *loopbackRank) Ranks() int { return len(r.gone) }

func (r *loopbackRank) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *loopbackRank) Exchange(ctx context.Context, tag uint64, group []int, out, in [][]byte) error {
	return r.keep(r.exchange(ctx, tag, group, out, in))
}

func (r *loopbackRank) exchange(ctx context.Context, tag uint64, group []int, out, in [][]byte) error {
	for k, to := range group {
		if to == r.rank {
			continue
		}
		if err := r.Send(ctx, tag, to, out[k]); err != nil {
			return err
		}
	}
	lost := &LostError{}
	for k, from := range group {
		if from == r.rank {
			continue
		}
		data, err := r.recv(ctx, tag, from)
		var l *LostError
		switch {
		case errors.As(err, &l):
			lost.Ranks, lost.Err = append(lost.Ranks, from), l.Err
		case err != nil:
			return err
		case len(data) != len(in[k]):
			return fmt.Errorf("loopback: rank %d sends %d bytes, want %d", from, len(data), len(in[k]))
		}
		copy(in[k], data)
	}
	if lost.Ranks != nil {
		return lost
	}
	return nil
}

func (r *loopbackRank) Send(_ context.Context, tag uint64, to int, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.faults[r.rank]; err != nil {
		return err
	}
	if r.gone[r.rank] {
		return errClosed
	}
	if r.gone[to] {
		return r.failed(&LostError{[]int{to}, errGone})
	}
	a := address{tag, r.rank, to}
	r.boxes[a] = append(r.boxes[a], slices.Clone(data))
	r.wake()
	return nil
}

func (r *loopbackRank) Recv(ctx context.Context, tag uint64, from int) ([]byte, error) {
	data, err := r.recv(ctx, tag, from)
	return data, r.keep(err)
}

func (r *loopbackRank) recv(ctx context.Context, tag uint64, from int) ([]byte, error) {
	a := address{tag, from, r.rank}
	for {
		data, changed, err := r.next(a)
		if changed == nil {
			return data, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, &LostError{[]int{from}, ctx.Err()}
		}
	}
}

// next takes the next message at a; if there is none, it returns what is closed when that may have changed.
func (r *loopbackRank) next(a address) ([]byte, <-chan struct{}, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.faults[r.rank]; err != nil {
		return nil, nil, err
	}
	if r.gone[r.rank] {
		return nil, nil, errClosed
	}
	if list := r.boxes[a]; len(list) > 0 {
		r.boxes[a] = list[1:]
		if len(list) == 1 {
			delete(r.boxes, a)
		}
		return list[0], nil, nil
	}
	if r.gone[a.from] {
		return nil, nil, &LostError{[]int{a.from}, errGone}
	}
	return nil, r.changed, nil
}

func (r *loopbackRank) Fail(fault error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone[r.rank] {
		return
	}
	told := &RankError{r.rank, fault.Error()}
	for rank := range r.faults {
		if r.faults[rank] == nil {
			r.faults[rank] = told
		}
	}
	r.wake()
}

// failed makes err this rank's fault if it has none; the caller holds the lock.
func (r *loopbackRank) failed(err error) error {
	if r.faults[r.rank] == nil {
		r.faults[r.rank] = err
		r.wake()
	}
	return r.faults[r.rank]
}

// keep is failed for the error of a call, if there is one.
func (r *loopbackRank) keep(err error) error {
	if err == nil || err == errClosed {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed(err)
}

func (r *loopbackRank) Watch(ctx context.Context) error {
	for {
		r.mu.Lock()
		err, changed := r.faults[r.rank], r.changed
		r.mu.Unlock()
		if err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

func (r *loopbackRank) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gone[r.rank] {
		r.gone[r.rank] = true
		r.wake()
	}
	return nil
}
