package plugin

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
)

// Timer repeats every successful call of the handlers that it wraps and takes the time.
type Timer struct {
	// For is how long a call is repeated.
	For time.Duration

	mu      sync.Mutex
	results []Timing
}

// Timing is how long the calls of a site took: the median and the 90th percentile, in nanoseconds, and the bytes of
// operands and results in that median.
type Timing struct {
	Target string  `json:"target"`
	Calls  int     `json:"calls"`
	P50    float64 `json:"p50_ns"`
	P90    float64 `json:"p90_ns"`
	GBs    float64 `json:"gbs"`
}

// Results returns the timings, in the order of the calls.
func (t *Timer) Results() []Timing {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.results)
}

// Wrap returns h with its calls timed.
func (t *Timer) Wrap(h customcall.Handler) customcall.Handler { return timed{t, h} }

type timed struct {
	*Timer
	customcall.Handler
}

// Instantiate wraps an instance.
func (t timed) Instantiate(ctx context.Context, s *ffi.Site) (customcall.Instance, error) {
	i, err := t.Handler.Instantiate(ctx, s)
	if err != nil {
		return nil, err
	}
	return timedInstance{t.Timer, i}, nil
}

type timedInstance struct {
	*Timer
	customcall.Instance
}

// batch is how many calls are timed together: reading the clock takes some time itself.
const batch = 16

// Call executes the site, and then again on the same arrays until the time is over.
func (t timedInstance) Call(ctx context.Context, c *ffi.Call) error {
	if err := t.Instance.Call(ctx, c); err != nil {
		return err
	}
	var times []float64
	for end := time.Now().Add(t.For); time.Now().Before(end) && ctx.Err() == nil; {
		start := time.Now()
		for range batch {
			if err := t.Instance.Call(ctx, c); err != nil {
				return err
			}
		}
		times = append(times, float64(time.Since(start).Nanoseconds())/batch)
	}
	t.add(c, times)
	return t.Instance.Call(ctx, c)
}

func (t *Timer) add(c *ffi.Call, times []float64) {
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	r := Timing{Target: c.Site.Target, Calls: batch * len(times), P50: times[len(times)/2], P90: times[len(times)*9/10]}
	bytes := 0
	for _, b := range slices.Concat(c.Operands, c.Results) {
		bytes += len(b.Data)
	}
	r.GBs = float64(bytes) / max(r.P50, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results = append(t.results, r)
}
