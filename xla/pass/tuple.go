package pass

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Tuples takes elements straight from the tuples that were made of them, and narrows the tuples that loops carry and
// branches take and give: elements that nobody reads are left out, elements of a loop that stay as they were are taken
// from before it, and constants go into the computations. A conditional on a constant becomes its branch.
func Tuples() Pass {
	return Pass{Name: "tuple", Run: func(m *hlo.Module) (*hlo.Module, error) {
		return edit(m, func(e *editor) {
			t := &tuples{editor: e, users: tupleUsers(e.old), parts: map[*hlo.Instruction][]*hlo.Instruction{}}
			for _, in := range e.old.Instructions {
				if e.isPinned(in) || !t.visit(in) {
					e.keep(in)
				}
			}
		}), nil
	}}
}

type tuples struct {
	*editor
	// users are, of loops and conditionals with tuples for results, the elements that are used.
	users map[*hlo.Instruction][]bool
	// parts are the elements that stand for those of an old loop or conditional that is not there any more.
	parts map[*hlo.Instruction][]*hlo.Instruction
}

// tupleUsers finds the elements in use of the results of loops and conditionals of c.
func tupleUsers(c *hlo.Computation) map[*hlo.Instruction][]bool {
	var users map[*hlo.Instruction][]bool
	for _, in := range c.Instructions {
		if (in.Op == hlo.While || in.Op == hlo.Conditional) && in.Shape.IsTuple() {
			if users == nil {
				users = map[*hlo.Instruction][]bool{}
			}
			users[in] = make([]bool, len(in.Shape.Elems))
		}
		for _, o := range in.Operands {
			if used := users[o]; used != nil && in.Op == hlo.GetTupleElement {
				used[in.Attrs.(*hlo.GetTupleElementAttrs).Index] = true
			} else if used != nil {
				setAll(used)
			}
		}
	}
	if used := users[c.Root]; used != nil {
		setAll(used)
	}
	return users
}

func setAll(list []bool) {
	for i := range list {
		list[i] = true
	}
}

// visit makes something else stand for in, or returns false.
func (t *tuples) visit(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.GetTupleElement:
		return t.element(in)
	case hlo.Tuple:
		return t.whole(in)
	case hlo.While:
		return t.pins == nil && t.loop(in)
	case hlo.Conditional:
		return t.pins == nil && (t.branchOf(in) || t.conditional(in))
	}
	return false
}

// become makes elems stand for the elements of in; those that nobody uses may be nil.
func (t *tuples) become(in *hlo.Instruction, elems []*hlo.Instruction) {
	if slices.Contains(elems, nil) {
		t.parts[in] = elems
		t.replace(in, nil)
		return
	}
	t.replace(in, t.make(in, hlo.Tuple, nil, shape.Shape{}, elems...))
}

func (t *tuples) element(in *hlo.Instruction) bool {
	o, i := t.of(in.Operands[0]), in.Attrs.(*hlo.GetTupleElementAttrs).Index
	if parts := t.parts[in.Operands[0]]; parts != nil {
		t.replace(in, parts[i])
		return true
	}
	if o.Op != hlo.Tuple {
		return false
	}
	t.replace(in, o.Operands[i])
	return true
}

// whole finds tuples of all elements of another tuple.
func (t *tuples) whole(in *hlo.Instruction) bool {
	var from *hlo.Instruction
	for i, o := range in.Operands {
		o = t.of(o)
		a, ok := o.Attrs.(*hlo.GetTupleElementAttrs)
		if !ok || a.Index != int64(i) || from != nil && from != o.Operands[0] {
			return false
		}
		from = o.Operands[0]
	}
	if from == nil || len(from.Shape.Elems) != len(in.Operands) || !from.Shape.Equal(in.Shape) {
		return false
	}
	t.replace(in, from)
	return true
}

// elements returns the elements of a tuple, which are taken from it if it was not made here.
func (t *tuples) elements(tuple *hlo.Instruction) []*hlo.Instruction {
	if tuple.Op == hlo.Tuple {
		return tuple.Operands
	}
	elems := make([]*hlo.Instruction, len(tuple.Shape.Elems))
	for i := range elems {
		a := &hlo.GetTupleElementAttrs{Index: int64(i)}
		elems[i] = t.make(tuple, hlo.GetTupleElement, a, shape.Shape{}, tuple)
	}
	return elems
}

