package exec

import (
	"bytes"
	"fmt"
	"unsafe"
)

// poison fills memory that a thunk has no business with.
const poison = 0xff

// checked runs st and fails if it touches other memory than it says it uses. All memory beside its uses is poisoned
// meanwhile, so that what it reads there spoils its results.
func (r *Run) checked(st *step) error {
	if _, ok := st.thunk.(nested); ok {
		return st.thunk.Run(r)
	}
	regions := r.regions()
	for _, g := range regions {
		g.hide(r, st)
	}
	err := st.thunk.Run(r)
	for _, g := range regions {
		if bad := g.restore(r, st); bad != nil && err == nil {
			err = bad
		}
	}
	return err
}

// region is memory of a run and what it held before a step.
type region struct {
	bytes, saved []byte
	used         []bool // by byte: the step reads or writes it
	written      []bool
}

// regions are the arena, the results and the arguments; in checked runs the arguments are copies.
func (r *Run) regions() []*region {
	list := []*region{{bytes: r.memory.arena}}
	for _, b := range r.own {
		list = append(list, &region{bytes: b})
	}
	for i, s := range r.program.parameters {
		if s == NoSlot {
			continue
		}
		if sl := r.program.slots[s]; sl.kind == parameter && !sl.staged && sl.host == NoSlot {
			list = append(list, &region{bytes: r.arguments[i].Bytes()})
		}
	}
	return list
}

func (g *region) hide(r *Run, st *step) {
	g.saved = bytes.Clone(g.bytes)
	g.used, g.written = make([]bool, len(g.bytes)), make([]bool, len(g.bytes))
	for _, u := range st.uses() {
		if u.Slice.Size == 0 || r.program.slots[u.Slice.Slot].kind == boxed {
			continue
		}
		at := uintptr(r.Address(u.Slice)) - uintptr(unsafe.Pointer(unsafe.SliceData(g.bytes)))
		if at >= uintptr(len(g.bytes)) {
			continue
		}
		for i := range uintptr(u.Slice.Size) {
			g.used[at+i] = true
			g.written[at+i] = g.written[at+i] || u.Write
		}
	}
	for i := range g.bytes {
		if !g.used[i] {
			g.bytes[i] = poison
		}
	}
}

// restore brings back what the step does not use, and fails if it has changed that or what it only reads.
func (g *region) restore(r *Run, st *step) error {
	var err error
	for i := range g.bytes {
		want := g.saved[i]
		if !g.used[i] {
			want = poison
		}
		if !g.written[i] && g.bytes[i] != want && err == nil {
			err = fmt.Errorf("exec: bug: %s writes byte %d of %d, which it does not say", st.kernel, i, len(g.bytes))
		}
		if !g.used[i] {
			g.bytes[i] = g.saved[i]
		}
	}
	return err
}
