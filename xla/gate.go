package xla

import (
	"sync"
	"sync/atomic"
)

// gate counts what is under way behind it, and lets nobody in once it is shut. It counts those who went through, too:
// one operation does both.
type gate struct {
	// state is twice the number of those inside, 1 more if the gate is shut, and passed for each who went through.
	state  atomic.Uint64
	mu     sync.Mutex
	empty  sync.Cond // with mu: shut and nobody inside
	before uint64    // under mu: those who went through that state has no room for
}

// What state is made of.
const (
	shut   = 1
	inside = 2
	passed = 1 << 32
)

// enter reports whether the caller is inside: he leaves when he is done.
func (g *gate) enter() bool {
	if g.state.Add(inside)&shut == 0 {
		return true
	}
	g.leave(0)
	return false
}

// leave ends the caller's stay; how is passed or, for who is not to be counted, 0.
func (g *gate) leave(how uint64) {
	s := g.state.Add(how - inside)
	if uint32(s) == shut || s >= passed<<31 {
		g.settle()
	}
}

// settle tells those who wait for an empty gate, and makes room for those who will go through.
func (g *gate) settle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := g.state.Load() / passed; n >= 1<<31 {
		g.state.Add(-n * passed)
		g.before += n
	}
	g.empty.Broadcast()
}

// under is how many are inside.
func (g *gate) under() int64 { return int64(uint32(g.state.Load()) / inside) }

// through is how many went through.
func (g *gate) through() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int64(g.before + g.state.Load()/passed)
}

// close lets nobody in from now on.
func (g *gate) close() { g.state.Or(shut) }

// wait waits for those inside a closed gate.
func (g *gate) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.empty.L = &g.mu
	for uint32(g.state.Load()) != shut {
		g.empty.Wait()
	}
}
