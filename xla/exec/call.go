package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Call is one execution on one device. It can be used for one execution after the other; with Into that needs no new
// memory.
type Call struct {
	// Args are the arguments: row-major literals or in any layout.
	Args []*literal.Literal
	// Arrays are the arguments that are in remote memory, by number, each of the machine on which the call is. Where there
	// is one, Args has nil. nil: none are.
	Arrays []*Array
	// On is the device of the backend on which a program for one device runs.
	On int
	// Keep leaves results where they are: Kept has those in remote memory then, which the caller closes, and Results nil
	// for each of them.
	Keep bool
	// Pinned says that the memory of Args of more than StagedBytes stays where it is for the time of the execution, Fit
	// that they are as many as the parameters, fit them and are plain: nobody looks again then.
	Pinned, Fit bool
	Options     RunOptions
	// Place is where the device stands among those of the execution, each of which has a Call of its own; the zero value
	// is the only device.
	Place hlo.Place
	// Into is memory for the results, leaf by leaf, each of the leaf's size: nobody else touches it meanwhile, and no two
	// overlap. It may hold anything after an execution that failed. nil: the results get new memory.
	Into [][]byte
	// Results are the leaves of the result of an execution without Into, in a slice that the next one uses again.
	Results []*literal.Literal
	// Kept are the results that stay in remote memory, leaf by leaf; nil: none do. Its slice is used again, too.
	Kept []*Array
	// Recycle takes back the memory of a result that nobody sees any more, where the program's Owned says that it has some
	// of its own; nil: nobody does. The execution sets it.
	Recycle func(*literal.Literal)
	seat    *shelf // that the last execution had
}

// Call runs c.
func (p *program) Call(ctx context.Context, c *Call) error {
	if c.Place.Hub == nil {
		c.Place.Grid = gridOf(RunOptions{})
	}
	switch {
	case !p.foreign:
		return p.onDevice(ctx, c.Place, c)
	case c.Place.Hub == nil && p.remote != nil && len(c.Into) == 0:
		return p.drive(ctx, c)
	case c.Place.Hub == nil:
		if err := c.Fetch(); err != nil {
			return err
		}
		c.Recycle = p.keeper.shelves[0].recycle
		return callByRun(ctx, p, c)
	}
	return apart(func() error { return p.onDevice(ctx, c.Place, c) })
}

// apart does f, which may end its goroutine, on one of its own.
func apart(f func() error) error {
	done := make(chan struct{})
	var fault any
	err := collective.ErrEnded
	go func() {
		defer close(done)
		defer func() { fault = recover() }()
		err = f()
	}()
	<-done
	if fault != nil { // goes on in the caller's goroutine, where it can be caught
		panic(fault)
	}
	return err
}

// callByRun is the Call of a program whose Run is all it has.
func callByRun(ctx context.Context, p Program, c *Call) error {
	out, err := p.Run(ctx, [][]*literal.Literal{c.Args}, c.Options)
	if err != nil {
		return err
	}
	return c.handOver(out[0])
}

// handOver makes out the results of the call.
func (c *Call) handOver(out *literal.Literal) error {
	c.Results = append(c.Results[:0], out.Leaves()...)
	for i, to := range c.Into {
		if err := handOver(to, c.Results[i].RowMajor().Bytes(), i); err != nil {
			return err
		}
	}
	return nil
}

// onDevice runs the program on one device.
func (p *program) onDevice(ctx context.Context, place hlo.Place, c *Call) (err error) {
	seat, err := p.executor.acquire(ctx, c.seat)
	if err != nil {
		return err
	}
	m := p.ready[seat.number]
	switch {
	case m == nil:
		if m, err = p.takeArena(seat); err != nil {
			p.executor.release(seat)
			return err
		}
	case p.isQuick(c):
		return m.run.quick(ctx, seat, c)
	}
	r := m.begin(ctx, place, &c.Options)
	r.seat, c.seat = seat, seat
	defer func() { r.endWith(err) }()
	return r.execute(c)
}

// takeArena returns memory that nobody else uses, of s if there is some.
func (p *program) takeArena(s *shelf) (m *instance, err error) {
	if m = p.keeper.takeArena(s, p); m != nil {
		return m, nil
	}
	err = p.keeper.allocate(func() (err error) {
		m, err = newInstance(p)
		return err
	})
	return m, err
}

// begin begins a run with the memory.
func (m *instance) begin(ctx context.Context, place hlo.Place, o *RunOptions) *Run {
	r := &m.run
	r.ctx, r.place, r.options, r.id = ctx, place, o, o.ID
	return r
}

// unfinished is what the error of a step may be: somebody uses the memory of the execution until Over is closed.
type unfinished interface{ Over() <-chan struct{} }

// users tells of those who use the memory of an execution after its end with err, or is nil.
func users(err error) (u unfinished) {
	if err != nil { // what is found takes memory, which an execution without a fault does not
		var found unfinished
		errors.As(err, &found)
		u = found
	}
	return u
}

// endWith ends a run that failed with err, if it did.
func (r *Run) endWith(err error) {
	u := users(err)
	if u == nil {
		r.end()
		return
	}
	r.closeLocals()
	if r.seat != nil {
		r.program.takeAlong(r.seat, r.memory)
		r.program.executor.release(r.seat)
	}
	go func() {
		<-u.Over()
		r.memory.mirror.letGo()
		r.pins.Unpin()
		r.memory.close()
	}()
}

// end keeps the memory for the next run.
func (r *Run) end() {
	p, shelf, seat := r.program, r.shelf(), r.seat
	r.memory.mirror.letGo()
	r.forget()
	if seat == nil || !p.keepReady(seat, r.memory) {
		p.keeper.keepArena(shelf, r.memory)
	}
	if seat != nil {
		p.executor.release(seat)
	}
}

