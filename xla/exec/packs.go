package exec

import (
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/xla/literal"
)

// packs are forms of constants that several programs of a backend share: weights in the order that a kernel wants.
type packs struct {
	mu    sync.Mutex
	byKey map[packKey]*pack
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
	data  []byte
	users int
}

func newPacks() *packs { return &packs{byKey: map[packKey]*pack{}} }

// take returns the form of l for one more user, which make makes if there is none yet.
func (s *packs) take(l *literal.Literal, form string, make func() ([]byte, error)) (*pack, error) {
	key := packKey{unsafe.SliceData(l.Bytes()), len(l.Bytes()), form}
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.byKey[key]
	if x == nil {
		data, err := make()
		if err != nil {
			return nil, err
		}
		x = &pack{key: key, of: l, data: data}
		s.byKey[key] = x
	}
	x.users++
	return x, nil
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

// PackOf is Pack for a form of the constant value, which make makes: programs of one client that have the same value in
// the same form share it. form names the form and whatever it depends on. It fails as make does.
func (l *Lowering) PackOf(value *literal.Literal, form string, make func() ([]byte, error)) (Slice, error) {
	p := l.c.program
	x, err := p.packs.take(value, form, make)
	if err != nil {
		return Slice{}, err
	}
	p.packed = append(p.packed, x)
	return l.Pack(x.data), nil
}
