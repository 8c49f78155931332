package exec

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/literal"
)

// shelf is a part of what a keeper keeps.
type shelf struct {
	keeper *keeper
	number int          // among the keeper's
	state  atomic.Int32 // as a seat of the executor's
	mu     sync.Mutex
	kept   chain[kept, *kept] // the oldest first
	// recent are small results, the last one whose size falls there: with them most executions do without mu.
	recent [recents]atomic.Pointer[literal.Literal]
	// results are those that are kept, by size.
	results map[int64][]*kept
	// rooms are those of remote memory, by size.
	rooms map[int64][]*kept
	// spare are records of results that are in use, for the next ones that are kept.
	spare []*kept
	// recycle keeps a result that nobody sees any more where the execution was that made it.
	recycle func(*literal.Literal)
	_       [64]byte // the next shelf is another execution's
}

// kept is a piece of memory that is kept.
type kept struct {
	links[kept]
	bytes int64
	turn  int64 // when it was kept, by the keeper's count
	// memory is the arena, of program, or the result, or the room.
	memory  *instance
	program *program
	result  *literal.Literal
	room    *room
}

func newShelf(k *keeper, number int) *shelf {
	s := &shelf{keeper: k, number: number, results: map[int64][]*kept{}}
	s.recycle = func(l *literal.Literal) {
		if n := len(l.Bytes()); 0 < n && n <= recentBytes {
			l = s.recently(int64(n)).Swap(l)
		}
		if l != nil && len(l.Bytes()) > 0 {
			s.keepResult(l)
			k.shrink()
		}
	}
	return s
}

// recents is how many small results are recent at most, and recentBytes how large they are.
const (
	recentBits  = 3
	recents     = 1 << recentBits
	recentBytes = 4 << 10
)

// recently is where a small result of n bytes is.
func (s *shelf) recently(n int64) *atomic.Pointer[literal.Literal] {
	return &s.recent[uint64(n)*0x9e3779b97f4a7c15>>(64-recentBits)]
}

// takeRecent returns what takeResult does, if it is recent.
func (s *shelf) takeRecent(n int64) *literal.Literal {
	if n > recentBytes {
		return nil
	}
	at := s.recently(n)
	l := at.Load()
	if l == nil || int64(len(l.Bytes())) != n || !at.CompareAndSwap(l, nil) {
		return nil
	}
	return l
}

// push adds x as the newest.
func (s *shelf) push(x *kept) {
	x.turn = s.keeper.turns.Add(1)
	s.kept.push(x)
	s.keeper.bytes.Add(x.bytes)
}

// unlink takes x off the list.
func (s *shelf) unlink(x *kept) {
	s.kept.remove(x)
	s.keeper.bytes.Add(-x.bytes)
}

// oldest returns when the oldest was kept, false if nothing is.
func (s *shelf) oldest() (turn int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept.first == nil {
		return 0, false
	}
	return s.kept.first.turn, true
}

// dropOldest gives back the oldest, if there is one.
func (s *shelf) dropOldest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept.first != nil {
		s.drop(s.kept.first)
	}
}

// drop gives x back to the system, or to the collector.
func (s *shelf) drop(x *kept) {
	s.unlink(x)
	same := func(y *kept) bool { return y == x }
	switch {
	case x.memory != nil:
		list := s.arenas(x.program)
		*list = slices.DeleteFunc(*list, same)
		x.memory.close()
	case x.room != nil:
		s.rooms[x.bytes] = slices.DeleteFunc(s.rooms[x.bytes], same)
		x.room.remote.Free(x.room.at)
	default:
		s.results[x.bytes] = slices.DeleteFunc(s.results[x.bytes], same)
	}
}

// arenas are those of p that are kept here.
func (s *shelf) arenas(p *program) *[]*kept { return &p.idle[s.number] }

// takeArena returns an arena of p, nil if none is kept here.
func (s *shelf) takeArena(p *program) *instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.arenas(p)
	n := len(*list)
	if n == 0 {
		return nil
	}
	x := (*list)[n-1]
	*list = (*list)[:n-1]
	s.unlink(x)
	return x.memory
}

func (s *shelf) keepArena(m *instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &m.kept
	list := s.arenas(x.program)
	*list = append(*list, x)
	s.push(x)
}

// takeResult returns a literal that nobody sees any more and whose memory is of n bytes, nil if none is kept here.
func (s *shelf) takeResult(n int64) *literal.Literal {
	if l := s.takeRecent(n); l != nil {
		return l
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.results[n]
	i := len(list) - 1
	if i < 0 {
		return nil
	}
	x := list[i]
	s.results[n] = list[:i]
	s.unlink(x)
	l := x.result
	*x = kept{}
	s.spare = append(s.spare, x)
	return l
}

func (s *shelf) keepResult(l *literal.Literal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.record()
	x.bytes, x.result = int64(len(l.Bytes())), l
	s.results[x.bytes] = append(s.results[x.bytes], x)
	s.push(x)
}

// record returns the record of a result.
func (s *shelf) record() *kept {
	n := len(s.spare)
	if n == 0 {
		return &kept{}
	}
	x := s.spare[n-1]
	s.spare = s.spare[:n-1]
	return x
}

func (s *shelf) trim() {
	for i := range s.recent {
		s.recent[i].Store(nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.kept.first != nil {
		s.drop(s.kept.first)
	}
	clear(s.results)
	clear(s.rooms)
	s.spare = nil
}

func (s *shelf) forget(p *program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for list := s.arenas(p); len(*list) > 0; {
		s.drop((*list)[0])
	}
}
