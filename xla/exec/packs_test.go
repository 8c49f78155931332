package exec

import (
	"testing"

	"github.com/halo-xla/halo/xla/literal"
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
