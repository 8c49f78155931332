package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/collective/mpi"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// twice is a program with two collectives; functions of the test are called before and between them.
const twice = `HloModule twice, replica_count=6
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  p = f32[%[1]d] parameter(0)
  d = u32[] replica-id()
  b = f32[%[1]d] custom-call(p, d), custom_call_target="before"
  first = f32[%[1]d] all-reduce(b), replica_groups={}, to_apply=add
  m = f32[%[1]d] custom-call(first, d), custom_call_target="between"
  ROOT second = f32[%[1]d] all-reduce(m), replica_groups={}, to_apply=add
}`

// fault is what happens to rank 1 of three, which have two devices each. Nothing in it takes a given time: things happen
// when others have.
type fault struct {
	// before and between are called by devices 2 and 3, others by the devices of the other ranks before the first
	// collective, instead for the whole program of rank 1.
	before, between, others func(ctx context.Context, r *faulty, device int) error
	instead                 func(ctx context.Context, r *faulty) error
	size                    int    // of the array of rank 1; 0: 2, as the others'
	module                  string // of rank 1; "": twice, as the others'
	late                    int    // the exchange in which the deadline of the others comes; 0: a minute
	// want is in the error of ranks 0 and 2, self in that of rank 1 unless that is killed.
	want []string
	self string
}

// faulty is a rank of a fault's job. It is its transport, too, and leaves a file for each exchange that it begins.
type faulty struct {
	collective.Transport
	*fault
	dir       string
	exchanges atomic.Int32
	come      atomic.Int32 // devices that have called before
	ended     chan struct{}
	cancel    func()
}

// Exchanges of the program: all ranks compare what they begin, then in each collective what they are at, and values.
const (
	atBegin = 1 + iota
	atFirst
	inFirst
	atSecond
)

func (r *faulty) mark(rank, exchange int) string {
	return filepath.Join(r.dir, fmt.Sprint(rank, ".", exchange))
}

func (r *faulty) Exchange(ctx context.Context, tag uint64, group []int, out, in [][]byte) error {
	n := int(r.exchanges.Add(1))
	if err := os.WriteFile(r.mark(r.Rank(), n), nil, 0o600); err != nil {
		return err
	}
	if n == r.late && r.Rank() != 1 {
		go func() {
			r.await(n)
			close(r.ended)
		}()
	}
	return r.Transport.Exchange(ctx, tag, group, out, in)
}

