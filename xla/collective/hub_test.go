package collective

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// devices runs f on each device of g, as an execution does: a device that fails fails all. It returns the fault.
func devices(t *testing.T, g Grid, f func(h *Hub, d int) error) error {
	t.Helper()
	h := NewHub(g)
	done := make(chan error, 1)
	go func() { done <- h.Drive(context.Background(), func(_ context.Context, d int) error { return f(h, d) }) }()
	select {
	case err := <-done:
		return err
	case <-time.After(5 * time.Minute):
		t.Fatal("the devices hang")
		return nil
	}
}

// TestDrive wants all devices to end with the first fault, which has the name of the device that it is of.
func TestDrive(t *testing.T) {
	drive := func(n int64, first func()) (ended int, fault any, err error) {
		defer func() { fault = recover() }()
		var mu sync.Mutex
		err = NewHub(Grid{Replicas: n}).Drive(context.Background(), func(ctx context.Context, d int) error {
			if d == 0 {
				first()
				return errors.New("no luck")
			}
			<-ctx.Done()
			mu.Lock()
			defer mu.Unlock()
			ended++
			return ctx.Err()
		})
		return ended, nil, err
	}
	if n, _, err := drive(3, func() {}); n != 2 || err == nil || err.Error() != "device 0 (replica 0): no luck" {
		t.Errorf("a fault: got %v, and %d others have ended", err, n)
	}
	if _, _, err := drive(1, func() {}); err == nil || err.Error() != "no luck" {
		t.Errorf("a fault of the only device: got %v", err)
	}
	if n, _, err := drive(2, runtime.Goexit); n != 1 || !errors.Is(err, ErrEnded) || !strings.HasPrefix(err.Error(), "device 0") {
		t.Errorf("the goroutine ends: got %v, and %d others have ended", err, n)
	}
	if n, fault, _ := drive(2, func() { panic("ouch") }); n != 1 || fault != "ouch" {
		t.Errorf("got the panic %v, and %d others have ended", fault, n)
	}
}

// gather returns the values as they are.
func gather(v []any) (any, error) { return append([]any(nil), v...), nil }

