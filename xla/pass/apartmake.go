package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// visit makes what stands for in.
func (p *parter) visit(in *hlo.Instruction) {
	c := p.cut[in.Index()]
	switch {
	case c != nil:
		p.pieces[in.Index()] = p.takeApart(in, c)
		if p.isWhole(in) {
			p.replace(in, p.together(in, c, p.pieces[in.Index()]))
		}
	case in.Op == hlo.Slice && p.cut[in.Operands[0].Index()] != nil:
		p.slice(in, p.cut[in.Operands[0].Index()])
	case p.takes != nil && p.visitState(in), in.Op == hlo.While && p.loop(in):
	default:
		p.keep(in)
	}
}

// alone reports whether each piece has one index of the dimension, which it does without then.
func (c *cut) alone() bool { return c.size == 1 }

// shape is that of a piece.
func (c *cut) shape(t shape.ElementType) shape.Shape {
	dims := slices.Clone(c.dims)
	if dims[c.dim] = c.size; c.alone() {
		dims = slices.Delete(dims, c.dim, c.dim+1)
	}
	return shape.Array(t, dims...)
}

// takeApart makes the pieces of an instruction.
func (p *parter) takeApart(in *hlo.Instruction, c *cut) []*hlo.Instruction {
	if k, ok := carried(in); ok {
		return p.elements(p.editor, in, p.param, k)
	}
	list := make([]*hlo.Instruction, c.count())
	for k := range list {
		if in.Op == hlo.Concatenate {
			list[k] = p.joinedPiece(in, c, k)
		} else {
			list[k] = p.operation(in, c, k)
		}
	}
	return list
}

// joinedPiece makes piece k of a concatenation: an operand, a piece of one or a part of one.
func (p *parter) joinedPiece(in *hlo.Instruction, c *cut, k int) *hlo.Instruction {
	for _, o := range in.Operands {
		n := int(o.Shape.Dims[c.dim] / c.size)
		switch {
		case k >= n:
			k -= n
		case p.cut[o.Index()] == c: // the others have no elements
			return p.pieces[o.Index()][k]
		case o.Op == hlo.Slice && p.pieces[o.Index()] != nil && p.cut[o.Operands[0].Index()] == c:
			return p.pieces[o.Index()][k]
		default:
			return p.part(in, c, p.of(o), k)
		}
	}
	panic("pass: bug: a piece of nothing")
}

// part makes piece k of x, of what x is a slice of if it is one.
func (p *parter) part(like *hlo.Instruction, c *cut, x *hlo.Instruction, k int) *hlo.Instruction {
	if c.size < x.Shape.Dims[c.dim] {
		dims, from := wholeSlice(x.Shape.Dims), x
		if x.Op == hlo.Slice && sliceDims(x)[c.dim].Stride == 1 {
			dims, from = slices.Clone(sliceDims(x)), x.Operands[0]
		}
		dims[c.dim].Start += int64(k) * c.size
		dims[c.dim].Limit = dims[c.dim].Start + c.size
		x = p.make(like, hlo.Slice, &hlo.SliceAttrs{Slice: dims}, shape.Shape{}, from)
	}
	return p.reshaped(like, x, c.shape(x.Shape.Type))
}

func wholeSlice(dims []int64) hlo.SliceDims {
	s := make(hlo.SliceDims, len(dims))
	for d, n := range dims {
		s[d] = hlo.SliceDim{Limit: n, Stride: 1}
	}
	return s
}

// reshaped is x with the sizes of s.
func (p *parter) reshaped(like, x *hlo.Instruction, s shape.Shape) *hlo.Instruction {
	if x.Shape.SameDims(s) {
		return x
	}
	return p.make(like, hlo.Reshape, &hlo.ReshapeAttrs{}, s, x)
}

// operation makes piece k of an op on elements.
func (p *parter) operation(in *hlo.Instruction, c *cut, k int) *hlo.Instruction {
	operands := make([]*hlo.Instruction, len(in.Operands))
	for i, o := range in.Operands {
		switch {
		case o.Shape.IsScalar():
			operands[i] = p.of(o)
		case p.cut[o.Index()] == c:
			operands[i] = p.pieces[o.Index()][k]
		default:
			operands[i] = p.part(in, c, p.of(o), k)
		}
	}
	return p.make(in, in.Op, in.Attrs, c.shape(in.Shape.Type), operands...)
}

// together puts pieces together.
func (p *parter) together(like *hlo.Instruction, c *cut, pieces []*hlo.Instruction) *hlo.Instruction {
	list := make([]*hlo.Instruction, len(pieces))
	for k, x := range pieces {
		dims := slices.Clone(c.dims)
		dims[c.dim] = c.size
		list[k] = p.reshaped(like, x, shape.Array(x.Shape.Type, dims...))
	}
	return p.make(like, hlo.Concatenate, &hlo.ConcatenateAttrs{Dimension: hlo.OneDim(c.dim)}, shape.Shape{}, list...)
}

