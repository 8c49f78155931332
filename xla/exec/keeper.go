package exec

import (
	"errors"
	"sync/atomic"
	"unsafe"

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
	shelves []*shelf
}

func newKeeper(shelves int) *keeper {
	k := &keeper{}
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

// shrink gives back what is too much, the oldest of s first and then that of the others.
func (k *keeper) shrink(s *shelf) {
	for k.isOver() && s.dropOldest() {
	}
	for _, other := range k.shelves {
		for k.isOver() && other.dropOldest() {
		}
	}
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
	k.shrink(s)
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

// keepResult keeps a result that nobody sees any more.
func (k *keeper) keepResult(l *literal.Literal) {
	s := k.shelfOf(l)
	s.keepResult(l)
	k.shrink(s)
}

// shelfOf returns where a result is kept, the same each time, so that whoever takes it from his own shelf finds it
// there again.
func (k *keeper) shelfOf(l *literal.Literal) *shelf {
	return k.shelves[uintptr(unsafe.Pointer(l))/unsafe.Sizeof(*l)%uintptr(len(k.shelves))]
}

// trim gives back all that is kept.
func (k *keeper) trim() {
	for _, s := range k.shelves {
		s.trim()
	}
}

// forget gives back the arenas of p.
func (k *keeper) forget(p *program) {
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
	b := memory.Uncleared(n)
	adviseHuge(b)
	return b
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
