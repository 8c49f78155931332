package xla

import (
	"sync"
	"testing"
)

// TestGate wants those who go through a gate to be counted for longer than its word has room, and a shut one to be
// empty when the wait is over.
func TestGate(t *testing.T) {
	var g gate
	const before, callers, times = 1<<31 - 1000, 8, 1000
	g.state.Add(before * passed)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range times {
				if !g.enter() {
					t.Error("an open gate lets nobody in")
				}
				g.leave(passed)
				g.enter()
				g.leave(0)
			}
		})
	}
	wg.Wait()
	if n := g.through(); n != before+callers*times || g.under() != 0 {
		t.Errorf("%d went through and %d are inside, want %d and 0", n, g.under(), int64(before+callers*times))
	}
	g.state.Add(1 << 30 * passed)
	if !g.enter() {
		t.Fatal("an open gate lets nobody in")
	}
	g.close()
	if g.enter() {
		t.Error("a shut gate lets somebody in")
	}
	if n := g.under(); n != 1 {
		t.Errorf("%d are inside, want 1", n)
	}
	go g.leave(passed)
	g.wait()
	if n := g.through(); n != before+callers*times+1<<30+1 || g.under() != 0 {
		t.Errorf("%d went through and %d are inside, want one more", n, g.under())
	}
}
