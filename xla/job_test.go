package xla_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
)

// onJob runs f on each rank of a job, with a client of the backend that has so many devices there, and wants nothing to
// be left of it. It returns the errors by rank.
func onJob(t *testing.T, backend func() xla.Backend, ranks, each int, f func(c *xla.Client) error) []error {
	t.Helper()
	return onTransports(t, backend, collective.Loopback(ranks), each, f)
}

func onTransports(t *testing.T, backend func() xla.Backend, ranks []collective.Transport, each int,
	f func(c *xla.Client) error) []error {
	t.Helper()
	errs := make([]error, len(ranks))
	var wg sync.WaitGroup
	for r, tr := range ranks {
		wg.Go(func() {
			defer tr.Close()
			c, err := xla.NewClient(backend(), xla.ClientOptions{Devices: each, Job: collective.NewJob(tr)})
			if err != nil {
				errs[r] = err
				return
			}
			errs[r] = f(c)
			c.Close()
			wantNothingLive(t, c)
		})
	}
	wg.Wait()
	return errs
}

// executeHere runs x with the pair (d+1, -d-1) on each device here, and returns the results by device.
func executeHere(ctx context.Context, x *xla.Executable) ([][]float32, error) {
	args := make([][]*xla.Buffer, len(x.Devices()))
	for d, dev := range x.Devices() {
		if !dev.Local() {
			continue
		}
		b, err := xla.FromSlice(dev, []float32{float32(d + 1), -float32(d + 1)})
		if err != nil {
			return nil, err
		}
		defer b.Close()
		args[d] = []*xla.Buffer{b}
	}
	out, err := x.ExecuteDevices(ctx, xla.RunOptions{}, args)
	if err != nil {
		return nil, err
	}
	got := make([][]float32, len(out))
	for d, list := range out {
		for _, b := range list {
			if got[d], err = xla.ToSlice[float32](b); err != nil {
				return nil, err
			}
			b.Close()
		}
	}
	return got, nil
}