func TestMeet(t *testing.T) {
	group := []int{2, 0, 1}
	err := devices(t, Grid{Replicas: 3}, func(h *Hub, d int) error {
		for round := range 200 {
			got, err := h.Meet(context.Background(), d, Meeting{Op: "x", Group: group, Program: "p"}, 10*round+d, gather)
			if err != nil {
				return err
			}
			if want := []any{10*round + 2, 10 * round, 10*round + 1}; !reflect.DeepEqual(got, want) {
				t.Errorf("round %d, device %d: got %v, want %v", round, d, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Overlapping groups in turn: a pipeline in which neighbours meet.
func TestMeetNeighbours(t *testing.T) {
	const n = 5
	err := devices(t, Grid{Partitions: n}, func(h *Hub, d int) error {
		for first := range n - 1 {
			if d != first && d != first+1 {
				continue
			}
			if _, err := h.Meet(context.Background(), d, Meeting{Op: "x", Group: []int{first, first + 1}, Program: "p"}, d, gather); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestHubFaults(t *testing.T) {
	ctx := context.Background()
	meet := func(h *Hub, d int, op, program string, group ...int) error {
		_, err := h.Meet(ctx, d, Meeting{Op: op, Group: group, Program: program}, d, gather)
		return err
	}
	bad := errors.New("bad")
	for _, tc := range []struct {
		name string
		n    int64
		is   error
		want []string
		f    func(h *Hub, d int) error
	}{
		{"one is absent", 3, ErrDeadlock, []string{"in all-reduce.1 of group {0,1,2} for", "device 1 (replica 1), which"},
			func(h *Hub, d int) error {
				if d == 1 {
					return nil
				}
				return meet(h, d, "all-reduce.1", "", 0, 1, 2)
			}},
		{"another order of groups", 3, ErrDeadlock, []string{"device 0 (replica 0) waits in a of group {0,1}", "for dev"},
			func(h *Hub, d int) error {
				next := []int{d, (d + 1) % 3}
				if d == 2 {
					next = []int{0, 2}
				}
				return meet(h, d, "a", "", next...)
			}},
		{"another program", 2, ErrMismatch, []string{"group {0,1}", "sum f32[2]", "sum f32[3]", "device 1 (replica 1)"},
			func(h *Hub, d int) error { return meet(h, d, "x", []string{"sum f32[2]", "sum f32[3]"}[d], 0, 1) }},
		{"another order in the group", 2, ErrMismatch, nil,
			func(h *Hub, d int) error { return meet(h, d, "x", "", d, 1-d) }},
		{"a device fails", 3, bad, nil, func(h *Hub, d int) error {
			if d == 2 {
				return bad
			}
			return meet(h, d, "x", "", 0, 1, 2)
		}},
		{"combine fails", 2, bad, nil, func(h *Hub, d int) error {
			_, err := h.Meet(ctx, d, Meeting{Group: []int{0, 1}}, d, func([]any) (any, error) { return nil, bad })
			return err
		}},
		{"no member", 2, nil, []string{"device 1 (replica 1) is not in group {0}"}, func(h *Hub, d int) error {
			return meet(h, d, "x", "", 0)
		}},
		{"nobody sends", 2, ErrDeadlock, []string{"waits in recv.1 on channel 5 for device 0 (replica 0), which"},
			func(h *Hub, d int) error {
				if d == 0 {
					return nil
				}
				_, err := h.Recv(ctx, d, Channel{5, 0, 1}, "recv.1")
				return err
			}},
		{"both receive first", 2, ErrDeadlock, []string{"device 0 (replica 0) waits in recv on channel 1", "device 1"},
			func(h *Hub, d int) error {
				_, err := h.Recv(ctx, d, Channel{int64(d + 1), 1 - d, d}, "recv")
				return err
			}},
		{"alone", 1, ErrDeadlock, []string{"device 0 (replica 0) waits in recv on channel 1"}, func(h *Hub, d int) error {
			_, err := h.Recv(ctx, d, Channel{1, -1, -1}, "recv")
			return err
		}},
		{"nobody receives", 2, nil, []string{"nobody received what was sent: send.2 on channel 1"}, func(h *Hub, d int) error {
			if d == 1 {
				return nil
			}
			return h.Send(ctx, d, Channel{1, 0, 1}, "send.2", 0)
		}},
		{"full", 2, ErrDeadlock, []string{"waits in send on channel 1"}, func(h *Hub, d int) error {
			for range MaxUnread + 1 {
				if err := h.Send(ctx, d, Channel{1, 0, 1}, "send", 0); err != nil || d == 1 {
					return err
				}
			}
			return nil
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := devices(t, Grid{Replicas: tc.n}, tc.f)
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Fatalf("got %v, want %v", err, tc.is)
			}
			for _, w := range tc.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want %q in it", err, w)
				}
			}
		})
	}
}

// TestSome wants a message about many devices to name a few.
func TestSome(t *testing.T) {
	h := NewHub(Grid{Replicas: 4096})
	all := allDevices(4096)
	if got := some(all[:2], " and ", h.place); got != "device 0 (replica 0) and device 1 (replica 1)" {
		t.Errorf("got %q", got)
	}
	if got := some(all, "; ", h.place); !strings.HasSuffix(got, "device 7 (replica 7); 4088 more") {
		t.Errorf("got %q", got)
	}
}

// A deadlock of some is found while another device still runs.
func TestDeadlockOfSome(t *testing.T) {
	err := devices(t, Grid{Replicas: 3}, func(h *Hub, d int) error {
		if d == 2 {
			<-h.Failed()
			return nil
		}
		_, err := h.Recv(context.Background(), d, Channel{int64(d), 1 - d, d}, "recv")
		return err
	})
	if !errors.Is(err, ErrDeadlock) || strings.Contains(err.Error(), "device 2") {
		t.Errorf("got %v, want a deadlock of devices 0 and 1", err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var once sync.Once
	err := devices(t, Grid{Replicas: 2}, func(h *Hub, d int) error {
		if d == 1 { // it runs, but never comes
			once.Do(cancel)
			<-h.Failed()
			return nil
		}
		_, err := h.Meet(ctx, d, Meeting{Op: "all-gather.7", Group: []int{0, 1}, Program: ""}, d, gather)
		return err
	})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "in all-gather.7 of group {0,1} for device 1") {
		t.Errorf("got %v, want context.Canceled with the missing device", err)
	}
}

// The context of the device that combines ends meanwhile: what combine returns may be half done, and is nobody's result.
func TestCancelInCombine(t *testing.T) {
	got := make([]error, 2)
	err := devices(t, Grid{Replicas: 2}, func(h *Hub, d int) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, got[d] = h.Meet(ctx, d, Meeting{Op: "all-reduce.2", Group: []int{0, 1}}, d, func([]any) (any, error) {
			cancel()
			return "half done", nil
		})
		return got[d]
	})
	for d, err := range append(got, err) {
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "in all-reduce.2 of group {0,1}: ") {
			t.Errorf("%d: got %v, want context.Canceled", d, err)
		}
	}
}

// Whatever happens while one works in the memory of all, the others wait until it is done.
func TestFaultInCombine(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault func(h *Hub, cancel func())
		end   func() (any, error) // of combine
		want  string
	}{
		{"one that waits is cancelled", func(_ *Hub, cancel func()) { cancel() }, nil, "device 0 (replica 0) in all-reduce.2 of"},
		{"another device fails", func(h *Hub, _ func()) { h.Fail(errors.New("no luck")) }, nil, "no luck"},
		{"combine fails too", func(h *Hub, _ func()) { h.Fail(errors.New("no luck")) },
			func() (any, error) { return nil, errors.New("late") }, "no luck"},
		{"combine panics too", func(h *Hub, _ func()) { h.Fail(errors.New("no luck")) },
			func() (any, error) { panic("ouch") }, "no luck"},
		{"combine panics", func(*Hub, func()) {}, func() (any, error) { panic("ouch") }, "device 1 (replica 1): it panicked: ouch"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var busy atomic.Bool
			err := faultInCombine(t, &busy, tc.fault, tc.end)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// faultInCombine has three devices meet, the last one of which sees a fault come from outside while it combines. It
// returns the fault that device 0 gets.
func faultInCombine(t *testing.T, busy *atomic.Bool, fault func(*Hub, func()), end func() (any, error)) (got error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h := NewHub(Grid{Replicas: 3})
	combine := func([]any) (any, error) {
		busy.Store(true)
		defer busy.Store(false)
		fault(h, cancel)
		if end == nil || h.Err() != nil {
			<-h.Failed()
		}
		time.Sleep(10 * time.Millisecond) // for those that would not wait
		if end == nil {
			return "half done", nil
		}
		return end()
	}
	run := func(_ context.Context, d int) error {
		own := ctx
		if d > 0 {
			own = t.Context()
		}
		if d == 1 {
			for !waiting(h, 0) || !waiting(h, 2) {
				runtime.Gosched()
			}
		}
		_, err := h.Meet(own, d, Meeting{Op: "all-reduce.2", Group: []int{0, 1, 2}}, d, combine)
		if busy.Load() {
			t.Errorf("device %d goes on while device 1 combines", d)
		}
		if d == 0 {
			got = err
		}
		return err
	}
	defer func() { _ = recover() }() // of Drive, which says it again
	_ = h.Drive(t.Context(), run)
	return got
}

func waiting(h *Hub, d int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waits[d] != nil
}

func TestMail(t *testing.T) {
	const n = 3 * MaxUnread
	err := devices(t, Grid{Replicas: 2}, func(h *Hub, d int) error {
		c := Channel{1, -1, -1}
		for i := range n {
			if d == 0 {
				if err := h.Send(context.Background(), d, c, "send", i); err != nil {
					return err
				}
				continue
			}
			if v, err := h.Recv(context.Background(), d, c, "recv"); err != nil || v != i {
				t.Errorf("got %v, %v, want %d", v, err, i)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestUnread(t *testing.T) {
	h := NewHub(Grid{})
	if err := h.Unread(); err != nil {
		t.Error(err)
	}
	if err := h.Send(context.Background(), 0, Channel{3, -1, -1}, "send.2", 1); err != nil {
		t.Fatal(err)
	}
	if err := h.Unread(); err == nil || !strings.Contains(err.Error(), "send.2 on channel 3") {
		t.Errorf("got %v", err)
	}
	v, err := h.Recv(context.Background(), 0, Channel{3, -1, -1}, "recv")
	if v != 1 || err != nil || h.Unread() != nil {
		t.Errorf("got %v, %v", v, err)
	}
}
