package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
)

const benchHelp = `M is a case folder, which brings its inputs, or a program, which runs on random ones.
The clock runs while results are made: inputs are in place before, results are closed after.
`

type benchOptions struct {
	backend       string
	threads, runs int
	seconds       float64
	concurrency   int
	allowFallback bool
	json          string
}

// used is how many threads run the program.
func (o *benchOptions) used() int {
	if o.backend == "reference" {
		return 1
	}
	return cpu.Threads(o.threads)
}

// benchReport is what bench prints.
type benchReport struct {
	Name        string   `json:"name"`
	Backend     string   `json:"backend"`
	Threads     int      `json:"threads"`
	LoadMS      float64  `json:"load_ms"`
	CompileMS   float64  `json:"compile_ms"`
	P10         float64  `json:"p10_ms"`
	P50         float64  `json:"p50_ms"`
	P90         float64  `json:"p90_ms"`
	P99         float64  `json:"p99_ms"`
	Runs        int      `json:"runs"`
	Throughput  float64  `json:"throughput"`
	FLOPs       int64    `json:"flops"`
	Bytes       int64    `json:"bytes"`
	GFLOPs      float64  `json:"gflops"`
	GBs         float64  `json:"gbs"`
	Roofline    float64  `json:"roofline_fraction"`
	Fallbacks   []string `json:"fallbacks"`
	Peak        int64    `json:"peak_bytes"`
	Liveness    int64    `json:"liveness_bytes"`
	RSSFirst    int64    `json:"rss_bytes_first"`
	RSSLast     int64    `json:"rss_bytes_last"`
	ThreadsMost int64    `json:"os_threads_max"`
}

func benchCommand(t *tool, args []string) error {
	fl := t.flags("bench")
	o := benchOptions{}
	fl.StringVar(&o.backend, "backend", "cpu", "what runs the program")
	fl.IntVar(&o.threads, "threads", 0, "threads to use; 0: as many as there are")
	fl.IntVar(&o.runs, "runs", 0, "runs in all; 0: as many as the seconds allow")
	fl.Float64Var(&o.seconds, "seconds", 2, "how long to run")
	fl.IntVar(&o.concurrency, "concurrency", 1, "runs at the same time")
	fl.BoolVar(&o.allowFallback, "allow-fallback", false, "let the reference run what the backend cannot")
	fl.StringVar(&o.json, "json", "", "write JSON to this `file`, - for the standard output")
	words, err := t.parse(fl, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return exitf(exitUsage, "got %d programs, want one", len(words))
	case o.concurrency < 1 || o.runs < 0 || o.seconds <= 0:
		return exitf(exitUsage, "concurrency %d, runs %d, seconds %g: want positive numbers", o.concurrency, o.runs,
			o.seconds)
	}
	r, err := t.bench(&o, words[0])
	if err != nil {
		return err
	}
	return t.printBench(&o, r)
}

