package exec

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
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
	// resultSlots are the slots of results, guests the temporaries that lie in their memory.
	resultSlots, guests []int32
	arenaBytes          int64
	// peakBytes is what arena and results take, livenessBytes the least that any assignment could reach.
	peakBytes, livenessBytes int64
	linker                   linker

	home
	packed   []*pack    // in use
	boxes    int        // boxed slots
	foreign  bool       // functions of the user run, which may end their goroutine
	idle     []*kept    // arenas, guarded by the keeper
	subs     []*program // that steps run on devices of their own
	dynamics []*dynamicThunk
}

func (p *program) Run(ctx context.Context, args [][]*literal.Literal, o RunOptions) ([]*literal.Literal, error) {
	grid := gridOf(o)
	if err := grid.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.module.Name, err)
	}
	return runGrid(ctx, grid, slices.Repeat([]*program{p}, grid.Size()), args, o)
}

// runGrid runs a program on each device of a grid, with arguments of its own.
func runGrid(ctx context.Context, grid collective.Grid, programs []*program, args [][]*literal.Literal,
	o RunOptions) ([]*literal.Literal, error) {
	n := grid.Size()
	if len(args) != n {
		return nil, fmt.Errorf("got arguments for %d devices, want %d", len(args), n)
	}
	if p := programs[0]; n == 1 && !p.foreign {
		out, err := p.onDevice(ctx, hlo.Place{Grid: grid}, args[0], o)
		return []*literal.Literal{out}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ex := &execution{hub: collective.NewHub(grid), cancel: cancel, results: make([]*literal.Literal, n)}
	var wg sync.WaitGroup
	for d, p := range programs {
		wg.Go(func() { ex.run(ctx, p, hlo.Place{Grid: grid, Device: d, Hub: ex.hub}, args[d], o) })
	}
	wg.Wait()
	return ex.finish()
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
			ex.fail(fmt.Errorf("%s: a custom call's function ended its goroutine", name))
		} else if p != nil { // goes on in the caller's goroutine, where it can be caught
			ex.mu.Lock()
			ex.panic = p
			ex.mu.Unlock()
			ex.fail(fmt.Errorf("%s panicked", name))
		}
	}()
	out, err := p.onDevice(ctx, place, args, o)
	over = true
	if err != nil {
		if len(ex.results) > 1 && ex.hub.Err() == nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		ex.fail(err)
		return
	}
	ex.results[d] = out
}

func (ex *execution) fail(err error) {
	ex.hub.Fail(err)
	ex.cancel()
}

// finish returns the results when all devices are done, or the first fault.
func (ex *execution) finish() ([]*literal.Literal, error) {
	if ex.panic != nil {
		panic(ex.panic)
	}
	if err := ex.hub.Err(); err != nil {
		return nil, err
	}
	return ex.results, ex.hub.Unread()
}

// onDevice runs the program on one device.
func (p *program) onDevice(ctx context.Context, place hlo.Place, args []*literal.Literal,
	o RunOptions) (*literal.Literal, error) {
	if err := p.executor.acquire(ctx); err != nil {
		return nil, err
	}
	r, err := p.begin(ctx, place, o)
	if err != nil {
		p.executor.release()
		return nil, err
	}
	r.held = true
	defer r.end()
	return r.execute(args)
}

// begin returns a run with memory that nobody else uses.
func (p *program) begin(ctx context.Context, place hlo.Place, o RunOptions) (*Run, error) {
	m := p.keeper.takeArena(p)
	if m == nil {
		var err error
		if m, err = newInstance(p); err != nil {
			return nil, err
		}
	}
	r := &m.run
	r.ctx, r.place, r.options = ctx, place, o
	return r, nil
}

// end keeps the memory for the next run.
func (r *Run) end() {
	p := r.program
	r.pins.Unpin()
	clear(r.boxes)
	clear(r.own)
	clear(r.arguments)
	r.ctx, r.place, r.options, r.evaluator, r.arguments = nil, hlo.Place{}, RunOptions{}, nil, r.arguments[:0]
	r.random, r.outer = Random{}, nil
	if r.held {
		r.held = false
		p.executor.release()
	}
	p.keeper.keepArena(p, r.memory)
}

// execute runs the steps on args.
func (r *Run) execute(args []*literal.Literal) (*literal.Literal, error) {
	p := r.program
	if err := r.accept(args); err != nil {
		return nil, err
	}
	defer r.watch()()
	r.makeResults()
	r.enter()
	if err := r.run(p.body); err != nil {
		return nil, err
	}
	if r.outer == nil && r.place.Grid.Size() == 1 && r.place.Hub != nil {
		if err := r.place.Hub.Unread(); err != nil {
			return nil, err
		}
	}
	out, _ := r.collect(p.module.Entry.Root.Shape, p.results)
	return out, nil
}

func nothing() {}

// watch sets the cancel word when the context ends, until the function that it returns is called.
func (r *Run) watch() (stop func()) {
	if r.ctx.Done() == nil {
		return nothing
	}
	m, over := r.memory, make(chan struct{})
	cancel := context.AfterFunc(r.ctx, func() {
		m.cancel()
		close(over)
	})
	return func() {
		if !cancel() {
			<-over
			m.clear()
		}
	}
}

// accept checks args against the entry's parameters and takes their leaves, row-major.
func (r *Run) accept(args []*literal.Literal) error {
	entry := r.program.module.Entry
	if len(args) != len(entry.Parameters) {
		return fmt.Errorf("%s: got %d arguments, want %d", entry.Name, len(args), len(entry.Parameters))
	}
	for i, a := range args {
		want := entry.Parameters[i]
		a = hlo.Cropped(a)
		if !hlo.Fits(a.Shape(), want.Shape) {
			return fmt.Errorf("argument %d (%s): got %v, want %v", i, want.Name, a.Shape(), want.Shape)
		}
		r.addArgument(a.RowMajor())
	}
	return nil
}

