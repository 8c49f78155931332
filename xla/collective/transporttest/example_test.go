package transporttest_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/collective/transporttest"
)

// A rank that is told in a word what to do finds the case.
func ExampleFind() {
	c, ok := transporttest.Find("exchange")
	fmt.Println(c.Ranks, ok)
	var wg sync.WaitGroup
	for _, tr := range collective.Loopback(c.Ranks) {
		wg.Go(func() { fmt.Println(c.Do(context.Background(), tr)) })
	}
	wg.Wait()
	// Output:
	// 4 true
	// all rounds are right
	// all rounds are right
	// all rounds are right
	// all rounds are right
}
