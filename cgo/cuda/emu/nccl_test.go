//go:build cgo && linux

package emu_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/halo-xla/halo/cgo/cuda"
	"github.com/halo-xla/halo/cgo/cuda/emu"
	"github.com/halo-xla/halo/cgo/cuda/find"
	"github.com/halo-xla/halo/cgo/nccl"
	"github.com/halo-xla/halo/internal/testfile"
)

// A rank that is a process of its own is this program again, with the id of the communicator.
const rankVariable = "HALO_TEST_NCCL_RANK"

func TestMain(m *testing.M) {
	if v := os.Getenv(rankVariable); v != "" {
		os.Exit(process(v))
	}
	os.Setenv("HALO_CUDA_EMU_DEVICES", "4") // for all tests: it is read once
	os.Exit(m.Run())
}

// gpus are emulated devices and the NCCL between them.
type gpus struct {
	driver *cuda.Driver
	nccl   *nccl.Library
}

func openNCCL() (*gpus, error) {
	folder, err := emu.Build()
	if err != nil {
		return nil, err
	}
	search := find.Emulator(folder)
	lib, err := search.Driver()
	if err != nil {
		return nil, err
	}
	g := &gpus{}
	if g.driver, err = cuda.Open(lib); err != nil {
		return nil, err
	}
	kit, err := search.Toolkit(12040)
	if err == nil {
		lib, err = kit.Open("nccl")
	}
	if err == nil {
		g.nccl, err = nccl.Open(lib)
	}
	return g, err
}

// emulated opens the emulator with variables of the environment.
func emulated(t *testing.T, env ...string) *gpus {
	t.Helper()
	_, err := emu.Build()
	testfile.Library(t, "cuda-emu", err)
	for i := 0; i < len(env); i += 2 {
		t.Setenv(env[i], env[i+1])
	}
	g, err := openNCCL()
	check(t, err)
	return g
}

// rank is a device that is a rank.
type rank struct {
	*gpus
	device *cuda.Device
	stream cuda.Stream
	done   cuda.Event
	comm   *nccl.Comm
	number int
}

