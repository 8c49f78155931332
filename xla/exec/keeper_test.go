package exec

import (
	"testing"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// bytesOf returns a literal of n bytes.
func bytesOf(t *testing.T, n int64) *literal.Literal {
	t.Helper()
	l, err := literal.FromBytes(shape.Array(shape.U8, n), make([]byte, n))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestKeeperLimit wants the oldest to go first, on whichever shelf it lies, and not what has just been kept.
func TestKeeperLimit(t *testing.T) {
	k := newKeeper(2)
	k.setLimit(100 << 10)
	stale, used := bytesOf(t, 90<<10), bytesOf(t, 60<<10)
	k.shelves[0].recycle(stale)
	for range 3 {
		k.shelves[1].recycle(used)
		if n := k.bytes.Load(); n != 60<<10 {
			t.Fatalf("%d bytes are kept, want 60 KiB", n)
		}
		if _, again := k.memoryOf(k.shelves[1], 60<<10); again != used {
			t.Fatalf("got %v, want what was kept last", again)
		}
	}
}

// TestKeeperShelves wants memory of the own shelf before that of others, and that before new memory.
func TestKeeperShelves(t *testing.T) {
	k := newKeeper(2)
	mine, other := bytesOf(t, 8), bytesOf(t, 8)
	k.shelves[0].recycle(other)
	k.shelves[1].recycle(mine)
	for i, want := range []*literal.Literal{mine, other, nil} {
		if _, got := k.memoryOf(k.shelves[1], 8); got != want {
			t.Errorf("time %d: got %p, want %p", i, got, want)
		}
	}
}
