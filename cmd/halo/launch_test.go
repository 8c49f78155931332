package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

func TestLaunchUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-n", "0", "true"}, {"-n", "2"}, {"-n", "5000", "true"}, {"--mpy", "x"},
		{"-n", "1", "runn"}, {"-n", "1", "/nowhere"}, {"-n", "1", "./diff"},
		{"-n", "1", "--mpi", "lam", "true"}} {
		if code, _, message := halo(t, "", "", append([]string{"launch"}, args...)...); code != exitUsage {
			t.Errorf("launch %q: got code %d and %q, want %d", args, code, message, exitUsage)
		}
	}
}

// The tool's own commands win over programs of their names; a path is a program.
func TestOwnCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string][]string{"diff": {self, "diff", "x"}, "/bin/sh": {"/bin/sh", "x"}, "sh": {"sh", "x"}} {
		if got, err := ownCommand([]string{word, "x"}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", word, got, err, want)
		}
	}
}

// The first rank that fails gives its code; the others end when it is their time, at the latest after the grace.
func TestLaunch(t *testing.T) {
	_, err := mpi.Family(mpi.MPICH)
	testfile.Library(t, "mpi", err)
	script := `case $PMI_RANK in 1) echo one; exit 7;; *) trap "echo asked; exit 0" TERM; sleep 60 & wait;; esac`
	code, out, message := halo(t, "", "", "launch", "-n", "3", "--mpi", "mpich", "--grace", "200ms", "sh", "-c", script)
	if code != 7 || !strings.Contains(message, "rank 1: exit status 7") {
		t.Errorf("got code %d and %q, want 7", code, message)
	}
	if strings.Count(out, "asked") != 2 || strings.Count(out, "one") != 1 {
		t.Errorf("got %q", out)
	}
	script = `case $PMI_RANK in 2) exit 7;; *) exit 1;; esac`
	code, _, message = halo(t, "", "", "launch", "-n", "4", "--mpi", "mpich", "sh", "-c", script)
	for _, w := range []string{"rank 2: exit status 7", "ranks 0, 1, 3: exit status 1"} {
		if code != 7 && code != 1 || !strings.Contains(message, w) {
			t.Errorf("all fail: got code %d and %q, want %q in it", code, message, w)
		}
	}
	lonely := `if [ $PMI_RANK = 0 ]; then exit 0; fi; echo cmd=barrier_in >&3; read line <&3; [ -n "$line" ]`
	if code, _, message := halo(t, "", "", "launch", "-n", "2", "--mpi", "mpich", "sh", "-c", lonely); code != 1 {
		t.Errorf("a rank that waits for one that is gone: got code %d and %q, want 1", code, message)
	}
	if code, _, _ := halo(t, "", "", "launch", "-n", "2", "--mpi", "mpich", "sh", "-c", "kill -9 $$"); code != 137 {
		t.Errorf("killed: got code %d, want 137", code)
	}
	if code, _, _ := halo(t, "", "", "launch", "-n", "2", "--mpi", "mpich", os.Args[0], "-test.run", "^$"); code != exitOK {
		t.Errorf("ranks that are content: got code %d", code)
	}
}
