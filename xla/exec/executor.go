package exec

import (
	"context"
	"sync"
)

// executor lets as many executions run at a time as there are threads, in the order in which they came. The others
// wait: more would only make each slower.
type executor struct {
	mu      sync.Mutex
	tokens  int
	waiting []chan struct{}
}

// acquire waits for a token. It fails with ctx's error when ctx ends first.
func (e *executor) acquire(ctx context.Context) error {
	e.mu.Lock()
	if e.tokens > 0 && len(e.waiting) == 0 {
		e.tokens--
		e.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	e.waiting = append(e.waiting, turn)
	e.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	e.mu.Lock()
	for i, w := range e.waiting {
		if w == turn {
			e.waiting = append(e.waiting[:i], e.waiting[i+1:]...)
			e.mu.Unlock()
			return ctx.Err()
		}
	}
	e.mu.Unlock() // the turn came at the same moment
	e.release()
	return ctx.Err()
}

// release hands the token to whoever has waited longest.
func (e *executor) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.waiting) == 0 {
		e.tokens++
		return
	}
	close(e.waiting[0])
	e.waiting = e.waiting[1:]
}
