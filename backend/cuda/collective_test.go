//go:build cgo && linux

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/internal/testfile"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/exec"
	"github.com/halo-xla/halo/xla/literal"
)

func TestMain(m *testing.M) {
	os.Setenv("HALO_CUDA_EMU_DEVICES", "4") // for all tests: it is read once
	os.Exit(m.Run())
}

// exchanges has each collective that devices do among themselves, in loops and with groups, for four replicas.
const exchanges = `HloModule exchanges, replica_count=4
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
odd { a = s32[] parameter(0)
  b = s32[] parameter(1)
  two = s32[] constant(2)
  c = s32[] multiply(a, two)
  ROOT d = s32[] subtract(c, b) }
sum { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(b, a) }
least { a = s8[] parameter(0)
  b = s8[] parameter(1)
  ROOT c = s8[] minimum(a, b) }
cond { s = (s32[], f32[3,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT more = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[3,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[3,4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[3,4] all-reduce(x), replica_groups={{3,1},{2,0}}, to_apply=add
  t = f32[] constant(0.3)
  ts = f32[3,4] broadcast(t), dimensions={}
  z = f32[3,4] multiply(y, ts)
  ROOT r = (s32[], f32[3,4]) tuple(j, z) }
ENTRY e { x = f32[3,4] parameter(0)
  k = s32[4,2] parameter(1)
  zero = s32[] constant(0)
  s = (s32[], f32[3,4]) tuple(zero, x)
  w = (s32[], f32[3,4]) while(s), condition=cond, body=body
  looped = f32[3,4] get-tuple-element(w), index=1
  sum = f32[3,4] all-reduce(x), replica_groups={}, to_apply=add
  both = (f32[3,4], f32[3,4]) all-reduce(x, looped), replica_groups={{2,0,3,1}}, to_apply=add
  first = f32[3,4] get-tuple-element(both), index=1
  folded = s32[4,2] all-reduce(k), replica_groups={{0,1},{2,3}}, to_apply=odd
  large = s32[] constant(1234567890)
  larges = s32[4,2] broadcast(large), dimensions={}
  high = s32[4,2] add(k, larges)
  wrapped = (s32[4,2], s32[4,2]) all-reduce(high, k), replica_groups={{3,0,2,1}}, to_apply=sum
  total = s32[4,2] get-tuple-element(wrapped), index=0
  small = s8[4,2] convert(k)
  lowest = s8[4,2] all-reduce(small), replica_groups={}, to_apply=least
  rows = f32[12,4] all-gather(x), replica_groups={}, dimensions={0}
  columns = f32[3,8] all-gather(x), replica_groups={{0,3},{1,2}}, dimensions={1}
  part = f32[3,1] reduce-scatter(x), replica_groups={}, dimensions={1}, to_apply=add
  block = s32[2,2] reduce-scatter(k), replica_groups={{1,0},{3,2}}, dimensions={0}, to_apply=odd
  swapped = f32[3,4] all-to-all(x), replica_groups={}, dimensions={1}
  a = f32[3,4] negate(x)
  pair = (f32[3,4], f32[3,4]) all-to-all(x, a), replica_groups={{0,2},{1,3}}
  mine = f32[3,4] get-tuple-element(pair), index=1
  moved = f32[3,4] collective-permute(x), source_target_pairs={{0,1},{1,2},{3,0}}
  cast = s32[4,2] collective-broadcast(k), replica_groups={{2,0,1}}
  none = f32[0] constant({})
  nothing = f32[0] all-reduce(none), replica_groups={}, to_apply=add
  me = u32[] replica-id()
  ROOT out = (f32[3,4], f32[3,4], f32[3,4], s32[4,2], f32[12,4], f32[3,8], f32[3,1], s32[2,2], f32[3,4], f32[3,4],
    f32[3,4], s32[4,2], f32[0], u32[], s32[4,2], s8[4,2]) tuple(looped, sum, first, folded, rows, columns, part, block, swapped, mine,
    moved, cast, nothing, me, total, lowest) }`

