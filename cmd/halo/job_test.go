package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/collective/mpi"
	"github.com/halo-xla/halo/xla/literal"
)

// rankWord makes this program a rank of a test, which does what the next word says.
const rankWord = "rank-of-a-test"

// ranks are what a rank of a test does with its arguments; it returns the exit code.
var ranks = map[string]func(args []string) int{
	"halo": func(args []string) int {
		return realMain(&tool{ctx: context.Background(), in: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}, args)
	},
	"fault": faultRank,
	"main": func(args []string) int {
		os.Args = append(os.Args[:1], args...)
		main()
		return exitOK
	},
}

// TestToldToStop wants the tool to end when it is told to, which it says, though it reads a program that has no end.
func TestToldToStop(t *testing.T) {
	t.Parallel()
	for range 100 {
		if apart := toldToStop(t); apart <= sameSignal/2 {
			return
		}
	}
	t.Error("two signals are never near each other")
}

// toldToStop sends two signals, and returns how far apart they were: only near ones are to be one.
func toldToStop(t *testing.T) (apart time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for what hangs
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], rankWord, "main", "check", "-")
	var said bytes.Buffer
	c.Stderr = &said
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write(make([]byte, 1<<20)); err != nil { // more than a pipe holds: it reads
		t.Error(err)
	}
	began := time.Now()
	for range 2 { // as timeout(1) does
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	apart = time.Since(began)
	err = c.Wait()
	well := c.ProcessState.ExitCode() == exitResource && strings.Contains(said.String(), "told to stop")
	if apart <= sameSignal/2 && !well {
		t.Errorf("got %v and %q, want code %d", err, said.String(), exitResource)
	}
	return apart
}

const gathers = `HloModule gathers, replica_count=2, num_partitions=2
mix { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] multiply(a, b) ROOT r = f32[] subtract(c, a) }
ENTRY e {
  p = f32[3] parameter(0)
  g = f32[6] all-gather(p), replica_groups={{1,0}}, dimensions={0}
  s = f32[6] all-reduce(g), replica_groups={{3,1,0,2}}, channel_id=1, use_global_device_ids=true, to_apply=mix
  c = f32[6] collective-permute(s), source_target_pairs={{0,1}}, channel_id=2
  i = u32[] partition-id()
  ROOT r = (f32[6], f32[6], u32[]) tuple(s, c, i)
}`

// onRanks runs the tool on each rank of a job of goroutines, which all end with 0, and returns what they print.
func onRanks(t *testing.T, n int, args ...string) string {
	t.Helper()
	return onRanksWith(t, n, exitOK, args...)
}

// onRanksWith is onRanks for another exit code.
func onRanksWith(t *testing.T, n, want int, args ...string) string {
	t.Helper()
	outs := make([]bytes.Buffer, n)
	var wg sync.WaitGroup
	for r, tr := range collective.Loopback(n) {
		wg.Go(func() {
			defer tr.Close()
			tl := &tool{ctx: t.Context(), stdout: &outs[r], stderr: &outs[r]}
			tl.useJob(collective.NewJob(tr))
			if code := realMain(tl, args); code != want {
				t.Errorf("rank %d of %d: code %d, want %d", r, n, code, want)
			}
		})
	}
	wg.Wait()
	var all strings.Builder
	for r := range outs {
		all.Write(outs[r].Bytes())
	}
	return all.String()
}

