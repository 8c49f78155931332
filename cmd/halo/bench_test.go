package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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

func TestHistogram(t *testing.T) {
	var h histogram
	if got := h.quantile(.5); got != 0 || h.count() != 0 {
		t.Errorf("nothing: got the median %g of %d times", got, h.count())
	}
	for ms := range 11 {
		h.add(time.Duration(ms+1) * time.Millisecond)
	}
	for q, want := range map[float64]float64{0: 1, .1: 2, .5: 6, .99: 11, 1: 11} {
		if got := h.quantile(q); math.Abs(got-want) > want/1000 {
			t.Errorf("quantile %g: got %g, want %g within a thousandth", q, got, want)
		}
	}
	h.add(0)
	h.add(1000 * time.Hour)
	if got := h.count(); got != 13 {
		t.Errorf("got %d times, want 13", got)
	}
}

func TestBenchRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"bench"}, {"bench", "a", "b"}, {"bench", "a", "--concurrency", "0"}, {"bench", "a", "--seconds", "0"},
	} {
		if code, _, _ := halo(t, ".", "", args...); code != exitUsage {
			t.Errorf("%v: exit %d, want %d", args, code, exitUsage)
		}
	}
}
