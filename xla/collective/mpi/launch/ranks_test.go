package launch

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
)

// TestHeldOutput wants a launch to end when its ranks have, though what they have started lives on and holds their
// output.
func TestHeldOutput(t *testing.T) {
	var out bytes.Buffer
	j := newLaunched(t.Context(), Options{Ranks: 2, Stdout: &out, Stderr: &out})
	if err := j.ranks(2, []string{"sh", "-c", "sleep 3600 & echo $!"}); err != nil {
		t.Error(err)
	}
	pids := strings.Fields(out.String())
	for _, pid := range pids {
		if err := exec.Command("kill", pid).Run(); err != nil {
			t.Errorf("%s: %v: the launch has waited for it", pid, err)
		}
	}
	if len(pids) != 2 {
		t.Errorf("got %q, want the numbers of two processes", out.String())
	}
}

// alone is a writer that several must not be in. Who is in it first stays a while, for others to come.
type alone struct {
	bytes.Buffer
	begun       sync.Once
	inside, met atomic.Int32
}

func (a *alone) Write(b []byte) (int, error) {
	if a.inside.Add(1) > 1 {
		a.met.Add(1)
	}
	defer a.inside.Add(-1)
	a.begun.Do(func() {
		for i := 0; i < 200 && a.met.Load() == 0; i++ {
			time.Sleep(time.Millisecond)
		}
	})
	return a.Buffer.Write(b)
}

// TestTurns wants ranks that write to one writer, by both of their outputs, to do so in turns.
func TestTurns(t *testing.T) {
	var a alone
	j := newLaunched(t.Context(), Options{Ranks: 4, Grace: time.Minute, Stdout: &a, Stderr: &a})
	err := j.ranks(4, []string{"sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo out; echo err >&2; done"})
	if err != nil || a.met.Load() > 0 || strings.Count(a.String(), "out\n") != 32 || strings.Count(a.String(), "err\n") != 32 {
		t.Errorf("%v: writers have met %d times, and wrote %q", err, a.met.Load(), a.String())
	}
}

// TestCannotStart wants nothing left of the ranks that were started when another cannot be: here the files are used up.
func TestCannotStart(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadDir("/proc/self/fd")
	testfile.Library(t, "proc", err)
	few := limit
	few.Cur = uint64(len(open)) + 30
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit) }()
	j := newLaunched(t.Context(), Options{Ranks: 200})
	err = j.ranks(200, []string{"sleep", "3600"})
	if err == nil || !strings.Contains(err.Error(), "too many open files") || len(j.processes) == 0 {
		t.Fatalf("got %v and %d processes, want none for lack of files, and some", err, len(j.processes))
	}
	for range j.processes {
		c := <-j.ended
		if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
			t.Errorf("%v: got %v, want it killed", c, c.ProcessState)
		}
	}
}
