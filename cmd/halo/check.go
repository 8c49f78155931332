package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
)

// The outcomes of a check.
const (
	statusPass        = "pass"
	statusFail        = "fail"
	statusError       = "error"
	statusUnsupported = "unsupported"
	statusSkip        = "skip"
)

// outcome is what check says of one module or one form of a case.
type outcome struct {
	File      string   `json:"file"`
	Module    string   `json:"module"`
	Status    string   `json:"status"`
	Message   string   `json:"message"`
	Millis    float64  `json:"ms"`
	Fallbacks []string `json:"fallbacks"`
	Outputs   string   `json:"outputs_sha256"`
}

type checkOptions struct {
	hardware    // with no number of threads: counts are
	json        bool
	backend     string
	counts      []int // of threads, which a program runs with in turn
	timeout     time.Duration
	forms       []string
	plugins     string
	isolate     bool
	isolateEnv  []string
	library     string // cases of others are skipped; "": none is
	wrap        func(customcall.Handler) customcall.Handler
	unsupported map[string]string
	job         *collective.Job // nil: this process is alone
	paths       []string
	in          io.Reader // what the path "-" is
}

func checkCommand(t *tool, args []string) error {
	o, err := parseCheck(t, args)
	return t.inJob(err, func() error {
		o.job = t.job
		return t.check(o)
	})
}

func (t *tool) check(o *checkOptions) error {
	jobs, err := collect(o)
	if err := t.ready(err); err != nil {
		return err
	}
	tally, ran := map[string]int{}, 0
	for _, out := range runJobs(t.ctx, o, jobs) {
		for _, r := range out {
			o.excuse(&r)
			if tally[r.Status]++; r.Status == statusPass && r.Message == onlyRan {
				ran++
			}
			t.print(o, r)
		}
	}
	failed := tally[statusFail] + tally[statusError] + tally[statusUnsupported]
	if ran > 0 && ran == tally[statusPass] { // of single ones among others the JSON says so
		fmt.Fprintf(t.stderr, "halo check: what passed only ran: there are no checks in it and no answers beside it\n")
	}
	fmt.Fprintf(t.stdout, "%d passed, %d failed, %d skipped\n", tally[statusPass], failed, tally[statusSkip])
	if failed > 0 {
		return errSilent
	}
	return t.ctx.Err()
}

func (t *tool) print(o *checkOptions, r outcome) {
	if o.json {
		if r.Fallbacks == nil {
			r.Fallbacks = []string{}
		}
		t.json(r)
		return
	}
	if r.Status == statusPass {
		return
	}
	if begins, ok := strings.CutPrefix(r.Message, r.File+":"); ok && strings.IndexAny(begins, "0123456789") == 0 {
		fmt.Fprintf(t.stdout, "%s: %s\n", r.Status, shownLines(r.Message)) // the line says which module
		return
	}
	where := r.File
	if r.Module != "" {
		where += " (" + r.Module + ")"
	}
	fmt.Fprintf(t.stdout, "%s: %s: %s\n", r.Status, shown(where),
		shownLines(strings.TrimPrefix(r.Message, r.File+": ")))
}

func parseCheck(t *tool, args []string) (*checkOptions, error) {
	fl := t.flags("check")
	o := &checkOptions{in: t.in}
	var threads, forms, unsupported string
	var seconds float64
	fl.BoolVar(&o.json, "json", false, "one JSON line per module or form")
	fl.StringVar(&o.backend, "backend", "cpu", "what runs the programs")
	fl.StringVar(&threads, "threads", "",
		"thread counts to run with, such as 1,2,7: their results must be equal to the bit")
	fl.Float64Var(&seconds, "timeout", 120, "seconds for each module or form")
	fl.StringVar(&forms, "forms", "", "run only these forms of a case, such as mlir,hlo")
	fl.StringVar(&o.plugins, "plugins", "", "folder with the cases' custom-call libraries")
	o.flagTF32(fl, "as halo run has it")
	fl.BoolVar(&o.isolate, "isolate", false, "run custom-call libraries in processes of their own")
	fl.StringVar(&unsupported, "unsupported", "",
		"`file` of lines \"path reason\": cases that must be refused as unsupported")
	var err error
	if o.paths, err = t.parse(fl, args); err != nil {
		return nil, err
	}
	if len(o.paths) == 0 {
		return nil, exitf(exitUsage, "no path given, want files or folders")
	}
	if o.timeout = time.Duration(seconds * float64(time.Second)); o.timeout <= 0 {
		return nil, exitf(exitUsage, "--timeout: got %v seconds, want a positive number", seconds)
	}
	if o.counts, err = parseThreads(threads); err != nil {
		return nil, err
	}
	if o.forms, err = parseForms(forms); err != nil {
		return nil, err
	}
	if _, err = newBackend(o.backend, o.hardware); err != nil {
		return nil, err
	}
	if err = given("--plugins", o.plugins); err != nil {
		return nil, err
	}
	o.unsupported, err = readUnsupported(unsupported)
	return o, err
}