// isConstant reports whether in may be copied into a computation instead of being passed to it.
func isConstant(in *hlo.Instruction) bool { return in.Op == hlo.Constant }

// plan says what happens to each element that a loop carries.
type plan struct {
	invariant []bool
	needed    []bool
	narrowing
	drops bool
}

// loop narrows what a loop carries.
func (t *tuples) loop(in *hlo.Instruction) bool {
	a := in.Attrs.(*hlo.WhileAttrs)
	if !in.Shape.IsTuple() || in.IsDynamic() {
		return false
	}
	cond, body := t.current(a.Condition), t.current(a.Body)
	init := t.of(in.Operands[0])
	p := t.plan(in, init, cond, body)
	if !p.drops && !t.leavesEarly(in, p) {
		return false
	}
	elems := t.elements(init)
	w := t.narrowLoop(in, p, elems, cond, body)
	result := make([]*hlo.Instruction, len(elems))
	for i := range result {
		if p.invariant[i] {
			result[i] = elems[i]
		} else if t.users[in][i] {
			x := &hlo.GetTupleElementAttrs{Index: int64(p.place[i])}
			result[i] = t.make(in, hlo.GetTupleElement, x, shape.Shape{}, w)
		}
	}
	t.become(in, result)
	return true
}

// leavesEarly reports whether an element of a loop that is used after it is invariant.
func (t *tuples) leavesEarly(in *hlo.Instruction, p *plan) bool {
	for i, used := range t.users[in] {
		if used && p.invariant[i] {
			return true
		}
	}
	return false
}

func (t *tuples) narrowLoop(in *hlo.Instruction, p *plan, elems []*hlo.Instruction,
	cond, body *hlo.Computation) *hlo.Instruction {
	if !p.drops {
		return t.add(t.clone(in))
	}
	var carried []*hlo.Instruction
	p.results = []int{}
	for i, at := range p.place {
		if at >= 0 {
			carried, p.results = append(carried, elems[i]), append(p.results, i)
		}
	}
	b := t.narrowed(body, &p.narrowing)
	p.results = nil
	c := t.narrowed(cond, &p.narrowing)
	init := t.make(in, hlo.Tuple, nil, shape.Shape{}, carried...)
	w := t.make(in, hlo.While, &hlo.WhileAttrs{Condition: c, Body: b}, shape.Shape{}, init)
	w.Name = in.Name
	return w
}

// plan finds the elements that a loop needs not carry.
func (t *tuples) plan(in, init *hlo.Instruction, cond, body *hlo.Computation) *plan {
	n := len(in.Shape.Elems)
	p := &plan{invariant: make([]bool, n), narrowing: narrowing{place: make([]int, n), known: make([]*hlo.Instruction, n)}}
	for i := range n {
		p.invariant[i] = isInvariant(body, i)
		if p.invariant[i] && init.Op == hlo.Tuple && isConstant(init.Operands[i]) {
			p.known[i] = init.Operands[i]
		}
	}
	p.needed = t.neededElements(in, p, cond, body)
	next := 0
	for i, needed := range p.needed {
		if p.place[i] = -1; needed && p.known[i] == nil {
			p.place[i], next = next, next+1
		}
	}
	p.drops = next < n
	return p
}

// isInvariant reports whether a loop's body gives back element i as it was.
func isInvariant(body *hlo.Computation, i int) bool {
	if body.Root.Op == hlo.Parameter {
		return true
	}
	if body.Root.Op != hlo.Tuple {
		return false
	}
	o := body.Root.Operands[i]
	a, ok := o.Attrs.(*hlo.GetTupleElementAttrs)
	return ok && a.Index == int64(i) && o.Operands[0].Op == hlo.Parameter
}

// neededElements are the elements that the loop's condition reads, that are used after it, on which effects depend, and
// those from which such are made in the next round.
func (t *tuples) neededElements(in *hlo.Instruction, p *plan, cond, body *hlo.Computation) []bool {
	rc, rb := newReads(cond), newReads(body)
	rc.effects()
	rc.mark(cond.Root)
	rb.effects()
	needed := make([]bool, len(p.place))
	list := slices.Concat(rc.fresh, rb.fresh)
	rb.fresh = nil
	for i, used := range t.users[in] {
		if used && !p.invariant[i] {
			list = append(list, i)
		}
	}
	for ; len(list) > 0; rb.fresh = nil {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		if !needed[i] {
			needed[i] = true
			rb.markResult(i)
			list = append(list, rb.fresh...)
		}
	}
	return needed
}

