package exec

import (
	"fmt"

	"github.com/halo-xla/halo/xla/literal"
)

// copyThunk copies one leaf; nothing happens if both have one address.
type copyThunk struct {
	to, from       leaf
	toBox, fromBox bool
}

func (t *copyThunk) Uses() []Use { return append(Reads(t.from.Slice), Writes(t.to.Slice)...) }

func (t *copyThunk) Kernel() string { return "exec copy" }

func (t *copyThunk) InPlace() []Pair {
	if t.toBox || t.fromBox {
		return nil
	}
	return []Pair{{t.to.Slot, t.from.Slot}}
}

func (t *copyThunk) Run(r *Run) error {
	switch {
	case !t.toBox && !t.fromBox:
		if r.Address(t.to.Slice) != r.Address(t.from.Slice) {
			copy(r.Bytes(t.to.Slice), r.Bytes(t.from.Slice))
		}
		return nil
	case t.toBox:
		*r.box(t.to.Slot) = r.leaf(t.from)
		return nil
	}
	return r.fill(t.to, *r.box(t.from.Slot))
}

// box returns the place of the literal of a boxed slot.
func (r *Run) box(s int32) **literal.Literal { return &r.boxes[r.program.slots[s].index] }

// leaf returns the value of l; its bytes are a copy unless it is a box, whose literal nobody changes.
func (r *Run) leaf(l leaf) *literal.Literal {
	switch {
	case l.Slot == NoSlot:
		return literal.NewToken()
	case r.program.slots[l.Slot].kind == boxed:
		return *r.box(l.Slot)
	}
	v, err := literal.FromBytes(l.shape, r.Bytes(l.Slice))
	if err != nil {
		panic("exec: bug: " + err.Error())
	}
	return v.Clone()
}

// fill writes v to the memory of l.
func (r *Run) fill(l leaf, v *literal.Literal) error {
	switch {
	case l.Slot == NoSlot:
		return nil
	case r.program.slots[l.Slot].kind == boxed:
		*r.box(l.Slot) = v
		return nil
	}
	data := v.Cropped().RowMajor().Bytes()
	if int64(len(data)) != l.Size {
		return fmt.Errorf("the value is %v at run time, want %v", v.Shape(), l.shape)
	}
	copy(r.Bytes(l.Slice), data)
	return nil
}