// forget lets go of what the run has had of others. Each of the lists is looked at before it is cleared, since most are
// empty and each costs a tiny program a fiftieth of its time.
func (r *Run) forget() {
	if r.lends {
		r.pins.Unpin()
		clear(r.own)
		clear(r.again)
	}
	if len(r.boxes) > 0 {
		clear(r.boxes)
	}
	if r.borrows {
		r.arguments = nil
	} else {
		clear(r.arguments)
		r.arguments = r.arguments[:0]
	}
	r.ctx, r.place, r.options, r.evaluator, r.outer, r.seat, r.held = nil, hlo.Place{}, nil, nil, nil, nil, nil
	r.id, r.random, r.lends, r.borrows = 0, Random{}, false, false
	if len(r.locals) > 0 {
		r.closeLocals()
	}
}

// closeLocals ends what the thunks had for this execution.
func (r *Run) closeLocals() {
	for _, x := range r.locals {
		x.Close()
	}
	clear(r.locals)
}

// execute runs the steps on the arguments of c and fills in its results.
func (r *Run) execute(c *Call) error {
	p := r.program
	if err := r.accept(c); err != nil {
		return err
	}
	if !r.Brief() {
		defer r.watch()()
	}
	r.keeps = c.Keep && p.remote != nil && len(c.Into) == 0 && !p.options.Verify
	if r.keeps {
		c.Kept = c.Kept[:0]
	}
	r.makeResults(c.Into)
	r.enter()
	if err := r.runMirrored(p.body); err != nil {
		return err
	}
	if err := r.Cancelled(); err != nil { // the last step may have left work out
		return err
	}
	if r.outer == nil && r.place.Grid.Size() == 1 && r.place.Hub != nil {
		if err := r.place.Hub.Unread(); err != nil {
			return err
		}
	}
	return r.collect(c)
}

// accept checks the arguments against the entry's parameters and takes their leaves, row-major.
func (r *Run) accept(c *Call) error {
	if c.Fit && !r.program.options.Verify { // which puts copies in their place
		r.arguments, r.pinned, r.borrows = c.Args, c.Pinned && !r.program.foreign, true
		return nil
	}
	entry := r.program.module.Entry
	if len(c.Args) != len(entry.Parameters) {
		return fmt.Errorf("%s: got %d arguments, want %d", entry.Name, len(c.Args), len(entry.Parameters))
	}
	r.pinned = c.Pinned && !r.program.foreign && !r.program.options.Verify // which works on copies
	for i, given := range c.Args {
		want := entry.Parameters[i]
		if given == nil {
			if err := r.addArray(c.Arrays[i], want); err != nil {
				return err
			}
			continue
		}
		a := given
		if !a.IsPlain() {
			a = hlo.Cropped(given)
			r.pinned = r.pinned && a == given
		}
		if !a.Fits(&want.Shape) {
			return fmt.Errorf("argument %d (%s): got %v, want %v", i, want.Name, a.Shape(), want.Shape)
		}
		if err := r.addArgument(a); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) addArgument(l *literal.Literal) error {
	if l.IsPlain() {
		r.arguments = append(r.arguments, l)
		return nil
	}
	if !l.Shape().IsTuple() {
		dense, err := l.RowMajorContext(r.ctx)
		r.arguments = append(r.arguments, dense)
		r.pinned = r.pinned && dense == l
		return err
	}
	for _, e := range l.Elems() {
		if err := r.addArgument(e); err != nil {
			return err
		}
	}
	return nil
}

// enter gives the parameters' slots the addresses of the arguments.
func (r *Run) enter() {
	p := r.program
	r.forgetLent()
	for i, s := range p.parameters {
		if s == NoSlot {
			continue
		}
		switch sl := &p.slots[s]; {
		case sl.kind == boxed:
			r.boxes[sl.index] = r.arguments[i]
		case r.arguments[i] == nil: // it is in remote memory
			if !sl.staged {
				r.memory.table[s] = 0
			}
		case sl.host != NoSlot:
			r.enterAliased(s, r.arguments[i].Bytes())
		case sl.staged:
			copy(r.Bytes(Slice{Slot: s, Size: sl.size}), r.arguments[i].Bytes())
		default:
			if p.options.Verify {
				r.arguments[i] = r.arguments[i].Clone()
			}
			r.lendArgument(s, r.arguments[i].Bytes())
		}
	}
}

// lendArgument gives slot s the address of an argument's bytes.
func (r *Run) lendArgument(s int32, data []byte) {
	if aligned := alignedBytes(data); !r.pinned || unsafe.SliceData(aligned) != unsafe.SliceData(data) {
		r.lend(s, aligned)
	} else {
		r.memory.point(s, data)
	}
}

// enterAliased brings an argument to the memory of the result that overwrites it: that is the argument's own if it was
// donated.
func (r *Run) enterAliased(s int32, data []byte) {
	p := r.program
	if r.keeps {
		r.settle(p.slots[s].host)
	}
	r.memory.table[s] = r.memory.table[p.slots[s].host]
	if to := r.Bytes(Slice{Slot: s, Size: p.slots[s].size}); len(to) > 0 && &to[0] != &data[0] {
		copy(to, data)
	}
}

// donated returns the memory of an argument that result slot s may take, nil if there is none.
func (r *Run) donated(s int32) []byte {
	i := r.donor(s)
	if i < 0 || r.arguments[i] == nil {
		return nil
	}
	data := r.arguments[i].Bytes()
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
