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
	// peakBytes is what arena and results take, livenessBytes the least that any assignment could reach.
	peakBytes, livenessBytes int64
	linker                   linker
	remote                   *Places // nil: the machine has no memory of its own

	home
	packed   []*pack    // in use
	boxes    int        // boxed slots
	foreign  bool       // functions of the user run, which may end their goroutine
	brief    bool       // too short to be cancelled on the way
	idle     [][]*kept  // arenas by shelf, guarded by it
	subs     []*program // that steps run on devices of their own
	dynamics []*dynamicThunk
	closing  []func() // what thunks hold
	closed   sync.Once

	identity *identity // which ranks compare
	part     string    // of the program of that identity; "": all
}

func newProgram(m Machine, o Options, module *hlo.Module, h home) *program {
	return &program{machine: m, options: o, module: module, home: h, idle: make([][]*kept, len(h.keeper.shelves)),
		identity: &identity{read: module.Entry}}
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
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	defer hub.AfterFault(cancel)()
	ex := &execution{hub: hub, cancel: cancel, results: make([]*literal.Literal, n)}
	if n > 1 {
		o.Job = nil // each device is of one rank
	}
	var wg sync.WaitGroup
	for d, p := range programs {
		if hub.Here(d) {
			wg.Go(func() { ex.run(inner, p, hlo.Place{Grid: grid, Device: d, Hub: hub}, args[d], o) })
		}
	}
	wg.Wait()
	return ex.finish(ctx)
}

// execution is one run on all devices of a grid.
type execution struct {
	hub     *collective.Hub
	cancel  context.CancelFunc
	results []*literal.Literal
	mu      sync.Mutex
	panic   any
}

// run is the life of one device.
func (ex *execution) run(ctx context.Context, p *program, place hlo.Place, args []*literal.Literal, o RunOptions) {
	d, name := place.Device, place.Grid.Name(place.Device)
	defer ex.hub.End(d)
	over := false
	defer func() {
		if p := recover(); p == nil && !over {
			ex.fail(fmt.Errorf("%s: %w", name, errEnded))
		} else if p != nil { // goes on in the caller's goroutine, where it can be caught
			ex.mu.Lock()
			ex.panic = p
			ex.mu.Unlock()
			ex.fail(fmt.Errorf("%s panicked", name))
		}
	}()
	c := Call{Args: args, Options: o}
	err := p.onDevice(ctx, place, &c)
	over = true
	if err != nil {
		if len(ex.results) > 1 && ex.hub.Err() == nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		ex.fail(err)
		return
	}
	ex.results[d] = p.tuple(c.Results)
}

func (ex *execution) fail(err error) {
	ex.hub.Fail(err)
	ex.cancel()
}

// finish returns the results when all devices are done, or the first fault.
func (ex *execution) finish(ctx context.Context) ([]*literal.Literal, error) {
	if ex.panic != nil {
		panic(ex.panic)
	}
	if err := ex.hub.Finish(ctx); err != nil {
		return nil, err
	}
	return ex.results, hlo.ShareResults(ctx, ex.hub.Job(), ex.hub.Owners(), ex.results)
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
