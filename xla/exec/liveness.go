package exec

import (
	"maps"
	"slices"
)

// Positions are the steps in the order of the program text: a loop's condition and body, and all branches, in place.
// A value lives at a position if a step at it touches the value, or one before it made and one after it reads it, on
// some way through the program.

// span is positions from first to last.
type span struct{ first, last int32 }

// flow is what a block or step does to slots: uses are read before they are written whole, kills are always written
// whole first.
type flow struct{ uses, kills map[int32]bool }

func newFlow() flow { return flow{map[int32]bool{}, map[int32]bool{}} }

// then is f followed by g.
func (f flow) then(g flow) {
	for s := range g.uses {
		if !f.kills[s] {
			f.uses[s] = true
		}
	}
	for s := range g.kills {
		if !f.uses[s] {
			f.kills[s] = true
		}
	}
}

// liveness finds where each slot is live.
type liveness struct {
	slots []slot
	flows map[*block]flow
	// first and last are the positions of steps, nested ones counted; steps is the step that stands at a position.
	first map[*step]int32
	last  map[*step]int32
	test  map[*loop]int32 // between condition and body
	at    []*step         // by position; nil where a nested thunk ends or tests
	depth []int32         // by position: in how many loops and branches it is
	spans [][]span        // by slot; first from the last to the first, then sorted
}

// findLiveness returns the spans of all slots. final are slots that live on when the program is over.
func findLiveness(body *block, slots []slot, final []int32) *liveness {
	l := &liveness{slots: slots, flows: map[*block]flow{}, first: map[*step]int32{}, last: map[*step]int32{},
		test: map[*loop]int32{}, spans: make([][]span, len(slots))}
	l.number(body, 0)
	l.summarise(body)
	live := map[int32]int32{}
	for _, s := range final {
		live[s] = int32(len(l.at))
	}
	l.block(body, live)
	l.flush(live, 0)
	for s := range l.spans {
		l.spans[s] = normal(l.spans[s])
	}
	return l
}

// number gives the steps of b their positions.
func (l *liveness) number(b *block, depth int32) {
	for _, st := range b.steps {
		l.first[st] = l.next(st, depth)
		switch t := st.thunk.(type) {
		case *loop:
			l.number(t.cond, depth+1)
			l.test[t] = l.next(nil, depth)
			l.number(t.body, depth+1)
			l.next(nil, depth)
		case *branch:
			for _, inner := range t.branches {
				l.number(inner, depth+1)
			}
			l.next(nil, depth)
		}
		l.last[st] = int32(len(l.at)) - 1
	}
}

func (l *liveness) next(st *step, depth int32) int32 {
	l.at, l.depth = append(l.at, st), append(l.depth, depth)
	return int32(len(l.at)) - 1
}

// whole reports whether u writes all of its slot.
func (l *liveness) whole(u Use) bool {
	return u.Write && u.Slice.Offset == 0 && u.Slice.Size == l.slots[u.Slice.Slot].size
}

// summarise computes what b does to slots.
func (l *liveness) summarise(b *block) flow {
	f := newFlow()
	for _, st := range b.steps {
		switch t := st.thunk.(type) {
		case *loop:
			f.then(l.loopFlow(t))
		case *branch:
			f.then(l.branchFlow(t))
		default:
			f.then(l.stepFlow(st))
		}
	}
	l.flows[b] = f
	return f
}

func (l *liveness) stepFlow(st *step) flow {
	f := newFlow()
	list := st.uses()
	for _, u := range list {
		if !l.whole(u) {
			f.uses[u.Slice.Slot] = true
		}
	}
	for _, u := range list {
		if l.whole(u) && !f.uses[u.Slice.Slot] {
			f.kills[u.Slice.Slot] = true
		}
	}
	return f
}

// loopFlow: the condition always runs, the body perhaps not.
func (l *liveness) loopFlow(t *loop) flow {
	f, cond, body := newFlow(), l.summarise(t.cond), l.summarise(t.body)
	f.then(cond)
	if !f.kills[t.again.Slot] {
		f.uses[t.again.Slot] = true
	}
	for s := range body.uses {
		if !f.kills[s] {
			f.uses[s] = true
		}
	}
	return f
}

