package exec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// alignment is that of temporaries in the arena, in bytes: a line of the cache.
const alignment = 64

func aligned64(n int64) int64 { return (n + alignment - 1) / alignment * alignment }

// assign gives every temporary a place in the arena or in the memory of a result.
func (p *program) assign() error {
	var final []int32
	for _, l := range p.results {
		if l.Slot != NoSlot {
			final = append(final, l.Slot)
		}
	}
	live := findLiveness(p.body, p.slots, final)
	sh := newSharing(live)
	sh.alias(p.aliases())
	sh.join()
	classes := sh.distinct()
	p.livenessBytes = bound(classes, len(live.at)+1)
	classes = intoResults(classes)
	offsets, end := placeBest(classes)
	for i, c := range classes {
		for _, s := range c.slots {
			p.slots[s].offset, p.slots[s].host = offsets[i], c.own
			if p.slots[s].kind == parameter {
				p.slots[c.own].donor = s
			}
		}
	}
	for i, s := range p.slots {
		if s.kind == temporary && s.host != NoSlot {
			p.guests = append(p.guests, int32(i))
		}
	}
	p.arenaBytes = p.stage(end)
	p.peakBytes = end + p.resultBytes()
	if limit := p.options.MemoryLimit; limit > 0 && p.peakBytes > limit {
		return fmt.Errorf("%w: the program's values take %d bytes at a time, the limit is %d", hlo.ErrLimit, p.peakBytes,
			limit)
	}
	return nil
}

// stagedBytes is the size up to which arguments and results are copied into and out of the arena: that costs less than
// to pin them.
const stagedBytes = 512

// stage gives small arguments and results places in the arena from end on, and returns the new end.
func (p *program) stage(end int64) int64 {
	for i := range p.slots {
		s := &p.slots[i]
		own := s.kind == result || s.kind == parameter && s.host == NoSlot
		if own && 0 < s.size && s.size <= stagedBytes {
			s.staged, s.offset = true, end
			end += aligned64(s.size)
		}
	}
	for i := range p.slots {
		if s := &p.slots[i]; s.kind == parameter && s.host != NoSlot {
			s.staged, s.offset = p.slots[s.host].staged, p.slots[s.host].offset
		}
	}
	return end
}

// aliases are the pairs of result and parameter slots that the module wants to share memory.
func (p *program) aliases() []Pair {
	var list []Pair
	entry := p.module.Entry
	for _, a := range p.module.Config.Alias {
		if a.Parameter < 0 || a.Parameter >= int64(len(entry.Parameters)) {
			continue
		}
		at, ok := leafAt(entry.Root.Shape, a.Output)
		from, found := leafAt(entry.Parameters[a.Parameter].Shape, a.Index)
		if !ok || !found {
			continue
		}
		for _, in := range entry.Parameters[:a.Parameter] {
			from += in.Shape.LeafCount()
		}
		list = append(list, Pair{Result: p.results[at].Slot, Operand: p.parameters[from]})
	}
	return list
}

// leafAt returns the number among the leaves of s of the array at a path, and whether there is one.
func leafAt(s shape.Shape, path []int64) (int, bool) {
	n := 0
	for _, i := range path {
		if !s.IsTuple() || i < 0 || i >= int64(len(s.Elems)) {
			return 0, false
		}
		for _, e := range s.Elems[:i] {
			n += e.LeafCount()
		}
		s = s.Elems[i]
	}
	return n, s.IsArray()
}

func (p *program) resultBytes() int64 {
	var n int64
	for _, s := range p.slots {
		if s.kind == result {
			n += aligned64(s.size)
		}
	}
	return n
}

// bound is the most bytes that live at one position: no assignment needs less.
func bound(classes []*class, positions int) int64 {
	change := make([]int64, positions+1)
	for _, c := range classes {
		for _, s := range c.spans {
			change[s.first] += aligned64(c.size)
			change[s.last+1] -= aligned64(c.size)
		}
	}
	var now, most int64
	for _, d := range change {
		now += d
		most = max(most, now)
	}
	return most
}

