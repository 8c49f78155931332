package exec

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// executor lets as many executions run at a time as it has seats, one a thread, in the order in which they came, but
// that a few may be passed over. The others wait: more would only make each slower.
type executor struct {
	mu      sync.Mutex
	seats   []*shelf               // that nobody has, the one that was used last at the end
	line    chain[waiter, *waiter] // of those who wait
	waiting int                    // how many they are
	passed  int                    // how often the first of them was passed over
	watch   *time.Timer            // for those whose context ends, if there is a line
}

// near is how many at the head of the line are looked at, and how often the first is passed over at most.
const near = 4

// newExecutor returns the executor whose seats are the shelves of k, so that executions at the same time find their
// memory without waiting for each other.
func newExecutor(k *keeper) *executor { return &executor{seats: append([]*shelf{}, k.shelves...)} }

// waiter is a place in the line.
type waiter struct {
	links[waiter]
	turn chan *shelf     // has room for one: the seat, or nil for whose context ended
	done <-chan struct{} // is closed when it ends
	seat int             // the number of the one that it had before
}

// waiters are those that nobody uses.
var waiters = sync.Pool{New: func() any { return &waiter{turn: make(chan *shelf, 1)} }}

// acquire waits for a seat. It fails with ctx's error when ctx ends first.
func (e *executor) acquire(ctx context.Context) (*shelf, error) {
	done := ctx.Done() // is code of the user's, which no lock must be held for
	e.mu.Lock()
	if n := len(e.seats); n > 0 { // nobody waits then
		s := e.seats[n-1]
		e.seats = e.seats[:n-1]
		e.mu.Unlock()
		return s, nil
	}
	w := e.queue(done)
	e.mu.Unlock()
	s := <-w.turn
	defer waiters.Put(w)
	w.done = nil
	if s == nil {
		return nil, cmp.Or(ctx.Err(), context.Canceled)
	}
	w.seat = s.number
	return s, nil
}

// queue appends a waiter to the line.
func (e *executor) queue(done <-chan struct{}) *waiter {
	w := waiters.Get().(*waiter)
	w.done = done
	e.line.push(w)
	e.waiting++
	if e.watch == nil {
		e.watch = time.AfterFunc(patience, e.dismiss)
	}
	return w
}

// leave takes w out of the line.
func (e *executor) leave(w *waiter) {
	e.line.remove(w)
	e.waiting--
}

// patience is how long the end of a context may go unseen in the line. Were each waiter to wait for his turn and for
// the end of his context at once, that would cost a short program a thirtieth of its time.
const patience = 2 * time.Millisecond

// dismiss tells those whose context has ended, and looks again as long as somebody waits: the more they are the later,
// so that looking stays a small part of the work.
func (e *executor) dismiss() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for w := e.line.first; w != nil; {
		next := w.next
		if ended(w.done) {
			e.leave(w)
			w.turn <- nil
		}
		w = next
	}
	if e.waiting == 0 {
		e.watch = nil
		return
	}
	e.watch.Reset(patience + time.Duration(e.waiting)*time.Microsecond)
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// next returns who is served when s becomes free, or nil: by preference one who had it before, for he runs on the same
// processor, whose caches still have what is his.
func (e *executor) next(s *shelf) *waiter {
	w := e.returning(s)
	if w == nil || e.passed == near {
		w = e.line.first
	}
	if w == e.line.first {
		e.passed = 0
	} else {
		e.passed++
	}
	return w
}

// returning is the first of those at the head of the line who had s before, or nil.
func (e *executor) returning(s *shelf) *waiter {
	w := e.line.first
	for range near {
		if w == nil || w.seat == s.number {
			return w
		}
		w = w.next
	}
	return nil
}

// release hands the seat to the next in the line.
func (e *executor) release(s *shelf) {
	e.mu.Lock()
	w := e.next(s)
	if w == nil {
		e.seats = append(e.seats, s)
	} else {
		e.leave(w)
	}
	e.mu.Unlock()
	if w != nil { // what others wait for takes no longer than it must
		w.turn <- s
	}
}
