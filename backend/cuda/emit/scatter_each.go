package emit

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// meets are the ops of which updates of one element may come in any order, and how they are written in C; those of
// floats are apart, since sums and products of these are rounded.
var meets = map[hlo.Opcode]string{hlo.Add: "meet_add", hlo.Multiply: "meet_mul", hlo.Maximum: "meet_max",
	hlo.Minimum: "meet_min", hlo.And: "meet_and", hlo.Or: "meet_or", hlo.Xor: "meet_xor"}

// meet returns the function that takes in an update of one element while others may, if there is one that gives the
// same bits in any order.
func (s *scatter) meet() (string, bool) {
	op, ok := s.simple()
	switch t := s.in.Shape.Type; {
	case !ok || t.Bits() < 32:
		return "", false
	case t.IsFloat():
		return meets[op], op == hlo.Maximum || op == hlo.Minimum
	default:
		return meets[op], t.IsInteger()
	}
}

// simple returns the op of a scatter of one array whose computation is nothing but that, in the array's type.
func (s *scatter) simple() (hlo.Opcode, bool) {
	op, ok := simpleOp(s.a.ToApply)
	t := s.in.Operands[0].Shape.Type
	return op, ok && s.n == 1 && t == s.a.ToApply.Parameters[0].Shape.Type && t == s.in.Operands[2].Shape.Type
}

// each makes a kernel in which each thread takes in one element of the updates: by meet, or as if there were no others
// if that is "".
func (s *scatter) each(meet string) {
	s.copies()
	b, n := newBody(s.e, sizesOf(s.in)...), shape.Product(s.updates)
	g := b.newGraphOf(s.in)
	b.threads(n)
	vector, offset := s.apart(b.coordinates(index{flat: "t", of: s.updates}))
	start, conditions := s.place(b, g, vector)
	b.open("if (%s) {", always(conditions))
	for d := range start {
		start[d] = plus(start[d], offset[d])
	}
	b.line("const %s place = %s;", b.ix, b.flat(at(s.operand, start)))
	if meet != "" {
		s.meeting(b, meet, g.at(s.in.Operands[2], index{flat: "t", of: s.updates}))
	} else {
		acc := s.load(b)
		s.fold(b, g, acc, index{flat: "t", of: s.updates})
		s.save(b, acc)
	}
	b.close("}")
	s.e.add(b.kernel("scatter", ceil(n, blockSize), blockSize))
}

func (s *scatter) meeting(b *body, meet string, v value) {
	b.need("atomic")
	p, name := b.pointer(Buffer{Result, 0}, ctypes[v.t].store)
	p.written = true
	b.line("%s(%s + place, %s);", meet, name, b.plain(v).text)
}

// apart takes the coordinates of an element of the updates apart: those of its index vector, and those in the window,
// by dimensions of the operand.
func (s *scatter) apart(dims []string) (vector, offset []string) {
	for _, d := range s.batch {
		vector = append(vector, dims[d])
	}
	k := 0
	for d := range s.operand {
		offset = append(offset, "0")
		if !s.isPoint(int64(d)) {
			offset[d] = dims[s.a.UpdateWindowDims[k]]
			k++
		}
	}
	return vector, offset
}

// load declares accumulators with what the results hold at the place.
func (s *scatter) load(b *body) []value {
	var acc []value
	for i, l := range leaves(s.in.Shape) {
		v := b.load(Buffer{Result, i}, l.Type, index{flat: "place", of: []int64{1}})
		acc = append(acc, b.variable(value{text: v.text, t: l.Type, raw: v.raw}))
	}
	return acc
}

// save stores accumulators at the place.
func (s *scatter) save(b *body, acc []value) {
	for i, v := range acc {
		b.store(Buffer{Result, i}, "place", v)
	}
}

// overwrites reports whether updates replace what was there.
func (s *scatter) overwrites() bool {
	c := s.a.ToApply
	for i, r := range c.Roots() {
		if r != c.Parameters[s.n+i] || r.Shape.Type != s.in.Operands[i].Shape.Type {
			return false
		}
	}
	return true
}

// typeOf is that of a scatter of one array.
func (s *scatter) typeOf() shape.ElementType { return s.in.Operands[0].Shape.Type }

// row is the place of an element in an array of count rows of windows.
func (s *scatter) row(n, w string) string {
	return fmt.Sprintf("%s * %d + %s", n, shape.Product(s.window), w)
}
