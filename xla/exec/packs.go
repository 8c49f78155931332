package exec

import (
	"context"
	"errors"
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/internal/memory"
	"github.com/halo-xla/halo/xla/literal"
)

// packs are forms of constants that several programs of a backend share: weights in the order that a kernel wants.
type packs struct {
	mu    sync.Mutex
	byKey map[packKey]*pack
	turns chan struct{} // has room for as many as may be filled at a time
}

// packKey is a constant, by where its bytes lie, and a form of it.
type packKey struct {
	data *byte
	size int
	form string
}

type pack struct {
	key   packKey
	of    *literal.Literal // which keeps the bytes where they are
	size  int64
	data  []byte       // once a program with it is to be filled
	fill  func() error // fills data, the first time
	users int
}

func newPacks(threads int) *packs {
	return &packs{byKey: map[packKey]*pack{}, turns: make(chan struct{}, threads)}
}

// take returns the form of l for one more user, of so many bytes, which fill is to fill if there is none yet.
func (s *packs) take(l *literal.Literal, form string, size int64, fill func(to []byte) error) *pack {
	key := packKey{unsafe.SliceData(l.Bytes()), len(l.Bytes()), form}
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.byKey[key]
	if x == nil {
		x = &pack{key: key, of: l, size: size}
		x.fill = sync.OnceValue(func() error { return fill(x.data) })
		s.byKey[key] = x
	}
	x.users++
	return x
}

// lay finds memory for those of list that have none yet, in one block, which may have huge pages then: what a program
// reads once a run is found by few entries of the processor's tables.
func (s *packs) lay(list []*pack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var total int64
	wanted := map[*pack]bool{}
	for _, x := range list {
		if x.data == nil && !wanted[x] {
			wanted[x] = true
			total += aligned64(x.size)
		}
	}
	block := memory.Zeros(total)
	for _, x := range list {
		if x.data == nil {
			x.data = block[:x.size:x.size]
			block = block[min(aligned64(x.size), int64(len(block))):]
		}
	}
}

// fill fills those of list that are not filled yet, several at a time.
func (s *packs) fill(ctx context.Context, list []*pack) error {
	s.lay(list)
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, x := range list {
		all.Go(func() {
			select {
			case s.turns <- struct{}{}:
				errs[i] = x.fill()
				<-s.turns
			case <-ctx.Done():
				errs[i] = ctx.Err()
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// release ends the use of packs.
func (s *packs) release(list []*pack) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range list {
		if x.users--; x.users == 0 {
			delete(s.byKey, x.key)
		}
	}
}

// PackOf is Pack for a form of the constant value that takes size bytes, which fill fills before the program is
// compiled: programs of one client that have the same value in the same form share it. form names the form and whatever
// it depends on. The program does not compile if fill fails.
func (l *Lowering) PackOf(value *literal.Literal, form string, size int64, fill func(to []byte) error) Slice {
	p := l.c.program
	x := p.packs.take(value, form, size, fill)
	p.packed = append(p.packed, x)
	return l.c.newSlot(slot{kind: constant, size: size, pack: x})
}
