package exec

import (
	"maps"
	"slices"
	"sync/atomic"
)

// readyBytes is the size up to which an arena lies ready. A compiled program takes more than that for itself.
const readyBytes = 64 << 10

// ready is the small arenas of a program, one a shelf, each of which is taken and kept with one atomic operation: a
// shelf wants a lock and a place in the order of what is kept, which cost a tiny program a tenth of its time. They do
// not count towards the keeper's limit, and are given back by trim and with the program.
type ready struct {
	arenas []atomic.Pointer[instance]
	known  atomic.Bool // to the keeper
}

func newReady(k *keeper) *ready {
	return &ready{arenas: make([]atomic.Pointer[instance], len(k.shelves))}
}

// take returns the arena on s, nil if there is none.
func (r *ready) take(s *shelf) *instance {
	at := &r.arenas[s.number]
	if at.Load() == nil {
		return nil
	}
	return at.Swap(nil)
}

// keep reports whether m is small, and s had none: it has m then.
func (r *ready) keep(s *shelf, m *instance) bool {
	if m.mirror != nil || m.kept.bytes > readyBytes || !r.arenas[s.number].CompareAndSwap(nil, m) {
		return false
	}
	if !r.known.Load() {
		s.keeper.know(r)
	}
	return true
}

// clear closes the arenas that are not in use.
func (r *ready) clear() {
	for i := range r.arenas {
		if m := r.arenas[i].Swap(nil); m != nil {
			m.close()
		}
	}
}

// forget gives back the arenas of a program that is closed.
func (r *ready) forget(k *keeper) {
	k.mu.Lock()
	delete(k.ready, r)
	k.mu.Unlock()
	r.clear()
}

// know has trim find the arenas of r.
func (k *keeper) know(r *ready) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ready[r] = true
	r.known.Store(true)
}

func (k *keeper) allReady() []*ready {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Collect(maps.Keys(k.ready))
}
