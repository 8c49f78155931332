package collective

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/halo-xla/halo/internal/testfile"
)

// chaos is an execution in which devices meet in random groups, and send to their neighbours in between, while a
// context ends or a fault comes from outside at a random moment.
type chaos struct {
	t      *testing.T
	groups [][]int        // of each round
	inside []atomic.Int64 // the round that a device is in, 0 outside
}

// TestChaos wants no meeting to have another's values, and nobody to go on while another works in the memory of all.
func TestChaos(t *testing.T) {
	seed := testfile.Seed(t)
	for i := range 200 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		n, rounds := 2+r.IntN(5), 5+r.IntN(60)
		c := &chaos{t: t, inside: make([]atomic.Int64, n)}
		for range rounds {
			c.groups = append(c.groups, r.Perm(n)[:1+r.IntN(n)])
		}
		h := NewHub(Grid{Replicas: int64(n)})
		own, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(400))*time.Microsecond)
		victim, fault := r.IntN(n), r.IntN(4) == 0
		if fault {
			time.AfterFunc(time.Duration(r.IntN(200))*time.Microsecond, func() { h.Fail(errors.New("from outside")) })
		}
		err := h.Drive(t.Context(), func(ctx context.Context, d int) error {
			if d == victim {
				ctx = own
			}
			return c.device(ctx, h, d)
		})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && !fault {
			t.Errorf("seed %d, run %d: got %v", seed, i, err)
		}
	}
}

func (c *chaos) device(ctx context.Context, h *Hub, d int) error {
	for round, group := range c.groups {
		to, from := Channel{int64(round), d, (d + 1) % len(c.inside)}, Channel{int64(round), (d + len(c.inside) - 1) % len(c.inside), d}
		if err := h.Send(ctx, d, to, "send", fmt.Sprint(round, d)); err != nil {
			return err
		}
		if v, err := h.Recv(ctx, d, from, "recv"); err != nil {
			return err
		} else if want := fmt.Sprint(round, from.From); v != want {
			return fmt.Errorf("device %d: got %v, want %s", d, v, want)
		}
		if err := c.meet(ctx, h, d, round, group); err != nil {
			return err
		}
	}
	return nil
}

// meet is one round of a device, if it is in the group.
func (c *chaos) meet(ctx context.Context, h *Hub, d, round int, group []int) error {
	m := Meeting{Op: "x", Group: group, Program: fmt.Sprint(round)}
	for _, member := range group {
		if member != d {
			continue
		}
		c.inside[d].Store(int64(round + 1))
		v, err := h.Meet(ctx, d, m, [2]int{round, d}, func(values []any) (any, error) {
			for range 10 {
				runtime.Gosched()
				for i, v := range values {
					if v != [2]int{round, group[i]} || c.inside[group[i]].Load() != int64(round+1) {
						c.t.Errorf("round %d: %v of device %d, which is in round %d", round, v, group[i], c.inside[group[i]].Load()-1)
					}
				}
			}
			return round, nil
		})
		c.inside[d].Store(0)
		if err == nil && v != round {
			c.t.Errorf("device %d: got the result of round %v, want %d", d, v, round)
		}
		return err
	}
	return nil
}
