package collective

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errGone is why calls fail that need a rank whose transport is closed.
var errGone = errors.New("it has closed its transport")

// loopback is the ranks of a Loopback together.
type loopback struct {
	mu      sync.Mutex
	boxes   map[address][][]byte
	changed chan struct{} // closed and replaced whenever something changes
	gone    []bool
	fault   *RankError
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
	l := &loopback{boxes: map[address][][]byte{}, changed: make(chan struct{}), gone: make([]bool, n)}
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
		data, err := r.Recv(ctx, tag, from)
		var l *LostError
		switch {
		case errors.As(err, &l):
			lost.Ranks, lost.Err = append(lost.Ranks, from), l.Err
		case err != nil:
			return err
		case len(data) != len(in[k]):
			panic("collective: bug: ranks disagree about the length of a part")
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
	if r.fault != nil {
		return r.fault
	}
	if r.gone[to] {
		return &LostError{[]int{to}, errGone}
	}
	a := address{tag, r.rank, to}
	r.boxes[a] = append(r.boxes[a], slices.Clone(data))
	r.wake()
	return nil
}

func (r *loopbackRank) Recv(ctx context.Context, tag uint64, from int) ([]byte, error) {
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
	if r.fault != nil {
		return nil, nil, r.fault
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
	if r.fault == nil {
		r.fault = &RankError{r.rank, fault.Error()}
		r.wake()
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
