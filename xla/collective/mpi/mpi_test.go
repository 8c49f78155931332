package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective/mpi"
	"github.com/halo-xla/halo/xla/collective/transporttest"
)

// roles are what ranks do in the tests besides the cases of the suite; the tests say what has to come of it.
var roles = map[string]role{"killed": killed, "twice": twice, "wrong": wrong}

// TestTransport runs the suite.
func TestTransport(t *testing.T) {
	for _, l := range launchers {
		t.Run(l.name, func(t *testing.T) {
			testfile.Library(t, "mpi", l.here())
			transporttest.Run(t, func(t *testing.T, c transporttest.Case) []string {
				return said(l.run(t, c.Ranks, c.Name))
			})
		})
	}
}

// eachSays fails unless there is one line of each of n ranks, with the words.
func eachSays(t *testing.T, lines []string, n int, words string) {
	t.Helper()
	got := said(lines)
	for _, l := range got {
		if !strings.Contains(l, words) {
			t.Errorf("got %q, want %q", l, words)
		}
	}
	if len(got) != n {
		t.Errorf("%d lines, want %d:\n%s", len(got), n, strings.Join(lines, "\n"))
	}
}

// killed: rank 1 is killed between two exchanges.
func killed(ctx context.Context, t *mpi.Transport) error {
	exchange := func(n int) error {
		out, in := make([][]byte, 3), make([][]byte, 3)
		for k := range out {
			out[k], in[k] = make([]byte, n), make([]byte, n)
		}
		return t.Exchange(ctx, 7, []int{0, 1, 2}, out, in)
	}
	if err := exchange(10); err != nil {
		return err
	}
	if t.Rank() == 1 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return exchange(3 << 20)
}

// MPICH's launcher kills the other ranks, mostly before they can say anything: what counts there is that nobody hangs.
func TestKilled(t *testing.T) {
	onEach(t, 3, "killed", func(t *testing.T, lines []string) {
		if len(said(lines)) == 0 && strings.HasSuffix(t.Name(), "/openmpi") {
			t.Errorf("nobody says who is gone:\n%s", strings.Join(lines, "\n"))
		}
		for _, l := range said(lines) {
			if !strings.Contains(l, "ranks [1] did not come: the process is gone") {
				t.Errorf("got %q", l)
			}
		}
	})
}

// twice: a lone rank, whose transport is closed twice and cannot be started again.
func twice(_ context.Context, t *mpi.Transport) error {
	if t.Rank() != 0 || t.Ranks() != 1 {
		return fmt.Errorf("rank %d of %d, want 0 of 1", t.Rank(), t.Ranks())
	}
	if err := errors.Join(t.Close(), t.Close()); err != nil {
		return err
	}
	_, err := mpi.Start(mpi.Options{})
	return err
}

// wrong: ranks that there are not.
func wrong(ctx context.Context, t *mpi.Transport) error {
	parts := [][]byte{{1}, {2}}
	_, recv := t.Recv(ctx, 1, t.Rank())
	for _, err := range []error{
		t.Exchange(ctx, 1, []int{0, 2}, parts, parts), t.Exchange(ctx, 1, []int{1 - t.Rank()}, parts, parts),
		t.Send(ctx, 1, -1, nil), recv,
	} {
		if err == nil || !strings.Contains(err.Error(), "rank") {
			return fmt.Errorf("got %v, want an error", err)
		}
	}
	return errors.New("all are refused")
}

func TestWrongRanks(t *testing.T) {
	onEach(t, 2, "wrong", func(t *testing.T, lines []string) { eachSays(t, lines, 2, "all are refused") })
}

func TestStartTwice(t *testing.T) {
	onEach(t, 1, "twice", func(t *testing.T, lines []string) { eachSays(t, lines, 1, "it can be started once") })
}
