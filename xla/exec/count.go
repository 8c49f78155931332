package exec

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/pass"
)

// Counting is a recorder that knows what to do with loops whose rounds are known before.
type Counting interface {
	// Count makes a recorded thunk that runs body as often as c says.
	Count(c Count, body []Thunk) Thunk
}

// Count is a loop that counts its rounds.
type Count struct {
	// Trips is how often the body runs.
	Trips int64
	// At is where the body finds an integer: Init in the first round, Step more in each. The body does not change it.
	At         Slice
	Init, Step int64
	// Wanted says that it must be there when the loop has ended, with what it would be in one more round.
	Wanted bool
}

// counted is what a loop is to a recorder that counts.
type counted struct {
	Count
	// without are the steps that count, before the loop and in its body, which are needed where nobody else counts.
	without map[*step]bool
}

// countedLoop returns how l counts, nil if it is not known how often it goes round. before are the steps that make its
// first state.
func (c *compiler) countedLoop(s *scope, in *hlo.Instruction, l *loop, before []*step, state, next value) *counted {
	p, ok := pass.Trips(in)
	if !ok || slices.ContainsFunc(in.Attrs.(*hlo.WhileAttrs).Condition.Instructions, (*hlo.Instruction).HasSideEffect) {
		return nil
	}
	k := 0
	for i := range max(p.Index, 0) {
		k += in.Shape.Elems[i].LeafCount()
	}
	at := state[k]
	if at.shape.Type.Bits() < 8 || c.slots[at.Slot].kind == boxed {
		return nil
	}
	n := &counted{Count: Count{Trips: p.Trips, At: at.Slice, Init: p.Init, Step: p.Step,
		Wanted: isWanted(s.comp, in, p.Index)}, without: map[*step]bool{}}
	for _, st := range append(before[:len(before):len(before)], l.body.steps...) {
		if t, ok := st.thunk.(*copyThunk); ok && t.to.Slice == at.Slice {
			n.without[st] = true
		}
	}
	n.leaveOut(l.body, next[k].Slice)
	return n
}

// isWanted reports whether something in comp has a use for element index of the state of in.
func isWanted(comp *hlo.Computation, in *hlo.Instruction, index int) bool {
	if comp.Root == in || index < 0 {
		return true
	}
	return slices.ContainsFunc(comp.Instructions, func(user *hlo.Instruction) bool {
		a, ok := user.Attrs.(*hlo.GetTupleElementAttrs)
		return slices.Contains(user.Operands, in) && (!ok || int(a.Index) == index)
	})
}

// leaveOut leaves out the step of a body that makes nothing but next, if no other step reads that.
func (n *counted) leaveOut(body *block, next Slice) {
	var from *step
	for _, st := range body.steps {
		if n.without[st] {
			continue
		}
		uses := 0
		within := &block{steps: []*step{st}}
		within.walk(func(inner *step) {
			for _, u := range inner.uses() {
				if u.Slice.Slot == next.Slot {
					uses++
				}
			}
		})
		switch {
		case uses == 0:
		case from != nil || !makesOnly(st, next):
			return
		default:
			from = st
		}
	}
	if from != nil {
		n.without[from] = true
	}
}

// makesOnly reports whether all that st writes is s.
func makesOnly(st *step, s Slice) bool {
	if _, ok := st.thunk.(nested); ok {
		return false
	}
	for _, u := range st.uses() {
		if u.Write != (u.Slice == s) {
			return false
		}
	}
	return true
}

// left are steps of a body without those that count.
func (n *counted) left(steps []*step) []*step {
	return slices.DeleteFunc(slices.Clone(steps), func(st *step) bool { return n.without[st] })
}

// counts returns the steps without those that make the first counts of loops among them, if the recorder counts itself.
func (k *linker) counts(steps []*step) []*step {
	if _, ok := k.recorder.(Counting); !ok {
		return steps
	}
	out := steps
	for _, st := range steps {
		if l, ok := st.thunk.(*loop); ok && l.counted != nil {
			out = l.counted.left(out)
		}
	}
	return out
}
