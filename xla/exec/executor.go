package exec

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// executor lets as many executions run at a time as it has seats, one a thread, in the order in which they came, but
// that a few may be passed over. The others wait: more would only make each slower.
//
// As long as nobody waits, a seat is taken and left with one atomic operation each. Who is to wait counts himself in
// and looks at the seats again; who leaves a seat looks for such after that: so none of the two can miss the other.
type executor struct {
	keeper  *keeper
	seats   []*shelf     // all
	waiting atomic.Int64 // how many wait; changes under mu
	mu      sync.Mutex
	line    chain[waiter, *waiter] // of those who wait
	passed  int                    // how often the first of them was passed over
	watch   *time.Timer            // for those whose context ends, if there is a line
}

// near is how many at the head of the line are looked at, and how often the first is passed over at most.
const near = 4

// newExecutor returns the executor whose seats are the shelves of k, so that executions at the same time find their
// memory without waiting for each other.
func newExecutor(k *keeper) *executor { return &executor{keeper: k, seats: k.shelves} }

// waiter is a place in the line.
type waiter struct {
	links[waiter]
	turn chan *shelf     // has room for one: the seat, or nil for whose context ended
	done <-chan struct{} // is closed when it ends
	seat int             // the number of the one that it had before
}

// waiters are those that nobody uses.
var waiters = sync.Pool{New: func() any { return &waiter{turn: make(chan *shelf, 1)} }}

// acquire waits for a seat: before, if it is not nil, by preference, which the caller has had and whose memory his
// processor may have in its caches. It fails with ctx's error when ctx ends first.
func (e *executor) acquire(ctx context.Context, before *shelf) (*shelf, error) {
	if e.waiting.Load() == 0 {
		if before != nil && before.keeper == e.keeper && before.take() {
			return before, nil
		}
		if s := e.free(); s != nil {
			return s, nil
		}
	}
	return e.wait(ctx)
}

// free takes a seat that nobody has, nil if there is none.
func (e *executor) free() *shelf {
	for _, s := range e.seats {
		if s.take() {
			return s
		}
	}
	return nil
}

// The states of a seat. One that is untidy is taken, and what lies ready on it is given back when it is left.
const (
	vacant = iota
	taken
	untidy
)

// take reports whether the seat was free: it is the caller's then.
func (s *shelf) take() bool { return s.state.Load() == vacant && s.state.CompareAndSwap(vacant, taken) }

// tidyAll gives back what lies ready on all seats, on those that somebody has when he leaves them.
func (e *executor) tidyAll() {
	for _, s := range e.seats {
		e.tidy(s)
	}
}

func (e *executor) tidy(s *shelf) {
	for !s.take() {
		if s.state.CompareAndSwap(taken, untidy) || s.state.Load() == untidy {
			return
		}
	}
	e.keeper.clearReady(s)
	e.release(s)
}

// wait is acquire in the line.
func (e *executor) wait(ctx context.Context) (*shelf, error) {
	done := ctx.Done() // is code of the user's, which no lock must be held for
	e.mu.Lock()
	w := e.queue(done)
	e.serve()
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
	e.waiting.Add(1)
	if e.watch == nil {
		e.watch = time.AfterFunc(patience, e.dismiss)
	}
	return w
}

// leave takes w out of the line.
func (e *executor) leave(w *waiter) {
	e.line.remove(w)
	e.waiting.Add(-1)
}

// serve gives those in the line the seats that are free.
func (e *executor) serve() {
	for e.line.first != nil {
		s := e.free()
		if s == nil {
			return
		}
		w := e.next(s)
		e.leave(w)
		w.turn <- s
	}
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
	n := e.waiting.Load()
	if n == 0 {
		e.watch = nil
		return
	}
	e.watch.Reset(patience + time.Duration(n)*time.Microsecond)
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
	if e.waiting.Load() > 0 {
		e.handOn(s)
		return
	}
	if s.state.Swap(vacant) == untidy {
		e.tidy(s)
	}
	if e.waiting.Load() > 0 { // somebody came meanwhile
		e.mu.Lock()
		e.serve()
		e.mu.Unlock()
	}
}

// handOn gives the seat to the next in the line, if there is one still.
func (e *executor) handOn(s *shelf) {
	e.mu.Lock()
	w := e.next(s)
	if w != nil {
		e.leave(w)
	}
	e.mu.Unlock()
	if w == nil {
		e.release(s)
		return
	}
	if s.state.CompareAndSwap(untidy, taken) {
		e.keeper.clearReady(s)
	}
	w.turn <- s // after mu: what others wait for takes no longer than it must
}