// branchOf puts the branch that a constant chooses in place of the conditional.
func (t *tuples) branchOf(in *hlo.Instruction) bool {
	index := t.of(in.Operands[0])
	if index.Op != hlo.Constant {
		return false
	}
	branches := in.Attrs.(*hlo.ConditionalAttrs).Branches
	w := index.Attrs.(*hlo.ConstantAttrs).Literal.Wide()
	k := len(branches) - 1
	switch {
	case index.Shape.Type == shape.Pred && w.B[0]:
		k = 0
	case index.Shape.Type != shape.Pred && w.I[0] >= 0 && w.I[0] < int64(k):
		k = int(w.I[0])
	}
	c := t.current(branches[k])
	if !c.Root.Shape.Compatible(in.Shape) {
		return false
	}
	t.replace(in, t.spliceIn(c, []*hlo.Instruction{t.of(in.Operands[1+k])}, in.Name+"."))
	return true
}

// conditional narrows what the branches of a conditional take and give.
func (t *tuples) conditional(in *hlo.Instruction) bool {
	if in.IsDynamic() {
		return false
	}
	results := unusedLeftOut(t.users[in])
	branches := in.Attrs.(*hlo.ConditionalAttrs).Branches
	made := make([]*hlo.Computation, len(branches))
	operands := append(make([]*hlo.Instruction, 0, 1+len(branches)), t.of(in.Operands[0]))
	changed := results != nil
	for k, c := range branches {
		n := branchNarrowing(t.current(c), t.of(in.Operands[1+k]), results)
		changed = changed || n.place != nil
		made[k] = t.current(c)
		if n.place != nil || n.results != nil {
			made[k] = t.narrowed(made[k], n)
		}
		operands = append(operands, t.narrowTuple(t.of(in.Operands[1+k]), n))
	}
	if !changed {
		return false
	}
	n := t.make(in, hlo.Conditional, &hlo.ConditionalAttrs{Branches: made}, shape.Shape{}, operands...)
	if results == nil {
		inherit(n, in)
		t.replace(in, n)
		return true
	}
	n.Name = in.Name
	elems := make([]*hlo.Instruction, len(in.Shape.Elems))
	for at, i := range results {
		elems[i] = t.make(in, hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(at)}, shape.Shape{}, n)
	}
	t.become(in, elems)
	return true
}

// unusedLeftOut returns the places of what is used; nil if all is.
func unusedLeftOut(used []bool) []int {
	if !slices.Contains(used, false) {
		return nil
	}
	list := []int{}
	for i, u := range used {
		if u {
			list = append(list, i)
		}
	}
	return list
}

// branchNarrowing says which elements a branch needs of its operand, a tuple, if it is to give results of its root.
func branchNarrowing(c *hlo.Computation, operand *hlo.Instruction, results []int) *narrowing {
	n := &narrowing{results: results}
	if !operand.Shape.IsTuple() {
		return n
	}
	r := newReads(c)
	r.effects()
	if results == nil {
		r.mark(c.Root)
	}
	for _, i := range results {
		r.markResult(i)
	}
	place, next := make([]int, len(r.element)), 0
	n.known = make([]*hlo.Instruction, len(place))
	for i, needed := range r.element {
		if needed && operand.Op == hlo.Tuple && isConstant(operand.Operands[i]) {
			n.known[i] = operand.Operands[i]
		}
		if place[i] = -1; needed && n.known[i] == nil {
			place[i], next = next, next+1
		}
	}
	if next < len(place) {
		n.place = place
	}
	return n
}

// narrowTuple returns the tuple of the elements that n keeps.
func (t *tuples) narrowTuple(tuple *hlo.Instruction, n *narrowing) *hlo.Instruction {
	if n.place == nil {
		return tuple
	}
	var kept []*hlo.Instruction
	for i, o := range t.elements(tuple) {
		if n.place[i] >= 0 {
			kept = append(kept, o)
		}
	}
	return t.make(tuple, hlo.Tuple, nil, shape.Shape{}, kept...)
}