// await waits until both other ranks are in an exchange.
func (r *faulty) await(exchange int) {
	for _, rank := range []int{0, 2} {
		for {
			if _, err := os.Stat(r.mark(rank, exchange)); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// late is a context whose deadline comes when done is closed.
type late struct {
	context.Context
	done chan struct{}
}

func (c late) Done() <-chan struct{} { return c.done }

func (c late) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func die() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }

// dieAt kills rank 1 when the others wait for it in an exchange.
func dieAt(exchange int) func(context.Context, *faulty, int) error {
	return func(_ context.Context, r *faulty, _ int) error {
		r.await(exchange)
		return die()
	}
}

func sleep(ctx context.Context, _ *faulty, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

// sleepAnd calls f when both devices have come, and sleeps.
func sleepAnd(f func(r *faulty)) func(context.Context, *faulty, int) error {
	return func(ctx context.Context, r *faulty, device int) error {
		if r.come.Add(1) == 2 {
			f(r)
		}
		return sleep(ctx, r, device)
	}
}

const gone = "ranks [1] did not come: the process is gone"

var faults = map[string]fault{
	"killed before a collective": {before: dieAt(atFirst), want: []string{"in first (twice.hlo:", "of group {0,1,2,3,4,5}",
		"device 2 (replica 2) on rank 1 and device 3 (replica 3) on rank 1", gone}},
	"killed in a collective": {others: sleep, before: func(_ context.Context, r *faulty, _ int) error {
		if r.come.Add(1) == 2 {
			time.AfterFunc(100*time.Millisecond, func() { _ = die() })
		}
		return nil
	}, want: []string{gone}},
	"killed in a collective that one device has come to": {before: func(_ context.Context, r *faulty, d int) error {
		if d != 3 {
			return nil
		}
		r.await(atFirst)
		return die()
	}, want: []string{"in first (twice.hlo:", gone}},
	"killed after a collective": {between: dieAt(atSecond), want: []string{"in second (twice.hlo:", gone}},
	"stuck": {before: sleep, late: atFirst, want: []string{"in first (twice.hlo:", "on rank 1",
		"did not come: context deadline exceeded"}, self: "did not come: context deadline exceeded"},
	"never begins": {late: atBegin, instead: func(ctx context.Context, r *faulty) error { return r.Watch(ctx) },
		want: []string{"the beginning of twice: ", "did not come: context deadline exceeded"}, self: "did not come"},
	"another program": {module: "other", want: []string{"the beginning of twice: ", "programs differ",
		"rank 1 is at other on 6 replicas"}, self: "rank 0 is at twice on 6 replicas"},
	"mismatched shapes": {size: 3, want: []string{"the beginning of twice: ", "programs differ", "with the fingerprint"},
		self: "programs differ"},
	"its deadline": {before: sleepAnd(func(r *faulty) { close(r.ended) }),
		want: []string{"rank 1: device", "deadline exceeded"}, self: "deadline exceeded"},
	"cancelled": {before: sleepAnd(func(r *faulty) { r.cancel() }),
		want: []string{"rank 1: device", "context canceled"}, self: "context canceled"},
	"told to stop": {before: sleepAnd(func(*faulty) { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) }),
		want: []string{"rank 1: device"}, self: "device"},
	"fails": {before: func(_ context.Context, _ *faulty, d int) error { return fmt.Errorf("device %d has no luck", d) },
		want: []string{"rank 1: device", "has no luck"}, self: "has no luck"},
	"closes its transport": {before: func(_ context.Context, r *faulty, _ int) error {
		r.await(atFirst)
		return r.Close()
	}, want: []string{"in first (twice.hlo:", "ranks [1] did not come: it has closed its transport"}, self: "closed"},
}

// faultRank is a rank of a fault's job: it prints its error.
func faultRank(args []string) int {
	f := faults[args[0]]
	tr, err := mpi.Start(mpi.Options{Greet: time.Minute, Close: 3 * time.Second})
	if err != nil {
		fmt.Println("start:", err)
		return exitFailure
	}
	r := &faulty{Transport: tr, fault: &f, dir: args[1], ended: make(chan struct{})}
	fmt.Printf("rank %d: %v\n", tr.Rank(), r.run())
	_ = tr.Close() // which others may have made impossible
	return exitOK
}

func (r *faulty) run() error {
	ctx, stop := signal.NotifyContext(late{context.Background(), r.ended}, syscall.SIGTERM)
	defer stop()
	ctx, r.cancel = context.WithTimeout(ctx, time.Minute)
	defer r.cancel()
	size, module := 2, "HloModule twice"
	if r.Rank() == 1 {
		size, module = max(r.size, size), "HloModule "+cmp.Or(r.module, "twice")
		if r.instead != nil {
			return r.instead(ctx, r)
		}
	}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{Devices: 2, Job: collective.NewJob(r),
		Handlers: xla.HandlerMap{"before": r.point(r.before, r.others), "between": r.point(r.between, nil)}})
	if err != nil {
		return err
	}
	defer client.Close()
	source := strings.Replace(fmt.Sprintf(twice, size), "HloModule twice", module, 1)
	exe, err := client.Compile(ctx, xla.Program{Name: "twice.hlo", Source: []byte(source)}, xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	args := make([][]*literal.Literal, 6)
	for d := range args {
		l, err := literal.FromSlice(make([]float32, size))
		if err != nil {
			return err
		}
		args[d] = []*literal.Literal{l}
	}
	_, err = execute(ctx, exe, xla.RunOptions{}, args)
	return err
}

// point is a function of the program's, of rank 1 or of the others.
func (r *faulty) point(self, others func(context.Context, *faulty, int) error) xla.Handler {
	at := others
	if r.Rank() == 1 {
		at = self
	}
	return func(ctx context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		device, err := literal.View[uint32](args[1])
		if err == nil && at != nil {
			err = at(ctx, r, int(device[0]))
		}
		return args[0], err
	}
}

// TestFaultsOnRanks runs a program on three ranks, one of which comes to grief: the others end soon and say why.
func TestFaultsOnRanks(t *testing.T) {
	for _, family := range []string{mpi.OpenMPI, mpi.MPICH} {
		t.Run(family, func(t *testing.T) {
			_, err := mpi.Family(family)
			testfile.Library(t, "mpi", err)
			for name, f := range faults {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					code, out, message := halo(t, "", "", "launch", "-n", "3", "--mpi", family, os.Args[0], rankWord, "fault", name,
						t.TempDir())
					f.judge(t, code, out+message)
				})
			}
		})
	}
}

func (f *fault) judge(t *testing.T, code int, said string) {
	t.Helper()
	want := map[string][]string{"rank 0: ": f.want, "rank 2: ": f.want}
	if f.self != "" {
		want["rank 1: "] = []string{f.self}
	}
	if killed := f.self == ""; killed != (code != exitOK) {
		t.Errorf("got code %d, killed: %v", code, killed)
	}
	for line := range strings.Lines(said) {
		who := line[:min(len(line), len("rank 0: "))]
		for _, w := range want[who] {
			if !strings.Contains(line, w) {
				t.Errorf("got %q, want %q in it", line, w)
			}
		}
		delete(want, who)
	}
	if len(want) > 0 {
		t.Errorf("got %q, want an error of each rank that is left, also %v", said, want)
	}
}
