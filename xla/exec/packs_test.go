package exec

import (
	"sync"
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestPacks shares a form of a value among its users and forgets it with the last of them.
func TestPacks(t *testing.T) {
	value, err := literal.FromSlice([]float32{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	s, made := newPacks(), 0
	take := func(form string) *pack {
		x, err := s.take(value, form, func() ([]byte, error) { made++; return []byte(form), nil })
		if err != nil {
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

// TestPacksCloseTwice wants a program that is closed again and again, also at the same time, to end its own use of a
// pack alone: another program has it still.
func TestPacksCloseTwice(t *testing.T) {
	const text = "ENTRY e { ROOT c = f32[2] constant({1, 2}) }"
	value := literal.Zeros(shape.Array(shape.F32, 2))
	shared, list := newPacks(), make([]*program, 2)
	for i := range list {
		p := mustCompile(t, text, Options{})
		p.packs = shared
		x, err := shared.take(value, "form", func() ([]byte, error) { return []byte("bytes"), nil })
		if err != nil {
			t.Fatal(err)
		}
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