// bySize sorts classes, the large ones first; equal ones by when they live.
func bySize(classes []*class) {
	slices.SortStableFunc(classes, func(a, b *class) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(start(a), start(b)))
	})
}

func start(c *class) int32 {
	if len(c.spans) == 0 {
		return 0
	}
	return c.spans[0].first
}

// intoResults puts temporaries into the memory of results that do not live at the same time, and returns the classes
// that are left: those of results and of the arena.
func intoResults(classes []*class) []*class {
	bySize(classes)
	var hosts, left []*class
	for _, c := range classes {
		if c.own != NoSlot {
			hosts = append(hosts, c)
		}
	}
	for _, c := range classes {
		if c.own != NoSlot || !lodge(hosts, c) {
			left = append(left, c)
		}
	}
	return left
}

// lodge puts c into the smallest host that is large enough and free while c lives.
func lodge(hosts []*class, c *class) bool {
	for _, h := range slices.Backward(hosts) {
		if h.size < c.size {
			continue
		}
		if points, ok := overlap(h.spans, c.spans); ok && len(points) == 0 {
			h.spans = normal(slices.Concat(h.spans, c.spans))
			h.slots = append(h.slots, c.slots...)
			return true
		}
	}
	return false
}

// fewClasses is up to how many classes several orders are tried.
const fewClasses = 2000

// placeBest places classes, which are sorted by size, in several orders and takes the smallest arena. It may leave them
// in another order.
func placeBest(classes []*class) (offsets []int64, end int64) {
	offsets, end = place(classes)
	if len(classes) > fewClasses {
		return offsets, end
	}
	best := slices.Clone(classes)
	for _, order := range []func(a, b *class) int{
		func(a, b *class) int { return cmp.Compare(b.size*length(b), a.size*length(a)) },
		func(a, b *class) int { return cmp.Compare(start(a), start(b)) },
		func(a, b *class) int { return cmp.Compare(length(b), length(a)) },
	} {
		slices.SortStableFunc(classes, order)
		if o, e := place(classes); e < end {
			offsets, end = o, e
			copy(best, classes)
		}
	}
	copy(classes, best)
	return offsets, end
}

// length is from the first to the last position at which c lives.
func length(c *class) int64 {
	if len(c.spans) == 0 {
		return 0
	}
	return int64(c.spans[len(c.spans)-1].last-c.spans[0].first) + 1
}

// place gives each class of the arena an offset: in their order, each in the smallest gap that is free while it lives.
// It returns the offsets and the size of the arena.
func place(classes []*class) (offsets []int64, end int64) {
	offsets = make([]int64, len(classes))
	var placed []placement
	for i, c := range classes {
		if c.own != NoSlot || c.size == 0 || len(c.spans) == 0 {
			continue
		}
		at := bestFit(placed, c)
		offsets[i] = at
		x := placement{c, at, at + aligned64(c.size)}
		k, _ := slices.BinarySearchFunc(placed, x, func(a, b placement) int { return cmp.Compare(a.from, b.from) })
		placed = slices.Insert(placed, k, x)
		end = max(end, x.to)
	}
	return offsets, end
}

// placement is a class at its place in the arena.
type placement struct {
	*class
	from, to int64
}

// bestFit returns the start of the smallest gap for c among placed, which are sorted by their starts.
func bestFit(placed []placement, c *class) int64 {
	need := aligned64(c.size)
	var at, free int64
	best := int64(-1)
	for _, x := range placed {
		if points, ok := overlap(x.spans, c.spans); ok && len(points) == 0 {
			continue
		}
		if gap := x.from - free; gap >= need && (best < 0 || gap < best) {
			at, best = free, gap
		}
		free = max(free, x.to)
	}
	if best < 0 {
		return free
	}
	return at
}
