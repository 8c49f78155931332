package xla

import (
	"sync"
	"sync/atomic"
)

// gate counts what is under way behind it, and lets nobody in once it is shut.
type gate struct {
	// state is twice the number of those inside, and 1 more if the gate is shut.
	state atomic.Int64
	mu    sync.Mutex
	empty sync.Cond // with mu: shut and nobody inside
}

// enter reports whether the caller is inside: he leaves when he is done.
func (g *gate) enter() bool {
	if g.state.Add(2)&1 == 0 {
		return true
	}
	g.leave()
	return false
}

func (g *gate) leave() {
	if g.state.Add(-2) == 1 {
		g.mu.Lock()
		g.empty.Broadcast()
		g.mu.Unlock()
	}
}

// inside is how many are inside.
func (g *gate) inside() int64 { return g.state.Load() / 2 }

// close lets nobody in from now on.
func (g *gate) close() { g.state.Or(1) }

// wait waits for those inside a closed gate.
func (g *gate) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.empty.L = &g.mu
	for g.state.Load() != 1 {
		g.empty.Wait()
	}
}