// several opens emulated GPUs as one backend, which the test closes.
func several(t *testing.T, first, count int) exec.Backend {
	t.Helper()
	return backendOf(opened(t, first, count))
}

// opened are emulated GPUs, which the test closes.
func opened(t *testing.T, first, count int) []*device {
	t.Helper()
	var list []*device
	for i := range count {
		d, err := open(Options{Emulated: true, Device: first + i})
		testfile.Library(t, "cuda-emu", err)
		list = append(list, d)
	}
	t.Cleanup(func() {
		for _, d := range list {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return list
}

// compiledExchanges compiles exchanges; the reference runs all of it or nothing.
func compiledExchanges(t *testing.T, b exec.Backend) exec.Program {
	t.Helper()
	return compiled(t, b, parsed(t, exchanges), exec.Options{AllowReference: b.Name() == "reference"})
}

// different are arguments of four devices, none like another.
func different(t *testing.T) [][]*literal.Literal {
	t.Helper()
	var out [][]*literal.Literal
	for d := range 4 {
		x := numbers(t, 3, 4)
		k := make([]int32, 8)
		for i := range k {
			k[i] = int32(100*d + i)
		}
		for i := range x.Bytes() {
			if i%4 < 2 { // the ends of fractions
				x.Bytes()[i] += byte(37 * (d + 1) * i)
			}
		}
		l, err := literal.FromSlice(k, 4, 2)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, []*literal.Literal{x, l})
	}
	return out
}

var four = exec.RunOptions{Replicas: 4}

// wantExchanges is what the reference gives each device.
func wantExchanges(t *testing.T) []string {
	t.Helper()
	return texts(t, compiledExchanges(t, exec.Reference()), context.Background(), four)
}

func texts(t *testing.T, p exec.Program, ctx context.Context, o exec.RunOptions) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, err := p.Run(ctx, different(t), o)
	if err != nil {
		t.Error(err)
		return nil
	}
	list := make([]string, len(out))
	for d, l := range out {
		list[d] = l.String()
	}
	return list
}

// same compares what devices got.
func same(t *testing.T, got, want []string) {
	t.Helper()
	for d := range got {
		if got[d] != want[d] {
			t.Errorf("device %d: got %s\nwant %s", d, got[d], want[d])
		}
	}
}

// comms counts the communicators that live.
func comms(t *testing.T) int {
	t.Helper()
	d, err := open(Options{Emulated: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n, err := d.Attribute(emu.Comms)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSeveralGPUs has four devices on one, two, three and four emulated GPUs of this process, and wants the reference's
// bits.
func TestSeveralGPUs(t *testing.T) {
	want := wantExchanges(t)
	for _, n := range []int{1, 2, 3, 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := compiledExchanges(t, several(t, 0, n))
			for range 3 {
				same(t, texts(t, p, context.Background(), four), want)
			}
			if got := comms(t); (got > 0) != (n > 1) {
				t.Errorf("%d GPUs have %d communicators", n, got)
			}
		})
	}
	if got := comms(t); got != 0 {
		t.Errorf("%d communicators are left", got)
	}
}

// TestExchangesAtOnce has executions at the same time, whose collectives come in any order.
func TestExchangesAtOnce(t *testing.T) {
	want := wantExchanges(t)
	p := compiledExchanges(t, several(t, 0, 2))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2 {
				same(t, texts(t, p, context.Background(), four), want)
			}
		})
	}
	wg.Wait()
}

// TestExchangeReport wants no collective of the program on the host.
func TestExchangeReport(t *testing.T) {
	p := compiledExchanges(t, several(t, 0, 2))
	found := 0
	for _, s := range p.Report() {
		if strings.HasPrefix(s.Kernel, "host collective") {
			t.Errorf("%s runs as %s", s.Op, s.Kernel)
		}
		if strings.HasPrefix(s.Kernel, "cuda all-") {
			found++
		}
	}
	if found == 0 {
		t.Error("the report has no collective")
	}
}

