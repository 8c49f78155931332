package exec

import (
	"context"
	"sync"
)

// executor lets as many executions run at a time as it has seats, one a thread, in the order in which they came. The
// others wait: more would only make each slower.
type executor struct {
	mu    sync.Mutex
	seats []*shelf               // that nobody has, the one that was used last at the end
	line  chain[waiter, *waiter] // of those who wait
}

// newExecutor returns the executor whose seats are the shelves of k, so that executions at the same time find their
// memory without waiting for each other.
func newExecutor(k *keeper) *executor { return &executor{seats: append([]*shelf{}, k.shelves...)} }

// waiter is a place in the line.
type waiter struct {
	links[waiter]
	turn   chan *shelf // has room for one
	called bool        // it is out of the line
}

// waiters are those that nobody uses.
var waiters = sync.Pool{New: func() any { return &waiter{turn: make(chan *shelf, 1)} }}

// acquire waits for a seat. It fails with ctx's error when ctx ends first.
func (e *executor) acquire(ctx context.Context) (*shelf, error) {
	e.mu.Lock()
	if n := len(e.seats); n > 0 { // nobody waits then
		s := e.seats[n-1]
		e.seats = e.seats[:n-1]
		e.mu.Unlock()
		return s, nil
	}
	w := e.queue()
	e.mu.Unlock()
	select {
	case s := <-w.turn:
		waiters.Put(w)
		return s, nil
	case <-ctx.Done():
		e.giveUp(w)
		return nil, ctx.Err()
	}
}

// queue appends a waiter to the line.
func (e *executor) queue() *waiter {
	w := waiters.Get().(*waiter)
	w.called = false
	e.line.push(w)
	return w
}

// giveUp leaves the line; if the turn has come or is about to, the next one has it.
func (e *executor) giveUp(w *waiter) {
	e.mu.Lock()
	called := w.called
	if !called {
		e.line.remove(w)
	}
	e.mu.Unlock()
	if called {
		e.release(<-w.turn)
	}
	waiters.Put(w)
}

// release hands the seat to whoever has waited longest.
func (e *executor) release(s *shelf) {
	e.mu.Lock()
	w := e.line.first
	if w == nil {
		e.seats = append(e.seats, s)
	} else {
		e.line.remove(w)
		w.called = true
	}
	e.mu.Unlock()
	if w != nil { // what others wait for takes no longer than it must
		w.turn <- s
	}
}
