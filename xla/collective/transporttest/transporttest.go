// Package transporttest is the suite that every collective.Transport must pass. A carrier starts the ranks, has each do
// what a case says, and hands the suite what they say.
package transporttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/collective"
)

// Case is what some ranks do.
type Case struct {
	Name  string
	Ranks int
	// Do is what each rank does, within a minute; ctx ends then.
	Do func(ctx context.Context, t collective.Transport) error
	// Of so many ranks Do returns an error, which has these words; some of them say only that all was right.
	say   int
	words string
}

// Cases are the suite.
var Cases = []Case{
	{"exchange", 4, exchange, 4, "all rounds are right"},
	{"channels", 2, channels, 2, "all messages are right"},
	{"many goroutines", 2, many, 2, "all goroutines are right"},
	{"a rank fails", 3, fault, 2, "rank 2: no memory left"},
	{"a rank fails and another watches", 2, watch, 1, "rank 1: no memory left"},
	{"a rank is stuck", 2, stuck, 1, "ranks [1] did not come: context deadline exceeded"},
	{"a rank is cancelled", 2, cancelled, 2, "ranks [1] did not come: context canceled"},
	{"a rank leaves", 2, left, 1, "ranks [0] did not come: it has closed its transport"},
}

// Find returns the case of a name, for ranks that are told in a word which it is.
func Find(name string) (Case, bool) {
	for _, c := range Cases {
		if c.Name == name {
			return c, true
		}
	}
	return Case{}, false
}

// Run runs all cases: run starts the ranks of one, has each call Do and then close its transport, and returns the texts
// of the errors.
func Run(t *testing.T, run func(t *testing.T, c Case) []string) {
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) {
			said := run(t, c)
			if len(said) != c.say {
				t.Errorf("%d ranks say something, want %d: %s", len(said), c.say, strings.Join(said, "; "))
			}
			for _, s := range said {
				if !strings.Contains(s, c.words) {
					t.Errorf("got %q, want %q in it", s, c.words)
				}
			}
		})
	}
}

// part is what a rank sends to another in a round: its bytes are of no other.
func part(round, from, to, n int) []byte {
	b := make([]byte, n)
	rng := rand.NewChaCha8([32]byte{byte(round), byte(from), byte(to), byte(n)})
	_, _ = rng.Read(b)
	return b
}

// swap exchanges parts of n bytes in a group, and fails if one is not what its sender made.
func swap(ctx context.Context, t collective.Transport, round, n int, group []int) error {
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

func all(t collective.Transport) []int {
	group := make([]int, t.Ranks())
	for k := range group {
		group[k] = k
	}
	return group
}

func exchange(ctx context.Context, t collective.Transport) error {
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

// channels sends more than is received at first, in an order that is not that of the receives.
func channels(ctx context.Context, t collective.Transport) error {
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

// many has goroutines that exchange under tags of their own.
func many(ctx context.Context, t collective.Transport) error {
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

// fault: rank 2 tells of one while the others wait for it.
func fault(ctx context.Context, t collective.Transport) error {
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

// stuck: rank 1 does not come before the others' deadline.
func stuck(ctx context.Context, t collective.Transport) error {
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

func cancelled(ctx context.Context, t collective.Transport) error {
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

// left: rank 0 closes its transport while rank 1 waits for it.
func left(ctx context.Context, t collective.Transport) error {
	if t.Rank() == 0 {
		return nil
	}
	_, err := t.Recv(ctx, 1, 0)
	return err
}

// watch: rank 0 waits for nothing but a fault, which rank 1 has.
func watch(ctx context.Context, t collective.Transport) error {
	if err := swap(ctx, t, 0, 8, all(t)); err != nil && t.Rank() == 1 {
		return err
	}
	if t.Rank() == 1 {
		t.Fail(errors.New("no memory left"))
		return nil
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := t.Watch(over); err != nil && !strings.Contains(err.Error(), "no memory") {
		return fmt.Errorf("a watch that is over: %w", err)
	}
	return t.Watch(ctx)
}
