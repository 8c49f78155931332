package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
)

const pluginBenchHelp = `It runs the cases of FILE and repeats each call of its functions on the case's arrays.
` + residentHelp

func pluginBench(t *tool, args []string) error {
	fl := t.flags("plugin bench")
	b := &callBench{}
	fl.Float64Var(&b.seconds, "seconds", 1, "how long each call is repeated")
	fl.Int64Var(&b.runs, "runs", 0, "how often each call is repeated; 0: as often as the seconds allow")
	asJSON := fl.Bool("json", false, "one JSON line a call site")
	cases := fl.String("cases", "", "`folder` of the cases")
	isolated := fl.Bool("isolate", false, "in a process of its own")
	files, err := t.parse(fl, args)
	if err != nil {
		return err
	}
	if err := checkLength(b.runs, b.seconds); err != nil {
		return err
	}
	o, err := caseOptions(files, *cases)
	if err != nil {
		return err
	}
	o.isolate, o.wrap = *isolated, b.wrap
	failed := t.runQuietly(o)
	for _, r := range b.reports {
		if *asJSON {
			t.json(r)
		} else {
			fmt.Fprintln(t.stdout, r)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d cases failed", failed)
	}
	return t.ctx.Err()
}

// callReport says how long the calls of a site took: the median and the 90th percentile, in nanoseconds, the bytes of
// operands and results in that median, and the resident set.
type callReport struct {
	Target   string  `json:"target"`
	Calls    int64   `json:"calls"`
	P50      float64 `json:"p50_ns"`
	P90      float64 `json:"p90_ns"`
	GBs      float64 `json:"gbs"`
	RSSFirst int64   `json:"rss_bytes_first"`
	RSSLast  int64   `json:"rss_bytes_last"`
}

// String is the report as a line.
func (r callReport) String() string {
	return fmt.Sprintf("%-24s %10d calls  p50 %9.0f ns  p90 %9.0f ns  %8.3f GB/s  resident %s, at the end %s", r.Target,
		r.Calls, r.P50, r.P90, r.GBs, megabytes(r.RSSFirst), megabytes(r.RSSLast))
}

// callBench repeats each successful call of the handlers that it wraps. Cases run one after another, and so do their
// calls.
type callBench struct {
	runs    int64
	seconds float64
	reports []callReport
}

func (b *callBench) wrap(h customcall.Handler) customcall.Handler { return benchHandler{h, b} }

type benchHandler struct {
	customcall.Handler
	bench *callBench
}

// Instantiate wraps an instance.
func (h benchHandler) Instantiate(ctx context.Context, s *ffi.Site) (customcall.Instance, error) {
	i, err := h.Handler.Instantiate(ctx, s)
	if err != nil {
		return nil, err
	}
	return benchInstance{i, h.bench}, nil
}

type benchInstance struct {
	customcall.Instance
	bench *callBench
}

// together is how many calls are timed at once: reading the clock takes some time itself.
const together = 16

// Call executes the site, again on the same arrays until the benchmark is over, and once more for the results.
func (i benchInstance) Call(ctx context.Context, c *ffi.Call) error {
	if err := i.Instance.Call(ctx, c); err != nil {
		return err
	}
	m := newMeter(i.bench.runs, i.bench.seconds, together)
	defer m.close()
	err := m.loop(func(count int64) error {
		for range count {
			if err := i.Instance.Call(ctx, c); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	i.bench.add(m, c)
	return i.Instance.Call(ctx, c)
}

// add reports what a meter has seen of a call.
func (b *callBench) add(m *meter, c *ffi.Call) {
	m.look(slots)
	r := callReport{Target: c.Site.Target, Calls: m.times.count(), RSSFirst: m.first, RSSLast: m.last}
	r.P50, r.P90 = math.Round(1e6*m.times.quantile(.5)), math.Round(1e6*m.times.quantile(.9))
	bytes := 0
	for _, b := range slices.Concat(c.Operands, c.Results) {
		bytes += len(b.Data)
	}
	r.GBs = float64(bytes) / max(r.P50, 1)
	b.reports = append(b.reports, r)
}