// onRanks runs a program on two ranks of this process with one emulated GPU each, as a job, within limit.
func onRanks(t *testing.T, limit time.Duration, programs []exec.Program,
	check func(rank int, out []*literal.Literal, err error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var wg sync.WaitGroup
	for rank, transport := range collective.Loopback(2) {
		o := four
		o.Job = collective.NewJob(transport)
		wg.Go(func() {
			out, err := programs[rank].Run(ctx, different(t), o)
			check(rank, out, err)
		})
		defer transport.Close()
	}
	wg.Wait()
}

// TestRanksOfGPUs has two ranks with a GPU each, and two devices on it, in one job after the other. What the first keeps
// of a job before is nothing to the next, and the second knows nothing of it.
func TestRanksOfGPUs(t *testing.T) {
	const jobs = 12
	want := wantExchanges(t)
	first, second := opened(t, 0, 1), opened(t, 1, 1)
	programs := []exec.Program{compiledExchanges(t, backendOf(first)), compiledExchanges(t, backendOf(second))}
	lanes := 0
	for job := 1; job <= jobs && !t.Failed(); job++ {
		onRanks(t, time.Minute, programs, func(rank int, out []*literal.Literal, err error) {
			if err != nil {
				t.Errorf("job %d: rank %d: %v", job, rank, err)
				return
			}
			for d, l := range out {
				if l.String() != want[d] {
					t.Errorf("job %d: rank %d, device %d: got %s\nwant %s", job, rank, d, l, want[d])
				}
			}
		})
		if job == 1 {
			lanes = len(first[0].links.lanes)
		}
		if n := len(first[0].links.lanes); n != job*lanes || n == 0 {
			t.Errorf("after job %d there are lanes of %d groups, want %d", job, n, job*lanes)
		}
		second[0].links.close()
		runtime.GC() // which frees a job that nobody holds, for the next one to have its address
	}
}

// TestLaneTurns wants a collective to have the lane when those before it are over, and to wait no longer than its
// execution lasts.
func TestLaneTurns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	l, hub := newLane(), collective.NewHub(collective.Grid{Replicas: 2})
	second := make(chan error)
	go func() { second <- l.await(ctx, hub, 2) }()
	if err := errors.Join(l.await(ctx, hub, 1), l.leave(1, nil), <-second, l.leave(2, nil)); err != nil {
		t.Error(err)
	}
	if err := l.await(ctx, hub, 2); err == nil || !strings.Contains(err.Error(), "turn 2 of a lane that has had 2") {
		t.Errorf("a turn that is over: got %v", err)
	}
	fault := errors.New("a fault")
	hub.Fail(fault)
	if err := l.await(ctx, hub, 4); err != fault || !l.isBroken() {
		t.Errorf("after a fault: got %v, and the lane can be used: %v", err, !l.isBroken())
	}
	l, hub = newLane(), collective.NewHub(collective.Grid{Replicas: 2})
	cancel()
	if err := l.await(ctx, hub, 2); err != context.Canceled || !l.isBroken() {
		t.Errorf("after the end of the context: got %v, and the lane can be used: %v", err, !l.isBroken())
	}
	if err := l.await(context.Background(), hub, 1); err != context.Canceled {
		t.Errorf("a lane that is broken: got %v", err)
	}
}

// TestLanes wants no more lanes than there are collectives at a time: in one process a broken one gives its place to
// another, and what another rank says is bounded.
func TestLanes(t *testing.T) {
	lib, err := opened(t, 0, 1)[0].links.open()
	if err != nil {
		t.Fatal(err)
	}
	k, key := newLinks(nil), laneKey{group: "g"}
	for i := range 3 {
		var one, two offer
		if err := errors.Join(k.take(lib, key, &one), k.take(lib, key, &two)); err != nil {
			t.Fatal(err)
		}
		if one.lane != 0 || two.lane != 1 || one.turn != 1 || two.turn != uint64(i+1) || len(k.lanes[key]) != 2 {
			t.Errorf("round %d: got lanes %d and %d, turns %d and %d, of %d lanes", i, one.lane, two.lane, one.turn, two.turn,
				len(k.lanes[key]))
		}
		one.drop()
		k.leave(two)
	}
	for number, want := range map[uint64]bool{maxLanes - 1: true, maxLanes: false, 1 << 63: false} {
		if _, err := k.laneOf(key, offer{lane: number}); (err == nil) != want {
			t.Errorf("lane %d: got %v", number, err)
		}
	}
}

