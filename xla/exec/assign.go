package exec

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// alignment is that of temporaries in the arena and of packs, in bytes: a line of the cache.
const alignment = 64

func aligned64(n int64) int64 { return alignedTo(n, alignment) }

// alignedTo is n, rounded up to a multiple of to.
func alignedTo(n, to int64) int64 { return (n + to - 1) / to * to }

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
	var peak int32
	p.livenessBytes, peak = bound(classes, len(live.at)+1)
	end := placeBest(lodge(classes, peak))
	for _, c := range classes {
		for _, s := range c.slots {
			p.slots[s].offset, p.slots[s].host = c.offset, max(c.own, c.host)
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

// StagedBytes is the size up to which arguments and results are copied into and out of the arena: that costs less than
// to pin them.
const StagedBytes = 512

// stage gives small arguments and results places in the arena from end on, and returns the new end.
func (p *program) stage(end int64) int64 {
	for i := range p.slots {
		s := &p.slots[i]
		own := s.kind == result || s.kind == parameter && s.host == NoSlot
		if own && 0 < s.size && s.size <= StagedBytes {
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