func (r *Run) addArgument(l *literal.Literal) {
	if !l.Shape().IsTuple() {
		r.arguments = append(r.arguments, l)
		return
	}
	for _, e := range l.Elems() {
		r.addArgument(e)
	}
}

// enter gives the parameters' slots the addresses of the arguments.
func (r *Run) enter() {
	p := r.program
	for i, s := range p.parameters {
		switch {
		case s == NoSlot:
		case p.slots[s].kind == boxed:
			r.boxes[p.slots[s].index] = r.arguments[i]
		case p.slots[s].host != NoSlot:
			r.enterAliased(s, r.arguments[i].Bytes())
		case p.slots[s].staged:
			copy(r.Bytes(Slice{Slot: s, Size: p.slots[s].size}), r.arguments[i].Bytes())
		default:
			if p.options.Verify {
				r.arguments[i] = r.arguments[i].Clone()
			}
			r.memory.lend(s, alignedBytes(r.arguments[i].Bytes()), &r.pins)
		}
	}
}

// enterAliased brings an argument to the memory of the result that overwrites it: that is the argument's own if it was
// donated.
func (r *Run) enterAliased(s int32, data []byte) {
	p := r.program
	r.memory.table[s] = r.memory.table[p.slots[s].host]
	if to := r.Bytes(Slice{Slot: s, Size: p.slots[s].size}); len(to) > 0 && &to[0] != &data[0] {
		copy(to, data)
	}
}

// donated returns the memory of an argument that result slot s may take, nil if there is none.
func (r *Run) donated(s int32) []byte {
	p, d := r.program, r.place.Device
	if d >= len(r.options.Donated) || p.slots[s].donor == NoSlot {
		return nil
	}
	donor := p.slots[s].donor
	number := p.parameterOf(donor)
	if number >= len(r.options.Donated[d]) || !r.options.Donated[d][number] {
		return nil
	}
	data := r.arguments[p.slots[donor].index].Bytes()
	if len(data) == 0 || &alignedBytes(data)[0] != &data[0] {
		return nil
	}
	return data
}

// parameterOf returns the number of the entry's parameter that leaf slot s belongs to.
func (p *program) parameterOf(s int32) int {
	leaf := p.slots[s].index
	for i, in := range p.module.Entry.Parameters {
		if leaf -= in.Shape.LeafCount(); leaf < 0 {
			return i
		}
	}
	panic("exec: bug: a slot of no parameter")
}

// alignedBytes returns data, or a copy if it begins at an odd address: kernels take elements where they lie.
func alignedBytes(data []byte) []byte {
	if len(data) > 0 && uintptr(unsafe.Pointer(&data[0]))%maxElement != 0 {
		return slices.Clone(data)
	}
	return data
}

// maxElement is what the addresses of arguments are a multiple of, in bytes.
const maxElement = 8

// makeResults gives memory to the results that have some of their own, and to what lies in it before.
func (r *Run) makeResults() {
	p := r.program
	for i, s := range p.resultSlots {
		if p.slots[s].staged {
			continue
		}
		if r.own[i] = r.donated(s); r.own[i] == nil {
			r.own[i] = p.keeper.takeResult(p.slots[s].size)
		}
		r.memory.lend(s, r.own[i], &r.pins)
	}
	for _, s := range p.guests {
		r.memory.table[s] = r.memory.table[p.slots[s].host] + uintptr(p.slots[s].offset)
	}
}

// collect makes the result, of shape s, of the first leaves of v and returns the rest.
func (r *Run) collect(s shape.Shape, v value) (*literal.Literal, value) {
	if !s.IsTuple() {
		return r.collectLeaf(v[0]), v[1:]
	}
	elems := make([]*literal.Literal, len(s.Elems))
	for i, e := range s.Elems {
		elems[i], v = r.collect(e, v)
	}
	return literal.NewTuple(elems...), v
}

func (r *Run) collectLeaf(l leaf) *literal.Literal {
	if l.Slot == NoSlot {
		return literal.NewToken()
	}
	s := r.program.slots[l.Slot]
	var data []byte
	switch s.kind {
	case boxed:
		return hlo.Cropped(r.boxes[s.index])
	case parameter:
		data = r.arguments[s.index].Bytes()
	case constant:
		data = s.data
	case result:
		if data = r.own[s.index]; s.staged {
			data = slices.Clone(r.Bytes(Slice{Slot: l.Slot, Size: s.size}))
		}
	}
	v, err := literal.FromBytes(l.shape, data[l.Offset:l.Offset+l.Size])
	if err != nil {
		panic("exec: bug: " + err.Error())
	}
	return v
}

// Recycle takes back the memory of leaf i of a result that nobody sees any more, if it has memory of its own.
func (p *program) Recycle(i int, l *literal.Literal) {
	if p.Owned(i) {
		p.keeper.keepResult(l.Bytes())
	}
}

// Memory returns what one execution takes.
func (p *program) Memory() Memory { return Memory{p.peakBytes, p.livenessBytes} }

// Owned reports whether leaf i of the results has memory that is not an argument's, a constant's or another result's.
func (p *program) Owned(i int) bool { return p.owned[i] }

// Close frees the arenas and the segments.
func (p *program) Close() {
	for _, t := range p.dynamics {
		t.close()
	}
	for _, s := range p.subs {
		s.Close()
	}
	p.keeper.forget(p)
	p.linker.close()
	p.packs.release(p.packed)
}
