package xla_test

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/halo-xla/halo/backend/cpu"
	"github.com/halo-xla/halo/xla"
	"github.com/halo-xla/halo/xla/collective"
)

// A program for four devices, two of them in each of two processes: here goroutines that a Loopback links. A real
// process has the transport of mpi.Start instead, and the same code on every rank.
func ExampleClientOptions_job() {
	var wg sync.WaitGroup
	for _, transport := range collective.Loopback(2) {
		wg.Go(func() {
			if err := process(context.Background(), transport); err != nil {
				log.Fatal(err)
			}
		})
	}
	wg.Wait()
	// Unordered output:
	// cpu:0 of rank 0 has [10]
	// cpu:1 of rank 0 has [10]
	// cpu:2 of rank 1 has [10]
	// cpu:3 of rank 1 has [10]
}

func process(ctx context.Context, transport collective.Transport) error {
	defer transport.Close()
	options := xla.ClientOptions{Devices: 2, Job: collective.NewJob(transport)}
	client, err := xla.NewClient(cpu.New(cpu.Options{}), options)
	if err != nil {
		return err
	}
	defer client.Close()
	exe, err := client.Compile(ctx, xla.Program{Source: []byte(`HloModule sum, replica_count=4
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { p = f32[1] parameter(0) ROOT r = f32[1] all-reduce(p), replica_groups={}, to_apply=add }`)},
		xla.CompileOptions{})
	if err != nil {
		return err
	}
	defer exe.Close()
	args := make([][]*xla.Buffer, 4)
	for d, device := range exe.Devices() {
		if device.Local() {
			b, err := xla.FromSlice(device, []float32{float32(d + 1)})
			if err != nil {
				return err
			}
			defer b.Close()
			args[d] = []*xla.Buffer{b}
		}
	}
	out, err := exe.ExecuteDevices(ctx, xla.RunOptions{}, args)
	if err != nil {
		return err
	}
	for d, device := range exe.Devices() {
		if device.Local() {
			v, err := xla.ToSlice[float32](out[d][0])
			if err != nil {
				return err
			}
			fmt.Printf("%v of rank %d has %v\n", device, device.Rank(), v)
			out[d][0].Close()
		}
	}
	return nil
}
