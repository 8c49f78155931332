package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
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

// fault is what happens to rank 1 of three, which have two devices each.
type fault struct {
	// before and between are called by devices 2 and 3, start before the program begins.
	before, between func(ctx context.Context, device int) error
	start           func(cancel func())
	size            int           // of the array of rank 1; 0: 2, as the others'
	own             time.Duration // deadline of rank 1; 0: a minute
	others          time.Duration // and of the others
	late            time.Duration // how long devices of the others take before the first collective
	// want is in the error of ranks 0 and 2, first in that of rank 1 if it lives.
	want []string
	self string
}

func die(context.Context, int) error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }

func sleep(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

const gone = "ranks [1] did not come: the process is gone"

var faults = map[string]fault{
	"killed before a collective": {before: die, want: []string{"in first (twice.hlo:", "of group {0,1,2,3,4,5}",
		"device 2 (replica 2) on rank 1 and device 3 (replica 3) on rank 1", gone}},
	"killed in a collective": {late: 500 * time.Millisecond, start: func(func()) {
		time.AfterFunc(250*time.Millisecond, func() { _ = die(context.Background(), 0) })
	}, want: []string{gone}},
	"killed in a collective that one device has come to": {before: func(_ context.Context, d int) error {
		if d == 3 {
			time.Sleep(100 * time.Millisecond)
			return die(context.Background(), d)
		}
		return nil
	}, want: []string{"in first (twice.hlo:", gone}},
	"killed after a collective": {between: die, want: []string{"in second (twice.hlo:", gone}},
	"stuck": {before: sleep, others: 400 * time.Millisecond, want: []string{
		"in first (twice.hlo:", "on rank 1", "ranks [1] did not come: context deadline exceeded"}},
	"mismatched shapes": {size: 3, want: []string{"programs differ", "first (twice.hlo:", "f32[2]", "f32[3]"},
		self: "programs differ"},
	"its deadline": {before: sleep, own: 200 * time.Millisecond, want: []string{"rank 1: device", "deadline exceeded"},
		self: "deadline exceeded"},
	"cancelled": {before: sleep, start: func(cancel func()) { time.AfterFunc(100*time.Millisecond, cancel) },
		want: []string{"rank 1: device", "context canceled"}, self: "context canceled"},
	"told to stop": {before: sleep, start: func(func()) {
		time.AfterFunc(100*time.Millisecond, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) })
	}, want: []string{"rank 1: device"}, self: "device"},
	"fails": {before: func(_ context.Context, d int) error { return fmt.Errorf("device %d has no luck", d) },
		want: []string{"rank 1: device", "has no luck"}, self: "has no luck"},
}

// faultRank is a rank of a fault's job: it prints its error.
func faultRank(args []string) int {
	f := faults[args[0]]
	tr, err := mpi.Start(mpi.Options{Greet: 30 * time.Second, Close: 3 * time.Second})
	if err != nil {
		fmt.Println("start:", err)
		return exitFailure
	}
	fmt.Printf("rank %d: %v\n", tr.Rank(), f.run(tr))
	_ = tr.Close() // which others may have made impossible
	return exitOK
}

func (f *fault) run(tr collective.Transport) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	limit, size, here := f.others, 2, tr.Rank() == 1
	if here {
		limit, size = f.own, max(f.size, 2)
	}
	if limit == 0 {
		limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{Devices: 2, Job: collective.NewJob(tr),
		Handlers: xla.HandlerMap{"before": f.point(f.before, here, f.late), "between": f.point(f.between, here, 0)}})
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, xla.Program{Name: "twice.hlo", Source: fmt.Appendf(nil, twice, size)},
		xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	if here && f.start != nil {
		f.start(cancel)
	}
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

// point is a function of the program's: the fault's on rank 1, a delay on others.
func (f *fault) point(at func(context.Context, int) error, here bool, late time.Duration) xla.Handler {
	return func(ctx context.Context, _ *hlo.Instruction, args []*literal.Literal) (*literal.Literal, error) {
		device, err := literal.View[uint32](args[1])
		if err != nil {
			return nil, err
		}
		switch {
		case here && at != nil:
			err = at(ctx, int(device[0]))
		case !here:
			time.Sleep(late)
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
					_, out, message := halo(t, "", "", "launch", "-n", "3", "--mpi", family, os.Args[0], rankWord, "fault", name)
					f.judge(t, out+message)
				})
			}
		})
	}
}

func (f *fault) judge(t *testing.T, said string) {
	t.Helper()
	found := 0
	for line := range strings.Lines(said) {
		want := f.want
		if strings.HasPrefix(line, "rank 1: ") {
			want = []string{f.self}
		} else if !strings.HasPrefix(line, "rank 0: ") && !strings.HasPrefix(line, "rank 2: ") {
			continue
		}
		found++
		for _, w := range want {
			if !strings.Contains(line, w) {
				t.Errorf("got %q, want %q in it", line, w)
			}
		}
	}
	if found < 2 {
		t.Errorf("got %q, want an error of each rank that is left", said)
	}
}
