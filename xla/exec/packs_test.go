package exec

import (
	"context"
	"errors"
	"sync"
	"testing"
	"unsafe"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestPacks shares a form of a value among its users and forgets it with the last of them.
func TestPacks(t *testing.T) {
	value, err := literal.FromSlice([]float32{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	s, made := newPacks(1), 0
	take := func(form string) *pack {
		x := s.take(value, form, 1, func(to []byte) error { made++; copy(to, form); return nil })
		if err := s.fill(t.Context(), []*pack{x, x}); err != nil {
			t.Fatal(err)
		}
		return x
	}
	a, b, c := take("a"), take("a"), take("c")
	if a != b || made != 2 || string(c.data) != "c" {
		t.Errorf("forms a, a, c were made %d times, shared: %v; want twice, shared", made, a == b)
	}
	s.release([]*pack{a, c})
	if take("a") != a || made != 2 {
		t.Error("a form that is in use was made again")
	}
	s.release([]*pack{a, b})
	if take("a") == a || made != 3 {
		t.Error("a form that nobody uses was kept")
	}
}

// TestPacksLay wants the packs of a program in one block, each at a line of memory of its own, and those that are there
// already left alone.
func TestPacksLay(t *testing.T) {
	s, value := newPacks(1), literal.Zeros(shape.Array(shape.F32, 2))
	take := func(form string, size int64) *pack {
		return s.take(value, form, size, func([]byte) error { return nil })
	}
	a, b, c, d := take("a", 65), take("b", 0), take("c", 128), take("d", 1)
	s.lay([]*pack{a})
	first := &a.data[0]
	s.lay([]*pack{c, a, b, c, d})
	if &a.data[0] != first || len(a.data) != 65 || len(b.data) != 0 || len(c.data) != 128 || len(d.data) != 1 {
		t.Errorf("got %d, %d, %d, %d bytes, want 65, 0, 128, 1", len(a.data), len(b.data), len(c.data), len(d.data))
	}
	apart := uintptr(unsafe.Pointer(&d.data[0])) - uintptr(unsafe.Pointer(&c.data[0]))
	if apart != 128 || cap(c.data) != 128 {
		t.Errorf("what follows 128 bytes is %d behind them, and they may grow to %d", apart, cap(c.data))
	}
}

// TestPacksFail wants whoever has a form that could not be made to be told, and nothing made once nobody waits for it.
func TestPacksFail(t *testing.T) {
	s, value, broken := newPacks(2), literal.Zeros(shape.Array(shape.F32, 2)), errors.New("broken")
	x := s.take(value, "a", 1, func([]byte) error { return broken })
	for range 2 {
		if err := s.fill(t.Context(), []*pack{x}); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.turns <- struct{}{}
	s.turns <- struct{}{}
	y := s.take(value, "b", 1, func([]byte) error { t.Error("it was made"); return nil })
	if err := s.fill(ctx, []*pack{y}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// TestPacksCloseTwice wants a program that is closed again and again, also at the same time, to end its own use of a
// pack alone: another program has it still.
func TestPacksCloseTwice(t *testing.T) {
	const text = "ENTRY e { ROOT c = f32[2] constant({1, 2}) }"
	value := literal.Zeros(shape.Array(shape.F32, 2))
	shared, list := newPacks(1), make([]*program, 2)
	for i := range list {
		p := mustCompile(t, text, Options{})
		p.packs = shared
		x := shared.take(value, "form", 1, func([]byte) error { return nil })
		p.packed, list[i] = []*pack{x}, p
	}
	x := list[0].packed[0]
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(list[0].Close)
	}
	wg.Wait()
	list[0].Close()
	if x.users != 1 || len(shared.byKey) != 1 {
		t.Errorf("after one of two programs was closed: %d users, %d packs, want 1 and 1", x.users, len(shared.byKey))
	}
	list[1].Close()
	if x.users != 0 || len(shared.byKey) != 0 {
		t.Errorf("after both were closed: %d users, %d packs, want none", x.users, len(shared.byKey))
	}
}
