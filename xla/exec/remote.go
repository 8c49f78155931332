package exec

import (
	"errors"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// Remote is a machine whose thunks work on memory of its own. Such memory mirrors that of the host slot by slot: what
// a segment reads is brought there before it runs, and what others read of its results comes back when they need it.
type Remote interface {
	Recorder
	// Build is called once all of a program is lowered, with its thunks: kernels are compiled here. Where it fails with
	// hlo.ErrLimit for want of remote memory, what is kept of other programs' is given back and it is called again.
	Build(b *Build) error
	// Memory allocates the memory of one execution at a time. It fails as Build does.
	Memory(p *Places) (RemoteMemory, error)
	// Capacity is how many bytes of memory there are.
	Capacity() int64
	// Alloc allocates a block that may be used at once. It fails as Build does.
	Alloc(bytes int64) (Address, error)
	// Free frees a block that nobody uses.
	Free(at Address)
	// Put copies data to a block that no execution uses, and returns when that is done.
	Put(at Address, data []byte) error
	// Get copies from a block that no execution writes.
	Get(data []byte, at Address) error
	// Fetch copies between blocks as Put does. It fails with errors.ErrUnsupported if there is no way from the other
	// machine.
	Fetch(dst Address, from Remote, src Address, bytes int64) error
}

// Build is what a remote machine gets to build of.
type Build struct {
	Thunks  []Thunk
	Places  *Places
	Options Options
	// OnClose has f called once, when the program is closed.
	OnClose func(f func())
}

// Places say where slots of a program lie in one block of remote memory.
type Places struct {
	// Offsets are the slots' in bytes, multiples of 256 but for values within others; -1 for what has no place: slots
	// without bytes, and those that every execution binds anew.
	Offsets []int64
	// Bytes are those of all.
	Bytes int64
	// Built is what the machine's Build leaves here for its Memory.
	Built any
}

// RemoteMemory is the memory of one execution. What is copied and what segments do happens in the order of the calls.
type RemoteMemory interface {
	// Bind has a slot lie at an address of another block from now on.
	Bind(slot int32, at Address)
	// In copies data to a slot.
	In(slot int32, data []byte) error
	// Out copies from a slot, when all before is done.
	Out(data []byte, slot int32) error
	// Copy copies some bytes from an address to a slot.
	Copy(slot int32, from Address, bytes int64) error
	// Begin is called when an execution begins, with the key of its rng instructions: see hlo.RngKey.
	Begin(key uint64) error
	// Wait returns when all is done, with what has failed.
	Wait() error
	// Cancel has what is under way, and what follows, end as soon as it can, until it is called with false. Its results
	// mean nothing then. Any goroutine may call it.
	Cancel(on bool)
	Close()
}

// remoteAlignment is that of slots in remote memory, in bytes.
const remoteAlignment = 256

// layOut gives temporaries and constants of p places in remote memory: those that share memory on the host share it
// there. Parameters, results and what lies in them are bound.
func (p *program) layOut() *Places {
	out := &Places{Offsets: make([]int64, len(p.slots)), Bytes: alignedTo(p.arenaBytes, remoteAlignment)}
	for i, s := range p.slots {
		switch {
		case s.size == 0:
			out.Offsets[i] = -1
		case s.kind == temporary && s.host == NoSlot:
			out.Offsets[i] = s.offset
		case s.kind == constant:
			out.Offsets[i] = out.Bytes
			out.Bytes += alignedTo(s.size, remoteAlignment)
		default:
			out.Offsets[i] = -1
		}
	}
	return out
}

// mirror is which of the two memories has a slot's value, one a slot.
type mirror uint8

const (
	onHost mirror = 1 << iota
	onRemote
)

// mirrored is an instance's remote memory, and where values are.
type mirrored struct {
	RemoteMemory
	places *Places
	at     []mirror
	// taken are the rooms of the execution, results those among them that have its results.
	taken, results []*room
}

// newMirror allocates the remote memory of p, with its constants. It returns nil if the machine has none.
func newMirror(p *program) (*mirrored, error) {
	if p.places == nil {
		return nil, nil
	}
	memory, err := p.remote.Memory(p.places)
	if err != nil {
		return nil, err
	}
	m := &mirrored{RemoteMemory: memory, places: p.places, at: make([]mirror, len(p.slots)),
		results: make([]*room, len(p.resultSlots))}
	for i, s := range p.slots {
		if s.kind != constant || s.size == 0 {
			continue
		}
		if err := memory.In(int32(i), s.data); err != nil {
			memory.Close()
			return nil, err
		}
	}
	return m, nil
}

// bytes is how much remote memory there is.
func (m *mirrored) bytes() int64 {
	if m == nil {
		return 0
	}
	return m.places.Bytes
}

func (m *mirrored) close() {
	if m != nil {
		m.RemoteMemory.Close()
	}
}

// begin forgets what an earlier execution has left, and binds the arguments and results of this one.
func (m *mirrored) begin(r *Run) error {
	for i, s := range r.program.slots {
		m.at[i] = 0
		switch s.kind {
		case parameter:
			m.at[i] = onHost
		case constant:
			m.at[i] = onHost | onRemote
		}
	}
	if err := m.bindResults(r); err != nil {
		return err
	}
	if err := m.bindArguments(r); err != nil {
		return err
	}
	return m.Begin(hlo.RngKey(r.options.Seed, r.place.Device))
}

// bring has what st needs where it runs.
func (m *mirrored) bring(r *Run, st *step) error {
	if t, ok := st.thunk.(segmentThunk); ok {
		return each(t.first, func(s int32) error { return m.toRemote(r, s) })
	}
	return each(st.uses(), func(u Use) error {
		r.settle(u.Slice.Slot)
		if u.Write && r.program.isWhole(u.Slice) {
			return nil
		}
		return m.toHost(r, u.Slice.Slot)
	})
}

// leave notes where the results of st are.
func (m *mirrored) leave(r *Run, st *step) {
	at := onHost
	if _, ok := st.thunk.(segmentThunk); ok {
		at = onRemote
	}
	for _, u := range st.uses() {
		if u.Write {
			m.at[u.Slice.Slot] = at
		}
	}
}

// each calls f with all of list, until one fails.
func each[T any](list []T, f func(T) error) error {
	for _, x := range list {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

func (m *mirrored) toRemote(r *Run, s int32) error {
	if m.at[s] != onHost || r.program.slots[s].size == 0 {
		return nil
	}
	if sl := &r.program.slots[s]; sl.kind == parameter && sl.host == NoSlot {
		b, err := m.take(r, sl.size)
		if err != nil {
			return err
		}
		m.Bind(s, b.at)
	}
	m.at[s] |= onRemote
	return m.In(s, r.Bytes(r.program.whole(s)))
}

// toHost copies a slot back if its value is in remote memory alone.
func (m *mirrored) toHost(r *Run, s int32) error {
	if m == nil || s == NoSlot || m.at[s] != onRemote || r.program.slots[s].size == 0 {
		return nil
	}
	r.settle(s)
	m.at[s] |= onHost
	return m.Out(r.Bytes(r.program.whole(s)), s)
}

// finish brings the results back, unless they stay where they are, and waits for all.
func (m *mirrored) finish(r *Run) error {
	for _, l := range r.program.results {
		if r.keeps {
			break
		}
		if err := m.toHost(r, l.Slot); err != nil {
			return err
		}
	}
	return m.Wait()
}

// runMirrored runs b and has its results on the host.
func (r *Run) runMirrored(b *block) error {
	m := r.memory.mirror
	if m == nil {
		return r.run(b)
	}
	err := m.begin(r)
	if err == nil {
		err = r.run(b)
	}
	if err == nil {
		err = m.finish(r)
	}
	if err != nil { // nobody gets what is still written to
		return errors.Join(err, m.Wait())
	}
	return nil
}

// build lets a remote machine compile what p has become.
func (p *program) build(b *block) error {
	if p.remote == nil {
		return nil
	}
	p.places = p.layOut()
	build := &Build{Places: p.places, Options: p.options, OnClose: func(f func()) { p.closing = append(p.closing, f) }}
	b.walk(func(st *step) { build.Thunks = append(build.Thunks, st.thunk) })
	return p.keeper.allocate(func() error { return p.remote.Build(build) })
}

func (p *program) whole(s int32) Slice { return Slice{Slot: s, Size: p.slots[s].size} }

func (p *program) isWhole(s Slice) bool { return s == p.whole(s.Slot) }

// readFirst lists the slots whose value steps need that they have not made themselves.
func (p *program) readFirst(steps []*step) []int32 {
	f := &firstReads{p, make([]bool, len(p.slots)), nil}
	f.steps(steps)
	return f.list
}

type firstReads struct {
	p    *program
	made []bool
	list []int32
}

func (f *firstReads) steps(steps []*step) {
	for _, st := range steps {
		uses := st.uses()
		for _, u := range uses {
			if !u.Write || !f.p.isWhole(u.Slice) {
				f.read(u.Slice.Slot)
			}
		}
		if n, ok := st.thunk.(nested); ok {
			f.nested(n)
		}
		for _, u := range uses {
			f.made[u.Slice.Slot] = f.made[u.Slice.Slot] || u.Write
		}
	}
}

func (f *firstReads) read(s int32) {
	if !f.made[s] && !slices.Contains(f.list, s) {
		f.list = append(f.list, s)
	}
}

// nested goes through blocks of which any may run: what one has made, another has not.
func (f *firstReads) nested(n nested) {
	if _, ok := n.(*loop); ok {
		for _, b := range n.blocks() {
			f.steps(b.steps)
		}
		return
	}
	before, all := slices.Clone(f.made), slices.Repeat([]bool{true}, len(f.made))
	for _, b := range n.blocks() {
		f.made = slices.Clone(before)
		f.steps(b.steps)
		for i := range all {
			all[i] = all[i] && f.made[i]
		}
	}
	f.made = all
}
