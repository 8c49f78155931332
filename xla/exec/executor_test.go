package exec

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/pass"
)

// left counts the seats that nobody has.
func left(e *executor) (n int) {
	for _, s := range e.seats {
		if s.state.Load() == vacant {
			n++
		}
	}
	return n
}

// waitFor waits until n callers wait for a seat.
func waitFor(t *testing.T, e *executor, n int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if e.waiting.Load() == int64(n) {
			return
		}
	}
	t.Fatalf("there are never %d callers that wait", n)
}

// TestExecutorTurns wants callers to be served in the order in which they came, and those that give up to be left out.
func TestExecutorTurns(t *testing.T) {
	e, ctx := newExecutor(newKeeper(1)), context.Background()
	mine, err := e.acquire(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	impatient, cancel := context.WithCancel(ctx)
	for i := range 5 {
		wg.Go(func() {
			c := ctx
			if i == 2 {
				c = impatient
			}
			seat, err := e.acquire(c, nil)
			if err != nil {
				if i != 2 || !errors.Is(err, context.Canceled) {
					t.Errorf("caller %d: %v", i, err)
				}
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			e.release(seat)
		})
		waitFor(t, e, i+1)
	}
	cancel()
	waitFor(t, e, 4)
	e.mu.Lock()
	for w := e.line.first; w != nil; w = w.next {
		w.seat = mine.number // so that nobody is passed over
	}
	e.mu.Unlock()
	e.release(mine)
	wg.Wait()
	if len(order) != 4 || order[0] != 0 || order[1] != 1 || order[2] != 3 || order[3] != 4 {
		t.Errorf("got the order %v, want 0 1 3 4", order)
	}
	if n := left(e); n != 1 {
		t.Errorf("%d seats are left, want 1", n)
	}
}

// TestExecutorGivenUp wants no seat lost and no place in the line left over when callers give up at any moment, also at
// the one at which their turn comes.
func TestExecutorGivenUp(t *testing.T) {
	const seats, callers, turns = 2, 16, 300
	e := newExecutor(newKeeper(seats))
	var wg sync.WaitGroup
	var inside atomic.Int64
	for i := range callers {
		wg.Go(func() {
			for k := range turns {
				ctx, cancel := context.WithCancel(context.Background())
				if (i+k)%3 == 0 {
					go cancel()
				}
				if seat, err := e.acquire(ctx, nil); err == nil {
					if n := inside.Add(1); n > seats {
						t.Errorf("%d are inside, want %d at most", n, seats)
					}
					runtime.Gosched()
					inside.Add(-1)
					e.release(seat)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	n, waiting := left(e), e.waiting.Load()
	if n != seats || e.line.first != nil || e.line.last != nil || waiting != 0 {
		t.Errorf("%d seats are left and the line of %d is %v to %v, want %d and none", n, waiting, e.line.first,
			e.line.last, seats)
	}
}

// TestExecutorReturns wants those served first who had the seat before, and nobody passed over more than near times.
func TestExecutorReturns(t *testing.T) {
	e := newExecutor(newKeeper(2))
	e.mu.Lock()
	defer e.mu.Unlock()
	other := e.queue(nil)
	other.seat = 1
	for range near + 1 {
		e.queue(nil).seat = 0
	}
	for i := range near + 1 {
		w := e.next(e.seats[0])
		if got, want := w == other, i == near; got != want {
			t.Fatalf("turn %d: got the one of the other seat %v, want %v", i, got, want)
		}
		e.leave(w)
	}
	if w := e.next(e.seats[1]); w != e.line.first {
		t.Errorf("got %v, want the first when nobody had the seat before", w)
	}
}

// TestDevicesBeyondThreads wants devices that wait for each other to run on fewer threads than there are devices.
func TestDevicesBeyondThreads(t *testing.T) {
	p := mustCompile(t, `HloModule m
sum { a = u32[] parameter(0)
  b = u32[] parameter(1)
  ROOT c = u32[] add(a, b) }
ENTRY e { r = u32[] replica-id()
  ROOT s = u32[] all-reduce(r), replica_groups={}, to_apply=sum }`, Options{AllowReference: true})
	const devices = 7
	out, err := p.Run(context.Background(), make([][]*literal.Literal, devices), RunOptions{Replicas: devices})
	if err != nil {
		t.Fatal(err)
	}
	for d, l := range out {
		if l.String() != "u32[] 21" {
			t.Errorf("device %d: got %v, want 21", d, l)
		}
	}
	if n := left(p.executor); n != 2 {
		t.Errorf("%d seats are left, want 2", n)
	}
}

// TestNestedExecution wants a function of the user to be able to run programs itself, on the same threads.
func TestNestedExecution(t *testing.T) {
	inner := mustCompile(t, twoSteps, Options{AllowReference: true})
	var taken []*shelf
	for range len(inner.executor.seats) {
		seat, err := inner.executor.acquire(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, seat)
	}
	inner.executor.release(taken[0]) // one is left
	call := func(ctx context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		out, err := inner.Run(ctx, [][]*literal.Literal{args}, RunOptions{})
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	outer := mustCompile(t, `ENTRY e { x = f32[100] parameter(0)
  ROOT y = f32[100] custom-call(x), custom_call_target="inner" }`,
		Options{AllowReference: true, Handlers: handlers{"inner": call}})
	outer.executor = inner.executor
	run(t, outer, literal.Zeros(outer.module.Entry.Root.Shape))
}

// TestWaitCancelled wants an execution that has lent its thread to end with its context, not with those that have it.
func TestWaitCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var p *program
	var taken []*shelf
	call := func(_ context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		for range len(p.executor.seats) {
			seat, err := p.executor.acquire(context.Background(), nil)
			if err != nil {
				return nil, err
			}
			taken = append(taken, seat)
		}
		return args[0], nil
	}
	p = mustCompile(t, `ENTRY e { x = f32[100] parameter(0)
  ROOT y = f32[100] custom-call(x), custom_call_target="call" }`,
		Options{AllowReference: true, Handlers: handlers{"call": call}})
	ended := make(chan error, 1)
	go func() {
		_, err := p.Run(ctx, [][]*literal.Literal{{literal.Zeros(p.module.Entry.Root.Shape)}}, RunOptions{})
		ended <- err
	}()
	waitFor(t, p.executor, 1)
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that the context was cancelled", err)
		}
	case <-time.After(time.Minute):
		t.Error("the execution waits for those that have its thread")
	}
	for _, seat := range taken {
		p.executor.release(seat)
	}
	if n := left(p.executor); n != len(taken) {
		t.Errorf("%d seats are left, want %d", n, len(taken))
	}
}

// closedContext has ended without an error, which contexts should not.
type closedContext struct{ context.Context }

func (closedContext) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// TestExecutorOddContext wants an error for whose context ends without one.
func TestExecutorOddContext(t *testing.T) {
	e := newExecutor(newKeeper(1))
	seat, err := e.acquire(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := e.acquire(closedContext{context.Background()}, nil); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got the seat %v and %v, want none and that it was cancelled", s, err)
	}
	e.release(seat)
}

type handlers map[string]hlo.Handler

func (h handlers) Lookup(target string) (hlo.Handler, bool) { f, ok := h[target]; return f, ok }

// TestConcurrentRuns wants executions at the same time not to disturb each other, and their memory to be kept for the
// next ones within the limit.
func TestConcurrentRuns(t *testing.T) {
	p := mustCompile(t, `ENTRY e { x = f32[10000] parameter(0)
  y = f32[10000] negate(x)
  z = f32[10000] add(y, y)
  ROOT w = f32[10000] add(z, x) }`, Options{AllowReference: true, MemoryLimit: 400000})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			in := make([]float32, 10000)
			for k := range in {
				in[k] = float32(i)
			}
			x, err := literal.FromSlice(in)
			if err != nil {
				t.Error(err)
				return
			}
			for range 20 {
				c := Call{Args: []*literal.Literal{x}}
				if err := p.Call(context.Background(), &c); err != nil {
					t.Error(err)
					return
				}
				v, err := literal.View[float32](c.Results[0])
				if err != nil || v[0] != -float32(i) || v[9999] != -float32(i) {
					t.Errorf("got %v to %v, %v, want %d", v[0], v[9999], err, -i)
				}
				c.Recycle(c.Results[0])
			}
		})
	}
	wg.Wait()
	if n := p.keeper.bytes.Load(); n <= 0 || n > 200000 {
		t.Errorf("%d bytes are kept, want some, and at most half the limit", n)
	}
	p.keeper.trim()
	if n, arenas := p.keeper.bytes.Load(), slices.Concat(p.idle...); n != 0 || len(arenas) != 0 {
		t.Errorf("%d bytes and %d arenas are kept after trim", n, len(arenas))
	}
}

// TestParallelCancel wants what is left to do to be left out once the execution is cancelled, on one thread and several.
func TestParallelCancel(t *testing.T) {
	for _, threads := range []int{1, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		r := &Run{ctx: ctx, program: &program{machine: threaded{threads}}}
		var done atomic.Int64
		r.Parallel(1000, func(i int64) {
			done.Add(1)
			switch {
			case i == 10:
				cancel()
			case i > 10:
				<-ctx.Done()
			}
		})
		if n := done.Load(); n < 11 || n > int64(10+threads) {
			t.Errorf("%d threads: %d tasks ran, want 11 and what was under way", threads, n)
		}
	}
}

// threaded is a machine of nothing but threads.
type threaded struct{ threads int }

func (threaded) Name() string                     { return "threaded" }
func (threaded) Passes() []pass.Pass              { return nil }
func (m threaded) Threads() int                   { return m.threads }
func (threaded) Lower(l *Lowering) (Thunk, error) { return nil, errors.ErrUnsupported }
