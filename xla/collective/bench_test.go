package collective

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// BenchmarkMeet is a rendezvous: the devices of one group come, one after the other, and all go on.
func BenchmarkMeet(b *testing.B) {
	for _, n := range []int{2, 4, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			group := make([]int, n)
			for d := range group {
				group[d] = d
			}
			h := NewHub(Grid{Replicas: int64(n)})
			m := Meeting{Op: "x", Group: group, Program: "p"}.Ready()
			none := func([]any) (any, error) { return nil, nil }
			var wg sync.WaitGroup
			b.ReportAllocs()
			for d := range n {
				wg.Go(func() {
					for range b.N {
						if _, err := h.Meet(context.Background(), d, m, nil, none); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkWakeUp is what BenchmarkMeet cannot be faster than where it has to sleep: n-1 goroutines wait for a channel
// that the last one closes.
func BenchmarkWakeUp(b *testing.B) {
	for _, n := range []int{2, 4, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var mu sync.Mutex
			here, all := 0, make(chan struct{})
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					for range b.N {
						mu.Lock()
						c := all
						if here++; here == n {
							here, all = 0, make(chan struct{})
							close(c)
						}
						mu.Unlock()
						<-c
					}
				})
			}
			wg.Wait()
		})
	}
}
