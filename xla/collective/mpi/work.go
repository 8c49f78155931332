package mpi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/cgo/mpi"
	"github.com/halo-xla/halo/xla/collective"
)

var errClosed = errors.New("mpi: the transport is closed")

// work is what a call waits for.
type work struct {
	flows    []*flow
	receipts []*receipt
	room     bool // for another message that nobody waits for
	goodbye  bool // of all ranks, also after a fault
	watch    bool // for a fault
}

// place returns where in the group the ranks after self begin.
func (w *work) place(group []int, self int) int { return slices.Index(group, self) + 1 }

// advance does what can be done of w without waiting, and reports whether that was all.
func (t *Transport) advance(w *work) (bool, error) {
	if t.closed && !w.goodbye {
		return false, errClosed
	}
	t.step()
	if t.fault != nil && (t.left || !w.goodbye) {
		return false, t.fault
	}
	flows, err := unfinished(t, w.flows)
	w.flows = flows
	if err != nil {
		return false, err
	}
	w.receipts, err = unfinished(t, w.receipts)
	if err != nil {
		return false, err
	}
	return len(w.flows) == 0 && len(w.receipts) == 0 && t.settled(w), nil
}

// settled is about what w waits for besides messages.
func (t *Transport) settled(w *work) bool {
	if w.watch {
		return false
	}
	if w.goodbye {
		return len(t.flows) == 0 && len(t.missing(w)) == 0
	}
	return !w.room || len(t.flows) < maxFlows && t.unsent() < maxUnsent
}

type advancer interface {
	advance(t *Transport) (bool, error)
}

// unfinished advances all of list and returns those that are not done.
func unfinished[T advancer](t *Transport, list []T) ([]T, error) {
	var left []T
	for _, a := range list {
		done, err := a.advance(t)
		if err != nil {
			return list, err
		}
		if !done {
			left = append(left, a)
		}
	}
	return left, nil
}

// missing returns the ranks that w waits for.
func (t *Transport) missing(w *work) []int {
	var ranks []int
	for _, r := range w.receipts {
		ranks = append(ranks, r.at.from)
	}
	for _, f := range w.flows {
		ranks = append(ranks, f.to)
	}
	for rank, gone := range t.gone {
		if (w.goodbye || w.watch) && !gone && rank != t.job.Rank {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// unsent counts the bytes of messages that nobody waits for and that have not been received whole.
func (t *Transport) unsent() int {
	n := 0
	for _, f := range t.flows {
		n += len(f.data)
	}
	return n
}

// listen makes room for the next header.
func (t *Transport) listen() error {
	m, err := t.pool.take(eagerBytes)
	if err != nil {
		return err
	}
	t.inbox = &piece{memory: m, op: t.job.Receive(m, eagerBytes, mpi.Any, headTag)}
	return nil
}

// step lets MPI work, takes in the headers that have come, and sends what nobody waits for.
func (t *Transport) step() {
	if t.left {
		t.flows = nil
		return
	}
	t.job.Progress()
	for t.arrived() {
		t.job.Progress()
	}
	t.flows = slices.DeleteFunc(t.flows, func(f *flow) bool {
		done, err := f.advance(t)
		if err != nil {
			t.fail(err)
		}
		return done || err != nil
	})
}

// arrived takes in a header if there is one.
func (t *Transport) arrived() bool {
	done, err := t.inbox.op.Done()
	if !done {
		return false
	}
	if err != nil {
		t.fail(err)
		return false
	}
	t.open(headerOf(t.inbox.memory.Bytes()), t.inbox.memory.Bytes()[headBytes:eagerBytes])
	t.inbox.op.Free()
	t.pool.give(t.inbox.memory)
	if err := t.listen(); err != nil {
		t.fail(err)
		return false
	}
	return true
}

// open acts on a header.
func (t *Transport) open(h header, data []byte) {
	if int64(h.from) >= int64(t.job.Ranks) {
		t.fail(fmt.Errorf("mpi: a message says that it is from rank %d, want 0 to %d", h.from, t.job.Ranks-1))
		return
	}
	first := append([]byte(nil), data[:min(h.length, uint64(len(data)))]...)
	switch h.kind {
	case dataKind:
		a := address{h.tag, int(h.from)}
		t.boxes[a] = append(t.boxes[a], arrival{h, first})
	case faultKind:
		t.fail(&collective.RankError{Rank: int(h.from), Fault: string(first)})
	case byeKind, brokenKind:
		t.gone[h.from] = true
		t.unsound = t.unsound || h.kind == brokenKind
	default:
		t.fail(fmt.Errorf("mpi: rank %d sends a message of kind %d, want 0 to %d", h.from, h.kind, brokenKind))
	}
}
