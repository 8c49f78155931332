package exec

import (
	"context"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Reference returns the backend that runs every op by its definition: slow, plain and exact.
func Reference() Backend { return reference{} }

type reference struct{}

func (reference) Name() string { return "reference" }

func (reference) Compile(_ context.Context, m *hlo.Module, o Options) (Program, error) {
	if err := hlo.Unsupported(m, o.Handlers); err != nil {
		return nil, err
	}
	return &referenceProgram{m, o}, nil
}

type referenceProgram struct {
	m *hlo.Module
	o Options
}

func (p *referenceProgram) Run(ctx context.Context, args [][]*literal.Literal,
	o RunOptions) ([]*literal.Literal, error) {
	return hlo.EvaluateAll(ctx, p.m, args, p.evalOptions(&o), max(int64(o.Replicas), 1), max(int64(o.Partitions), 1))
}

func (p *referenceProgram) evalOptions(o *RunOptions) hlo.EvalOptions {
	return hlo.EvalOptions{Handlers: p.o.Handlers, Feeds: o.Feeds, Host: o.Host, Seed: o.Seed, MaxSteps: o.MaxSteps,
		MaxBytes: p.o.MemoryLimit, Job: o.Job}
}

func (p *referenceProgram) Close() {}

func (p *referenceProgram) Report() []Step {
	byOp := map[hlo.Opcode]*Step{}
	for _, c := range p.m.Computations {
		for _, in := range c.Instructions {
			s := byOp[in.Op]
			if s == nil {
				s = &Step{Op: in.Op.String(), Kernel: "reference", Instruction: in.Name,
					Reason: "the reference backend was asked for"}
				byOp[in.Op] = s
			}
			s.Count++
		}
	}
	steps := make([]Step, 0, len(byOp))
	for _, s := range byOp {
		steps = append(steps, *s)
	}
	slices.SortFunc(steps, func(a, b Step) int { return strings.Compare(a.Op, b.Op) })
	return steps
}

func (p *referenceProgram) Call(ctx context.Context, c *Call) error {
	if c.Place.Hub == nil {
		return callByRun(ctx, p, c)
	}
	return apart(func() error {
		out, err := hlo.NewEvaluator(ctx, p.evalOptions(&c.Options), c.Place).Entry(p.m, c.Args)
		if err != nil {
			return err
		}
		return c.handOver(out)
	})
}
