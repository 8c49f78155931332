package exec

import (
	"context"
	"sync"
)

// executor lets as many executions run at a time as there are threads, in the order in which they came. The others
// wait: more would only make each slower.
type executor struct {
	mu     sync.Mutex
	tokens int
	// first and last are the ends of the line of those who wait.
	first, last *waiter
	spare       *waiter // waiters that nobody uses, by next
}

// waiter is a place in the line.
type waiter struct {
	turn       chan struct{} // has room for one
	prev, next *waiter
	called     bool // it is out of the line
}

// acquire waits for a token. It fails with ctx's error when ctx ends first.
func (e *executor) acquire(ctx context.Context) error {
	e.mu.Lock()
	if e.tokens > 0 { // nobody waits then
		e.tokens--
		e.mu.Unlock()
		return nil
	}
	w := e.queue()
	e.mu.Unlock()
	select {
	case <-w.turn:
		e.mu.Lock()
		e.discard(w)
		e.mu.Unlock()
		return nil
	case <-ctx.Done():
		e.giveUp(w)
		return ctx.Err()
	}
}

// queue appends a waiter to the line.
func (e *executor) queue() *waiter {
	w := e.spare
	if w == nil {
		w = &waiter{turn: make(chan struct{}, 1)}
	} else {
		e.spare = w.next
	}
	*w = waiter{turn: w.turn, prev: e.last}
	if e.last != nil {
		e.last.next = w
	} else {
		e.first = w
	}
	e.last = w
	return w
}

// unlink takes w out of the line.
func (e *executor) unlink(w *waiter) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		e.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		e.last = w.prev
	}
	w.called = true
}

// discard keeps w, which is out of the line, for others.
func (e *executor) discard(w *waiter) { w.next, e.spare = e.spare, w }

// giveUp leaves the line; if the turn came at the same moment, the next one has it.
func (e *executor) giveUp(w *waiter) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.called {
		<-w.turn
		e.handOn()
	} else {
		e.unlink(w)
	}
	e.discard(w)
}

// release hands the token to whoever has waited longest.
func (e *executor) release() {
	e.mu.Lock()
	e.handOn()
	e.mu.Unlock()
}

func (e *executor) handOn() {
	w := e.first
	if w == nil {
		e.tokens++
		return
	}
	e.unlink(w)
	w.turn <- struct{}{}
}
