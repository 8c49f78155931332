package exec

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Several returns the backend of several machines of one kind: MachineOf says which one a device of an execution runs
// on. Each compiles every program for itself.
func Several(machines ...Machine) Backend {
	if len(machines) == 1 {
		return New(machines[0])
	}
	s := &several{}
	for _, m := range machines {
		s.backends = append(s.backends, New(m).(*backend))
	}
	return s
}

// MachineOf returns the number of the machine, of n, that device d of an execution runs on.
func MachineOf(d, n int) int { return d % n }

// several is a backend with a machine for each of a program's devices.
type several struct{ backends []*backend }

// on is the backend of the machine that device d is.
func (s *several) on(d int) *backend { return s.backends[MachineOf(d, len(s.backends))] }

func (s *several) Name() string { return s.backends[0].Name() }

// Trim gives back the memory that is kept for executions to come.
func (s *several) Trim() {
	for _, b := range s.backends {
		b.Trim()
	}
}

func (s *several) Compile(ctx context.Context, m *hlo.Module, o Options) (Program, error) {
	out := &severalPrograms{}
	for _, b := range s.backends {
		p, err := b.Compile(ctx, m, o)
		if err != nil {
			out.Close()
			return nil, err
		}
		out.programs = append(out.programs, p.(*program))
		o.DumpTo = "" // the passes are the same
	}
	return out, nil
}

// severalPrograms is a module compiled for each machine.
type severalPrograms struct{ programs []*program }

// of returns the program of device d.
func (s *severalPrograms) of(d int) *program { return s.programs[MachineOf(d, len(s.programs))] }

func (s *severalPrograms) Run(ctx context.Context, args [][]*literal.Literal, o RunOptions) ([]*literal.Literal,
	error) {
	grid := gridOf(o)
	if err := grid.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.programs[0].module.Name, err)
	}
	list := make([]*program, grid.Size())
	for d := range list {
		list[d] = s.of(d)
	}
	return runGrid(ctx, grid, list, args, o)
}

func (s *severalPrograms) Call(ctx context.Context, c *Call) error {
	return s.of(c.Place.Device+c.On).Call(ctx, c)
}

// Report lists what the first machine runs; the others do the same.
func (s *severalPrograms) Report() []Step { return s.programs[0].Report() }

// Memory returns what one execution takes on one machine.
func (s *severalPrograms) Memory() Memory { return s.programs[0].Memory() }

// Owned is as that of each program.
func (s *severalPrograms) Owned(i int) bool { return s.programs[0].Owned(i) }

func (s *severalPrograms) Close() {
	for _, p := range s.programs {
		p.Close()
	}
}
