package exec

import (
	"cmp"
	"math/bits"
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
	looks := 0
	for _, c := range classes {
		change := inside // also where that is too much to find out: the bound is the lower then
		if c.own == NoSlot {
			looks += len(hosts)
			if looks <= mostLooks && !slices.ContainsFunc(hosts, c.fitsInto) {
				change = beside
			}
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
	if c.size > h.size {
		return false
	}
	points, ok := overlap(h.spans, c.spans)
	return ok && len(points) == 0
}

// mostLooks bounds the work of finding places: each class looks at all that have theirs. Programs of some ten thousand
// classes stay below; what comes when it is used up gets a place without a look at others.
const mostLooks = 1 << 26

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
	looks := 0
	for _, c := range guests {
		takes := func(h *host) bool {
			looks += len(h.placed)
			return looks <= mostLooks && h.take(c)
		}
		if !slices.ContainsFunc(hosts, takes) {
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
	if c.size == 0 || len(c.spans) == 0 || c.size > h.size {
		return false
	}
	at := bestFit(h.placed, c)
	if at+c.size > h.size {
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
	looks := 0
	for i, c := range classes {
		if c.size == 0 || len(c.spans) == 0 {
			continue
		}
		if looks += len(placed); looks > mostLooks {
			rest, to := placeRest(classes[i:], end)
			return append(placed, rest...), to
		}
		at := bestFit(placed, c)
		x := placement{c, at, at + aligned64(c.size)}
		insert(&placed, x)
		end = max(end, x.to)
	}
	return placed, end
}

// placeRest gives classes places from end on, each that of one that is dead and whose size has as many bits, if there
// is one.
func placeRest(classes []*class, end int64) ([]placement, int64) {
	classes = slices.DeleteFunc(slices.Clone(classes), func(c *class) bool { return c.size == 0 || len(c.spans) == 0 })
	slices.SortFunc(classes, func(a, b *class) int { return cmp.Compare(start(a), start(b)) })
	var placed []placement
	for _, c := range classes {
		placed = append(placed, placement{class: c})
	}
	dying := make([]*placement, len(placed))
	for i := range placed {
		dying[i] = &placed[i]
	}
	slices.SortFunc(dying, func(a, b *placement) int { return cmp.Compare(final(a.class), final(b.class)) })
	free := [64][]int64{} // places by the bits of their sizes
	for i := range placed {
		x := &placed[i]
		for ; final(dying[0].class) < start(x.class); dying = dying[1:] {
			k := bits.Len64(uint64(dying[0].size - 1))
			free[k] = append(free[k], dying[0].from)
		}
		k := bits.Len64(uint64(x.size - 1))
		if n := len(free[k]); n > 0 {
			x.from, free[k] = free[k][n-1], free[k][:n-1]
		} else {
			x.from, end = end, end+aligned64(1<<k)
		}
		x.to = x.from + aligned64(x.size)
	}
	return placed, end
}

// final is the last position at which c lives, which it does at one at least.
func final(c *class) int32 { return c.spans[len(c.spans)-1].last }

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
