package exec

import (
	"context"
	"fmt"

	"github.com/halo-xla/halo/xla/collective"
	"github.com/halo-xla/halo/xla/hlo"
)

// addArray takes a as the argument for parameter want: it stays where it is if the execution can use it there.
func (r *Run) addArray(a *Array, want *hlo.Instruction) error {
	if !hlo.Fits(a.Shape(), want.Shape) {
		return fmt.Errorf("argument (%s): got %v, want %v", want.Name, a.Shape(), want.Shape)
	}
	p, leaf := r.program, len(r.arguments)
	if s := p.parameters[leaf]; p.options.Verify || a.room.keeper != p.keeper || s == NoSlot ||
		p.slots[s].kind != parameter {
		l, err := a.Literal()
		if err != nil {
			return err
		}
		r.pinned = false
		return r.addArgument(l)
	}
	for len(r.held) < leaf {
		r.held = append(r.held, nil)
	}
	r.held, r.arguments = append(r.held, a), append(r.arguments, nil)
	return nil
}

// heldAt is the array that is leaf i of the arguments, nil if that is on the host.
func (r *Run) heldAt(i int) *Array {
	if i < len(r.held) {
		return r.held[i]
	}
	return nil
}

// take returns n bytes of remote memory until the execution is over.
func (m *mirrored) take(r *Run, n int64) (*room, error) {
	b, err := r.program.keeper.takeRoom(r.program.remote, n, r.program.options.MemoryLimit)
	if err == nil {
		m.taken = append(m.taken, b)
	}
	return b, err
}

// letGo ends the execution's hold of its rooms, the last one first: the next execution then takes them in the same
// order, and finds its commands captured with their addresses.
func (m *mirrored) letGo() {
	if m == nil {
		return
	}
	for i := len(m.taken) - 1; i >= 0; i-- {
		m.taken[i].drop()
	}
	clear(m.taken)
	clear(m.results)
	m.taken = m.taken[:0]
}

// bindResults gives the results rooms, and what lies in them places there.
func (m *mirrored) bindResults(r *Run) error {
	p := r.program
	for i, s := range p.resultSlots {
		if p.slots[s].size == 0 {
			continue
		}
		b := r.donatedRoom(s)
		if b != nil {
			m.taken = append(m.taken, b.hold())
		} else {
			var err error
			if b, err = m.take(r, p.slots[s].size); err != nil {
				return err
			}
		}
		m.results[i] = b
		m.Bind(s, b.at)
	}
	for _, s := range p.guests {
		if b := m.roomOf(p, &p.slots[s]); b != nil {
			m.Bind(s, b.at+Address(p.slots[s].offset))
		}
	}
	return nil
}

// roomOf is the room of the result in which a slot lies.
func (m *mirrored) roomOf(p *program, s *slot) *room { return m.results[p.slots[s.host].index] }

// bindArguments has parameters lie where the arguments are, or where the results are that overwrite them.
func (m *mirrored) bindArguments(r *Run) error {
	p := r.program
	for i, s := range p.parameters {
		if s == NoSlot || p.slots[s].kind != parameter || p.slots[s].size == 0 {
			continue
		}
		a, sl := r.heldAt(i), &p.slots[s]
		if sl.host != NoSlot {
			m.Bind(s, m.roomOf(p, sl).at)
		}
		if a == nil {
			continue
		}
		m.at[s] = onRemote
		from := a.room.at + Address(a.offset)
		m.taken = append(m.taken, a.room.hold())
		switch {
		case sl.host == NoSlot:
			m.Bind(s, from)
		case a.room != m.roomOf(p, sl):
			if err := m.Copy(s, from, sl.size); err != nil {
				return err
			}
		}
	}
	return nil
}

// donatedRoom returns the memory of a held argument that result slot s may take, nil if there is none.
func (r *Run) donatedRoom(s int32) *room {
	i := r.donor(s)
	if i < 0 || r.heldAt(i) == nil {
		return nil
	}
	return r.held[i].whole()
}

// donor returns the leaf of the arguments whose memory result slot s may take, -1 if there is none.
func (r *Run) donor(s int32) int {
	p, d := r.program, r.place.Device
	if d >= len(r.options.Donated) || p.slots[s].donor == NoSlot {
		return -1
	}
	donor := p.slots[s].donor
	number := p.parameterOf(donor)
	if number >= len(r.options.Donated[d]) || !r.options.Donated[d][number] {
		return -1
	}
	return p.slots[donor].index
}

// settle gives slot s memory on the host if it has none yet: arguments and results that stay in remote memory do not.
func (r *Run) settle(s int32) {
	p, m := r.program, r.memory
	sl := &p.slots[s]
	if m.table[s] != 0 || sl.size == 0 {
		return
	}
	owner := s
	if sl.kind != result && sl.host != NoSlot {
		owner = sl.host
	}
	if m.table[owner] == 0 && p.slots[owner].kind == result {
		i := p.slots[owner].index
		r.own[i], r.again[i] = p.keeper.memoryOf(r.shelf(), p.slots[owner].size)
		r.lend(owner, r.own[i])
	} else if m.table[owner] == 0 {
		r.lend(owner, newResult(sl.size))
	}
	if owner != s {
		m.table[s] = m.table[owner]
		if sl.kind == temporary {
			m.table[s] += uintptr(sl.offset)
		}
	}
}

// collectArray returns leaf l of the result where it is, nil if that is the host.
func (r *Run) collectArray(l *leaf) *Array {
	m := r.memory.mirror
	if l.Slot == NoSlot || l.Size == 0 || m.at[l.Slot]&onRemote == 0 {
		return nil
	}
	switch s := &r.program.slots[l.Slot]; s.kind {
	case parameter:
		a := r.heldAt(s.index)
		if a == nil {
			return nil
		}
		return &Array{shape: l.shape, room: a.room.hold(), offset: a.offset + l.Offset, bytes: l.Size}
	case result:
		return &Array{shape: l.shape, room: m.results[s.index].hold(), bytes: l.Size}
	}
	return nil
}

// drive is Call where functions of the user run, which may end their goroutine.
func (p *program) drive(ctx context.Context, c *Call) error {
	if c.Options.ID == 0 {
		c.Options.ID = NewID()
	}
	hub := collective.NewHub(c.Place.Grid)
	err := hub.Drive(ctx, func(ctx context.Context, _ int) error {
		return p.onDevice(ctx, hlo.Place{Grid: c.Place.Grid, Hub: hub}, c)
	})
	if err != nil {
		c.drop()
	}
	return err
}

// drop lets go of results that nobody gets.
func (c *Call) drop() {
	for _, a := range c.Kept {
		if a != nil {
			a.Close()
		}
	}
	c.Kept, c.Results = c.Kept[:0], c.Results[:0]
}

// Fetch makes literals of the arguments that are arrays.
func (c *Call) Fetch() error {
	for i, a := range c.Arrays {
		if a == nil {
			continue
		}
		l, err := a.Literal()
		if err != nil {
			return err
		}
		c.Args[i], c.Arrays[i] = l, nil
	}
	c.Pinned = c.Pinned && len(c.Arrays) == 0
	return nil
}
