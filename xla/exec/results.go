package exec

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// makeResults gives memory to the results that have some of their own, and to what lies in it before.
func (r *Run) makeResults(into [][]byte) {
	p := r.program
	for i, s := range p.resultSlots {
		if p.slots[s].staged {
			continue
		}
		if r.keeps {
			r.memory.table[s] = 0
			continue
		}
		if r.own[i] = r.donated(s); r.own[i] == nil {
			r.own[i] = p.madeFor(i, into)
		}
		if r.own[i] == nil {
			r.own[i], r.again[i] = p.keeper.memoryOf(r.shelf(), p.slots[s].size)
		}
		r.lend(s, r.own[i])
	}
	for _, s := range p.guests {
		if r.keeps && !p.slots[p.slots[s].host].staged {
			r.memory.table[s] = 0
			continue
		}
		r.memory.table[s] = r.memory.table[p.slots[s].host] + uintptr(p.slots[s].offset)
	}
}

// madeFor returns the caller's memory for result slot number i, nil if he has none or it does not fit.
func (p *program) madeFor(i int, into [][]byte) []byte {
	leaf := p.leafOf[i]
	if len(into) == 0 || !p.owned[leaf] {
		return nil
	}
	to := into[leaf]
	if int64(len(to)) != p.slots[p.resultSlots[i]].size || uintptr(unsafe.Pointer(unsafe.SliceData(to)))%maxElement != 0 {
		return nil
	}
	return to
}

// collect hands over the leaves of the result.
func (r *Run) collect(c *Call) error {
	c.Results, c.Recycle = c.Results[:0], r.shelf().recycle
	for i := range r.program.results {
		l := &r.program.results[i]
		if r.keeps {
			a := r.collectArray(l)
			c.Kept = append(c.Kept, a)
			if a != nil {
				c.Results = append(c.Results, nil)
				continue
			}
		}
		if len(c.Into) == 0 {
			c.Results = append(c.Results, r.collectLeaf(l))
		} else if err := handOver(c.Into[i], r.bytesOf(l), i); err != nil {
			return err
		}
	}
	return nil
}

// handOver copies the bytes of leaf i of the result, unless they were written where they belong.
func handOver(to, from []byte, i int) error {
	if len(to) != len(from) {
		return fmt.Errorf("result %d takes %d bytes, got memory of %d", i, len(from), len(to))
	}
	if len(to) > 0 && &to[0] != &from[0] {
		copy(to, from)
	}
	return nil
}

// bytesOf returns the bytes of a leaf of the result, which the next run may overwrite.
func (r *Run) bytesOf(l *leaf) []byte {
	if l.Slot == NoSlot {
		return nil
	}
	s := &r.program.slots[l.Slot]
	var data []byte
	switch {
	case s.kind == boxed:
		return hlo.Cropped(r.boxes[s.index]).Bytes()
	case s.kind == parameter && r.arguments[s.index] == nil:
		data = slices.Clone(r.Bytes(r.program.whole(l.Slot)))
	case s.kind == parameter:
		data = r.arguments[s.index].Bytes()
	case s.kind == constant:
		data = s.data
	case s.staged:
		data = r.Bytes(Slice{Slot: l.Slot, Size: s.size})
	default:
		data = r.own[s.index]
	}
	return data[l.Offset : l.Offset+l.Size]
}

func (r *Run) collectLeaf(l *leaf) *literal.Literal {
	if l.Slot == NoSlot {
		return literal.NewToken()
	}
	s := &r.program.slots[l.Slot]
	if s.kind == boxed {
		return hlo.Cropped(r.boxes[s.index])
	}
	data := r.bytesOf(l)
	if s.kind != result {
		return literalOf(l.shape, data)
	}
	again := r.again[s.index]
	if s.staged {
		staged := data
		data, again = r.program.keeper.memoryOf(r.shelf(), int64(len(staged)))
		copy(data, staged)
	}
	if again != nil && again.IsOf(&l.shape) {
		return again
	}
	return literalOf(l.shape, data)
}

// literalOf returns the literal of shape s, which takes as many bytes as data has.
func literalOf(s shape.Shape, data []byte) *literal.Literal {
	v, err := literal.FromBytes(s, data)
	if err != nil {
		panic("exec: bug: " + err.Error())
	}
	return v
}

// tuple makes the result of its leaves.
func (p *program) tuple(leaves []*literal.Literal) *literal.Literal {
	whole, _ := nest(p.module.Entry.Root.Shape, leaves)
	return whole
}

// nest makes a literal of shape s of the first leaves and returns the rest.
func nest(s shape.Shape, leaves []*literal.Literal) (*literal.Literal, []*literal.Literal) {
	if !s.IsTuple() {
		return leaves[0], leaves[1:]
	}
	elems := make([]*literal.Literal, len(s.Elems))
	for i, e := range s.Elems {
		elems[i], leaves = nest(e, leaves)
	}
	return literal.NewTuple(elems...), leaves
}
