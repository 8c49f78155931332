package scalar

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// counter is a number of a loop's state that is a constant before the first round and changes by step in each.
type counter struct {
	place       int // in the state
	first, step int64
	fits        bounds // what its type holds
}

// counters notes what counters in the state of a loop hold when a round begins, if it goes on while one of them is less
// than a constant, and returns how many rounds there are at least, and at most if they are few; 0 if that is not
// known. The state begins with what the registers init hold.
func (c *compiler) counters(in *hlo.Instruction, state, init value) int64 {
	a := in.Attrs.(*hlo.WhileAttrs)
	test := a.Condition.Root
	if test.Op != hlo.Compare || test.Attrs.(*hlo.CompareAttrs).Direction != hlo.Lt {
		return 0
	}
	counts := map[int]counter{}
	for k := range in.Shape.Elems {
		if n, ok := c.counter(a.Body, k, init); ok {
			counts[k] = n
		}
	}
	k, _ := element(test.Operands[0], a.Condition)
	main, ok := counts[k]
	limit := c.limit(a, test.Operands[1], init)
	if !ok || main.step <= 0 || !limit.single() || !limit.small() || main.first >= limit.lo {
		return 0
	}
	if !test.Operands[0].Shape.Type.IsSigned() && main.first < 0 { // a u64 that is more than the limit
		return 0
	}
	rounds := (limit.lo-1-main.first)/main.step + 1
	if end := main.first + rounds*main.step; end > main.fits.hi { // it begins anew, far below the limit
		return 1 << 40
	}
	for _, n := range counts {
		last := n.first + (rounds-1)*n.step
		if (bounds{last, last + n.step}).ordered().within(n.fits) {
			c.knows(state[n.place], bounds{n.first, last}.ordered())
		}
	}
	return rounds
}

// counted forgets what counters in a loop's state hold when a round begins.
func (c *compiler) counted(s shape.Shape, state, init value) {
	leaves, _ := c.leavesOf(nil, s)
	at := 0
	for _, l := range leaves {
		if l.length() == 1 && state[at] != init[at] {
			c.knows(state[at], boundsOf(l.Type))
		}
		at += l.length()
	}
}

// small reports whether sums and products with b do not overflow.
func (b bounds) small() bool { return b.within(bounds{-1 << 30, 1 << 30}) }

func (b bounds) ordered() bounds { return bounds{min(b.lo, b.hi), max(b.lo, b.hi)} }

// element returns which element of comp's parameter in is, -1 if it is none.
func element(in *hlo.Instruction, comp *hlo.Computation) (int, bool) {
	if in.Op != hlo.GetTupleElement || in.Operands[0] != comp.Parameters[0] {
		return -1, false
	}
	return int(in.Attrs.(*hlo.GetTupleElementAttrs).Index), true
}

// counter returns element k of a loop's state, if it is a counter.
func (c *compiler) counter(body *hlo.Computation, k int, init value) (counter, bool) {
	s := body.Root.Shape
	at := c.place(s.Elems, k)
	n := counter{place: at, fits: boundsOf(s.Elems[k].Type)}
	if body.Root.Op != hlo.Tuple || !s.Elems[k].IsArray() || !s.Elems[k].Type.IsInteger() || s.Elems[k].Size() != 1 {
		return n, false
	}
	next := body.Root.Operands[k]
	if next.Op != hlo.Add {
		return n, false
	}
	for i, o := range next.Operands {
		if from, ok := element(o, body); ok && from == k {
			step, first := c.number(next.Operands[1-i]), c.known(init[at])
			n.first, n.step = first.lo, step.lo
			return n, first.single() && first.small() && step.single() && step.small()
		}
	}
	return n, false
}

// place is where element k of a tuple of elems begins in its value.
func (c *compiler) place(elems []shape.Shape, k int) int {
	at := 0
	for _, e := range elems[:k] {
		at += c.count(e)
	}
	return at
}

// number is what an instruction that is a constant number holds.
func (c *compiler) number(in *hlo.Instruction) bounds {
	for in.Op == hlo.Copy || in.Op == hlo.Reshape {
		in = in.Operands[0]
	}
	if in.Op != hlo.Constant || !in.Shape.IsArray() || !in.Shape.Type.IsInteger() || in.Shape.Size() != 1 {
		return anything
	}
	v := int64(bitsOf(in.Attrs.(*hlo.ConstantAttrs).Literal)[0][0])
	return bounds{v, v}
}

// limit is what a loop's condition compares with: a constant, or what the state brings and keeps.
func (c *compiler) limit(a *hlo.WhileAttrs, in *hlo.Instruction, init value) bounds {
	if k, ok := element(in, a.Condition); ok && keeps(a.Body, k) {
		return c.known(init[c.place(a.Body.Root.Shape.Elems, k)])
	}
	return c.number(in)
}

// keeps reports whether a loop's body leaves element k of the state as it is.
func keeps(body *hlo.Computation, k int) bool {
	if body.Root.Op != hlo.Tuple {
		return false
	}
	from, ok := element(body.Root.Operands[k], body)
	return ok && from == k
}

// foresee puts constants in the places of what is loaded for the elements of a tuple that are constant integers.
func (c *compiler) foresee(in *hlo.Instruction, v value) {
	if in.Op != hlo.Tuple {
		return
	}
	for k, o := range in.Operands {
		for o.Op == hlo.Copy || o.Op == hlo.Reshape {
			o = o.Operands[0]
		}
		if o.Op != hlo.Constant || !o.Shape.IsArray() || !o.Shape.Type.IsInteger() || o.Shape.Size() > maxForeseen {
			continue
		}
		at := c.place(in.Shape.Elems, k)
		for i, b := range bitsOf(o.Attrs.(*hlo.ConstantAttrs).Literal.RowMajor()) {
			v[at+i] = c.constant(b[0])
		}
	}
}

// maxForeseen bounds the elements of a constant that are known one by one.
const maxForeseen = 8
