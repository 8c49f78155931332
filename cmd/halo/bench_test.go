package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/customcall"
	"github.com/halo-xla/halo/ffi"
	"github.com/halo-xla/halo/internal/testfile"
)

func TestBench(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.hlo")
	text := "HloModule m\nENTRY e { a = f32[3,5] parameter(0) b = f32[5,7] parameter(1) " +
		"ROOT r = f32[3,7] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, message := halo(t, ".", "", "bench", file, "--backend", "reference", "--runs", "50", "--concurrency", "3",
		"--json", "-")
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, message)
	}
	var r benchReport
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&r); err != nil {
		t.Fatal(err)
	}
	if r.Runs != 50 || r.FLOPs != 210 || r.Bytes != 4*(15+35+21) {
		t.Errorf("got %d runs, %d FLOPs, %d bytes, want 50, 210, 284", r.Runs, r.FLOPs, r.Bytes)
	}
	if !slices.IsSorted([]float64{0, r.P10, r.P50, r.P90, r.P99}) || r.P50 == 0 {
		t.Errorf("quantiles %g %g %g %g are not in order", r.P10, r.P50, r.P90, r.P99)
	}
	if r.RSSFirst <= 0 || r.RSSLast <= 0 || r.ThreadsMost <= 0 {
		t.Errorf("resident set %d and %d, %d threads: want all above 0", r.RSSFirst, r.RSSLast, r.ThreadsMost)
	}
}

// With --report each step of the program is listed, with a time.
func TestBenchReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.hlo")
	text := "HloModule m\nless { x = f32[] parameter(0) y = f32[] parameter(1) " +
		"ROOT l = pred[] compare(x, y), direction=LT }\nENTRY e { a = f32[3,5] parameter(0) b = f32[5,7] parameter(1) " +
		"c = f32[3,7] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} " +
		"ROOT r = f32[3,7] sort(c), dimensions={1}, to_apply=less }"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, message := halo(t, ".", "", "bench", file, "--runs", "20", "--report")
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, message)
	}
	steps := strings.Split(strings.TrimSpace(out), "\n")[2:] // after the figures of the whole
	if len(steps) != 2 || !strings.HasPrefix(steps[0], "dot ") || !strings.HasPrefix(steps[1], "sort ") {
		t.Errorf("got the steps\n%s", strings.Join(steps, "\n"))
	}
	for _, s := range steps {
		if f := strings.Fields(s); !strings.HasSuffix(f[len(f)-1], "s") || f[len(f)-1] == "0s" {
			t.Errorf("%q has no time", s)
		}
	}
}

// A chain of operations moves what is outside of it once, whatever it has between.
func TestBenchBytes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.hlo")
	text := "ENTRY e { a = f32[3,5] parameter(0) b = f32[3,5] add(a, a) c = f32[3,5] tanh(b) ROOT r = f32[3,5] negate(c) }"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, out, message := halo(t, ".", "", "bench", file, "--runs", "1", "--json", "-")
	var r benchReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.FLOPs != 45 || r.Bytes != 4*(15+15) {
		t.Errorf("%s: got %d FLOPs, %d bytes (%v), want 45, 120", message, r.FLOPs, r.Bytes, err)
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	if got := h.quantile(.5); got != 0 || h.count() != 0 {
		t.Errorf("nothing: got the median %g of %d times", got, h.count())
	}
	for ms := range 11 {
		h.add(time.Duration(ms+1)*time.Millisecond, 1)
	}
	for q, want := range map[float64]float64{0: 1, .1: 2, .5: 6, .99: 11, 1: 11} {
		if got := h.quantile(q); math.Abs(got-want) > want/1000 {
			t.Errorf("quantile %g: got %g, want %g within a thousandth", q, got, want)
		}
	}
	h.add(0, 1)
	h.add(1000*time.Hour, 1)
	h.add(16*time.Millisecond, 4) // of 4 ms each
	if got := h.count(); got != 17 {
		t.Errorf("got %d times, want 17", got)
	}
	if got := h.quantile(.4); math.Abs(got-4) > 4./1000 {
		t.Errorf("four runs together: got the quantile %g, want 4", got)
	}
}

func TestBenchRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"bench": "got 0 programs", "bench a b": "got 2 programs",
		"bench a --concurrency 0":        "--concurrency: got 0, want 1 or more",
		"bench a --seconds 0":            "--seconds: got 0, want more than 0",
		"bench a --seconds NaN":          "--seconds: got NaN, want more than 0",
		"bench a --runs -1":              "--runs: got -1, want 1 or more, or 0",
		"plugin bench --runs -1 a.so":    "--runs: got -1, want 1 or more, or 0",
		"plugin bench --seconds=-1 a.so": "--seconds: got -1, want more than 0",
	} {
		if code, _, message := halo(t, ".", "", strings.Fields(args)...); code != exitUsage || !strings.Contains(message, want) {
			t.Errorf("%s: exit %d, %q, want %d, %q", args, code, message, exitUsage, want)
		}
	}
}

// plugin bench makes as many calls as it is told, and two more: the program's own, and one for the results.
func TestCallBench(t *testing.T) {
	for _, runs := range []int64{0, 1, 100} {
		calls := int64(0)
		b := &callBench{runs: runs, seconds: 1e-3}
		h := b.wrap(customcall.Func(func(context.Context, *ffi.Call) error { calls++; return nil }))
		site := &ffi.Site{Target: "f"}
		i, err := h.Instantiate(t.Context(), site)
		if err != nil {
			t.Fatal(err)
		}
		if err := i.Call(t.Context(), &ffi.Call{Site: site}); err != nil {
			t.Fatal(err)
		}
		i.Close()
		if len(b.reports) != 1 || calls-2 != b.reports[0].Calls || runs > 0 && calls-2 != runs || calls < 3 {
			t.Fatalf("%d runs: got %+v after %d calls", runs, b.reports, calls)
		}
		if r := b.reports[0]; r.Target != "f" || r.P90 < r.P50 || r.RSSFirst <= 0 || r.RSSLast <= 0 {
			t.Errorf("%d runs: got %+v", runs, r)
		}
	}
}

// The resident set is that of this process and of what it has started.
func TestResident(t *testing.T) {
	_, err := os.Stat("/proc/self/statm")
	testfile.Library(t, "proc", err)
	alone := len(children())
	c := exec.Command("cat")
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	r := openResident()
	defer r.close()
	if got := len(children()); got != alone+1 || len(r.files) != got+1 {
		t.Errorf("got %d children, of which %d are read, want %d", got, len(r.files)-1, alone+1)
	}
	if got := r.bytes(); got <= 0 {
		t.Errorf("got %d bytes", got)
	}
}
