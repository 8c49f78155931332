package collective

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// onRanks runs f on each of n ranks and returns their errors.
func onRanks(n int, f func(t Transport) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i, tr := range Loopback(n) {
		wg.Go(func() {
			defer tr.Close()
			errs[i] = f(tr)
		})
	}
	wg.Wait()
	return errs
}

func TestLoopbackExchange(t *testing.T) {
	group := []int{0, 2, 3}
	for _, err := range onRanks(4, func(tr Transport) error {
		if !slices.Contains(group, tr.Rank()) {
			return nil
		}
		for round := range 100 {
			var out, in [][]byte
			for _, to := range group {
				out = append(out, fmt.Appendf(nil, "%02d from %d to %d", round, tr.Rank(), to))
				in = append(in, make([]byte, len("00 from 0 to 0")))
			}
			if err := tr.Exchange(context.Background(), 7, group, out, in); err != nil {
				return err
			}
			for k, from := range group {
				want := fmt.Sprintf("%02d from %d to %d", round, from, tr.Rank())
				if from != tr.Rank() && string(in[k]) != want {
					return fmt.Errorf("got %q, want %q", in[k], want)
				}
			}
		}
		return nil
	}) {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestLoopbackFaults(t *testing.T) {
	part := [][]byte{{1}, {2}, {3}}
	all := []int{0, 1, 2}
	exchange := func(tr Transport, d time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		defer cancel()
		return tr.Exchange(ctx, 1, all, part, [][]byte{{0}, {0}, {0}})
	}
	var lost *LostError
	errs := onRanks(3, func(tr Transport) error {
		if tr.Rank() == 1 {
			return nil // its process ends
		}
		return exchange(tr, time.Minute)
	})
	if !errors.As(errs[0], &lost) || !slices.Contains(lost.Ranks, 1) {
		t.Errorf("a rank that is gone: got %v", errs[0])
	}
	stuck := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { wg.Wait(); close(stuck) }()
	errs = onRanks(3, func(tr Transport) error {
		if tr.Rank() == 1 {
			<-stuck
			return nil
		}
		defer wg.Done()
		return exchange(tr, time.Second) // which the others keep
	})
	if !errors.As(errs[2], &lost) || !slices.Equal(lost.Ranks, []int{1}) || !errors.Is(errs[2], context.DeadlineExceeded) {
		t.Errorf("a rank that is stuck: got %v", errs[2])
	}
	errs = onRanks(3, func(tr Transport) error {
		if tr.Rank() == 1 {
			tr.Fail(errors.New("out of luck"))
		}
		return exchange(tr, time.Minute)
	})
	var told *RankError
	if !errors.As(errs[0], &told) || told.Rank != 1 || told.Fault != "out of luck" {
		t.Errorf("a rank that failed: got %v", errs[0])
	}
}