// branchFlow: what any branch reads is read, what all of them write first is written.
func (l *liveness) branchFlow(t *branch) flow {
	f := newFlow()
	f.uses[t.index.Slot] = true
	kills := map[int32]int{}
	for _, b := range t.branches {
		g := l.summarise(b)
		maps.Copy(f.uses, g.uses)
		for s := range g.kills {
			kills[s]++
		}
	}
	for s, n := range kills {
		if n == len(t.branches) && !f.uses[s] {
			f.kills[s] = true
		}
	}
	return f
}

// block goes through b backwards: live holds the slots that are needed behind it, with the position up to which, and
// gets those that are needed before it.
func (l *liveness) block(b *block, live map[int32]int32) {
	for _, st := range slices.Backward(b.steps) {
		switch t := st.thunk.(type) {
		case *loop:
			l.loop(st, t, live)
		case *branch:
			l.branch(st, t, live)
		default:
			l.step(st, live)
		}
	}
}

func (l *liveness) step(st *step, live map[int32]int32) {
	p, list := l.first[st], st.uses()
	for _, u := range list {
		if s := u.Slice.Slot; l.whole(u) {
			last, ok := live[s]
			if !ok {
				last = p // written and never read
			}
			l.spans[s] = append(l.spans[s], span{p, last})
			delete(live, s)
		}
	}
	for _, u := range list {
		if s := u.Slice.Slot; !l.whole(u) {
			need(live, s, p)
		}
	}
}

// need makes s live up to p at least.
func need(live map[int32]int32, s, p int32) {
	if last, ok := live[s]; !ok || last < p {
		live[s] = p
	}
}

// flush ends the way back at position p: what is live has been so from p on.
func (l *liveness) flush(live map[int32]int32, p int32) {
	for s, last := range live {
		l.spans[s] = append(l.spans[s], span{p, last})
	}
	clear(live)
}

// loop: behind the condition live what is needed behind the loop and what the body needs; behind the body what the
// condition needs again.
func (l *liveness) loop(st *step, t *loop, live map[int32]int32) {
	end, cond := l.last[st], l.flows[t.cond]
	round := maps.Clone(cond.uses)
	next := func(s int32) {
		if !cond.kills[s] {
			round[s] = true
		}
	}
	next(t.again.Slot)
	for s := range l.flows[t.body].uses {
		next(s)
	}
	inside := map[int32]int32{}
	for s, last := range live {
		next(s)
		inside[s] = l.test[t]
		l.spans[s] = append(l.spans[s], span{end, last})
	}
	clear(live)
	for s := range round {
		live[s] = end
	}
	l.block(t.body, live)
	need(live, t.again.Slot, l.test[t])
	for s, p := range inside {
		need(live, s, p)
	}
	l.block(t.cond, live)
}

func (l *liveness) branch(st *step, t *branch, live map[int32]int32) {
	before := map[int32]int32{t.index.Slot: l.first[st]}
	after := maps.Clone(live)
	for s, last := range live {
		l.spans[s] = append(l.spans[s], span{l.last[st], last})
	}
	for _, b := range t.branches {
		clear(live)
		for s := range after {
			live[s] = l.first[st]
			if n := len(b.steps); n > 0 {
				live[s] = l.last[b.steps[n-1]]
			}
		}
		l.block(b, live)
		for s := range live {
			before[s] = l.first[st]
		}
		if len(b.steps) > 0 {
			l.flush(live, l.first[b.steps[0]])
		}
	}
	clear(live)
	maps.Copy(live, before)
}

// normal sorts spans and joins those that touch.
func normal(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return int(a.first - b.first) })
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && s.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, s.last)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// overlap returns the positions that a and b have in common, and false if two of them are neighbours: values that
// meet at more than single steps cannot share memory.
func overlap(a, b []span) (points []int32, single bool) {
	for len(a) > 0 && len(b) > 0 {
		first, last := max(a[0].first, b[0].first), min(a[0].last, b[0].last)
		if first < last {
			return nil, false
		}
		if first == last {
			points = append(points, first)
		}
		if a[0].last < b[0].last {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return points, true
}