// bench loads, compiles and times a program.
func (t *tool) bench(o *benchOptions, path string) (*benchReport, error) {
	begin := time.Now()
	p, err := t.openBench(o, path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	r := &benchReport{Name: filepath.Base(path), Backend: o.backend, Threads: o.used(), LoadMS: millis(begin),
		Fallbacks: []string{}}
	begin = time.Now()
	if err := p.compile(t.ctx, o); err != nil {
		return nil, err
	}
	r.CompileMS = millis(begin)
	r.Fallbacks = append(r.Fallbacks, fallbacks(p.exe)...)
	if len(r.Fallbacks) > 0 && !o.allowFallback && o.backend != "reference" {
		return nil, fmt.Errorf("the reference would run %s: --allow-fallback lets it", r.Fallbacks)
	}
	cost := p.module.Cost(nil)
	r.FLOPs, r.Bytes = cost.FLOPs, cost.Bytes
	memory := p.exe.Memory()
	r.Peak, r.Liveness = memory.Peak, memory.Liveness
	if err := p.warmUp(t.ctx); err != nil {
		return nil, err
	}
	if err := p.measure(t.ctx, o, r); err != nil {
		return nil, err
	}
	if o.backend == "cpu" {
		r.Roofline = math.Round(cpu.Roof(o.threads).Fraction(r.FLOPs, r.Bytes, r.P50/1e3)*1e4) / 1e4
	}
	return r, nil
}

// measure runs the program until time or runs are used up, and fills in what was seen.
func (p *benchProgram) measure(ctx context.Context, o *benchOptions, r *benchReport) error {
	m := newMeter(o)
	var wg sync.WaitGroup
	errs := make([]error, o.concurrency)
	begin := time.Now()
	for i := range o.concurrency {
		wg.Go(func() { errs[i] = m.loop(ctx, p) })
	}
	wg.Wait()
	elapsed := time.Since(begin).Seconds()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	ms := m.sorted()
	r.Runs = len(ms)
	r.P10, r.P50, r.P90, r.P99 = quantile(ms, .1), quantile(ms, .5), quantile(ms, .9), quantile(ms, .99)
	r.Throughput = float64(r.Runs) / elapsed
	median := max(r.P50, 1e-6)
	r.GFLOPs, r.GBs = float64(r.FLOPs)/median/1e6, float64(r.Bytes)/median/1e6
	r.RSSFirst, r.RSSLast, r.ThreadsMost = m.first.Load(), residentBytes(), max(m.threads.Load(), osThreads())
	return nil
}

// meter hands out runs to goroutines and keeps their times.
type meter struct {
	times    []float32 // milliseconds, by number of run; made and touched before the first
	next     atomic.Int64
	deadline time.Time // zero: none
	tenth    int64     // the run, or the time, after which the resident set is looked at first
	early    time.Time
	first    atomic.Int64
	threads  atomic.Int64
}

// minRuns are made however short the time is.
const minRuns = 5

// maxTimes is how many times are kept when only the seconds end a benchmark.
const maxTimes = 1 << 22

func newMeter(o *benchOptions) *meter {
	m := &meter{}
	n := o.runs
	if n == 0 {
		n = maxTimes
	}
	m.times = slices.Repeat([]float32{-1}, n)
	m.tenth = int64(n) / 10
	if o.runs == 0 {
		d := time.Duration(o.seconds * float64(time.Second))
		m.early, m.deadline = time.Now().Add(d/10), time.Now().Add(d)
	}
	return m
}

func (m *meter) loop(ctx context.Context, p *benchProgram) error {
	for m.deadline.IsZero() || m.next.Load() < minRuns || time.Now().Before(m.deadline) {
		i := m.next.Add(1) - 1
		if i >= int64(len(m.times)) {
			return nil
		}
		begin := time.Now()
		if err := p.run(ctx); err != nil {
			return err
		}
		m.times[i] = float32(time.Since(begin).Seconds() * 1e3)
		m.look(i, begin)
	}
	return nil
}

// look takes the resident set once after a tenth of the work, and now and then the number of threads.
func (m *meter) look(i int64, now time.Time) {
	if m.first.Load() == 0 && (i >= m.tenth || !m.early.IsZero() && now.After(m.early)) {
		m.first.CompareAndSwap(0, residentBytes())
	}
	if i == 0 || i%(1<<14) == 1<<13 {
		m.threads.Store(max(m.threads.Load(), osThreads()))
	}
}

// sorted returns the times of the runs that were made.
func (m *meter) sorted() []float32 {
	ms := m.times[:min(m.next.Load(), int64(len(m.times)))]
	slices.Sort(ms)
	for len(ms) > 0 && ms[0] < 0 {
		ms = ms[1:]
	}
	return ms
}

func quantile(sorted []float32, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return math.Round(float64(sorted[int(q*float64(len(sorted)-1)+.5)])*1e6) / 1e6
}

func millis(since time.Time) float64 { return time.Since(since).Seconds() * 1e3 }

// residentBytes is the process's resident set, 0 where the system does not tell.
func residentBytes() int64 {
	var total, resident int64
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fmt.Sscan(string(b), &total, &resident)
	return resident * int64(os.Getpagesize())
}

// osThreads is how many threads the process has, 0 where the system does not tell.
func osThreads() int64 {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return int64(len(entries))
}

func (t *tool) printBench(o *benchOptions, r *benchReport) error {
	if o.json == "" {
		fmt.Fprintf(t.stdout, "%s on %s: p50 %.4g ms, p90 %.4g, p99 %.4g; %d runs, %.4g a second\n", r.Name, r.Backend,
			r.P50, r.P90, r.P99, r.Runs, r.Throughput)
		fmt.Fprintf(t.stdout, "%.4g GFLOP/s, %.4g GB/s, %.2g of the roof; compiled in %.4g ms\n", r.GFLOPs, r.GBs,
			r.Roofline, r.CompileMS)
		return nil
	}
	var w io.Writer = t.stdout
	if o.json != "-" {
		f, err := os.Create(o.json)
		if err != nil {
			return err
		}
		defer f.Close()
		w = f
	}
	return json.NewEncoder(w).Encode(r)
}
