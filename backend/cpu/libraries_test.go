package cpu

import (
	"runtime"
	"testing"

	"github.com/halo-xla/halo/cgo/loops/run"
)

func TestSlowCore(t *testing.T) {
	for _, c := range []struct {
		core  string
		level run.ISA
		warns bool
	}{{"Haswell", run.AVX512, true}, {"ZEN", run.AVX512, true}, {"SkylakeX", run.AVX512, false},
		{"Cooperlake", run.AVX512, false}, {"Haswell", run.AVX2, false}, {"", run.AVX512, false}} {
		if got := slowCore(c.core, c.level); (got != "") != c.warns {
			t.Errorf("%s at %v: got %q, want a warning: %v", c.core, c.level, got, c.warns)
		}
	}
}

func TestLibrariesSayWhatWasTried(t *testing.T) {
	for _, l := range Libraries() {
		if l.Name == "" || l.Err == nil && (l.File == "" || l.Version == "") || l.Err != nil && l.Err.Error() == "" {
			t.Errorf("got %+v, want a file and a version, or the reason why there are none", l)
		}
	}
}

func TestBudget(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	for value, want := range map[string]int{"5": 5, "1000000000": MaxThreads, "0": all, "many": all, "-3": all, "": all} {
		t.Setenv("HALO_THREADS", value)
		if got := Threads(0); got != want {
			t.Errorf("HALO_THREADS=%s: got %d threads, want %d", value, got, want)
		}
		if got := Threads(3); got != 3 {
			t.Errorf("an option of 3 threads with HALO_THREADS=%s: got %d", value, got)
		}
	}
	if got := Threads(1e9); got != MaxThreads {
		t.Errorf("an option of 1e9 threads: got %d, want %d", got, MaxThreads)
	}
}
