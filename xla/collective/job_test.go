package collective

import (
	"encoding/binary"
	"strings"
	"sync"
	"testing"
)

// TestGatherBound wants a rank that says it brings more than there is to be refused by its number, and told.
func TestGatherBound(t *testing.T) {
	const want = "rank 1 brings 68719476737 bytes, want at most 68719476736"
	ranks := Loopback(2)
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := NewJob(ranks[0]).Gather(t.Context(), []byte("a")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	})
	size := binary.LittleEndian.AppendUint64(nil, maxGather+1)
	in := [][]byte{make([]byte, 8), size}
	if err := ranks[1].Exchange(t.Context(), tagOf(1, "gather"), []int{0, 1}, [][]byte{size, size}, in); err != nil &&
		!strings.Contains(err.Error(), want) { // rank 0 may have told already
		t.Fatal(err)
	}
	if err := ranks[1].Watch(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("rank 1 is told %v, want %q", err, want)
	}
	wg.Wait()
}
