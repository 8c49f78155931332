package mpi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/collective/mpi"
)

// roles are what ranks do in the tests, which say what has to come of it.
var roles = map[string]role{
	"exchange": exchange, "channels": channels, "fault": fault, "stuck": stuck, "killed": killed, "left": left,
	"cancel": cancelled, "many": many, "twice": twice, "wrong": wrong,
}

// part is what a rank sends to another in a round: its bytes are of no other.
func part(round, from, to, n int) []byte {
	b := make([]byte, n)
	rng := rand.NewChaCha8([32]byte{byte(round), byte(from), byte(to), byte(n)})
	_, _ = rng.Read(b)
	return b
}

// swap exchanges parts of n bytes in a group, and fails if one is not what its sender made.
func swap(ctx context.Context, t *mpi.Transport, round, n int, group []int) error {
	out, in := make([][]byte, len(group)), make([][]byte, len(group))
	for k, r := range group {
		out[k], in[k] = part(round, t.Rank(), r, n), make([]byte, n)
	}
	if err := t.Exchange(ctx, 7, group, out, in); err != nil {
		return err
	}
	for k, r := range group {
		if r != t.Rank() && !bytes.Equal(in[k], part(round, r, t.Rank(), n)) {
			return fmt.Errorf("round %d: not what rank %d sent", round, r)
		}
	}
	return nil
}

func all(t *mpi.Transport) []int {
	group := make([]int, t.Ranks())
	for k := range group {
		group[k] = k
	}
	return group
}

func exchange(ctx context.Context, t *mpi.Transport) error {
	for round, n := range []int{0, 1, 8, 4055, 4056, 4057, 5000, 1 << 20, 1<<20 + 4057, 9<<20 + 3} {
		if err := swap(ctx, t, round, n, all(t)); err != nil {
			return err
		}
	}
	group := []int{t.Rank() &^ 1, t.Rank() | 1} // pairs, which do not wait for each other
	for round := range 200 {
		if err := swap(ctx, t, round, round, group); err != nil {
			return err
		}
	}
	return errors.New("all rounds are right")
}

func TestExchange(t *testing.T) {
	onEach(t, 4, "exchange", func(t *testing.T, lines []string) { eachSays(t, lines, 4, "all rounds are right") })
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

// channels sends more than is received at first, in an order that is not that of the receives.
func channels(ctx context.Context, t *mpi.Transport) error {
	other := 1 - t.Rank()
	sizes := []int{3, 100_000, 0, 3 << 20, 4056}
	for tag := range uint64(3) {
		for k, n := range sizes {
			if err := t.Send(ctx, tag, other, part(int(tag), t.Rank(), k, n)); err != nil {
				return err
			}
		}
	}
	for _, tag := range []uint64{2, 0, 1} {
		for k, n := range sizes {
			got, err := t.Recv(ctx, tag, other)
			if err != nil {
				return err
			}
			if !bytes.Equal(got, part(int(tag), other, k, n)) {
				return fmt.Errorf("tag %d, message %d: not what was sent", tag, k)
			}
		}
	}
	return errors.New("all messages are right")
}

func TestChannels(t *testing.T) {
	onEach(t, 2, "channels", func(t *testing.T, lines []string) { eachSays(t, lines, 2, "all messages are right") })
}

// many has goroutines that exchange under tags of their own.
func many(ctx context.Context, t *mpi.Transport) error {
	errs := make(chan error)
	for g := range 8 {
		go func() {
			for range 50 {
				n := 3000 * g
				out := [][]byte{part(g, t.Rank(), 0, n), part(g, t.Rank(), 1, n)}
				in := [][]byte{make([]byte, n), make([]byte, n)}
				if err := t.Exchange(ctx, uint64(g), []int{0, 1}, out, in); err != nil {
					errs <- err
					return
				}
				if other := 1 - t.Rank(); !bytes.Equal(in[other], part(g, other, t.Rank(), n)) {
					errs <- fmt.Errorf("goroutine %d: not what was sent", g)
					return
				}
			}
			errs <- nil
		}()
	}
	var all []error
	for range 8 {
		all = append(all, <-errs)
	}
	if err := errors.Join(all...); err != nil {
		return err
	}
	return errors.New("all goroutines are right")
}

func TestManyGoroutines(t *testing.T) {
	onEach(t, 2, "many", func(t *testing.T, lines []string) { eachSays(t, lines, 2, "all goroutines are right") })
}

// fault: rank 2 tells of one while the others wait for it.
func fault(ctx context.Context, t *mpi.Transport) error {
	err := swap(ctx, t, 0, 8, all(t))
	if t.Rank() == 2 {
		t.Fail(errors.New("no memory left"))
		return nil
	}
	if err == nil {
		err = swap(ctx, t, 1, 8, all(t))
	}
	var r *collective.RankError
	if !errors.As(err, &r) {
		return fmt.Errorf("not a fault of a rank: %w", err)
	}
	if again := swap(ctx, t, 1, 8, []int{0, 1}); again == nil || again.Error() != err.Error() {
		return fmt.Errorf("the second call fails with %v", again)
	}
	return err
}

func TestFault(t *testing.T) {
	onEach(t, 3, "fault", func(t *testing.T, lines []string) { eachSays(t, lines, 2, "rank 2: no memory left") })
}

// stuck: rank 1 does not come before the others' deadline.
func stuck(ctx context.Context, t *mpi.Transport) error {
	if t.Rank() == 1 {
		_, _ = t.Recv(ctx, 99, 0) // what the others tell of when they are late
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	err := swap(ctx, t, 0, 100_000, all(t))
	t.Fail(err)
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("not the deadline: %w", err)
	}
	return err
}

func TestStuck(t *testing.T) {
	onEach(t, 2, "stuck", func(t *testing.T, lines []string) {
		eachSays(t, lines, 1, "ranks [1] did not come: context deadline exceeded")
	})
}

func cancelled(ctx context.Context, t *mpi.Transport) error {
	if t.Rank() == 1 {
		_, err := t.Recv(ctx, 99, 0)
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := t.Recv(ctx, 1, 1)
	t.Fail(err)
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("not the cancel: %w", err)
	}
	return err
}

func TestCancel(t *testing.T) {
	onEach(t, 2, "cancel", func(t *testing.T, lines []string) {
		eachSays(t, lines, 2, "ranks [1] did not come: context canceled")
	})
}

// killed: rank 1 is killed between two exchanges.
func killed(ctx context.Context, t *mpi.Transport) error {
	if err := swap(ctx, t, 0, 10, all(t)); err != nil {
		return err
	}
	if t.Rank() == 1 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return swap(ctx, t, 1, 3<<20, all(t))
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

// left: rank 0 closes its transport while rank 1 waits for it.
func left(ctx context.Context, t *mpi.Transport) error {
	if t.Rank() == 0 {
		return nil
	}
	_, err := t.Recv(ctx, 1, 0)
	return err
}

func TestLeft(t *testing.T) {
	onEach(t, 2, "left", func(t *testing.T, lines []string) {
		eachSays(t, lines, 1, "ranks [0] did not come: it has closed its transport")
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
