package collective_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/collective/transporttest"
)

func TestLoopback(t *testing.T) {
	transporttest.Run(t, func(t *testing.T, c transporttest.Case) []string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		errs := make([]error, c.Ranks)
		var wg sync.WaitGroup
		for r, tr := range collective.Loopback(c.Ranks) {
			wg.Go(func() {
				errs[r] = c.Do(ctx, tr)
				if err := tr.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		var said []string
		for _, err := range errs {
			if err != nil {
				said = append(said, err.Error())
			}
		}
		return said
	})
}