// TestExchangeFaults wants a sentence for each fault of NCCL, in time, and nothing left.
func TestExchangeFaults(t *testing.T) {
	tests := []struct{ name, variable, value, want string }{
		{"a call fails", "FAIL", "4:3", "ncclInternalError"},
		{"a call fails later", "FAIL", "30:1", "ncclUnhandledCudaError"},
		{"an operation is stuck", "STUCK", "3", "deadline exceeded"},
		{"an operation is lost", "STUCK", "4:6", "ncclRemoteError"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("HALO_CUDA_EMU_NCCL_"+test.variable, test.value)
			p := compiledExchanges(t, several(t, 0, 2))
			limit := time.Minute
			if test.want == "deadline exceeded" {
				limit = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			_, err := p.Run(ctx, different(t), four)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want it to contain %q", err, test.want)
			}
			t.Logf("%v", err)
		})
		if got := comms(t); got != 0 {
			t.Errorf("%s: %d communicators are left", test.name, got)
		}
	}
}

// TestRankFaults wants both ranks to end in time, the one whose operation is stuck and the other.
func TestRankFaults(t *testing.T) {
	t.Setenv("HALO_CUDA_EMU_NCCL_STUCK", "2")
	programs := []exec.Program{compiledExchanges(t, several(t, 0, 1)), compiledExchanges(t, several(t, 1, 1))}
	onRanks(t, 2*time.Second, programs, func(rank int, _ []*literal.Literal, err error) {
		const want = "context deadline exceeded"
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: got %v, want it to contain %q", rank, err, want)
		}
	})
}

// TestWithoutNCCL wants the host to carry where NCCL is too old or refused, with the same bits.
func TestWithoutNCCL(t *testing.T) {
	want := wantExchanges(t)
	for variable, value := range map[string]string{"HALO_CUDA_EMU_NCCL_VERSION": "21304", "HALO_LIBS": "-nccl"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, value)
			p := compiledExchanges(t, several(t, 0, 2))
			same(t, texts(t, p, context.Background(), four), want)
			if got := comms(t); got != 0 {
				t.Errorf("there are %d communicators", got)
			}
		})
	}
}

// TestAllDevices wants as many devices as there are, and a sentence for more.
func TestAllDevices(t *testing.T) {
	list, err := openAll(Options{Emulated: true, Device: 1, Devices: AllDevices})
	testfile.Library(t, "cuda-emu", err)
	if len(list) != 3 {
		t.Errorf("from device 1 on there are %d, want 3", len(list))
	}
	for i, d := range list {
		if d.info.Device != 1+i {
			t.Errorf("device %d of the backend is number %d, want %d", i, d.info.Device, 1+i)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	info, err := Describe(Options{Emulated: true, Device: 1, Rank: 6})
	if err != nil || info.Device != 3 {
		t.Errorf("rank 6 from device 1 on is on %+v, %v, want device 3", info, err)
	}
	for want, o := range map[string]Options{
		"Options.Devices is 5, from GPU 0 on, want at most 4": {Devices: 5},
		"Options.Devices is 3, from GPU 2 on, want at most 2": {Device: 2, Devices: 3},
		"Options.Device is 4, want 0 to 3":                    {Device: 4, Devices: AllDevices},
		"Options.Device is -1, want 0 to 3":                   {Device: -1},
	} {
		o.Emulated = true
		if _, err := New(o); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
