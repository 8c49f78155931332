package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla/exec"
)

const benchHelp = `M is a case folder, which brings its inputs, or a program, which runs on random ones.
The clock runs while results are made: inputs are in place before, results are closed after.
GFLOP/s are of the operations that the program has, each loop's once, and GB/s of the bytes of its arguments and
results. The roof is what the machine does at most with as many threads, measured after the runs: f32 multiply-adds, and
copies past the caches. The nearer one counts; work in the caches may give more than 1.
` + residentHelp

type benchOptions struct {
	hardware
	backend       string
	runs          int
	seconds       float64
	concurrency   int
	allowFallback bool
	json          string
	report        bool
	plugins       pluginFlags
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
	Steps       []string `json:"steps,omitempty"`
}

func benchCommand(t *tool, args []string) error {
	fl := t.flags("bench")
	o := benchOptions{}
	fl.StringVar(&o.backend, "backend", "cpu", "what runs the program")
	fl.IntVar(&o.threads, "threads", 0, "threads to use; 0: as many as there are")
	fl.IntVar(&o.runs, "runs", 0, "runs in all; 0: as many as the seconds allow")
	fl.Float64Var(&o.seconds, "seconds", 2, "how long to run")
	o.flagTF32(fl, "as halo run has it")
	fl.IntVar(&o.concurrency, "concurrency", 1, "runs at the same time")
	fl.BoolVar(&o.allowFallback, "allow-fallback", false, "let the reference run what the backend cannot")
	fl.StringVar(&o.json, "json", "", "write JSON to this `file`, - for the standard output")
	fl.BoolVar(&o.report, "report", false, "list the steps with their mean times in one run; all are slower for it")
	o.plugins.add(fl)
	words, err := t.parse(fl, args)
	switch {
	case err != nil:
		return err
	case len(words) != 1:
		return exitf(exitUsage, "got %d programs, want one", len(words))
	case o.concurrency < 1:
		return exitf(exitUsage, "--concurrency: got %d, want 1 or more", o.concurrency)
	}
	if err := checkLength(int64(o.runs), o.seconds); err != nil {
		return err
	}
	if err := t.checkPlace(o.json); err != nil {
		return err
	}
	r, err := t.bench(&o, words[0])
	if err != nil {
		return err
	}
	return t.printBench(&o, r)
}

// checkLength refuses values of --runs and --seconds that no benchmark can have.
func checkLength(runs int64, seconds float64) error {
	switch {
	case runs < 0:
		return exitf(exitUsage, "--runs: got %d, want 1 or more, or 0 for as many as the seconds allow", runs)
	case !(seconds > 0):
		return exitf(exitUsage, "--seconds: got %g, want more than 0", seconds)
	}
	return nil
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
	r.FLOPs, r.Bytes = p.module.Cost(nil).FLOPs, p.module.OutsideBytes()
	memory := p.exe.Memory()
	r.Peak, r.Liveness = memory.Peak, memory.Liveness
	if err := p.warmUp(t.ctx, o.concurrency); err != nil {
		return nil, err
	}
	before := p.exe.Report()
	if err := p.measure(t.ctx, o, r); err != nil {
		return nil, err
	}
	if o.report {
		r.Steps = meanSteps(before, p.exe.Report(), r.Runs)
	}
	if o.backend == "cpu" {
		r.Roofline = math.Round(cpu.Roof(o.threads).Fraction(r.FLOPs, r.Bytes, r.P50/1e3)*1e4) / 1e4
	}
	return r, nil
}

// measure runs the program until time or runs are used up, and fills in what was seen.
func (p *benchProgram) measure(ctx context.Context, o *benchOptions, r *benchReport) error {
	m := newMeter(int64(o.runs), o.seconds, 1)
	defer m.close()
	run := func(int64) error { return p.run(ctx) }
	if err := byAll(o.concurrency, func() error { return m.loop(run) }); err != nil {
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

func (t *tool) printBench(o *benchOptions, r *benchReport) error {
	if o.json == "" {
		fmt.Fprintf(t.stdout, "%s on %s: p50 %.4g ms, p90 %.4g, p99 %.4g; %d runs, %.4g a second\n", r.Name, r.Backend,
			r.P50, r.P90, r.P99, r.Runs, r.Throughput)
		roof := ""
		if o.backend == "cpu" { // that of others is not known
			roof = fmt.Sprintf(", %.2g of the roof", r.Roofline)
		}
		fmt.Fprintf(t.stdout, "%.4g GFLOP/s, %.4g GB/s%s; compiled in %.4g ms\n", r.GFLOPs, r.GBs, roof, r.CompileMS)
		for _, s := range r.Steps {
			fmt.Fprintln(t.stdout, s)
		}
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

// meanSteps lists the steps with what they took on average in so many runs of the program.
func meanSteps(before, after []exec.Step, runs int) []string {
	lines := make([]string, len(after))
	for i, s := range after {
		s.Time = (s.Time - before[i].Time) / time.Duration(runs)
		lines[i] = stepText(s)
	}
	return lines
}
