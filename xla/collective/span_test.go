package collective

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// text is a value that goes to other ranks.
type text string

func (v text) Parts() [][]byte { return [][]byte{[]byte(v[:1]), []byte(v[1:])} }

func (v text) With(parts [][]byte) any {
	if parts == nil {
		return text("-")
	}
	return text(string(parts[0]) + string(parts[1]))
}

func (v text) MarshalBinary() ([]byte, error) { return []byte(v), nil }

// onDevices runs f for each device of four replicas, which are on the ranks that owners says, and returns their errors
// and those of Finish by rank.
func onDevices(ctx context.Context, owners []int, f func(h *Hub, d int) error) (devices, ends []error) {
	ranks := Loopback(owners[len(owners)-1] + 1)
	devices, ends = make([]error, len(owners)), make([]error, len(ranks))
	var all sync.WaitGroup
	for r, tr := range ranks {
		all.Go(func() {
			defer tr.Close()
			h, err := NewJob(tr).Join(ctx, Grid{Replicas: int64(len(owners))}, owners, "p", "")
			if err != nil { // another rank has failed before this one began
				ends[r] = err
				for d, owner := range owners {
					if owner == r {
						devices[d] = err
					}
				}
				return
			}
			var wg sync.WaitGroup
			for d := range owners {
				if h.here(d) {
					wg.Go(func() {
						if devices[d] = f(h, d); devices[d] != nil {
							h.Fail(devices[d])
						}
						h.End(d)
					})
				}
			}
			wg.Wait()
			ends[r] = h.Finish(ctx)
		})
	}
	all.Wait()
	return devices, ends
}

func joined(values []any) (any, error) {
	var s []string
	for _, v := range values {
		s = append(s, string(v.(text)))
	}
	return strings.Join(s, " "), nil
}

// TestSpread wants members to get the values in the order of the group wherever they are.
func TestSpread(t *testing.T) {
	for _, owners := range [][]int{{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 2, 3}, {0, 2, 2, 2}, {1, 1, 1, 3}} {
		devices, ends := onDevices(t.Context(), owners, func(h *Hub, d int) error {
			for round := range 20 {
				group := [][]int{{3, 1, 2, 0}, {d &^ 1, d | 1}, {d % 2, d%2 + 2}}[round%3]
				m := Meeting{Op: "x", Group: group, Program: fmt.Sprint("p", round)}
				if round%4 == 3 {
					m.Needs = func(from, _ int) bool { return from == 0 }
				}
				v, err := h.Meet(t.Context(), d, m, text(fmt.Sprint(round%10, " of ", d)), joined)
				if err != nil {
					return err
				}
				var want []string
				for i, d := range group {
					if m.Needs == nil || i == 0 || h.here(d) {
						want = append(want, fmt.Sprint(round%10, " of ", d))
					} else {
						want = append(want, "-")
					}
				}
				if v != strings.Join(want, " ") {
					return fmt.Errorf("device %d: got %q, want %q", d, v, want)
				}
			}
			return nil
		})
		if err := errors.Join(append(devices, ends...)...); err != nil {
			t.Errorf("%v: %v", owners, err)
		}
	}
}

// TestSpreadMail sends around a ring, and between two devices without naming the peer.
func TestSpreadMail(t *testing.T) {
	for _, owners := range [][]int{{0, 0, 1, 1}, {0, 1, 2, 3}, {0, 1}} {
		n := len(owners)
		devices, ends := onDevices(t.Context(), owners, func(h *Hub, d int) error {
			to, from := Channel{1, d, (d + 1) % n}, Channel{1, (d + n - 1) % n, d}
			if n == 2 {
				to, from = Channel{1, -1, -1}, Channel{1, -1, -1}
			}
			for round := range 5 {
				if err := h.Send(t.Context(), d, to, "s", text(fmt.Sprint(round, d))); err != nil {
					return err
				}
			}
			for round := range 5 {
				v, err := h.Recv(t.Context(), d, from, "r")
				if err != nil {
					return err
				}
				if b, ok := v.(Message); ok {
					v = text(b)
				}
				if want := text(fmt.Sprint(round, (d+n-1)%n)); v != want {
					return fmt.Errorf("device %d: got %q, want %q", d, v, want)
				}
			}
			return nil
		})
		if err := errors.Join(append(devices, ends...)...); err != nil {
			t.Errorf("%v: %v", owners, err)
		}
	}
}

// TestUnreadOnRanks wants a channel between ranks to hold as many values as one in a process, and nothing at the end.
func TestUnreadOnRanks(t *testing.T) {
	for _, n := range []int{1, MaxUnread - 1, MaxUnread, MaxUnread + 1, 3*MaxUnread + 7} {
		var ranks *loopback
		devices, ends := onDevices(t.Context(), []int{0, 1}, func(h *Hub, d int) error {
			c := Channel{1, -1, -1}
			if d == 0 {
				for i := range n {
					if err := h.Send(t.Context(), d, c, "s", text(fmt.Sprint(i))); err != nil {
						return err
					}
				}
				return nil
			}
			ranks = h.span.job.transport.(*loopbackRank).loopback
			for unread := 0; unread < min(n, MaxUnread); unread = ranks.unread(1, h.span.channel(c)) {
				runtime.Gosched()
			}
			for i := range n {
				if got := ranks.unread(1, h.span.channel(c)); got > MaxUnread {
					return fmt.Errorf("%d are unread, want %d at most", got, MaxUnread)
				}
				v, err := h.Recv(t.Context(), d, c, "r")
				if err != nil {
					return err
				}
				if got := string(v.(Message)); got != fmt.Sprint(i) {
					return fmt.Errorf("got %s, want %d", got, i)
				}
			}
			return nil
		})
		if err := errors.Join(append(devices, ends...)...); err != nil {
			t.Errorf("%d: %v", n, err)
		}
		if len(ranks.boxes) > 0 {
			t.Errorf("%d: messages are left over: %v", n, ranks.boxes)
		}
	}
}

