package exec

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Address is a place in remote memory.
type Address uint64

// Array is an array in the memory of a remote machine, row-major, for as long as somebody holds it. It never changes.
type Array struct {
	shape  shape.Shape // with the layout that literals of it have
	room   *room
	offset int64
	bytes  int64
}

// Hold copies l to the memory of the machine that device d of b is. It returns nil if the machine has none of its own,
// or l is no array of a known size and of one byte or more. limit is the most bytes that all arrays there may take, 0
// for any number: beyond it, and where there is no room, it fails with hlo.ErrLimit.
func Hold(b Backend, d int, l *literal.Literal, limit int64) (*Array, error) {
	h := homeOf(b, d)
	s := l.Shape()
	if h == nil || !s.IsArray() || s.IsDynamic() || l.DynamicSizes() != nil || len(l.Bytes()) == 0 {
		return nil, nil
	}
	data := l.RowMajor().Bytes()
	h.keeper.setLimit(limit / 2)
	k, err := h.keeper.takeRoom(h.remote, int64(len(data)), limit)
	if err != nil {
		return nil, err
	}
	if err := h.remote.Put(k.at, data); err != nil {
		k.drop()
		return nil, err
	}
	return &Array{shape: s, room: k, bytes: int64(len(data))}, nil
}

// CopyTo returns the array in the memory of the machine that device d of b is: on the machine where it lies the same
// memory. It returns nil if there is no way there but over the host. limit is as that of Hold.
func (a *Array) CopyTo(b Backend, d int, limit int64) (*Array, error) {
	h := homeOf(b, d)
	if h == nil {
		return nil, nil
	}
	if h.keeper == a.room.keeper {
		a.room.hold()
		return &Array{a.shape, a.room, a.offset, a.bytes}, nil
	}
	k, err := h.keeper.takeRoom(h.remote, a.bytes, limit)
	if err != nil {
		return nil, err
	}
	err = h.remote.Fetch(k.at, a.room.remote, a.room.at+Address(a.offset), a.bytes)
	if err == nil {
		return &Array{shape: a.shape, room: k, bytes: a.bytes}, nil
	}
	k.drop()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	return nil, err
}

// RemoteBytes is how much memory the machine that device d of b is has of its own, 0 for none.
func RemoteBytes(b Backend, d int) int64 {
	if h := homeOf(b, d); h != nil {
		return h.remote.Capacity()
	}
	return 0
}

// homeOf returns where programs of device d of b run, nil if that is no remote machine.
func homeOf(b Backend, d int) *home {
	x, ok := b.(interface{ on(d int) *backend })
	if !ok || x.on(d).remote == nil {
		return nil
	}
	return &x.on(d).home
}

// Shape is the array's, with the layout of the literal that it was made of.
func (a *Array) Shape() shape.Shape { return a.shape }

// Bytes is how many it takes.
func (a *Array) Bytes() int64 { return a.bytes }

// Read copies the elements, row-major, to dst, which has as many bytes.
func (a *Array) Read(dst []byte) error {
	if int64(len(dst)) != a.bytes {
		panic(fmt.Sprintf("exec: bug: %d bytes for an array of %d", len(dst), a.bytes))
	}
	return a.room.remote.Get(dst, a.room.at+Address(a.offset))
}

// Literal copies the array to the host.
func (a *Array) Literal() (*literal.Literal, error) {
	data := newResult(a.bytes)
	if err := a.Read(data); err != nil {
		return nil, err
	}
	l := literalOf(a.shape.WithoutLayout(), data)
	if a.shape.Layout == nil {
		return l, nil
	}
	return l.Relayout(a.shape.Layout)
}

// Close ends the hold of the array, which nobody may use any more.
func (a *Array) Close() { a.room.drop() }

// whole is the room if it is the array's alone.
func (a *Array) whole() *room {
	if a.room.users.Load() != 1 || a.bytes != a.room.bytes {
		return nil
	}
	return a.room
}

// room is a piece of remote memory in which arrays lie.
type room struct {
	keeper *keeper
	remote Remote
	at     Address
	bytes  int64
	users  atomic.Int64
	kept   kept
}

// hold is for one more user.
func (b *room) hold() *room {
	b.users.Add(1)
	return b
}

// drop ends one user's hold. After the last one the memory is kept for others; nothing that uses it is under way then.
func (b *room) drop() {
	if b.users.Add(-1) != 0 {
		return
	}
	b.keeper.held.Add(-b.bytes)
	b.keeper.shelves[0].keepRoom(b)
	if b.keeper.shrink(); b.keeper.open.Load() == 0 {
		b.keeper.trim()
	}
}

// takeRoom returns n bytes of remote memory for one user, which may hold anything. limit is the most that all may hold
// together, 0 for any number.
func (k *keeper) takeRoom(m Remote, n, limit int64) (*room, error) {
	if held := k.held.Add(n); limit > 0 && held > limit {
		k.held.Add(-n)
		return nil, fmt.Errorf("%w: the arrays on the device take %d bytes, %d more are wanted, the limit is %d",
			hlo.ErrLimit, held-n, n, limit)
	}
	if b := k.shelves[0].takeRoom(n); b != nil {
		b.users.Store(1)
		return b, nil
	}
	b := &room{keeper: k, remote: m, bytes: n}
	err := k.allocate(func() (err error) {
		b.at, err = m.Alloc(n)
		return err
	})
	if err != nil {
		k.held.Add(-n)
		return nil, err
	}
	b.kept = kept{bytes: n, room: b}
	b.users.Store(1)
	return b, nil
}

// takeRoom returns one of n bytes that nobody uses, nil if none is kept here.
func (s *shelf) takeRoom(n int64) *room {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.rooms[n]
	if len(list) == 0 {
		return nil
	}
	x := list[len(list)-1]
	s.rooms[n] = list[:len(list)-1]
	s.unlink(x)
	return x.room
}

func (s *shelf) keepRoom(b *room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rooms == nil {
		s.rooms = map[int64][]*kept{}
	}
	s.rooms[b.bytes] = append(s.rooms[b.bytes], &b.kept)
	s.push(&b.kept)
}
