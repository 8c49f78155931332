package exec

import (
	"context"
	"fmt"
	"runtime"
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
	// resultSlots is how many results have memory of their own.
	resultSlots int
	arenaBytes  int64
	linker      linker

	mu   sync.Mutex
	idle []*instance
}

func (p *program) Run(ctx context.Context, args [][]*literal.Literal, o RunOptions) ([]*literal.Literal, error) {
	grid := gridOf(o)
	if err := grid.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.module.Name, err)
	}
	n := grid.Size()
	if len(args) != n {
		return nil, fmt.Errorf("got arguments for %d devices, want %d", len(args), n)
	}
	in := make([][]*literal.Literal, n)
	for d := range args {
		var err error
		if in[d], err = hlo.Arguments(p.module.Entry, args[d]); err != nil {
			return nil, fmt.Errorf("%s: %w", grid.Name(d), err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ex := &execution{hub: collective.NewHub(grid), cancel: cancel, results: make([]*literal.Literal, n)}
	var wg sync.WaitGroup
	for d := range n {
		r := &Run{program: p, ctx: ctx, options: o, place: hlo.Place{Grid: grid, Device: d, Hub: ex.hub}}
		wg.Go(func() { ex.run(r, in[d]) })
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
func (ex *execution) run(r *Run, args []*literal.Literal) {
	d := r.place.Device
	defer ex.hub.End(d)
	over := false
	defer func() {
		if p := recover(); p == nil && !over {
			ex.fail(fmt.Errorf("%s: a custom call's function ended its goroutine", r.place.Grid.Name(d)))
		} else if p != nil { // goes on in the caller's goroutine, where it can be caught
			ex.mu.Lock()
			ex.panic = p
			ex.mu.Unlock()
			ex.fail(fmt.Errorf("%s panicked", r.place.Grid.Name(d)))
		}
	}()
	out, err := r.program.onDevice(r, args)
	over = true
	if err != nil {
		if len(ex.results) > 1 && ex.hub.Err() == nil {
			err = fmt.Errorf("%s: %w", r.place.Grid.Name(d), err)
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
func (p *program) onDevice(r *Run, args []*literal.Literal) (*literal.Literal, error) {
	m, err := p.take()
	if err != nil {
		return nil, err
	}
	defer p.give(m)
	r.memory, r.boxes = m, make([]*literal.Literal, len(p.slots))
	var pins runtime.Pinner
	defer pins.Unpin()
	leaves := leavesOf(args)
	p.enter(r, &pins, leaves)
	own := p.newResults(r, &pins)
	if err := r.run(p.body); err != nil {
		return nil, err
	}
	out, _ := p.collect(r, p.module.Entry.Root.Shape, p.results, leaves, own)
	return hlo.Cropped(out), nil
}

func leavesOf(args []*literal.Literal) []*literal.Literal {
	var out []*literal.Literal
	for _, a := range args {
		out = append(out, a.Leaves()...)
	}
	return out
}

// enter gives the parameters' slots the addresses of the arguments.
func (p *program) enter(r *Run, pins *runtime.Pinner, leaves []*literal.Literal) {
	for i, s := range p.parameters {
		switch {
		case s == NoSlot:
		case p.slots[s].kind == boxed:
			r.boxes[s] = leaves[i]
		default:
			r.memory.lend(s, aligned(leaves[i].Bytes()), pins)
		}
	}
}

// aligned returns data, or a copy if it begins at an odd address: kernels take elements where they lie.
func aligned(data []byte) []byte {
	if len(data) > 0 && uintptr(unsafe.Pointer(&data[0]))%maxElement != 0 {
		return slices.Clone(data)
	}
	return data
}

// maxElement is what the addresses of arguments are a multiple of, in bytes.
const maxElement = 8

// newResults makes the memory of the results that have some of their own.
func (p *program) newResults(r *Run, pins *runtime.Pinner) [][]byte {
	own := make([][]byte, p.resultSlots)
	for i, s := range p.slots {
		if s.kind == result {
			own[s.index] = make([]byte, s.size)
			r.memory.lend(int32(i), own[s.index], pins)
		}
	}
	return own
}

// collect makes the result, of shape s, of the first leaves of v and returns the rest.
func (p *program) collect(r *Run, s shape.Shape, v value, args []*literal.Literal,
	own [][]byte) (*literal.Literal, value) {
	if !s.IsTuple() {
		return p.collectLeaf(r, v[0], args, own), v[1:]
	}
	elems := make([]*literal.Literal, len(s.Elems))
	for i, e := range s.Elems {
		elems[i], v = p.collect(r, e, v, args, own)
	}
	return literal.NewTuple(elems...), v
}

func (p *program) collectLeaf(r *Run, l leaf, args []*literal.Literal, own [][]byte) *literal.Literal {
	if l.Slot == NoSlot {
		return literal.NewToken()
	}
	s := p.slots[l.Slot]
	var data []byte
	switch s.kind {
	case boxed:
		return r.boxes[l.Slot]
	case parameter:
		data = args[s.index].Bytes()
	case constant:
		data = s.data
	default:
		data = own[s.index]
	}
	v, err := literal.FromBytes(l.shape, data[l.Offset:l.Offset+l.Size])
	if err != nil {
		panic("exec: bug: " + err.Error())
	}
	return v
}

// take returns an arena that nobody uses.
func (p *program) take() (*instance, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		m := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return m, nil
	}
	return newInstance(p.slots, p.arenaBytes)
}

func (p *program) give(m *instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, m)
}

// Close frees the arenas and the segments.
func (p *program) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.idle {
		m.close()
	}
	p.idle = nil
	p.linker.close()
}
