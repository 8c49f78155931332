package exec

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// customCall compiles what a call means if it is known and no handler serves it; else it is the machine's.
func customCall(c *compiler, s *scope, in *hlo.Instruction) (value, bool, error) {
	target := in.Attrs.(*hlo.CustomCallAttrs).Target
	if c.options.Handlers != nil {
		if _, ok := c.options.Handlers.Lookup(target); ok {
			return nil, false, nil
		}
	}
	if comp := hlo.ExpandCustomCall(in); comp != nil {
		v, err := c.computation(s.block, comp, s.operands(in))
		return v, true, err
	}
	p, err := hlo.ParallelOf(in)
	if err != nil || p == nil {
		return nil, false, err
	}
	v, err := c.newValue(in.Shape)
	if err != nil {
		return nil, false, err
	}
	t, err := c.newGridThunk(in, p, s.operands(in), v)
	if err != nil {
		return nil, false, err
	}
	return v, true, c.add(s.block, &step{in: in, thunk: t, kernel: "exec"})
}

// gridThunk runs programs on the devices of a grid of its own.
type gridThunk struct {
	referenceThunk
	grid     collective.Grid
	programs []*program // by device
	infeeds  []*program
}

// newGridThunk compiles the programs of a run_parallel call, each computation once.
func (c *compiler) newGridThunk(in *hlo.Instruction, p *hlo.Parallel, operands []value, v value) (*gridThunk, error) {
	t := &gridThunk{referenceThunk: *newReferenceThunk(in, operands, v)}
	t.grid = collective.Grid{Replicas: int64(len(p.Programs)), Partitions: int64(len(p.Programs[0]))}
	compiled := map[*hlo.Computation]*program{}
	compile := func(list []*hlo.Computation) ([]*program, error) {
		var out []*program
		for _, comp := range list {
			if compiled[comp] == nil {
				sub, err := c.sub(comp)
				if err != nil {
					return nil, err
				}
				compiled[comp] = sub
			}
			out = append(out, compiled[comp])
		}
		return out, nil
	}
	for _, row := range p.Programs {
		list, err := compile(row)
		if err != nil {
			return nil, err
		}
		t.programs = append(t.programs, list...)
	}
	var err error
	t.infeeds, err = compile(p.Infeeds)
	return t, err
}

func (t *gridThunk) Kernel() string { return "exec" }

func (t *gridThunk) Run(r *Run) error {
	return r.Wait(func() error { return t.run(r) })
}

func (t *gridThunk) run(r *Run) error {
	feed := hlo.NewParallelFeed()
	for _, p := range t.infeeds {
		l, err := runAlone(r.Context(), p, r.Options())
		if err != nil {
			return err
		}
		if err := feed.TransferToInfeed(r.Context(), l); err != nil {
			return err
		}
	}
	feed.CloseInfeed()
	o := r.Options()
	o.Replicas, o.Partitions, o.Feeds = int(t.grid.Replicas), int(t.grid.Partitions), nil
	all := make([]*literal.Literal, len(t.operands))
	for i, v := range t.operands {
		all[i], _ = r.assemble(t.in.Operands[i].Shape, v)
	}
	var args [][]*literal.Literal
	for _, p := range t.programs {
		n := len(p.module.Entry.Parameters)
		args, all = append(args, all[:n]), all[n:]
		o.Feeds = append(o.Feeds, feed)
	}
	out, err := runGrid(r.Context(), t.grid, t.programs, args, o)
	if err != nil {
		return err
	}
	var leaves []*literal.Literal
	for _, l := range out {
		leaves = append(leaves, l.Leaves()...)
	}
	for i, l := range leaves {
		if err := r.fill(t.results[i], l); err != nil {
			return err
		}
	}
	return nil
}

// runAlone runs a program without arguments on one device.
func runAlone(ctx context.Context, p *program, o RunOptions) (*literal.Literal, error) {
	o.Replicas, o.Partitions, o.Feeds = 1, 1, nil
	out, err := p.Run(ctx, [][]*literal.Literal{nil}, o)
	if err != nil {
		return nil, fmt.Errorf("infeed %s: %w", p.module.Name, err)
	}
	return out[0], nil
}
