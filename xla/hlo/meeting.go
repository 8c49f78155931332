package hlo

import (
	"fmt"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// MeetingText is what the devices of a group have in common that do the collective in on operands of these shapes: the
// op, its channel, the shapes, and those attributes that are not about groups; reducers by what they compute.
func MeetingText(in *Instruction, shapes []shape.Shape) string {
	p := &printer{b: fmt.Appendf(nil, "%s channel %d", in.Op, ChannelOf(in))}
	for _, s := range shapes {
		p.b = s.Append(append(p.b, ' '), false)
	}
	for _, f := range in.Attrs.Fields() {
		if !aboutGroups[f.Name] && f.printed() {
			p.string(", ", f.Name, "=")
			p.meaning(f)
		}
	}
	return string(p.b)
}

// aboutGroups are attributes that say who meets, which the group has, and those that mean nothing.
var aboutGroups = map[string]bool{
	"channel_id": true, "replica_groups": true, "use_global_device_ids": true, "constrain_layout": true,
}

// meaning writes an attribute, computations without names.
func (p *printer) meaning(f Field) {
	c, ok := f.Ptr.(**Computation)
	if !ok {
		p.field(f)
		return
	}
	if op, simple := simpleReducer(*c); simple {
		p.string(op.String())
		return
	}
	number := map[*Instruction]int{}
	p.string("{")
	for i, in := range (*c).Instructions {
		number[in] = i
		p.b = append(in.Shape.Append(p.b, false), ' ')
		p.string(in.Op.String())
		for _, o := range in.Operands {
			p.string(" ", strconv.Itoa(number[o]))
		}
		p.attributes(in)
		p.string("; ")
	}
	p.string(strconv.Itoa(number[(*c).Root]), "}")
}

// attributes writes those of in.
func (p *printer) attributes(in *Instruction) {
	if in.Attrs == nil {
		return
	}
	for _, f := range in.Attrs.Fields() {
		switch _, list := f.Ptr.(*[]*Computation); {
		case f.When == Operand:
			p.operandField(f)
		case list:
			for _, c := range *f.Ptr.(*[]*Computation) {
				p.meaning(Field{Ptr: &c})
			}
		case f.Name != "" && f.printed():
			p.string(" ", f.Name, "=")
			p.meaning(f)
		}
	}
}

// brought is what a device brings to a collective: its operands.
type brought []*literal.Literal

// Parts returns the bytes of the arrays, row-major.
func (b brought) Parts() [][]byte {
	var parts [][]byte
	for _, l := range b {
		for _, leaf := range l.Leaves() {
			parts = append(parts, leaf.RowMajor().Bytes())
		}
	}
	return parts
}

// With returns arrays of the same shapes with other elements.
func (b brought) With(parts [][]byte) any {
	out := make(brought, len(b))
	for i, l := range b {
		if parts != nil {
			out[i], parts = withParts(l, parts)
		}
	}
	return out
}

// withParts returns a literal as l that has the first of parts, and the others.
func withParts(l *literal.Literal, parts [][]byte) (*literal.Literal, [][]byte) {
	s := l.Shape()
	switch {
	case s.IsToken():
		return l, parts[1:]
	case !s.IsTuple():
		v, err := literal.FromBytes(s.WithoutLayout(), parts[0])
		if err != nil {
			panic("hlo: bug: " + err.Error())
		}
		return v, parts[1:]
	}
	elems := make([]*literal.Literal, len(l.Elems()))
	for i, e := range l.Elems() {
		elems[i], parts = withParts(e, parts)
	}
	return literal.NewTuple(elems...), parts
}