// slice makes a slice of what is taken apart.
func (p *parter) slice(in *hlo.Instruction, c *cut) {
	first, limit := c.within(in)
	list := p.pieces[in.Operands[0].Index()][first:limit]
	switch len(list) {
	case 0:
		p.keep(in)
	case 1:
		p.replace(in, p.partOf(in, c, list[0], int64(first)*c.size))
	default:
		p.pieces[in.Index()] = list
		p.replace(in, p.together(in, c, list))
	}
}

// partOf makes the slice in of the piece x, whose first index is at.
func (p *parter) partOf(in *hlo.Instruction, c *cut, x *hlo.Instruction, at int64) *hlo.Instruction {
	dims := slices.Clone(sliceDims(in))
	dims[c.dim].Start -= at
	dims[c.dim].Limit -= at
	if c.alone() {
		dims = slices.Delete(dims, c.dim, c.dim+1)
	}
	x = p.make(in, hlo.Slice, &hlo.SliceAttrs{Slice: dims}, shape.Shape{}, x)
	return p.reshaped(in, x, in.Shape.WithoutLayout())
}

// loop has a loop carry the pieces of elements of its state, if its body is the better for it.
func (p *parter) loop(in *hlo.Instruction) bool {
	a := in.Attrs.(*hlo.WhileAttrs)
	cond, body := newParter(p.editor.editor(p.current(a.Condition))), newParter(p.editor.editor(p.current(a.Body)))
	if in.IsDynamic() || body.old.Root.Op != hlo.Tuple || !cond.takesElements() || !body.takesElements() ||
		!body.findState() {
		return false
	}
	elems := (&tuples{editor: p.editor}).elements(p.of(in.Operands[0]))
	var init []*hlo.Instruction
	for k, x := range elems {
		body.place = append(body.place, len(init))
		init = append(init, p.piecesOf(in, x, body.gives[k])...)
	}
	state := p.make(in, hlo.Tuple, nil, shape.Shape{}, init...)
	cond.takes, cond.place = body.takes, body.place
	w := p.make(in, hlo.While, &hlo.WhileAttrs{Condition: cond.carrying(state), Body: body.carrying(state)},
		shape.Shape{}, state)
	w.Name = in.Name
	result := make([]*hlo.Instruction, len(elems))
	for k := range result {
		list := body.elements(p.editor, in, w, k)
		if result[k] = list[0]; body.gives[k] != nil {
			result[k] = p.together(in, body.gives[k], list)
		}
	}
	p.replace(in, p.make(in, hlo.Tuple, nil, shape.Shape{}, result...))
	return true
}

// takesElements reports whether a computation reads its parameter, a tuple, element by element.
func (p *parter) takesElements() bool {
	param := p.old.Parameters[0]
	return p.pins == nil && param.Shape.IsTuple() && param != p.old.Root &&
		!slices.ContainsFunc(p.readers[param.Index()], func(in *hlo.Instruction) bool {
			return in.Op != hlo.GetTupleElement
		})
}

// piecesOf makes the pieces of x, or has x alone if it is not cut.
func (p *parter) piecesOf(like, x *hlo.Instruction, c *cut) []*hlo.Instruction {
	if c == nil {
		return []*hlo.Instruction{x}
	}
	list := make([]*hlo.Instruction, c.count())
	for k := range list {
		list[k] = p.part(like, c, x, k)
	}
	return list
}

// elements takes element k of a state, or its pieces, from a tuple that is made in e.
func (p *parter) elements(e *editor, like, tuple *hlo.Instruction, k int) []*hlo.Instruction {
	n := 1
	if p.takes[k] != nil {
		n = p.takes[k].count()
	}
	list := make([]*hlo.Instruction, n)
	for i := range list {
		a := &hlo.GetTupleElementAttrs{Index: int64(p.place[k] + i)}
		list[i] = e.make(like, hlo.GetTupleElement, a, shape.Shape{}, tuple)
	}
	return list
}

// carrying makes the computation of a loop whose state is like that.
func (p *parter) carrying(state *hlo.Instruction) *hlo.Computation {
	for i, in := range p.list {
		if k, ok := carried(in); ok && k >= 0 {
			p.cut[i] = p.takes[k]
		}
	}
	for _, in := range p.list {
		if in.Op == hlo.Parameter {
			p.param = p.keep(in)
			p.param.Shape = state.Shape
			continue
		}
		p.visit(in)
	}
	p.dirty = true
	return p.finish()
}

// visitState makes what stands for an element of the state, or for the root of a loop's body.
func (p *parter) visitState(in *hlo.Instruction) bool {
	if k, ok := carried(in); ok {
		p.replace(in, p.elements(p.editor, in, p.param, k)[0])
		return true
	}
	if p.gives == nil || in != p.old.Root {
		return false
	}
	var list []*hlo.Instruction
	for k, o := range in.Operands {
		if p.gives[k] != nil {
			list = append(list, p.pieces[o.Index()]...)
		} else {
			list = append(list, p.of(o))
		}
	}
	p.replace(in, p.make(in, hlo.Tuple, nil, shape.Shape{}, list...))
	return true
}