func parseThreads(s string) ([]int, error) {
	if s == "" {
		return []int{0}, nil
	}
	var out []int
	for _, f := range strings.Split(s, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 || n > cpu.MaxThreads {
			return nil, exitf(exitUsage, "--threads: got %q, want numbers from 1 to %d such as 1,2,7", f, cpu.MaxThreads)
		}
		out = append(out, n)
	}
	return out, nil
}

// parseForms reads what --forms lists: forms, or names of files that have one.
func parseForms(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	forms := strings.Split(s, ",")
	known := append(slices.Clone(formNames), "bc")
	for _, f := range forms {
		if _, name := form(f); name == "" && !slices.Contains(known, f) {
			return nil, exitf(exitUsage, "--forms: got %q%s, want some of %s, or such a file's name",
				f, spelling.Meant(f, known), strings.Join(known, ", "))
		}
	}
	return forms, nil
}

func readUnsupported(file string) (map[string]string, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := map[string]string{}
	s := bufio.NewScanner(f)
	for s.Scan() {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		path, reason, _ := strings.Cut(line, " ")
		list[filepath.Clean(path)] = reason
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

// excuse turns a refusal that was announced into a skip, and a listed case that was not refused into a failure.
func (o *checkOptions) excuse(r *outcome) {
	reason, listed := o.listed(r.File)
	switch {
	case !listed:
	case r.Status == statusUnsupported:
		r.Status, r.Message = statusSkip, "unsupported as listed ("+reason+"): "+r.Message
	case r.Status != statusSkip:
		r.Status, r.Message = statusFail, "listed as unsupported ("+reason+"), but got "+r.Status+": "+r.Message
	}
}

// listed finds a line for the path, for its folder, or for the last parts of either.
func (o *checkOptions) listed(file string) (string, bool) {
	for path, reason := range o.unsupported {
		for _, p := range []string{file, filepath.Dir(file)} {
			if p == path || strings.HasSuffix(p, string(filepath.Separator)+path) {
				return reason, true
			}
		}
	}
	return "", false
}

// job is one file or one case folder; it gives one outcome a module or a form.
type job struct {
	path string
	run  func(ctx context.Context, o *checkOptions, path string) []outcome
}

// collect finds the programs and case folders below the paths.
func collect(o *checkOptions) ([]job, error) {
	var jobs []job
	err := eachProgram(o.paths, isCase, func(path string, isCase bool) {
		j := job{path, checkFile}
		if isCase {
			j.run = checkCase
		}
		jobs = append(jobs, j)
	})
	return jobs, err
}

// runJobs runs the jobs side by side and returns their outcomes in order, of those that have begun when ctx ends.
func runJobs(ctx context.Context, o *checkOptions, jobs []job) [][]outcome {
	out := make([][]outcome, len(jobs))
	next := make(chan int)
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	if o.job != nil { // all ranks run the same program at a time
		workers = 1
	}
	for range workers {
		wg.Go(func() {
			for i := range next {
				out[i] = jobs[i].run(ctx, o, jobs[i].path)
			}
		})
	}
	begun := len(jobs)
	for i := range jobs {
		if ctx.Err() != nil && o.job == nil { // told to stop; ranks go on together, and fail one by one
			begun = i
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return out[:begun]
}

// guarded runs f within the time limit and turns what it fails with, panics too, into r's status.
func guarded(ctx context.Context, o *checkOptions, r *outcome, f func(ctx context.Context, r *outcome) error) outcome {
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout, fmt.Errorf("ran longer than %v", o.timeout))
	defer cancel()
	start := time.Now()
	done := make(chan outcome, 1)
	go func(r outcome) {
		r.settle(caught(func() error { return f(ctx, &r) }))
		done <- r
	}(*r)
	select {
	case *r = <-done:
	case <-time.After(o.timeout + 10*time.Second):
		r.settle(errors.New("did not stop when its time was over"))
	}
	r.Millis = float64(time.Since(start).Microseconds()) / 1000
	return *r
}

func caught(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// errWrong is a program that ran and gave a wrong answer, errSkip one that has nothing to judge.
type (
	errWrong struct{ error }
	errSkip  struct{ error }
)

func (r *outcome) settle(err error) {
	if err == nil {
		r.Status = statusPass
		return
	}
	r.Message = err.Error()
	var wrong errWrong
	var skip errSkip
	var known *xla.Error
	switch {
	case errors.As(err, &wrong):
		r.Status = statusFail
	case errors.As(err, &skip):
		r.Status = statusSkip
	case errors.As(err, &known) && known.Code == xla.Unsupported, errors.Is(err, errors.ErrUnsupported):
		r.Status = statusUnsupported
	default:
		r.Status = statusError
	}
}
