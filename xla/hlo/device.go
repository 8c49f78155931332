package hlo

import (
	"context"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/literal"
)

// device is an execution's place among several devices. The zero value is the only device.
type device struct {
	grid collective.Grid
	id   int
	hub  *collective.Hub // nil until needed, if this is the only device
}

// meetingPlace returns the hub, which the only device makes when it first needs one.
func (e *Evaluator) meetingPlace() *collective.Hub {
	if e.device.hub == nil {
		e.device.hub = collective.NewHub(e.device.grid)
	}
	return e.device.hub
}

// close checks what must hold when all devices are done.
func (d *device) close() error {
	if d.hub == nil || d.grid.Size() > 1 {
		return nil
	}
	return d.hub.Unread()
}

// EvaluateAll runs m on replicas x partitions devices at once, each with its own arguments and feed: element d of args
// and of the results belongs to device d = replica*partitions + partition. The limits in opts are for each device.
//
// It fails with the first fault of any device, which ends the others: collectives that differ or that a device never
// comes to name the devices. It fails with ctx's error when ctx ends.
func EvaluateAll(ctx context.Context, m *Module, args [][]*literal.Literal, opts EvalOptions,
	replicas, partitions int64) ([]*literal.Literal, error) {
	grid := collective.Grid{Replicas: replicas, Partitions: partitions}
	if err := grid.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	programs := slices.Repeat([]*Computation{m.Entry}, grid.Size())
	return evaluateGrid(ctx, grid, programs, args, opts)
}

// EvaluateGrid runs programs[r][p] on partition p of replica r: EvaluateAll with a program for each device.
func EvaluateGrid(ctx context.Context, programs [][]*Computation, args [][]*literal.Literal,
	opts EvalOptions) ([]*literal.Literal, error) {
	grid := collective.Grid{Replicas: int64(len(programs))}
	if len(programs) > 0 {
		grid.Partitions = int64(len(programs[0]))
	}
	if err := grid.Check(); err != nil {
		return nil, err
	}
	if grid.Replicas*grid.Partitions == 0 {
		return nil, fmt.Errorf("a grid of %d replicas of %d partitions has no devices", grid.Replicas, grid.Partitions)
	}
	for r, row := range programs {
		if len(row) != len(programs[0]) {
			return nil, fmt.Errorf("replica %d has %d partitions, want %d as replica 0", r, len(row), len(programs[0]))
		}
	}
	return evaluateGrid(ctx, grid, slices.Concat(programs...), args, opts)
}

func evaluateGrid(ctx context.Context, grid collective.Grid, programs []*Computation, args [][]*literal.Literal,
	opts EvalOptions) ([]*literal.Literal, error) {
	n := grid.Size()
	if len(args) != n {
		return nil, fmt.Errorf("got arguments for %d devices, want %d", len(args), n)
	}
	in := make([][]*literal.Literal, n)
	for d, c := range programs {
		var err error
		if in[d], err = arguments(c, args[d]); err != nil {
			return nil, fmt.Errorf("%s: %w", grid.Name(d), err)
		}
	}
	hub, err := opts.Job.Spread(ctx, grid, programs[0].Name, func() string { return Fingerprint(programs...) })
	if err != nil {
		return nil, err
	}
	if n > 1 {
		opts.Job = nil // each device is of one rank
	}
	results := make([]*literal.Literal, n)
	err = hub.Drive(ctx, func(ctx context.Context, d int) error {
		e := &Evaluator{EvalOptions: opts, ctx: ctx, device: device{grid, d, hub}}
		out, err := e.Call(programs[d], in[d])
		if err == nil {
			results[d] = cropped(out)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return results, ShareResults(ctx, hub.Job(), hub.Owners(), results)
}

// ShareResults fills in the results of the devices on other ranks; rank owners[d] has device d, and all of the job's
// ranks call it when the execution has finished. It does nothing without a job. It fails as Job.Gather does.
func ShareResults(ctx context.Context, job *collective.Job, owners []int, results []*literal.Literal) error {
	if job == nil {
		return nil
	}
	var mine []*literal.Literal
	for d, l := range results {
		if owners[d] == job.Rank() {
			mine = append(mine, cropped(l))
		}
	}
	err := gatherResults(ctx, job, owners, mine, results)
	if err != nil {
		job.Fail(err) // other ranks would wait
	}
	return err
}

func gatherResults(ctx context.Context, job *collective.Job, owners []int, mine, results []*literal.Literal) error {
	data, err := literal.NewTuple(mine...).MarshalBinary()
	if err != nil {
		return err
	}
	all, err := job.Gather(ctx, data)
	if err != nil {
		return err
	}
	given := make([][]*literal.Literal, len(all))
	for rank, data := range all {
		var l literal.Literal
		if err := l.UnmarshalBinary(data); err != nil {
			return fmt.Errorf("the results of rank %d: %w", rank, err)
		}
		given[rank] = l.Elems()
	}
	for d, rank := range owners {
		if rank != job.Rank() && len(given[rank]) == 0 {
			return fmt.Errorf("the results of rank %d: those of device %d are missing", rank, d)
		}
		if rank != job.Rank() {
			results[d], given[rank] = given[rank][0], given[rank][1:]
		}
	}
	return nil
}

// arguments checks args against the parameters of c and returns them in row-major order.
func arguments(c *Computation, args []*literal.Literal) ([]*literal.Literal, error) {
	if len(args) != len(c.Parameters) {
		return nil, fmt.Errorf("%s: got %d arguments, want %d", c.Name, len(args), len(c.Parameters))
	}
	in := make([]*literal.Literal, len(args))
	for i, a := range args {
		p, a := c.Parameters[i], cropped(a)
		if !Fits(a.Shape(), p.Shape) {
			return nil, fmt.Errorf("argument %d (%s): got %v, want %v", i, p.Name, a.Shape(), p.Shape)
		}
		in[i] = a.RowMajor()
	}
	return in, nil
}

func evalReplicaID(e *Evaluator, _ *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	r, _ := e.device.grid.Place(e.device.id)
	return literal.Scalar(uint32(r)), nil
}

func evalPartitionID(e *Evaluator, _ *Instruction, _ []*literal.Literal) (*literal.Literal, error) {
	_, p := e.device.grid.Place(e.device.id)
	return literal.Scalar(uint32(p)), nil
}
