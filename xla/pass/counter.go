package pass

import (
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Counters uses what is known of integers that count the rounds of a loop, if it is known how often it goes round:
// those of its state that are always the same become one, and comparisons that come out the same in all rounds
// constants, as that of an index with zero, which says whether it counts from the end.
func Counters() Pass {
	return Pass{Name: "counters", Run: func(m *hlo.Module) (*hlo.Module, error) {
		loops := countedBodies(m)
		return edit(m, func(e *editor) {
			w := loops[e.old]
			if w == nil || e.pins != nil {
				e.keepAll()
				return
			}
			c := &counter{editor: e, loop: w, known: map[*hlo.Instruction]*span{}}
			c.Loop, _ = Trips(w)
			for _, in := range e.old.Instructions {
				if !c.same(in) && !c.decided(in) {
					e.keep(in)
				}
			}
		}), nil
	}}
}

// countedBodies are the loops of known rounds by their bodies, which nothing else calls.
func countedBodies(m *hlo.Module) map[*hlo.Computation]*hlo.Instruction {
	callers, loops := map[*hlo.Computation]int{}, map[*hlo.Computation]*hlo.Instruction{}
	for _, c := range m.Computations {
		for _, in := range c.Instructions {
			for _, callee := range in.Called() {
				callers[callee]++
			}
			if l, ok := Trips(in); ok && l.Trips > 0 {
				loops[in.Attrs.(*hlo.WhileAttrs).Body] = in
			}
		}
	}
	for c := range loops {
		if callers[c] != 1 {
			delete(loops, c)
		}
	}
	return loops
}

// counter looks at the body of a loop.
type counter struct {
	*editor
	Loop
	loop  *hlo.Instruction
	known map[*hlo.Instruction]*span // nil: nothing is known
}

// span is from which number to which the elements of an integer lie.
type span struct{ lo, hi int64 }

// same makes an element of the state that counts as the loop does the loop's count.
func (c *counter) same(in *hlo.Instruction) bool {
	j, ok := carried(in)
	if !ok || j < 0 || j == c.Index || c.Index < 0 || !in.Shape.Equal(c.loop.Shape.Elems[c.Index]) {
		return false
	}
	if first, by, ok := c.counts(j); !ok || first != c.Init || by != c.Step {
		return false
	}
	c.replace(in, c.make(in, hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(c.Index)}, shape.Shape{},
		c.of(in.Operands[0])))
	return true
}

// counts reports where element j of the state begins, and what each round adds to it.
func (c *counter) counts(j int) (first, by int64, ok bool) {
	if first, ok = integer(element(c.loop.Operands[0], j)); ok {
		by, ok = step(c.old, j)
	}
	return first, by, ok
}

// decided makes a comparison of scalars a constant.
func (c *counter) decided(in *hlo.Instruction) bool {
	a, ok := in.Attrs.(*hlo.CompareAttrs)
	if !ok || !in.Shape.IsScalar() || !in.Operands[0].Shape.Type.IsInteger() || in.IsDynamic() {
		return false
	}
	x, y := c.span(in.Operands[0]), c.span(in.Operands[1])
	if x == nil || y == nil || x.lo == x.hi && y.lo == y.hi {
		return false
	}
	compare := comparisons[a.Direction]
	always, never := compare(*x, *y)
	if always == never {
		return false
	}
	l := literal.Zero(shape.Pred)
	if always {
		l = literal.One(shape.Pred)
	}
	c.replace(in, c.make(in, hlo.Constant, &hlo.ConstantAttrs{Literal: l}, shape.Shape{}))
	return true
}

func below(x, y span) (always, never bool)   { return x.hi < y.lo, x.lo >= y.hi }
func atMost(x, y span) (always, never bool)  { return x.hi <= y.lo, x.lo > y.hi }
func differs(x, y span) (always, never bool) { return x.hi < y.lo || x.lo > y.hi, false }

// comparisons say whether a comparison holds for all, or for no numbers of two spans.
var comparisons = map[hlo.Direction]func(x, y span) (always, never bool){
	hlo.Lt: below,
	hlo.Le: atMost,
	hlo.Gt: func(x, y span) (always, never bool) { return below(y, x) },
	hlo.Ge: func(x, y span) (always, never bool) { return atMost(y, x) },
	hlo.Ne: differs,
	hlo.Eq: func(x, y span) (always, never bool) {
		never, always = differs(x, y)
		return always, never
	},
}

// span returns between which numbers an integer of the body is, nil if that is not known.
func (c *counter) span(in *hlo.Instruction) *span {
	s, ok := c.known[in]
	if !ok {
		c.known[in] = nil
		s = c.find(in)
		c.known[in] = s
	}
	return s
}

func (c *counter) find(in *hlo.Instruction) *span {
	if n, ok := integer(in); ok {
		return &span{n, n}
	}
	if j, ok := carried(in); ok {
		return c.count(in, j)
	}
	switch in.Op {
	case hlo.Add, hlo.Subtract, hlo.Multiply, hlo.Minimum, hlo.Maximum:
		x, y := c.span(in.Operands[0]), c.span(in.Operands[1])
		if x != nil && y != nil {
			return combined(in, *x, *y).within(in.Shape.Type)
		}
	case hlo.Convert:
		if x := c.span(in.Operands[0]); x != nil {
			return x.within(in.Shape.Type)
		}
	}
	return nil
}

// count is what element j of the state is in the rounds.
func (c *counter) count(in *hlo.Instruction, j int) *span {
	first, by, ok := c.counts(j)
	if !ok || max(first, by, c.Trips) > maxSpan || min(first, by) < -maxSpan {
		return nil
	}
	last := first + (c.Trips-1)*by
	s := span{min(first, last), max(first, last)}
	return s.within(in.Shape.Type)
}

// maxSpan keeps sums and products of the ends of spans away from those of int64.
const maxSpan = math.MaxInt32

// combined is what an op makes of numbers of two spans, nil if they are too large.
func combined(in *hlo.Instruction, x, y span) *span {
	if max(x.hi, y.hi) > maxSpan || min(x.lo, y.lo) < -maxSpan {
		return nil
	}
	switch in.Op {
	case hlo.Add:
		return &span{x.lo + y.lo, x.hi + y.hi}
	case hlo.Subtract:
		return &span{x.lo - y.hi, x.hi - y.lo}
	case hlo.Minimum:
		return &span{min(x.lo, y.lo), min(x.hi, y.hi)}
	case hlo.Maximum:
		return &span{max(x.lo, y.lo), max(x.hi, y.hi)}
	}
	a, b, d, e := x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi
	return &span{min(a, b, d, e), max(a, b, d, e)}
}

// within returns the span if type t has all its numbers, so that nothing wraps, else nil.
func (s *span) within(t shape.ElementType) *span {
	if s == nil || !t.IsInteger() {
		return nil
	}
	lo, hi := integerRange(t)
	if s.lo < lo || s.hi > hi {
		return nil
	}
	return s
}
