package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
)

const benchHelp = `M is a case folder, which brings its inputs, or a program, which runs on random ones.
The clock runs while results are made: inputs are in place before, results are closed after.
rss_bytes_first and rss_bytes_last are the resident set after a tenth of the runs and at the end, each the greatest of
32 readings in a tenth of the runs: it goes up and down with the garbage collector's cycles.
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
	if err := p.warmUp(t.ctx, o.concurrency); err != nil {
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
	defer m.resident.close()
	if err := byAll(o.concurrency, func() error { return m.loop(ctx, p) }); err != nil {
		return err
	}
	elapsed := time.Since(m.begin).Seconds()
	m.look(slots)
	r.Runs = int(m.times.count())
	r.P10, r.P50, r.P90, r.P99 = m.times.quantile(.1), m.times.quantile(.5), m.times.quantile(.9), m.times.quantile(.99)
	r.Throughput = float64(r.Runs) / elapsed
	median := max(r.P50, 1e-6)
	r.GFLOPs, r.GBs = float64(r.FLOPs)/median/1e6, float64(r.Bytes)/median/1e6
	r.RSSFirst, r.RSSLast, r.ThreadsMost = m.first, m.last, m.threads
	return nil
}

// meter hands out runs to goroutines and counts their times. It needs no memory for them, so that the resident set is
// the program's.
type meter struct {
	times    histogram
	next     atomic.Int64
	runs     int64 // 0: until the duration is over
	begin    time.Time
	duration time.Duration
	slot     atomic.Int64 // of the last look

	mu          sync.Mutex
	resident    *resident
	first, last int64 // the resident set
	threads     int64
}

// minRuns are made however short the time is.
const minRuns = 5

// A benchmark has so many slots, in each of which the meter looks at the process once. The resident set of firstSlots
// is the first, that of lastSlots the last: the greatest that is seen in a tenth of the work, since it goes up and down
// with the collector's cycles.
const slots = 320

var firstSlots, lastSlots = [2]int64{slots / 10, slots / 5}, [2]int64{slots * 9 / 10, slots + 1}

func newMeter(o *benchOptions) *meter {
	m := &meter{runs: int64(o.runs), resident: openResident(), begin: time.Now()}
	m.duration = time.Duration(o.seconds * float64(time.Second))
	return m
}

func (m *meter) loop(ctx context.Context, p *benchProgram) error {
	for {
		i, now := m.next.Add(1)-1, time.Now()
		if m.runs > 0 && i >= m.runs || m.runs == 0 && i >= minRuns && now.Sub(m.begin) >= m.duration {
			return nil
		}
		if err := p.run(ctx); err != nil {
			return err
		}
		m.times.add(time.Since(now))
		m.perhapsLook(i, now)
	}
}

// perhapsLook looks at the process if nobody has in this slot.
func (m *meter) perhapsLook(i int64, now time.Time) {
	slot := int64(slots * float64(now.Sub(m.begin)) / float64(m.duration))
	if m.runs > 0 {
		slot = slots * i / m.runs
	}
	if old := m.slot.Load(); slot > old && m.slot.CompareAndSwap(old, slot) {
		m.look(slot)
	}
}

// look takes the resident set and the number of threads.
func (m *meter) look(slot int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	bytes := m.resident.bytes()
	if m.first == 0 || firstSlots[0] <= slot && slot < firstSlots[1] {
		m.first = max(m.first, bytes)
	}
	if lastSlots[0] <= slot && slot < lastSlots[1] {
		m.last = max(m.last, bytes)
	}
	if slot%(slots/10) == 0 {
		m.threads = max(m.threads, osThreads())
	}
}

func millis(since time.Time) float64 { return time.Since(since).Seconds() * 1e3 }

// resident reads the process's resident set. What it needs for that it has from the beginning.
type resident struct {
	file   *os.File // nil where the system does not tell
	buffer [128]byte
}

func openResident() *resident {
	f, _ := os.Open("/proc/self/statm")
	return &resident{file: f}
}

// bytes returns the resident set, 0 where the system does not tell.
func (r *resident) bytes() int64 {
	if r.file == nil {
		return 0
	}
	n, _ := r.file.ReadAt(r.buffer[:], 0)
	pages, field := int64(0), 0 // it is the second field
	for _, c := range r.buffer[:n] {
		switch {
		case c == ' ':
			field++
		case field == 1:
			pages = 10*pages + int64(c-'0')
		}
	}
	return pages * int64(os.Getpagesize())
}

func (r *resident) close() {
	if r.file != nil {
		r.file.Close()
	}
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
