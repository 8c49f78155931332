package exec

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/halo-xla/halo/internal/memory"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// keeper keeps memory that is not in use, so that the next execution finds it with its pages in place. It gives the
// oldest back when it keeps more than its limit. All programs of a backend share one.
//
// It lies on shelves, one for each execution that may run at a time: executions seldom wait for each other's.
type keeper struct {
	limit   atomic.Int64
	bytes   atomic.Int64 // kept now
	held    atomic.Int64 // of remote memory, in rooms that somebody uses
	open    atomic.Int64 // programs of a remote machine: without one nothing of its memory is kept
	turns   atomic.Int64 // how often something was kept
	shelves []*shelf

	mu    sync.Mutex
	ready map[**instance]ready // of programs that have run, by where it begins
}

func newKeeper(shelves int) *keeper {
	k := &keeper{ready: map[**instance]ready{}}
	for i := range shelves {
		k.shelves = append(k.shelves, newShelf(k, i))
	}
	return k
}

// setLimit sets the bytes that are kept at most, 0 for any number.
func (k *keeper) setLimit(n int64) { k.limit.Store(n) }

// isOver reports whether more is kept than should be.
func (k *keeper) isOver() bool {
	limit := k.limit.Load()
	return limit > 0 && k.bytes.Load() > limit
}

// shrink gives back what is too much, the oldest first.
func (k *keeper) shrink() {
	for k.isOver() {
		s := k.oldest()
		if s == nil {
			return
		}
		s.dropOldest()
	}
}

// oldest returns the shelf of what was kept first, nil if nothing is kept.
func (k *keeper) oldest() (found *shelf) {
	var first int64
	for _, s := range k.shelves {
		if turn, ok := s.oldest(); ok && (found == nil || turn < first) {
			found, first = s, turn
		}
	}
	return found
}

// takeArena returns an arena of p, of s if there is one there, nil if none is kept.
func (k *keeper) takeArena(s *shelf, p *program) *instance {
	m := s.takeArena(p)
	for i := 0; m == nil && i < len(k.shelves); i++ {
		m = k.shelves[i].takeArena(p)
	}
	return m
}

// keepArena keeps an arena for the next run of its program.
func (k *keeper) keepArena(s *shelf, m *instance) {
	s.keepArena(m)
	k.shrink()
}

// memoryOf returns n bytes for a result, which may hold anything, and the literal that had them before, if any.
func (k *keeper) memoryOf(s *shelf, n int64) ([]byte, *literal.Literal) {
	l := s.takeResult(n)
	for i := 0; l == nil && i < len(k.shelves); i++ {
		l = k.shelves[i].takeResult(n)
	}
	if l != nil {
		return l.Bytes(), l
	}
	return newResult(n), nil
}

// trim gives back all that is kept.
func (k *keeper) trim() {
	for _, s := range k.shelves {
		s.trim()
	}
}

// opened counts programs of a remote machine.
func (k *keeper) opened(n int64) {
	if k.open.Add(n) == 0 {
		k.trim()
	}
}

// forget gives back the arenas of p.
func (k *keeper) forget(p *program) {
	k.forgetReady(p.ready)
	for _, s := range k.shelves {
		s.forget(p)
	}
}

// huge is the size in bytes from which memory is asked for in huge pages and not cleared.
const huge = 32 << 10

// newResult returns n bytes, which may hold anything.
func newResult(n int64) []byte {
	if n < huge {
		return make([]byte, n)
	}
	return memory.Uncleared(n)
}

// allocate calls f, and where f finds no room gives back all that is kept and calls it once more: other programs' idle
// memory must not keep one from running.
func (k *keeper) allocate(f func() error) error {
	err := f()
	if errors.Is(err, hlo.ErrLimit) {
		k.trim()
		err = f()
	}
	return err
}
