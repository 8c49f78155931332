package xla_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// sumOf is a program in which all of its devices add up their arguments.
const sumOf = `HloModule sum, %s
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  p = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=add
}`

// backends are those on which programs for several devices run.
var backends = map[string]func() xla.Backend{
	"reference": xla.Reference,
	"cpu":       func() xla.Backend { return cpu.New(cpu.Options{Threads: 2}) },
}

// onBackends runs f with a client of each backend, and wants nothing to be left of it.
func onBackends(t *testing.T, o xla.ClientOptions, f func(t *testing.T, c *xla.Client)) {
	t.Helper()
	for name, backend := range backends {
		t.Run(name, func(t *testing.T) {
			c, err := xla.NewClient(backend(), o)
			if err != nil {
				t.Fatal(err)
			}
			before := runtime.NumGoroutine()
			f(t, c)
			c.Close()
			wantNothingLive(t, c)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for runtime.NumGoroutine() > before { // those that have ended go at once
				if ctx.Err() != nil {
					t.Fatalf("%d goroutines are left", runtime.NumGoroutine()-before)
				}
				runtime.Gosched()
			}
		})
	}
}

// compileText compiles a program for the time of the test.
func compileText(t *testing.T, c *xla.Client, text string, o xla.CompileOptions) *xla.Executable {
	t.Helper()
	x, err := c.Compile(t.Context(), xla.Program{Source: []byte(text)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// pair makes a buffer of two numbers on d.
func pair(t *testing.T, d xla.Home, v float32) *xla.Buffer {
	t.Helper()
	b, err := xla.FromSlice(d, []float32{v, -v})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestExecuteDevices(t *testing.T) {
	onBackends(t, xla.ClientOptions{Devices: 5}, func(t *testing.T, c *xla.Client) {
		for _, placed := range [][]int{nil, {4, 2, 0}} {
			x := compileText(t, c, fmt.Sprintf(sumOf, "replica_count=3"), xla.CompileOptions{Devices: placed})
			defer x.Close()
			var args [][]*xla.Buffer
			for d, dev := range x.Devices() {
				if want := []int{0, 1, 2}; placed == nil && dev.ID() != want[d] || placed != nil && dev.ID() != placed[d] {
					t.Errorf("%v: device %d is %v", placed, d, dev)
				}
				args = append(args, []*xla.Buffer{pair(t, dev, float32(d+1))})
			}
			out, err := x.ExecuteDevices(t.Context(), xla.RunOptions{}, args)
			if err != nil {
				t.Fatal(err)
			}
			for d := range out {
				v, err := xla.ToSlice[float32](out[d][0])
				if err != nil || !slices.Equal(v, []float32{6, -6}) || out[d][0].Device() != x.Devices()[d] {
					t.Errorf("device %d: got %v on %v, %v", d, v, out[d][0].Device(), err)
				}
				out[d][0].Close()
			}
			args[0][0], args[1][0] = args[1][0], args[0][0]
			_, err = x.ExecuteDevices(t.Context(), xla.RunOptions{}, args)
			wantCode(t, err, xla.InvalidArgument, "CopyTo copies it there")
			moved, err := args[0][0].CopyTo(x.Devices()[0])
			if err != nil || moved.Device() != x.Devices()[0] {
				t.Error(moved, err)
			}
			moved.Close()
			for _, a := range args {
				a[0].Close()
			}
		}
	})
}

func TestDevicesRefused(t *testing.T) {
	for _, o := range []xla.ClientOptions{{Devices: -1}, {Devices: 1 << 20}, {FeedCapacity: -1}} {
		_, err := xla.NewClient(xla.Reference(), o)
		wantCode(t, err, xla.InvalidArgument, "want 1")
	}
	onBackends(t, xla.ClientOptions{Devices: 2}, func(t *testing.T, c *xla.Client) {
		ctx := t.Context()
		text := fmt.Sprintf(sumOf, "replica_count=3")
		for _, tc := range []struct {
			o    xla.CompileOptions
			want string
		}{
			{xla.CompileOptions{Replicas: 2, Devices: []int{0}}, "got 1 devices, want 2: 2 replicas of 1 partitions"},
			{xla.CompileOptions{Replicas: 2, Devices: []int{0, 2}}, "device 2, and the client has 2"},
			{xla.CompileOptions{Replicas: 2, Devices: []int{1, 1}}, "device 1 is there twice"},
			{xla.CompileOptions{Replicas: -2}, "want none negative"},
		} {
			_, err := c.Compile(ctx, xla.Program{Source: []byte(text)}, tc.o)
			wantCode(t, err, xla.InvalidArgument, tc.want)
		}
		x := compileText(t, c, text, xla.CompileOptions{})
		a := pair(t, c, 1)
		_, err := x.Execute(ctx, a)
		wantCode(t, err, xla.InvalidArgument, "sum is for 3 replicas of 1 partitions: ExecuteDevices and Launch run it")
		_, err = x.ExecuteDevices(ctx, xla.RunOptions{}, make([][]*xla.Buffer, 3))
		wantCode(t, err, xla.InvalidArgument, "3 devices; the client has 2: ClientOptions.Devices says how many")
		_, err = x.Launch(ctx, xla.RunOptions{})
		wantCode(t, err, xla.InvalidArgument, "the client has 2")
		two := compileText(t, c, text, xla.CompileOptions{Replicas: 2})
		l, err := two.Launch(ctx, xla.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Execute(ctx, 2, a)
		wantCode(t, err, xla.InvalidArgument, "device 2, want one of 0 to 1")
		_, err = l.Execute(ctx, 1, a)
		wantCode(t, err, xla.InvalidArgument, "want")
		_, err = l.Execute(ctx, 1, a)
		wantCode(t, err, xla.InvalidArgument, "device 1 (replica 1) has begun already")
		_, err = l.Execute(ctx, 0, a) // it fails with the others
		wantCode(t, err, xla.InvalidArgument, "device 1 (replica 1): argument 0 (p) is on device")
		a.Close()
		two.Close()
		x.Close()
	})
}

// launch runs each device of x from a goroutine of its own.
func launch(t *testing.T, x *xla.Executable, l *xla.Launch, values []float32) ([][]float32, []error) {
	out, errs := make([][]float32, len(values)), make([]error, len(values))
	var wg sync.WaitGroup
	for d := range values {
		wg.Go(func() {
			a := pair(t, x.Devices()[d], values[d])
			defer a.Close()
			var r []*xla.Buffer
			if r, errs[d] = l.Execute(t.Context(), d, a); errs[d] == nil {
				out[d], errs[d] = xla.ToSlice[float32](r[0])
				r[0].Close()
			}
		})
	}
	wg.Wait()
	return out, errs
}

func TestLaunch(t *testing.T) {
	onBackends(t, xla.ClientOptions{Devices: 4}, func(t *testing.T, c *xla.Client) {
		x := compileText(t, c, fmt.Sprintf(sumOf, "replica_count=2, num_partitions=2"), xla.CompileOptions{})
		defer x.Close()
		for round := range 50 {
			l, err := x.Launch(t.Context(), xla.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r := float32(round)
			out, errs := launch(t, x, l, []float32{r, 10, r + 1, 20}) // replicas 0 and 1 of partition 0 meet, and those of 1
			for d, err := range errs {
				want := [][]float32{{2*r + 1, -2*r - 1}, {30, -30}}[d%2]
				if err != nil || !slices.Equal(out[d], want) {
					t.Fatalf("device %d: got %v, %v, want %v", d, out[d], err, want)
				}
			}
			_, err = l.Execute(t.Context(), 0)
			wantCode(t, err, xla.Closed, "launch of sum")
			l.Close()
		}
	})
}

// soon is a context that ends before the test, which fails if that matters.
func soon(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// ending is a context whose deadline passes when done is closed.
type ending struct {
	context.Context
	done chan struct{}
}

func (c *ending) Done() <-chan struct{} { return c.done }

func (c *ending) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// waits returns when two goroutines wait in a collective.
func waits(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stacks := make([]byte, 1<<20)
	for strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "(*Hub).await(") < 2 {
		if ctx.Err() != nil {
			t.Fatal("nobody waits")
		}
		runtime.Gosched()
	}
}

// TestFaults is the table of docs/distributed.md for the devices of one process.
func TestFaults(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(ctx context.Context, c *xla.Client, x *xla.Executable, l *xla.Launch)
		is   error
		want []string
	}{
		{"a device never comes", nil, context.DeadlineExceeded,
			[]string{"waits in r (", "of group {0,1,2} for", "device 2 (replica 2), which has not begun"}},
		{"the launch is closed", func(_ context.Context, _ *xla.Client, _ *xla.Executable, l *xla.Launch) {
			l.Close()
		}, xla.ErrClosed, []string{"device 2 (replica 2), which has not begun: launch of sum"}},
		{"the executable is closed", func(_ context.Context, _ *xla.Client, x *xla.Executable, _ *xla.Launch) {
			x.Close()
		}, xla.ErrClosed, []string{"device 2 (replica 2), which has not begun: executable sum"}},
		{"the client is closed", func(_ context.Context, c *xla.Client, _ *xla.Executable, _ *xla.Launch) {
			c.Close()
		}, xla.ErrClosed, []string{"device 2 (replica 2), which has not begun: client"}},
		{"one device is cancelled", func(ctx context.Context, _ *xla.Client, x *xla.Executable, l *xla.Launch) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			a, _ := xla.FromSlice(x.Devices()[2], []float32{1, 2})
			defer a.Close()
			l.Execute(ctx, 2, a)
		}, context.Canceled, []string{"device 2 (replica 2)"}},
		{"one device has a wrong argument",
			func(ctx context.Context, _ *xla.Client, x *xla.Executable, l *xla.Launch) {
				a, _ := xla.FromSlice(x.Devices()[2], []float32{1, 2, 3})
				defer a.Close()
				l.Execute(ctx, 2, a)
			}, nil, []string{"device 2 (replica 2): argument 0 (p): got f32[3], want f32[2]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			onBackends(t, xla.ClientOptions{Devices: 3}, func(t *testing.T, c *xla.Client) {
				x := compileText(t, c, fmt.Sprintf(sumOf, "replica_count=3"), xla.CompileOptions{})
				defer x.Close()
				ctx := &ending{t.Context(), make(chan struct{})}
				l, err := x.Launch(ctx, xla.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				done := make(chan []error)
				go func() {
					_, errs := launch(t, x, l, []float32{1, 2}) // the third is the one at fault
					done <- errs
				}()
				for c.Live().Running < 2 {
					runtime.Gosched()
				}
				if tc.do == nil {
					waits(t)
					close(ctx.done)
				} else {
					tc.do(t.Context(), c, x, l)
				}
				for d, err := range <-done {
					if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
						t.Fatalf("device %d: got %v, want %v", d, err, tc.is)
					}
					for _, w := range tc.want {
						if !strings.Contains(err.Error(), w) {
							t.Errorf("device %d: got %q, want %q in it", d, err, w)
						}
					}
				}
				l.Close()
			})
		})
	}
}

// TestDifferentPrograms wants devices that come to different collectives to be told so.
func TestDifferentPrograms(t *testing.T) {
	const text = `HloModule m, num_partitions=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
t { p = f32[2] parameter(0) ROOT r = f32[2] all-reduce(p), channel_id=1, use_global_device_ids=true, replica_groups={{0,1}}, to_apply=add }
f { p = f32[2] parameter(0) c = f32[4] concatenate(p, p), dimensions={0}
  r = f32[4] all-reduce(c), channel_id=1, use_global_device_ids=true, replica_groups={{0,1}}, to_apply=add
  ROOT s = f32[2] slice(r), slice={[0:2]} }
ENTRY e { p = f32[2] parameter(0) i = u32[] partition-id() z = u32[] constant(0) c = pred[] compare(i, z), direction=EQ
  ROOT r = f32[2] conditional(c, p, p), true_computation=t, false_computation=f }`
	onBackends(t, xla.ClientOptions{Devices: 2}, func(t *testing.T, c *xla.Client) {
		x := compileText(t, c, text, xla.CompileOptions{})
		defer x.Close()
		l, err := x.Launch(t.Context(), xla.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, errs := launch(t, x, l, []float32{1, 2})
		for d, err := range errs {
			for _, w := range []string{"group {0,1}", "programs differ", "device 0 (partition 0)", "f32[2]", "f32[4]"} {
				if err == nil || !strings.Contains(err.Error(), w) {
					t.Errorf("device %d: got %v, want %q in it", d, err, w)
				}
			}
		}
	})
}

const feeding = `HloModule feeding, replica_count=%d
ENTRY e {
  k = token[] after-all()
  i = (f32[2], token[]) infeed(k)
  a = f32[2] get-tuple-element(i), index=0
  k1 = token[] get-tuple-element(i), index=1
  j = ((f32[2], s32[]), token[]) infeed(k1)
  b = (f32[2], s32[]) get-tuple-element(j), index=0
  c = f32[2] get-tuple-element(b), index=0
  k2 = token[] get-tuple-element(j), index=1
  d = f32[2] subtract(a, c)
  k3 = token[] outfeed(d, k2), outfeed_shape=f32[2]
  k4 = token[] outfeed(a, k3), outfeed_shape=f32[2]
  ROOT r = f32[2] add(a, c)
}`

func vector(t *testing.T, v ...float32) *literal.Literal {
	t.Helper()
	l, err := literal.FromSlice(v)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestFeeds(t *testing.T) {
	onBackends(t, xla.ClientOptions{Devices: 2, FeedCapacity: 1}, func(t *testing.T, c *xla.Client) {
		x := compileText(t, c, fmt.Sprintf(feeding, 2), xla.CompileOptions{Devices: []int{1, 0}})
		defer x.Close()
		var wg sync.WaitGroup
		for d, dev := range x.Devices() {
			wg.Go(func() { // the queues hold one value: the writer of the second waits
				v := vector(t, float32(d), 1)
				for _, l := range []*literal.Literal{v, literal.NewTuple(vector(t, 5, 6), literal.Scalar(int32(1)))} {
					if err := dev.Infeed(t.Context(), l); err != nil {
						t.Error(err)
					}
				}
				for _, want := range []*literal.Literal{vector(t, float32(d)-5, -5), v} {
					got, err := dev.Outfeed(t.Context())
					if err != nil || !literal.Equal(got, want) {
						t.Errorf("device %d: got %v, %v, want %v", d, got, err, want)
					}
				}
			})
		}
		out, err := x.ExecuteDevices(t.Context(), xla.RunOptions{}, make([][]*xla.Buffer, 2))
		if err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		for d := range out {
			if v, err := xla.ToSlice[float32](out[d][0]); err != nil || v[0] != float32(d)+5 {
				t.Errorf("device %d: got %v, %v", d, v, err)
			}
			out[d][0].Close()
		}
	})
}

func TestFeedFaults(t *testing.T) {
	onBackends(t, xla.ClientOptions{FeedCapacity: 1}, func(t *testing.T, c *xla.Client) {
		x := compileText(t, c, fmt.Sprintf(feeding, 1), xla.CompileOptions{})
		defer x.Close()
		d := c.Devices()[0]
		wantCode(t, d.Infeed(t.Context(), nil), xla.InvalidArgument, "infeed of device "+d.String()+": literal is nil")
		wantCode(t, d.ToRecv(t.Context(), 1, &literal.Literal{}), xla.InvalidArgument, "has no type")
		if err := d.Infeed(t.Context(), vector(t, 1, 2, 3)); err != nil {
			t.Fatal(err)
		}
		wantCode(t, d.Infeed(soon(t, time.Millisecond), vector(t, 1)), xla.Cancelled, "infeed of device "+d.String())
		_, err := x.Execute(t.Context())
		wantCode(t, err, xla.Failed, "the infeed holds f32[3], want f32[2]")
		for wait := time.Millisecond; wait < time.Minute; wait *= 2 { // it may pass before the program reads
			if _, err = x.Execute(soon(t, wait)); err == nil || strings.Contains(err.Error(), "reading the infeed") {
				break
			}
		}
		wantCode(t, err, xla.Cancelled, "reading the infeed")
		_, err = d.Outfeed(soon(t, time.Millisecond))
		wantCode(t, err, xla.Cancelled, "outfeed of device "+d.String())
		done := make(chan error)
		go func() {
			_, err := x.Execute(t.Context())
			done <- err
		}()
		go c.Close() // while the device waits, or before it begins
		if err := <-done; !errors.Is(err, hlo.ErrFeedClosed) && !errors.Is(err, xla.ErrClosed) {
			t.Errorf("got %v, want that it is closed", err)
		}
		c.Close()
		wantCode(t, d.Infeed(t.Context(), vector(t, 1)), xla.Closed, "the feed is closed")
	})
}

// TestInfeedEnds wants a device whose infeed ends in the middle to fail all devices, and to say where.
func TestInfeedEnds(t *testing.T) {
	onBackends(t, xla.ClientOptions{Devices: 2}, func(t *testing.T, c *xla.Client) {
		x := compileText(t, c, fmt.Sprintf(feeding, 2), xla.CompileOptions{})
		defer x.Close()
		for _, dev := range x.Devices() {
			if err := dev.Infeed(t.Context(), vector(t, 1, 2)); err != nil {
				t.Fatal(err)
			}
		}
		x.Devices()[0].CloseInfeed() // the other waits for its second value
		_, err := x.ExecuteDevices(t.Context(), xla.RunOptions{}, make([][]*xla.Buffer, 2))
		wantCode(t, err, xla.Failed, "device 0 (replica 0): ")
		if !errors.Is(err, hlo.ErrFeedClosed) || !strings.Contains(err.Error(), "reading the infeed") {
			t.Errorf("got %v, want that the infeed is closed", err)
		}
		wantCode(t, x.Devices()[0].Infeed(t.Context(), vector(t, 1, 2)), xla.Closed, "infeed of device")
	})
}

const hosted = `HloModule hosted
ENTRY e {
  k = token[] after-all()
  v = (f32[2], u32[], token[]) recv(k), channel_id=3, is_host_transfer=true
  w = (f32[2], token[]) recv-done(v), channel_id=3, is_host_transfer=true
  a = f32[2] get-tuple-element(w), index=0
  k1 = token[] get-tuple-element(w), index=1
  n = f32[2] negate(a)
  s = (f32[2], u32[], token[]) send(n, k1), channel_id=4, is_host_transfer=true
  ROOT d = token[] send-done(s), channel_id=4, is_host_transfer=true
}`

func TestHostTransfers(t *testing.T) {
	onBackends(t, xla.ClientOptions{}, func(t *testing.T, c *xla.Client) {
		x := compileText(t, c, hosted, xla.CompileOptions{})
		defer x.Close()
		d := c.Devices()[0]
		for i := range 3 {
			if err := d.ToRecv(t.Context(), 3, vector(t, float32(i), 2)); err != nil {
				t.Fatal(err)
			}
			out, err := x.Execute(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range out {
				b.Close()
			}
			got, err := d.FromSend(t.Context(), 4)
			if err != nil || !literal.Equal(got, vector(t, -float32(i), -2)) {
				t.Errorf("got %v, %v", got, err)
			}
		}
		if err := d.ToRecv(t.Context(), 3, vector(t, 1)); err != nil {
			t.Fatal(err)
		}
		_, err := x.Execute(t.Context())
		wantCode(t, err, xla.Failed, "what was sent is f32[1], want f32[2]")
		_, err = x.Execute(soon(t, time.Millisecond))
		wantCode(t, err, xla.Cancelled, "deadline exceeded")
	})
}
