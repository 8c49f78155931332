package exec

import (
	"cmp"
	"slices"
)

// class is slots that share one piece of memory.
type class struct {
	slots []int32
	size  int64
	spans []span
	// own is the result slot whose memory it is, NoSlot if it lies in the arena.
	own int32
	// offset is its place in the arena, or in the memory of the result slot host, NoSlot if that is none.
	offset int64
	host   int32
	// joined are the positions where a step writes over its operand, sorted.
	joined []int32
}

// sharing finds the slots that can share memory because one is written over the other.
type sharing struct {
	live    *liveness
	classes []*class // by slot; nil for slots that are neither temporaries nor results
	// pairs are what steps may write over, by position.
	pairs map[int32][]Pair
}

func newSharing(live *liveness) *sharing {
	sh := &sharing{live: live, classes: make([]*class, len(live.slots)), pairs: map[int32][]Pair{}}
	for i, s := range live.slots {
		if s.kind != temporary && s.kind != result {
			continue
		}
		c := &class{slots: []int32{int32(i)}, size: s.size, spans: live.spans[i], own: NoSlot, host: NoSlot}
		if s.kind == result {
			c.own = int32(i)
		}
		sh.classes[i] = c
	}
	return sh
}

// alias gives parameters the memory of results, so that donated arguments are overwritten, where the argument is not
// needed any more when the result is made.
func (sh *sharing) alias(pairs []Pair) {
	pairs = slices.DeleteFunc(pairs, func(p Pair) bool { return !sh.fits(p) })
	for _, p := range pairs {
		sh.classes[p.Operand] = &class{slots: []int32{p.Operand}, size: sh.live.slots[p.Operand].size,
			spans: sh.live.spans[p.Operand], own: NoSlot, host: NoSlot}
	}
	sh.offers()                 // which fills in what steps may write over
	donated := map[int32]bool{} // results that have a parameter's memory: one that is in two places may be given two
	for _, p := range pairs {
		if !donated[p.Result] {
			sh.tryJoin(sh.classes[p.Result], sh.classes[p.Operand])
			donated[p.Result] = sh.classes[p.Operand].own != NoSlot
		}
	}
	for _, p := range pairs {
		if sh.classes[p.Operand].own == NoSlot {
			sh.classes[p.Operand] = nil
		}
	}
}

// fits reports whether p is a result with memory of its own and a parameter of its size.
func (sh *sharing) fits(p Pair) bool {
	if p.Result < 0 || p.Operand < 0 {
		return false
	}
	r, o := sh.live.slots[p.Result], sh.live.slots[p.Operand]
	return r.kind == result && o.kind == parameter && r.size == o.size
}

// offer is a pair at the position of the step that makes it.
type offer struct {
	Pair
	at    int32
	depth int32
	copy  bool // the step only copies
}

// join puts slots together as far as steps allow, first the copies at the ends of inner loops: what is not joined there
// costs a copy in every round.
func (sh *sharing) join() {
	list := sh.offers()
	slices.SortStableFunc(list, func(a, b offer) int {
		return cmp.Or(cmp.Compare(b2i(b.copy), b2i(a.copy)), cmp.Compare(b.depth, a.depth))
	})
	for _, o := range list {
		sh.tryJoin(sh.classes[o.Result], sh.classes[o.Operand])
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// offers lists what steps may write over, in order, and fills in pairs.
func (sh *sharing) offers() []offer {
	var list []offer
	clear(sh.pairs)
	for p, st := range sh.live.at {
		if st == nil {
			continue
		}
		t, ok := st.thunk.(InPlacer)
		if !ok {
			continue
		}
		_, isCopy := st.thunk.(*copyThunk)
		for _, pair := range sh.sound(st, t.InPlace()) {
			sh.pairs[int32(p)] = append(sh.pairs[int32(p)], pair)
			list = append(list, offer{pair, int32(p), sh.live.depth[p], isCopy})
		}
	}
	return list
}

// sound drops the pairs whose operand the thunk reads in parts or more often than it offers the pair: it may want the
// old bytes after it has written new ones.
func (sh *sharing) sound(st *step, pairs []Pair) []Pair {
	var out []Pair
	for _, pair := range pairs {
		if sh.classes[pair.Result] == nil || sh.classes[pair.Operand] == nil || slices.Contains(out, pair) {
			continue
		}
		reads, ok := 0, true
		for _, u := range st.uses() {
			if u.Slice.Slot == pair.Operand {
				reads++
				ok = ok && !u.Write && u.Slice.Offset == 0 && u.Slice.Size == sh.live.slots[pair.Operand].size
			}
		}
		offered := 0
		for _, q := range pairs {
			if q == pair {
				offered++
			}
		}
		if ok && reads <= offered {
			out = append(out, pair)
		}
	}
	return out
}

// tryJoin makes one class of a and b if they meet only where a step writes one over the other.
func (sh *sharing) tryJoin(a, b *class) {
	if a == b || a.own != NoSlot && b.own != NoSlot {
		return
	}
	if a.own != NoSlot && b.size > a.size || b.own != NoSlot && a.size > b.size {
		return
	}
	points, ok := overlap(a.spans, b.spans)
	if !ok {
		return
	}
	for _, p := range points {
		if a.joins(p) || b.joins(p) || !sh.overwrites(p, a, b) {
			return
		}
	}
	if len(a.slots) < len(b.slots) {
		a, b = b, a
	}
	a.spans = normal(slices.Concat(a.spans, b.spans))
	for _, p := range slices.Concat(b.joined, points) {
		k, _ := slices.BinarySearch(a.joined, p)
		a.joined = slices.Insert(a.joined, k, p)
	}
	a.slots = append(a.slots, b.slots...)
	a.size = max(a.size, b.size)
	a.own = max(a.own, b.own)
	for _, s := range b.slots {
		sh.classes[s] = a
	}
}

// joins reports whether a step at p writes one slot of c over another.
func (c *class) joins(p int32) bool {
	_, found := slices.BinarySearch(c.joined, p)
	return found
}

// overwrites reports whether the step at p may write a slot of one class over a slot of the other, which nobody needs
// afterwards: a result that nobody reads meets its operands at p alone too.
func (sh *sharing) overwrites(p int32, a, b *class) bool {
	for _, pair := range sh.pairs[p] {
		x, y := sh.classes[pair.Result], sh.classes[pair.Operand]
		if (x == a && y == b || x == b && y == a) && ends(y.spans, p) {
			return true
		}
	}
	return false
}

// ends reports whether a span ends at p.
func ends(list []span, p int32) bool {
	return slices.ContainsFunc(list, func(s span) bool { return s.last == p })
}

// distinct lists the classes once each.
func (sh *sharing) distinct() []*class {
	var list []*class
	for s, c := range sh.classes {
		if c != nil && c.slots[0] == int32(s) {
			list = append(list, c)
		}
	}
	return list
}
