package pass

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// narrowing says how a computation of one tuple gets by with fewer elements of it, and returns fewer.
type narrowing struct {
	// place is the new index of each element of the parameter, -1 for those left out; nil: the parameter stays.
	place []int
	// known are constants for elements that are left out though the computation uses them.
	known []*hlo.Instruction
	// results are the elements of the root's tuple that are returned; nil: the root as it is.
	results []int
	// extra are further elements that the parameter gets at its end; swap says which of them stand for instructions. With
	// pass, the root, a tuple, gets them too.
	extra []shape.Shape
	swap  map[*hlo.Instruction]int
	pass  bool
}

// params returns the shape of the narrower tuple.
func (n *narrowing) params(s shape.Shape) shape.Shape {
	elems := []shape.Shape{}
	for i, p := range n.place {
		if p >= 0 {
			elems = append(elems, s.Elems[i])
		}
	}
	return shape.TupleOf(append(elems, n.extra...)...)
}

// narrowed makes a computation like c, which takes one tuple, as n says.
func (me *moduleEditor) narrowed(c *hlo.Computation, n *narrowing) *hlo.Computation {
	e := &narrower{editor: me.editor(c), narrowing: n, elems: make([]*hlo.Instruction, len(n.place))}
	r := newReads(c)
	r.effects()
	for _, i := range n.results {
		r.markResult(i)
	}
	if n.results == nil {
		r.mark(c.Root)
	}
	for _, in := range c.Instructions {
		if in.Op == hlo.Parameter || r.marked[in.Index()] {
			e.visit(in)
		}
	}
	if n.pass {
		e.root = e.longRoot(c.Root)
	} else if n.results != nil {
		e.root = e.shortRoot(c.Root)
	} else if c.Root.Op == hlo.Parameter && n.place != nil {
		e.root = e.all(c.Root)
	}
	e.dirty = true
	return e.finish()
}

type narrower struct {
	*editor
	*narrowing
	param *hlo.Instruction
	elems []*hlo.Instruction // the new instructions for elements of the parameter
	whole *hlo.Instruction   // the tuple of all elements, if somebody wants it
}

func (e *narrower) visit(in *hlo.Instruction) {
	switch {
	case e.place == nil:
		e.keep(in)
		return
	case in.Op == hlo.Parameter:
		e.param = e.keep(in)
		e.param.Shape = e.params(in.Shape)
		return
	case in.Op == hlo.GetTupleElement && in.Operands[0].Op == hlo.Parameter:
		e.replace(in, e.element(int(in.Attrs.(*hlo.GetTupleElementAttrs).Index), in))
		return
	}
	if j, ok := e.swap[in]; ok {
		e.replace(in, e.extraElement(j, in))
		return
	}
	for _, o := range in.Operands {
		if o.Op == hlo.Parameter {
			e.replace(o, e.all(o))
		}
	}
	e.keep(in)
}

// extraElement takes further element j of the parameter.
func (e *narrower) extraElement(j int, like *hlo.Instruction) *hlo.Instruction {
	at := len(e.param.Shape.Elems) - len(e.extra) + j
	return e.make(like, hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(at)}, shape.Shape{}, e.param)
}

// longRoot returns the tuple of root's elements and the further ones of the parameter.
func (e *narrower) longRoot(root *hlo.Instruction) *hlo.Instruction {
	var elems []*hlo.Instruction
	for _, o := range root.Operands {
		elems = append(elems, e.of(o))
	}
	for j := range e.extra {
		elems = append(elems, e.extraElement(j, root))
	}
	return e.make(root, hlo.Tuple, nil, shape.Shape{}, elems...)
}

// element returns what stands for element i of the parameter.
func (e *narrower) element(i int, like *hlo.Instruction) *hlo.Instruction {
	if e.elems[i] != nil {
		return e.elems[i]
	}
	var n *hlo.Instruction
	if k := e.known[i]; k != nil {
		n = e.alloc()
		*n = *k
		e.add(n)
	} else {
		n = e.make(like, hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(e.place[i])}, shape.Shape{}, e.param)
		if like.Op == hlo.GetTupleElement {
			inherit(n, like)
		}
	}
	e.elems[i] = n
	return n
}

// all returns the tuple of all elements.
func (e *narrower) all(param *hlo.Instruction) *hlo.Instruction {
	if e.whole == nil {
		elems := make([]*hlo.Instruction, len(e.elems))
		for i := range elems {
			elems[i] = e.element(i, param)
		}
		e.whole = e.make(param, hlo.Tuple, nil, shape.Shape{}, elems...)
	}
	return e.whole
}

// shortRoot returns the tuple of the results that are wanted of root.
func (e *narrower) shortRoot(root *hlo.Instruction) *hlo.Instruction {
	elems := make([]*hlo.Instruction, len(e.results))
	for k, i := range e.results {
		switch {
		case root.Op == hlo.Tuple:
			elems[k] = e.of(root.Operands[i])
		case root.Op == hlo.Parameter && e.place != nil:
			elems[k] = e.element(i, root)
		default:
			a := &hlo.GetTupleElementAttrs{Index: int64(i)}
			elems[k] = e.make(root, hlo.GetTupleElement, a, shape.Shape{}, e.of(root))
		}
	}
	n := e.make(root, hlo.Tuple, nil, shape.Shape{}, elems...)
	if root.Op == hlo.Tuple {
		inherit(n, root)
		if n.Common != nil {
			n.Common = &hlo.Common{Metadata: n.Common.Metadata} // a sharding would be of the wider tuple
		}
	}
	return n
}

// reads says which elements of its parameter, a tuple, a computation reads to make some of its values.
type reads struct {
	c       *hlo.Computation
	marked  []bool
	element []bool
	result  []bool // elements of the root's tuple that are marked
	stack   []*hlo.Instruction
	fresh   []int // elements that have been read and that nobody has looked at since
}

func newReads(c *hlo.Computation) *reads {
	return &reads{c: c, marked: make([]bool, len(c.Instructions)), result: make([]bool, len(c.Root.Shape.Elems)),
		element: make([]bool, len(c.Parameters[0].Shape.Elems))}
}

// effects marks what instructions with effect, or at the end of a control dependency, read.
func (r *reads) effects() {
	pins := pinned(r.c)
	for _, in := range r.c.Instructions {
		if in.Op != hlo.Parameter && !removable(in, pins) {
			r.mark(in)
		}
	}
}

// mark notes what in depends on.
func (r *reads) mark(in *hlo.Instruction) {
	r.stack = append(r.stack, in)
	for len(r.stack) > 0 {
		in := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		switch {
		case r.marked[in.Index()]:
			continue
		case in.Op == hlo.Parameter:
			for i := range r.element {
				r.read(i)
			}
		case in.Op == hlo.GetTupleElement && in.Operands[0].Op == hlo.Parameter:
			r.read(int(in.Attrs.(*hlo.GetTupleElementAttrs).Index))
		default:
			r.stack = append(r.stack, in.Operands...)
		}
		r.marked[in.Index()] = true
	}
}

// read notes that element i is read.
func (r *reads) read(i int) {
	if !r.element[i] {
		r.element[i] = true
		r.fresh = append(r.fresh, i)
	}
}

// markResult notes what element i of the root depends on.
func (r *reads) markResult(i int) {
	r.result[i] = true
	if r.c.Root.Op == hlo.Tuple {
		r.mark(r.c.Root.Operands[i])
	} else if r.c.Root.Op == hlo.Parameter {
		r.read(i)
	} else {
		r.mark(r.c.Root)
	}
}
