package hlo

import (
	"strings"
	"sync"
	"testing"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// TestShareResultsOfAnother wants a rank whose results cannot be to be named, and to be told.
func TestShareResultsOfAnother(t *testing.T) {
	one := literal.ScalarOf(shape.F32, 1)
	for name, c := range map[string]struct {
		brings func() ([]byte, error)
		want   string
	}{
		"none":    {literal.NewTuple().MarshalBinary, "the results of rank 1: those of device 1 are missing"},
		"no tree": {func() ([]byte, error) { return []byte("what is this"), nil }, "the results of rank 1: "},
		"one of two": {literal.NewTuple(one).MarshalBinary,
			"the results of rank 1: those of device 2 are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			ranks := collective.Loopback(2)
			var wg sync.WaitGroup
			wg.Go(func() {
				err := ShareResults(t.Context(), collective.NewJob(ranks[0]), []int{0, 1, 1}, []*literal.Literal{one, nil, nil})
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
			})
			data, err := c.brings()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := collective.NewJob(ranks[1]).Gather(t.Context(), data); err != nil &&
				!strings.Contains(err.Error(), c.want) { // rank 0 may have told already
				t.Error(err)
			}
			if err := ranks[1].Watch(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("rank 1 is told %v, want %q", err, c.want)
			}
			wg.Wait()
		})
	}
}
