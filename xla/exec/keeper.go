package exec

import (
	"slices"
	"sync"

	"github.com/halo-xla/halo/internal/memory"
	"github.com/halo-xla/halo/xla/literal"
)

// keeper keeps memory that is not in use, so that the next execution finds it with its pages in place. It gives the
// oldest back when it keeps more than its limit. All programs of a backend share one.
type keeper struct {
	mu    sync.Mutex
	limit int64
	bytes int64 // kept now
	// first and last are the ends of the list of what is kept, the oldest first.
	first, last *kept
	results     map[int64][]*kept // by size
	// spare are records of results that are in use, for the next ones that are kept.
	spare []*kept
}

// kept is a piece of memory that is kept.
type kept struct {
	bytes      int64
	prev, next *kept
	// memory is the arena, of program, or the result.
	memory  *instance
	program *program
	result  *literal.Literal
}

func newKeeper() *keeper { return &keeper{results: map[int64][]*kept{}} }

// setLimit sets the bytes that are kept at most, 0 for any number.
func (k *keeper) setLimit(n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.limit = n
}

// push adds x as the newest and gives back what is too much.
func (k *keeper) push(x *kept) {
	x.prev, x.next = k.last, nil
	if k.last != nil {
		k.last.next = x
	} else {
		k.first = x
	}
	k.last = x
	k.bytes += x.bytes
	for k.limit > 0 && k.bytes > k.limit && k.first != nil {
		k.drop(k.first)
	}
}

// unlink takes x off the list.
func (k *keeper) unlink(x *kept) {
	if x.prev != nil {
		x.prev.next = x.next
	} else {
		k.first = x.next
	}
	if x.next != nil {
		x.next.prev = x.prev
	} else {
		k.last = x.prev
	}
	k.bytes -= x.bytes
}

// drop gives x back to the system, or to the collector.
func (k *keeper) drop(x *kept) {
	k.unlink(x)
	same := func(y *kept) bool { return y == x }
	if x.memory != nil {
		x.program.idle = slices.DeleteFunc(x.program.idle, same)
		x.memory.close()
		return
	}
	k.results[x.bytes] = slices.DeleteFunc(k.results[x.bytes], same)
}

// takeArena returns an arena of p, nil if none is kept.
func (k *keeper) takeArena(p *program) *instance {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	x := p.idle[n-1]
	p.idle = p.idle[:n-1]
	k.unlink(x)
	return x.memory
}

// keepArena keeps an arena of p for its next run.
func (k *keeper) keepArena(p *program, m *instance) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p.idle = append(p.idle, &m.kept)
	k.push(&m.kept)
}

// memoryOf returns n bytes for a result, which may hold anything, and the literal that had them before, if any.
func (k *keeper) memoryOf(n int64) ([]byte, *literal.Literal) {
	if l := k.takeResult(n); l != nil {
		return l.Bytes(), l
	}
	return newResult(n), nil
}

// takeResult returns a literal that nobody sees any more and whose memory is of n bytes, nil if none is kept.
func (k *keeper) takeResult(n int64) *literal.Literal {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := k.results[n]
	i := len(list) - 1
	if i < 0 {
		return nil
	}
	x := list[i]
	k.results[n] = list[:i]
	k.unlink(x)
	l := x.result
	*x = kept{}
	k.spare = append(k.spare, x)
	return l
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

// keepResult keeps a result that nobody sees any more.
func (k *keeper) keepResult(l *literal.Literal) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var x *kept
	if n := len(k.spare); n > 0 {
		x, k.spare = k.spare[n-1], k.spare[:n-1]
	} else {
		x = &kept{}
	}
	x.bytes, x.result = int64(len(l.Bytes())), l
	k.results[x.bytes] = append(k.results[x.bytes], x)
	k.push(x)
}

// trim gives back all that is kept.
func (k *keeper) trim() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.first != nil {
		k.drop(k.first)
	}
	clear(k.results)
	k.spare = nil
}

// forget gives back the arenas of p.
func (k *keeper) forget(p *program) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(p.idle) > 0 {
		k.drop(p.idle[len(p.idle)-1])
	}
}
