package exec

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// program is a compiled module: steps over slots, and the arenas in which it has run.
type program struct {
	machine Machine
	options Options
	module  *hlo.Module
	body    *block
	slots   []slot
	// parameters are the slots of the entry's parameters, leaf by leaf.
	parameters []int32
	results    value
	// owned says which leaves of the results have memory of their own.
	owned []bool
	// resultSlots are the slots of results, leafOf the last leaf that each is, guests the temporaries in their memory.
	resultSlots, guests []int32
	leafOf              []int
	arenaBytes          int64
	// lent are the slots whose addresses thunks write, each run anew.
	lent []int32
	// peakBytes is what arena and results take, livenessBytes the least that any assignment could reach.
	peakBytes, livenessBytes int64
	linker                   linker
	places                   *Places // nil: the machine has no memory of its own

	home
	packed   []*pack   // in use
	boxes    int       // boxed slots
	foreign  bool      // functions of the user run, which may end their goroutine
	brief    bool      // too short to be cancelled on the way
	quick    Segment   // see quickSegment
	idle     [][]*kept // arenas by shelf, guarded by it
	ready    ready
	subs     []*program // that steps run on devices of their own
	dynamics []*dynamicThunk
	closing  []func() // what thunks hold
	closed   sync.Once

	identity *identity // which ranks compare
	part     string    // of the program of that identity; "": all
}

func newProgram(m Machine, o Options, module *hlo.Module, h home) *program {
	return &program{machine: m, options: o, module: module, home: h, idle: make([][]*kept, len(h.keeper.shelves)),
		ready: make(ready, len(h.keeper.shelves)), identity: &identity{read: module.Entry}}
}

func (p *program) Run(ctx context.Context, args [][]*literal.Literal, o RunOptions) ([]*literal.Literal, error) {
	grid := gridOf(o)
	if err := grid.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.module.Name, err)
	}
	return runGrid(ctx, grid, slices.Repeat([]*program{p}, grid.Size()), args, o)
}

// executions counts the executions of programs that ask, which have a number each.
var executions atomic.Int64

// runGrid runs a program on each device of a grid, with arguments of its own.
func runGrid(ctx context.Context, grid collective.Grid, programs []*program, args [][]*literal.Literal,
	o RunOptions) ([]*literal.Literal, error) {
	n := grid.Size()
	if len(args) != n {
		return nil, fmt.Errorf("got arguments for %d devices, want %d", len(args), n)
	}
	if p := programs[0]; n == 1 && !p.foreign {
		c := Call{Args: args[0], Options: o}
		if err := p.onDevice(ctx, hlo.Place{Grid: grid}, &c); err != nil {
			return nil, err
		}
		return []*literal.Literal{p.tuple(c.Results)}, nil
	}
	o.ID = cmp.Or(o.ID, NewID())
	hub, err := o.Job.Spread(ctx, grid, programs[0].module.Name, func() string { return fingerprintOf(programs) })
	if err != nil {
		return nil, err
	}
	if n > 1 {
		o.Job = nil // each device is of one rank
	}
	results := make([]*literal.Literal, n)
	err = hub.Drive(ctx, func(ctx context.Context, d int) error {
		c := Call{Args: args[d], Options: o}
		err := programs[d].onDevice(ctx, hlo.Place{Grid: grid, Device: d, Hub: hub}, &c)
		if err == nil {
			results[d] = programs[d].tuple(c.Results)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return results, hlo.ShareResults(ctx, hub.Job(), hub.Owners(), results)
}

// Memory returns what one execution takes.
func (p *program) Memory() Memory { return Memory{p.peakBytes, p.livenessBytes} }

// Owned reports whether leaf i of the results has memory that is not an argument's, a constant's or another result's.
func (p *program) Owned(i int) bool { return p.owned[i] }

// Close frees the arenas and the segments, and ends the use of what is shared with other programs.
func (p *program) Close() { p.closed.Do(p.close) }

func (p *program) close() {
	for _, t := range p.dynamics {
		t.close()
	}
	for _, s := range p.subs {
		s.Close()
	}
	for _, f := range p.closing {
		f()
	}
	p.keeper.forget(p)
	p.linker.close()
	p.packs.release(p.packed)
}
