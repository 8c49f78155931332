// Command dataparallel trains a small network to read ten digits, on one device with the whole batch and on several
// with a part each, and prints the losses of both side by side: they are the same but for rounding.
//
//	go run ./examples/dataparallel [-devices 4] [-steps 20]
//
// Under mpirun, srun or halo launch the devices are in all processes, and the first prints; the losses are the same to
// the bit:
//
//	go build ./examples/dataparallel && halo launch -n 4 ./dataparallel
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/collective/mpi"
	"github.com/halo-xla/halo/xla/literal"
)

func main() {
	devices := flag.Int("devices", 4, "devices that share the batch, of 40 pictures")
	steps := flag.Int("steps", 20, "training steps")
	flag.Parse()
	job, leave, err := join()
	if err == nil {
		err = leave(run(context.Background(), os.Stdout, job, *devices, *steps))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dataparallel:", err)
		os.Exit(1)
	}
}

// join returns the job whose rank a launcher has made of this process, nil if none has, and what ends its use.
func join() (*collective.Job, func(error) error, error) {
	if !mpi.Launched() {
		return nil, func(err error) error { return err }, nil
	}
	transport, err := mpi.Start(mpi.Options{})
	if err != nil {
		return nil, nil, err
	}
	job := collective.NewJob(transport)
	return job, func(err error) error {
		if err != nil {
			job.Fail(err) // the others need not wait for this rank
		}
		return errors.Join(err, transport.Close())
	}, nil
}

// run trains on one device here, and on so many that the ranks of the job have together. The first rank writes.
func run(ctx context.Context, w io.Writer, job *collective.Job, devices, steps int) error {
	data, err := readBatch("testdata/programs/digits/pictures")
	if err != nil {
		return err
	}
	one, err := train(ctx, data, nil, 1, steps)
	if err != nil {
		return err
	}
	all, err := train(ctx, data, job, devices, steps)
	if err != nil || job != nil && job.Rank() > 0 {
		return err
	}
	fmt.Fprintf(w, "step  1 device  %d devices\n", devices)
	for i := range one {
		fmt.Fprintf(w, "%4d  %8.5f  %8.5f\n", i, one[i], all[i])
	}
	return nil
}

// step is one step of gradient descent for one device, which has %[1]d of the %[2]d pictures x and their digits y. The
// all-reduce adds up the losses and gradients of all devices, so that all have the same weights afterwards.
const step = `HloModule step, replica_count=%[3]d
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
ENTRY step {
  w1 = f32[64,32] parameter(0)
  w2 = f32[32,10] parameter(1)
  x = f32[%[1]d,64] parameter(2)
  y = f32[%[1]d,10] parameter(3)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  zeros = f32[%[1]d,32] broadcast(zero), dimensions={}
  a = f32[%[1]d,32] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h = f32[%[1]d,32] maximum(a, zeros)
  z = f32[%[1]d,10] dot(h, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  m = f32[%[1]d] reduce(z, low), dimensions={1}, to_apply=max
  mb = f32[%[1]d,10] broadcast(m), dimensions={0}
  zm = f32[%[1]d,10] subtract(z, mb)
  e = f32[%[1]d,10] exponential(zm)
  s = f32[%[1]d] reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[%[1]d,10] broadcast(s), dimensions={0}
  p = f32[%[1]d,10] divide(e, sb)
  logs = f32[%[1]d] log(s)
  yz = f32[%[1]d,10] multiply(y, zm)
  right = f32[%[1]d] reduce(yz, zero), dimensions={1}, to_apply=add
  each = f32[%[1]d] subtract(logs, right)
  sum = f32[] reduce(each, zero), dimensions={0}, to_apply=add
  share = f32[] constant(%[4]g)
  loss = f32[] multiply(sum, share)
  sharez = f32[%[1]d,10] broadcast(share), dimensions={}
  py = f32[%[1]d,10] subtract(p, y)
  dz = f32[%[1]d,10] multiply(py, sharez)
  dw2 = f32[32,10] dot(h, dz), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  dh = f32[%[1]d,32] dot(dz, w2), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  on = pred[%[1]d,32] compare(a, zeros), direction=GT
  da = f32[%[1]d,32] select(on, dh, zeros)
  dw1 = f32[64,32] dot(x, da), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  all = (f32[64,32], f32[32,10], f32[]) all-reduce(dw1, dw2, loss), replica_groups={}, to_apply=add
  g1 = f32[64,32] get-tuple-element(all), index=0
  g2 = f32[32,10] get-tuple-element(all), index=1
  total = f32[] get-tuple-element(all), index=2
  rate = f32[] constant(0.5)
  rate1 = f32[64,32] broadcast(rate), dimensions={}
  rate2 = f32[32,10] broadcast(rate), dimensions={}
  s1 = f32[64,32] multiply(g1, rate1)
  s2 = f32[32,10] multiply(g2, rate2)
  n1 = f32[64,32] subtract(w1, s1)
  n2 = f32[32,10] subtract(w2, s2)
  ROOT r = (f32[64,32], f32[32,10], f32[]) tuple(n1, n2, total)
}`