// join makes device ordinal rank number of ranks; with waits it returns when that is so.
func (g *gpus) join(ctx context.Context, id nccl.ID, ordinal, number, ranks int) (r *rank, err error) {
	r = &rank{gpus: g, number: number}
	if r.device, err = g.driver.Device(ordinal); err != nil {
		return nil, err
	}
	r.stream, err = r.device.NewStream()
	if err == nil {
		r.done, err = r.device.NewEvent()
	}
	if err == nil {
		err = r.device.Within(func() (err error) {
			r.comm, err = g.nccl.Join(id, number, ranks)
			return err
		})
	}
	if err == nil {
		err = until(ctx, r.comm.Done)
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// close ends what has not been ended.
func (r *rank) close() error {
	var err error
	if r.comm != nil {
		err = r.comm.Abort()
	}
	return errors.Join(err, r.device.CloseStream(r.stream), r.device.Close())
}

// until asks done until it says so, or fails when ctx ends.
func until(ctx context.Context, done func() (bool, error)) error {
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// wait returns when what is enqueued is done, or when the communicator has a fault.
func (r *rank) wait(ctx context.Context) error {
	if err := r.device.Record(r.done, r.stream); err != nil {
		return err
	}
	return until(ctx, func() (bool, error) {
		if ok, err := r.device.Happened(r.done); ok || err != nil {
			return ok, err
		}
		_, err := r.comm.Done()
		return false, err
	})
}

// words allocates n words, with these values first.
func (r *rank) words(n int, values ...uint32) (cuda.Ptr, error) {
	p, err := r.device.Alloc(int64(4 * n))
	if err != nil {
		return 0, err
	}
	data := make([]byte, 0, 4*n)
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, v)
	}
	return p, r.device.In(p, data)
}

func (r *rank) read(p cuda.Ptr, n int) (out []uint32, err error) {
	data := make([]byte, 4*n)
	err = r.device.Out(data, p)
	for i := range n {
		out = append(out, binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out, err
}

// collectives does each operation once among three ranks, and returns what comes of them.
func (r *rank) collectives(ctx context.Context, ranks int) ([]uint32, error) {
	me := uint32(r.number)
	from, err := r.words(3, 10+me, 20+me, math.Float32bits(0.5+float32(me)))
	if err != nil {
		return nil, err
	}
	n := 2 + 1 + ranks + 1 + 1
	to, err := r.words(n)
	if err != nil {
		return nil, err
	}
	next, before := (r.number+1)%ranks, (r.number+ranks-1)%ranks
	at := func(i int) uint64 { return uint64(to) + uint64(4*i) }
	op := nccl.Op{Comm: r.comm, Stream: r.stream.Pointer(), From: uint64(from), Count: 1, Type: nccl.Int32}
	list := []nccl.Op{op, op, op, op, op, op}
	list[0].Kind, list[0].To, list[0].Count = nccl.AllReduce, at(0), 2
	list[1].Kind, list[1].To, list[1].Reduction, list[1].Type = nccl.AllReduce, at(2), nccl.Sum, nccl.Float32
	list[1].From += 8
	list[2].Kind, list[2].To = nccl.AllGather, at(3)
	list[3].Kind, list[3].Peer = nccl.Send, next
	list[4].Kind, list[4].To, list[4].Peer = nccl.Recv, at(3+ranks), before
	list[5].Kind, list[5].To, list[5].Reduction = nccl.AllReduce, at(4+ranks), nccl.Max
	for _, part := range [][]nccl.Op{list[:2], list[2:5], list[5:]} {
		if err := r.nccl.Group(part); err != nil {
			return nil, err
		}
		if err := until(ctx, r.comm.Done); err != nil {
			return nil, err
		}
	}
	if err := r.wait(ctx); err != nil {
		return nil, err
	}
	return r.read(to, n)
}

// wanted is what collectives gives rank me of 3.
func wanted(me uint32) []uint32 {
	return []uint32{33, 63, math.Float32bits(0.5 + 1.5 + 2.5), 10, 11, 12, 10 + (me+2)%3, 12}
}

// TestNCCL does each operation among three devices of one process, and wants nothing left.
func TestNCCL(t *testing.T) {
	g := emulated(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	id, err := g.nccl.NewID()
	check(t, err)
	var wg sync.WaitGroup
	for number := range 3 {
		wg.Go(func() {
			r, err := g.join(ctx, id, number, number, 3)
			if err != nil {
				t.Error(err)
				return
			}
			got, err := r.collectives(ctx, 3)
			if want := wanted(uint32(number)); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("rank %d: got %v, %v, want %v", number, got, err, want)
			}
			if err := r.close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	g.empty(t)
}

// empty wants no communicator left.
func (g *gpus) empty(t *testing.T) {
	t.Helper()
	d, err := g.driver.Device(0)
	check(t, err)
	defer d.Close()
	if n, err := d.Attribute(emu.Comms); err != nil || n != 0 {
		t.Errorf("%d communicators are left, %v", n, err)
	}
}

// process is the life of a rank that is a process: 1 of 2, or one that ends in the middle.
func process(v string) int {
	text, dies := strings.CutSuffix(v, " dies")
	var id nccl.ID
	copy(id[:], text)
	g, err := openNCCL()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var r *rank
		if r, err = g.join(ctx, id, 0, 1, 2); err == nil && !dies {
			var got uint32
			if got, err = r.swap(ctx, 1, 101); err == nil && got != 100 {
				err = fmt.Errorf("got %d, want 100", got)
			}
		}
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// swap sends a word of the first of many to the other of two ranks, and returns the first of as many.
func (r *rank) swap(ctx context.Context, many int, v uint32) (uint32, error) {
	from, err := r.words(many, v)
	if err != nil {
		return 0, err
	}
	to, err := r.words(many)
	if err != nil {
		return 0, err
	}
	op := nccl.Op{Comm: r.comm, Stream: r.stream.Pointer(), Count: int64(many), Type: nccl.Uint32, Peer: 1 - r.number}
	list := []nccl.Op{op, op}
	list[0].Kind, list[0].From = nccl.Send, uint64(from)
	list[1].Kind, list[1].To = nccl.Recv, uint64(to)
	if err := r.nccl.Group(list); err != nil {
		return 0, err
	}
	if err := r.wait(ctx); err != nil {
		return 0, err
	}
	out, err := r.read(to, 1)
	if err != nil {
		return 0, err
	}
	return out[0], nil
}

// TestNCCLProcesses has a rank in another process, which does its part, or ends before that.
func TestNCCLProcesses(t *testing.T) {
	for _, end := range []string{"", " dies"} {
		t.Run("other"+end, func(t *testing.T) {
			g := emulated(t)
			id, err := g.nccl.NewID()
			check(t, err)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			other := exec.CommandContext(ctx, os.Args[0])
			other.Env = append(os.Environ(), rankVariable+"="+strings.TrimRight(string(id[:]), "\x00")+end)
			said := &strings.Builder{}
			other.Stdout, other.Stderr = said, said
			check(t, other.Start())
			r, err := g.join(ctx, id, 0, 0, 2)
			check(t, err)
			got, err := r.swap(ctx, 1, 100)
			if end == "" && (err != nil || got != 101) {
				t.Errorf("got %d, %v, want 101", got, err)
			}
			if end != "" && !errors.Is(err, &nccl.Error{Status: nccl.RemoteError}) {
				t.Errorf("got %d, %v", got, err)
			}
			check(t, r.close())
			if err := other.Wait(); err != nil {
				t.Errorf("the other rank: %v: %s", err, said)
			}
			g.empty(t)
		})
	}
}

// TestNCCLFaults wants a sentence for each fault, in time, and nothing left.
func TestNCCLFaults(t *testing.T) {
	tests := []struct {
		name, want string
		env        []string
		devices    [2]int // the second is -1 if that rank never comes
		many       int    // words that the second rank sends
		waits      bool   // until the deadline
	}{
		{name: "missing", want: "deadline exceeded", devices: [2]int{0, -1}, waits: true},
		{name: "same device", want: "ncclInvalidUsage: invalid usage: nccl-emu: ranks", devices: [2]int{2, 2}},
		{name: "lengths", want: "rank 1 sends 8 bytes, rank 0 wants 4", devices: [2]int{0, 1}, many: 2},
		{name: "stuck", want: "deadline exceeded", devices: [2]int{0, 1}, many: 1, waits: true,
			env: []string{"HALO_CUDA_EMU_NCCL_STUCK", "1"}},
		{name: "lost", want: "ncclSystemError: unhandled system error: nccl-emu: operation 1 is to be stuck",
			devices: [2]int{0, 1}, many: 1, env: []string{"HALO_CUDA_EMU_NCCL_STUCK", "1:2"}},
		{name: "asked for", want: "ncclInternalError: internal error: nccl-emu: a fault was asked for", devices: [2]int{0, 1},
			many: 1, waits: true, env: []string{"HALO_CUDA_EMU_NCCL_FAIL", "3:3"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := emulated(t, test.env...)
			id, err := g.nccl.NewID()
			check(t, err)
			limit := time.Minute
			if test.waits {
				limit = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			var errs [2]error
			var wg sync.WaitGroup
			for number, d := range test.devices {
				if d >= 0 {
					wg.Go(func() { errs[number] = g.once(ctx, id, d, number, max(1, number*test.many)) })
				}
			}
			wg.Wait()
			if err := errors.Join(errs[:]...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want it to contain %q", err, test.want)
			}
			g.empty(t)
		})
	}
}

// once is the life of a rank that swaps once.
func (g *gpus) once(ctx context.Context, id nccl.ID, device, number, many int) error {
	r, err := g.join(ctx, id, device, number, 2)
	if err != nil {
		return err
	}
	_, err = r.swap(ctx, many, 7)
	return errors.Join(err, r.close())
}

// TestNCCLVersion wants a sentence for a library that is too old.
func TestNCCLVersion(t *testing.T) {
	emulated(t)
	t.Setenv("HALO_CUDA_EMU_NCCL_VERSION", "21304")
	_, err := openNCCL()
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "is version 2.13.4, want 2.14.0 or newer") {
		t.Errorf("got %v", err)
	}
}

// TestNCCLBig sends more than sockets hold in both directions at once.
func TestNCCLBig(t *testing.T) {
	g := emulated(t)
	id, err := g.nccl.NewID()
	check(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for number := range 2 {
		wg.Go(func() {
			if err := g.once(ctx, id, number, number, 3<<20); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	g.empty(t)
}