func (l *loopback) unread(rank int, tag uint64) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.boxes[address{tag, 1 - rank, rank}])
}

// TestSpreadFaults wants all whom a fault concerns to fail, and to say who is to blame.
func TestSpreadFaults(t *testing.T) {
	all := []int{0, 1, 2, 3}
	meet := func(ctx context.Context, h *Hub, d int, program string, group ...int) error {
		_, err := h.Meet(ctx, d, Meeting{Op: "all-reduce.3", Group: group, Program: program}, text("v"), joined)
		return err
	}
	for _, tc := range []struct {
		name string
		f    func(ctx context.Context, h *Hub, d int) error
		want []string // in each error
		who  string   // F: fails, of devices 0 to 3 and of Finish on ranks 0 and 1; ?: may fail, with what it likes
	}{
		{"mismatch", func(ctx context.Context, h *Hub, d int) error {
			return meet(ctx, h, d, []string{"add f32[2]", "add f32[3]"}[d/2], all...)
		}, []string{"group {0,1,2,3}", ErrMismatch.Error(), "rank 0 is at all-reduce.3: add f32[2]", "rank 1 is at"},
			"FFFFFF"},
		{"missing", func(ctx context.Context, h *Hub, d int) error {
			if d == 3 {
				<-h.Failed()
				return nil
			}
			ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
			defer cancel()
			return meet(ctx, h, d, "p", all...)
		}, []string{" in all-reduce.3 of group {0,1,2,3}", "device 3 (replica 3)", "deadline exceeded"}, "FFF.FF"},
		{"failed", func(ctx context.Context, h *Hub, d int) error {
			if d == 3 {
				return errors.New("device 3: out of luck")
			}
			return meet(ctx, h, d, "p", all...)
		}, []string{"device 3: out of luck"}, "FFFFFF"},
		{"cancelled", func(ctx context.Context, h *Hub, d int) error {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			switch d {
			case 2:
				<-h.Failed()
				return h.Err()
			case 0:
				time.AfterFunc(10*time.Millisecond, cancel)
			}
			return meet(ctx, h, d, "p", all...)
		}, []string{" in all-reduce.3 of group {0,1,2,3} for ", "device 2 (replica 2)", "context canceled"}, "FFFFFF"},
		{"unread", func(ctx context.Context, h *Hub, d int) error {
			if d == 0 {
				return h.Send(ctx, d, Channel{5, 0, 2}, "send.1", text("v"))
			}
			return nil
		}, []string{"nobody received what was sent"}, "....FF"},
		{"no peer is named", func(ctx context.Context, h *Hub, d int) error {
			switch d {
			case 0:
				return h.Send(ctx, d, Channel{5, -1, -1}, "send.1", text("v"))
			case 3:
				_, err := h.Recv(ctx, d, Channel{5, -1, -1}, "recv.1")
				return err
			}
			<-h.Failed()
			return h.Err()
		}, []string{"does not say which device is at the other end", `_xla_send_recv_source_target_pairs="{{0,1}`}, "FFFFFF"},
		{"lost", func(ctx context.Context, h *Hub, d int) error {
			if d < 2 {
				_, err := h.Recv(ctx, d, Channel{5, 2, d}, "recv.1")
				return err
			}
			h.span.job.transport.Close()
			return nil
		}, []string{"recv.1 on channel 5", "device 2 (replica 2) on rank 1", "it has closed its transport"}, "FF..F?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			devices, ends := onDevices(ctx, []int{0, 0, 1, 1}, func(h *Hub, d int) error { return tc.f(ctx, h, d) })
			for i, err := range append(devices, ends...) {
				if tc.who[i] == '?' {
					continue
				}
				if (err != nil) != (tc.who[i] == 'F') {
					t.Errorf("%d: got %v, want %c of %s", i, err, tc.who[i], tc.who)
				}
				for _, w := range tc.want {
					if err != nil && !strings.Contains(err.Error(), w) {
						t.Errorf("%d: got %v, want %q in it", i, err, w)
					}
				}
			}
		})
	}
}

// TestJoin wants ranks that begin different executions to be told so at once, and to be able to go on.
func TestJoin(t *testing.T) {
	ranks := Loopback(2)
	var wg sync.WaitGroup
	for r, tr := range ranks {
		wg.Go(func() {
			j := NewJob(tr)
			for _, p := range [][]string{{"p1", "p1"}, {"p1", "q1"}, {"p1", "p2"}, {"q1", "q1"}} {
				_, err := j.Join(t.Context(), Grid{Replicas: 2}, j.Owners(2), p[r][:1], p[r][1:])
				if (p[0] == p[1]) != (err == nil) || err != nil && !errors.Is(err, ErrMismatch) {
					t.Errorf("rank %d: %q: got %v", r, p, err)
				}
			}
			got, err := j.Gather(t.Context(), []byte([]string{"a", "longer"}[r]))
			if err != nil || string(got[0]) != "a" || string(got[1]) != "longer" {
				t.Errorf("rank %d: got %q, %v", r, got, err)
			}
		})
	}
	wg.Wait()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewJob(ranks[0]).Gather(over, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the context: got %v", err)
	}
	if _, err := NewJob(ranks[1]).Gather(t.Context(), nil); err == nil {
		t.Error("a rank does not hear that the other has left")
	}
	if got := fmt.Sprint(NewJob(Loopback(4)[0]).Owners(6)); got != "[0 1 1 2 3 3]" {
		t.Errorf("6 devices of 4 ranks: got %s", got)
	}
}