// train returns the losses of so many steps on so many devices, which are divided among the ranks of the job.
func train(ctx context.Context, data *batch, job *collective.Job, devices, steps int) (losses []float32, err error) {
	if devices < 1 || data.size%devices != 0 {
		return nil, fmt.Errorf("%d pictures for %d devices: want as many for each", data.size, devices)
	}
	each := devices
	if job != nil {
		if each = devices / job.Ranks(); each*job.Ranks() != devices {
			return nil, fmt.Errorf("%d devices for %d ranks: want as many for each", devices, job.Ranks())
		}
	}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), xla.ClientOptions{Devices: each, Job: job})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	text := fmt.Sprintf(step, data.size/devices, data.size, devices, 1/float32(data.size))
	exe, err := client.Compile(ctx, xla.Program{Name: "step.hlo", Source: []byte(text)}, xla.CompileOptions{})
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	rows, err := xla.ParseSharding(fmt.Sprintf("{devices=[%[1]d,1]<=[%[1]d]}", devices))
	if err != nil {
		return nil, err
	}
	everywhere := &xla.Sharding{Copies: 1}
	t := &trainer{exe: exe, losses: make([][]float32, devices), inputs: make([][]*xla.Buffer, devices)}
	defer t.close()
	for _, in := range []struct {
		l *literal.Literal
		s *xla.Sharding
	}{{data.w1, everywhere}, {data.w2, everywhere}, {data.x, rows}, {data.y, rows}} {
		parts, err := xla.NewSharded(in.l, in.s, exe.Devices())
		if err != nil {
			return nil, err
		}
		for d, b := range parts.Buffers {
			t.inputs[d] = append(t.inputs[d], b)
		}
	}
	for range steps {
		if err := t.step(ctx); err != nil {
			return nil, err
		}
	}
	for d, dev := range exe.Devices() {
		if dev.Local() { // all saw the same
			return t.losses[d], nil
		}
	}
	return nil, nil
}

// trainer has what each device works on: its weights, pictures and digits, and the losses that it saw.
type trainer struct {
	exe    *xla.Executable
	inputs [][]*xla.Buffer
	losses [][]float32
}

// step runs the program once, each device from a goroutine of its own.
func (t *trainer) step(ctx context.Context) error {
	launch, err := t.exe.Launch(ctx, xla.RunOptions{})
	if err != nil {
		return err
	}
	defer launch.Close()
	errs := make([]error, len(t.inputs))
	var wg sync.WaitGroup
	for d, dev := range t.exe.Devices() {
		if dev.Local() {
			wg.Go(func() { errs[d] = t.onDevice(ctx, launch, d) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (t *trainer) onDevice(ctx context.Context, launch *xla.Launch, d int) error {
	out, err := launch.Execute(ctx, d, t.inputs[d]...)
	if err != nil {
		return err
	}
	for i, b := range out[:2] { // the new weights in place of the old ones
		t.inputs[d][i].Close()
		t.inputs[d][i] = b
	}
	loss, err := xla.ToSlice[float32](out[2])
	out[2].Close()
	t.losses[d] = append(t.losses[d], loss...)
	return err
}

func (t *trainer) close() {
	for _, list := range t.inputs {
		for _, b := range list {
			if b != nil { // on a device of this process
				b.Close()
			}
		}
	}
}