// TestJob runs programs of as many devices as there are, of fewer, and of one.
func TestJob(t *testing.T) {
	for name, backend := range backends {
		for _, tc := range []struct{ ranks, each, devices int }{{2, 2, 4}, {4, 1, 4}, {3, 2, 4}, {2, 1, 1}, {1, 3, 3}} {
			t.Run(fmt.Sprint(name, tc), func(t *testing.T) {
				for _, err := range onJob(t, backend, tc.ranks, tc.each, func(c *xla.Client) error {
					x, err := c.Compile(t.Context(), xla.Program{Source: fmt.Appendf(nil, sumOf,
						fmt.Sprint("replica_count=", tc.devices))}, xla.CompileOptions{})
					if err != nil {
						return err
					}
					defer x.Close()
					for range 3 {
						got, err := executeHere(t.Context(), x)
						if err != nil {
							return err
						}
						n := float32(tc.devices * (tc.devices + 1) / 2)
						for d, dev := range x.Devices() {
							if want := []float32{n, -n}; dev.Local() && !slices.Equal(got[d], want) || !dev.Local() && got[d] != nil {
								return fmt.Errorf("device %d: got %v, want %v", d, got[d], want)
							}
						}
					}
					return nil
				}) {
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// until is a transport, and a context whose deadline comes when its rank begins a given exchange: the first compares what
// ranks begin, the second what they are at in the first collective.
type until struct {
	collective.Transport
	context.Context
	exchange int32
	count    atomic.Int32
	done     chan struct{}
}

func (u *until) Exchange(ctx context.Context, tag uint64, group []int, out, in [][]byte) error {
	if u.count.Add(1) == u.exchange {
		close(u.done)
	}
	return u.Transport.Exchange(ctx, tag, group, out, in)
}

func (u *until) Done() <-chan struct{} { return u.done }

func (u *until) Err() error {
	select {
	case <-u.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestJobFaults wants a fault on one rank to be one on all, which says whose it is.
func TestJobFaults(t *testing.T) {
	text := fmt.Sprintf(sumOf, "replica_count=4")
	compiled := func(ctx context.Context, c *xla.Client, text string, f func(x *xla.Executable) error) error {
		x, err := c.Compile(ctx, xla.Program{Name: "f.hlo", Source: []byte(text)}, xla.CompileOptions{})
		if err != nil {
			return err
		}
		defer x.Close()
		return f(x)
	}
	whole := func(ctx context.Context, x *xla.Executable) error {
		_, err := executeHere(ctx, x)
		return err
	}
	for _, tc := range []struct {
		name        string
		other       func(ctx context.Context, c *xla.Client) error // on rank 1; some wait for ctx
		first, last string                                         // in the errors of ranks 0 and 1
		deadline    int32                                          // the exchange in which that of rank 0 comes
	}{
		{"another program", func(ctx context.Context, c *xla.Client) error {
			other := strings.ReplaceAll(text, "HloModule sum", "HloModule other")
			return compiled(ctx, c, other, func(x *xla.Executable) error { return whole(ctx, x) })
		}, "rank 1 is at other on 4 replicas", "rank 0 is at sum on 4 replicas", 0},
		{"another shape", func(ctx context.Context, c *xla.Client) error {
			other := strings.ReplaceAll(text, "[2]", "[1,2]")
			return compiled(ctx, c, other, func(x *xla.Executable) error {
				args := make([][]*xla.Buffer, 4)
				for d := 2; d < 4; d++ {
					b, err := xla.FromSlice(x.Devices()[d], []float32{1, 2}, 1, 2)
					if err != nil {
						return err
					}
					defer b.Close()
					args[d] = []*xla.Buffer{b}
				}
				_, err := x.ExecuteDevices(ctx, xla.RunOptions{}, args)
				return err
			})
		}, "the devices' programs differ", "the devices' programs differ", 0},
		{"another reducer", func(ctx context.Context, c *xla.Client) error {
			other := strings.ReplaceAll(text, "add(a, b)", "maximum(a, b)")
			return compiled(ctx, c, other, func(x *xla.Executable) error { return whole(ctx, x) })
		}, "rank 1 is at sum on 4 replicas", "rank 0 is at sum on 4 replicas", 0},
		{"never begins", func(ctx context.Context, c *xla.Client) error {
			<-ctx.Done()
			return ctx.Err()
		}, "the beginning of sum: ranks [1] did not come: context deadline exceeded", "", 1},
		{"a device never begins", func(ctx context.Context, c *xla.Client) error {
			return compiled(ctx, c, text, func(x *xla.Executable) error {
				l, err := x.Launch(ctx, xla.RunOptions{})
				if err != nil {
					return err
				}
				<-ctx.Done()
				return l.Close()
			})
		}, "of group {0,1,2,3} for device 2 (replica 2) on rank 1", "", 2},
		{"cancelled", func(ctx context.Context, c *xla.Client) error {
			return compiled(ctx, c, text, func(x *xla.Executable) error {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				l, err := x.Launch(ctx, xla.RunOptions{})
				if err != nil {
					return err
				}
				defer l.Close()
				b, err := xla.FromSlice(x.Devices()[2], []float32{1, 2})
				if err != nil {
					return err
				}
				defer b.Close()
				time.AfterFunc(10*time.Millisecond, cancel)
				_, err = l.Execute(ctx, 2, b)
				return err
			})
		}, "device 2 (replica 2)", "context canceled", 0},
		{"wrong argument", func(ctx context.Context, c *xla.Client) error {
			return compiled(ctx, c, text, func(x *xla.Executable) error {
				_, err := x.ExecuteDevices(ctx, xla.RunOptions{}, make([][]*xla.Buffer, 4))
				return err
			})
		}, "rank 1: device", "got 0 arguments, want 1", 0},
	} {
		for name, backend := range backends {
			t.Run(tc.name+"/"+name, func(t *testing.T) {
				late, over := context.WithCancel(t.Context())
				ranks := collective.Loopback(2)
				first := &until{Transport: ranks[0], Context: t.Context(), exchange: tc.deadline, done: make(chan struct{})}
				ranks[0] = first
				errs := onTransports(t, backend, ranks, 2, func(c *xla.Client) error {
					if c.Devices()[2].Local() {
						if tc.deadline > 0 {
							return tc.other(late, c)
						}
						return tc.other(t.Context(), c)
					}
					defer over()
					return compiled(first, c, text, func(x *xla.Executable) error { return whole(first, x) })
				})
				for r, want := range []string{tc.first, tc.last} {
					if want != "" && (errs[r] == nil || !strings.Contains(errs[r].Error(), want)) {
						t.Errorf("rank %d: got %v, want %q in it", r, errs[r], want)
					}
				}
			})
		}
	}
}

// TestDevicesElsewhere wants what is of another process to be refused.
func TestDevicesElsewhere(t *testing.T) {
	for _, err := range onJob(t, xla.Reference, 2, 1, func(c *xla.Client) error {
		for _, d := range c.Devices() {
			b, err := xla.FromSlice(d, []float32{1})
			if d.Local() != (err == nil) {
				return fmt.Errorf("a buffer on %v: %v", d, err)
			}
			if err := d.Infeed(t.Context(), literal.Scalar(int32(1))); d.Local() != (err == nil) {
				return fmt.Errorf("the infeed of %v: %v", d, err)
			}
			if !d.Local() { // here it would wait
				if _, err := d.FromSend(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "of rank") {
					return fmt.Errorf("a channel of %v: %v", d, err)
				}
			}
			if err == nil {
				b.Close()
			}
			x, err := c.Compile(t.Context(), xla.Program{Source: fmt.Appendf(nil, sumOf, "replica_count=1")},
				xla.CompileOptions{Devices: []int{1 - d.ID()}})
			if err == nil {
				x.Close()
			}
			if d.Local() && (err == nil || !strings.Contains(err.Error(), "is in the process of rank")) {
				return fmt.Errorf("a program for %v: %v", d, err)
			}
		}
		return nil
	}) {
		if err != nil {
			t.Error(err)
		}
	}
}
