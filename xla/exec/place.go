package exec

import (
	"cmp"
	"slices"
)

// bound is the least memory that any assignment needs, lines of the cache counted whole: results have memory of their
// own from beginning to end, in which temporaries may lie while it is free, and what fits into none of them lies
// beside. It also returns the position at which the most bytes live.
func bound(classes []*class, positions int) (least int64, at int32) {
	results, inside, beside := int64(0), make([]int64, positions+1), make([]int64, positions+1)
	var hosts []*class
	for _, c := range classes {
		if c.own != NoSlot {
			hosts = append(hosts, c)
			results += aligned64(c.size)
		}
	}
	for _, c := range classes {
		change := inside
		if c.own == NoSlot && !slices.ContainsFunc(hosts, c.fitsInto) {
			change = beside
		}
		for _, s := range c.spans {
			change[s.first] += aligned64(c.size)
			change[s.last+1] -= aligned64(c.size)
		}
	}
	var most, in, out int64
	for p := range inside {
		in, out = in+inside[p], out+beside[p]
		least = max(least, max(results, in)+out)
		if in+out > most {
			most, at = in+out, int32(p)
		}
	}
	return least, at
}

// fitsInto reports whether c could lie in the memory of the result h.
func (c *class) fitsInto(h *class) bool {
	points, ok := overlap(h.spans, c.spans)
	return ok && len(points) == 0 && c.size <= h.size
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

// lodge puts temporaries into the memory of results while that is free, those first that live at position peak. It
// returns the classes that are left for the arena.
func lodge(classes []*class, peak int32) []*class {
	bySize(classes)
	var hosts []*host
	var guests, left []*class
	for _, c := range classes {
		if c.own == NoSlot {
			guests = append(guests, c)
		} else {
			hosts = append(hosts, &host{c, []placement{{c, 0, c.size}}})
		}
	}
	slices.SortStableFunc(guests, func(a, b *class) int { return cmp.Compare(b2i(b.at(peak)), b2i(a.at(peak))) })
	for _, c := range guests {
		if !slices.ContainsFunc(hosts, func(h *host) bool { return h.take(c) }) {
			left = append(left, c)
		}
	}
	bySize(left)
	return left
}

// at reports whether c lives at position p.
func (c *class) at(p int32) bool {
	return slices.ContainsFunc(c.spans, func(s span) bool { return s.first <= p && p <= s.last })
}

// host is the memory of a result and what lies in it.
type host struct {
	*class
	placed []placement
}

// take gives c a place in h and reports whether there is one.
func (h *host) take(c *class) bool {
	at := bestFit(h.placed, c)
	if c.size == 0 || len(c.spans) == 0 || at+c.size > h.size {
		return false
	}
	c.host, c.offset = h.own, at
	insert(&h.placed, placement{c, at, at + aligned64(c.size)})
	return true
}

// fewClasses is up to how many classes several orders are tried.
const fewClasses = 2000

// placeBest places classes, which are sorted by size, in several orders and takes the smallest arena.
func placeBest(classes []*class) (end int64) {
	best, end := place(classes)
	if len(classes) <= fewClasses {
		for _, order := range orders {
			slices.SortStableFunc(classes, order)
			if list, e := place(classes); e < end {
				best, end = list, e
			}
		}
	}
	for _, x := range best {
		x.class.offset = x.from
	}
	return end
}

var orders = []func(a, b *class) int{
	func(a, b *class) int { return cmp.Compare(b.size*length(b), a.size*length(a)) },
	func(a, b *class) int { return cmp.Compare(start(a), start(b)) },
	func(a, b *class) int { return cmp.Compare(length(b), length(a)) },
}

// length is from the first to the last position at which c lives.
func length(c *class) int64 {
	if len(c.spans) == 0 {
		return 0
	}
	return int64(c.spans[len(c.spans)-1].last-c.spans[0].first) + 1
}

// place gives each class a place in the arena: in their order, each in the smallest gap that is free while it lives. It
// returns the places and the size of the arena.
func place(classes []*class) (placed []placement, end int64) {
	for _, c := range classes {
		if c.size == 0 || len(c.spans) == 0 {
			continue
		}
		at := bestFit(placed, c)
		x := placement{c, at, at + aligned64(c.size)}
		insert(&placed, x)
		end = max(end, x.to)
	}
	return placed, end
}

// insert keeps placed sorted by where they begin.
func insert(placed *[]placement, x placement) {
	k, _ := slices.BinarySearchFunc(*placed, x, func(a, b placement) int { return cmp.Compare(a.from, b.from) })
	*placed = slices.Insert(*placed, k, x)
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