// TestRunDevices wants a program of several devices to print the same in one process and in several.
func TestRunDevices(t *testing.T) {
	dir := t.TempDir()
	program, out := filepath.Join(dir, "p.hlo"), filepath.Join(dir, "out")
	write(t, program, []byte(gathers))
	args := []string{"run", program, "random:%d"}
	code, want, message := halo(t, "", "", args...)
	if code != exitOK || strings.Count(want, "device ") != 12 || !strings.Contains(want, "device 3: u32[] 1") {
		t.Fatalf("code %d, %s: got\n%s", code, message, want)
	}
	for _, n := range []int{2, 3, 4, 8} {
		if got := onRanks(t, n, args...); got != want {
			t.Errorf("%d ranks: got\n%s, want\n%s", n, got, want)
		}
	}
	onRanks(t, 2, append(args, "--out", out)...)
	expect := filepath.Join(out, "result_0.d%d.npy")
	if code, _, message := halo(t, "", "", append(args, "--expect", expect, "--rtol", "0", "--atol", "0")...); code != exitOK {
		t.Errorf("code %d: %s", code, message)
	}
	if code, _, message := halo(t, "", "", "run", program, "random:7", "--expect", expect); code != exitDiffers ||
		!strings.Contains(message, "device 0: result 0") {
		t.Errorf("code %d: %s", code, message)
	}
	for _, family := range []string{mpi.OpenMPI, mpi.MPICH} {
		t.Run(family, func(t *testing.T) {
			_, err := mpi.Family(family)
			testfile.Library(t, "mpi", err)
			launch := []string{"launch", "-n", "2", "--mpi", family, os.Args[0], rankWord, "halo"}
			if code, got, message := halo(t, "", "", append(launch, args...)...); code != exitOK || got != want {
				t.Errorf("code %d, %s: got\n%s, want\n%s", code, message, got, want)
			}
			code, _, message := halo(t, "", "", append(launch, "run", filepath.Join(dir, "nosuch.hlo"))...)
			if code != exitFailure || strings.Count(message, "no such file") != 1 {
				t.Errorf("no program: got code %d and %s, want %d and one message", code, message, exitFailure)
			}
		})
	}
}

// TestNotReady wants ranks of which some cannot begin to end with one code, and to say each thing once.
func TestNotReady(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "p.hlo")
	write(t, program, []byte(gathers))
	l, err := literal.FromSlice([]float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := literal.WriteNPY(&b, l); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "x0.npy"), b.Bytes())
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"run", filepath.Join(dir, "nosuch.hlo")}, exitFailure, "halo run: open DIR/nosuch.hlo: no such file or directory\n"},
		{[]string{"run", "--nosuch", program}, exitUsage, "halo run: flag provided but not defined: --nosuch; halo run -h lists the flags\n"},
		{[]string{"check"}, exitUsage, "halo check: no path given, want files or folders\n"},
		{[]string{"check", filepath.Join(dir, "nosuch")}, exitFailure, "halo check: open DIR/nosuch: no such file or directory\n"},
		{[]string{"run", program, "--backend", "tpu"}, exitUsage,
			"halo run: unknown backend \"tpu\", want one of cpu, cuda, cuda-emu, reference\n"},
		{[]string{"run", program, "@" + filepath.Join(dir, "x%d.npy")}, exitFailure,
			"halo run: rank 1: input 0 (p): open DIR/x1.npy: no such file or directory\n" +
				"halo run: rank 2: input 0 (p): open DIR/x2.npy: no such file or directory\n" +
				"halo run: rank 3: input 0 (p): open DIR/x3.npy: no such file or directory\n"},
	} {
		if got := strings.ReplaceAll(onRanksWith(t, 4, c.code, c.args...), dir, "DIR"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.args, got, c.want)
		}
	}
}

// TestCheckOnRanks wants the corpus's programs of several devices to give the same bits in several processes.
func TestCheckOnRanks(t *testing.T) {
	dir := testfile.Conformance(t)
	args := []string{"check", "--json", filepath.Join(dir, "models/cases/spmd_collectives"),
		filepath.Join(dir, "models/cases/spmd_replicas"), filepath.Join(dir, "conformance/stablehlo/interpret/all_gather.mlir")}
	_, want, _ := halo(t, "", "", args...)
	for _, n := range []int{2, 8} {
		lines, wanted := strings.Split(onRanks(t, n, args...), "\n"), strings.Split(want, "\n")
		if len(lines) != len(wanted) {
			t.Fatalf("%d ranks: got %d lines, want %d", n, len(lines), len(wanted))
		}
		for i, line := range lines {
			if w := wanted[i]; untimed(line) != untimed(w) || strings.Contains(line, "error") {
				t.Errorf("%d ranks: got %s, want %s", n, line, w)
			}
		}
	}
}

// untimed is a line of check without what differs from run to run.
func untimed(line string) string {
	before, after, _ := strings.Cut(line, `"ms":`)
	_, after, _ = strings.Cut(after, ",")
	return before + after
}
