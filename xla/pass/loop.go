package pass

import (
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Loop is a while that counts.
type Loop struct {
	// Index is the element of the loop's tuple that counts, -1 if the loop carries nothing but the count.
	Index int
	// Init is the count in the first round, Step what each round adds to it.
	Init, Step int64
	// Trips is how often the body runs.
	Trips int64
}

// Trips reports how often the while in runs its body, if that follows from constants: an integer that is a constant
// before the loop and grows by one each round is compared with another.
func Trips(in *hlo.Instruction) (Loop, bool) {
	a, ok := in.Attrs.(*hlo.WhileAttrs)
	if !ok {
		return Loop{}, false
	}
	cmp, ok := a.Condition.Root.Attrs.(*hlo.CompareAttrs)
	if !ok {
		return Loop{}, false
	}
	x, y, dir := a.Condition.Root.Operands[0], a.Condition.Root.Operands[1], cmp.Direction
	if _, ok := integer(x); ok {
		x, y, dir = y, x, mirrored[dir]
	}
	limit, ok := integer(y)
	index, counts := carried(x)
	if !ok || !counts {
		return Loop{}, false
	}
	l := Loop{Index: index}
	l.Init, ok = integer(element(in.Operands[0], index))
	if !ok {
		return Loop{}, false
	}
	if l.Step, ok = step(a.Body, index); !ok {
		return Loop{}, false
	}
	return l, l.count(dir, limit, x.Shape.Type)
}

// mirrored are the directions with their operands swapped.
var mirrored = map[hlo.Direction]hlo.Direction{
	hlo.Eq: hlo.Eq, hlo.Ne: hlo.Ne, hlo.Lt: hlo.Gt, hlo.Gt: hlo.Lt, hlo.Le: hlo.Ge, hlo.Ge: hlo.Le,
}

// carried returns which element of the state in is: -1 if it is the state itself.
func carried(in *hlo.Instruction) (int, bool) {
	if in.Op == hlo.Parameter {
		return -1, true
	}
	a, ok := in.Attrs.(*hlo.GetTupleElementAttrs)
	if !ok || in.Operands[0].Op != hlo.Parameter {
		return 0, false
	}
	return int(a.Index), true
}

// element returns element i of a state, or what cannot be told apart: the state.
func element(state *hlo.Instruction, i int) *hlo.Instruction {
	if i >= 0 && state.Op == hlo.Tuple {
		return state.Operands[i]
	}
	return state
}

// step returns the constant that a body adds to element index of its state.
func step(body *hlo.Computation, index int) (int64, bool) {
	next := element(body.Root, index)
	if next.Op != hlo.Add && next.Op != hlo.Subtract {
		return 0, false
	}
	x, y := next.Operands[0], next.Operands[1]
	if _, ok := integer(x); ok && next.Op == hlo.Add {
		x, y = y, x
	}
	i, ok := carried(x)
	n, known := integer(y)
	if !ok || !known || i != index || n == math.MinInt64 {
		return 0, false
	}
	if next.Op == hlo.Subtract {
		n = -n
	}
	return n, n != 0
}

// maxCount keeps counting away from the ends of int64.
const maxCount = 1 << 60

// count sets Trips; it reports whether the count ends without wrapping in type t.
func (l *Loop) count(dir hlo.Direction, limit int64, t shape.ElementType) bool {
	if max(l.Init, limit, l.Step) > maxCount || min(l.Init, limit, l.Step) < -maxCount {
		return false
	}
	up := l.Step > 0
	distance, width := limit-l.Init, l.Step
	if !up {
		distance, width = -distance, -width
	}
	switch {
	case dir == hlo.Ne && distance >= 0 && distance%width == 0:
		l.Trips = distance / width
	case dir == hlo.Lt && up || dir == hlo.Gt && !up:
		l.Trips = max(0, (distance+width-1)/width)
	case dir == hlo.Le && up || dir == hlo.Ge && !up:
		l.Trips = max(0, (distance+width)/width)
	default:
		return false
	}
	last := l.Init + l.Trips*l.Step
	lo, hi := integerRange(t)
	return l.Trips <= maxCount/width && last >= lo && last <= hi
}

// integerRange are the least and greatest values of an integer type, as far as an int64 has them.
func integerRange(t shape.ElementType) (lo, hi int64) {
	switch {
	case t.IsSigned():
		return math.MinInt64 >> (64 - t.Bits()), math.MaxInt64 >> (64 - t.Bits())
	case t.Bits() == 64:
		return 0, math.MaxInt64
	}
	return 0, 1<<t.Bits() - 1
}

// Hoist computes before a loop what is the same in all of its rounds: ops without effect on elements that the body
// hands on as they were. What is as cheap as reading it stays inside, and so does what is much larger than what it is
// made of.
func Hoist() Pass {
	return Pass{Name: "hoist", Run: func(m *hlo.Module) (*hlo.Module, error) {
		flow := controlFlow(m)
		return edit(m, func(e *editor) {
			h := &hoister{tuples{editor: e}}
			for _, in := range e.old.Instructions {
				if in.Op != hlo.While || !flow[e.old] || e.pins != nil || !h.loop(in) {
					e.keep(in)
				}
			}
		}), nil
	}}
}

type hoister struct{ tuples }

func (h *hoister) loop(in *hlo.Instruction) bool {
	a := in.Attrs.(*hlo.WhileAttrs)
	cond, body := h.current(a.Condition), h.current(a.Body)
	if !isHoistable(in, body) {
		return false
	}
	list := hoistable(body)
	if len(list) == 0 {
		return false
	}
	elems := h.elements(h.of(in.Operands[0]))
	values := h.outsideLoop(body, list, elems)
	n := narrowing{place: make([]int, len(elems)), known: make([]*hlo.Instruction, len(elems)),
		swap: map[*hlo.Instruction]int{}}
	for i := range n.place {
		n.place[i] = i
	}
	for j, x := range list {
		n.extra, n.swap[x] = append(n.extra, x.Shape.WithoutLayout()), j
	}
	c := n
	c.swap = nil
	n.pass = true
	newBody, newCond := h.narrowed(body, &n), h.narrowed(cond, &c)
	init := h.make(in, hlo.Tuple, nil, shape.Shape{}, slices.Concat(elems, values)...)
	w := h.make(in, hlo.While, &hlo.WhileAttrs{Condition: newCond, Body: newBody}, shape.Shape{}, init)
	w.Name = in.Name
	result := make([]*hlo.Instruction, len(elems))
	for i := range result {
		result[i] = h.make(in, hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(i)}, shape.Shape{}, w)
	}
	h.replace(in, h.make(in, hlo.Tuple, nil, shape.Shape{}, result...))
	return true
}

// isHoistable reports whether a loop can hand on more than it does.
func isHoistable(in *hlo.Instruction, body *hlo.Computation) bool {
	return body.Root.Op == hlo.Tuple && in.Shape.IsTuple() && !in.IsDynamic()
}

// hoistable lists the instructions of a loop's body that are the same in every round and worth computing before it.
func hoistable(body *hlo.Computation) []*hlo.Instruction {
	same := invariants(body)
	wanted := make([]bool, len(same))
	for i, in := range body.Instructions {
		for _, o := range in.Operands {
			wanted[o.Index()] = wanted[o.Index()] || !same[i]
		}
	}
	var list []*hlo.Instruction
	for i, in := range body.Instructions {
		if same[i] && wanted[i] && worthHoisting(in) {
			list = append(list, in)
		}
	}
	return list
}

// invariants says of each instruction of a loop's body whether it is the same in every round.
func invariants(body *hlo.Computation) []bool {
	pins := pinned(body)
	same := make([]bool, len(body.Instructions))
	for i, in := range body.Instructions {
		if k, ok := carried(in); ok {
			same[i] = k >= 0 && isInvariant(body, k)
			continue
		}
		same[i] = plain(in.Shape) && !in.IsDynamic() && canShare(in) && removable(in, pins) && !neverHoisted[in.Op]
		for _, o := range in.Operands {
			same[i] = same[i] && same[o.Index()]
		}
	}
	return same
}

// neverHoisted are the ops that stay in a loop even if their operands are the same in every round.
var neverHoisted = [hlo.NumOps]bool{hlo.While: true, hlo.Conditional: true, hlo.Call: true, hlo.Tuple: true,
	hlo.AddDependency: true, hlo.AfterAll: true}

// smallHoisted is what a hoisted value may take however small its operands are, in bytes. A product of manyTerms takes
// longer to compute than to read, and may take mostHoisted.
const smallHoisted, mostHoisted, manyTerms = 64 << 10, 16 << 20, 32

func worthHoisting(in *hlo.Instruction) bool {
	switch in.Op {
	case hlo.Constant, hlo.GetTupleElement, hlo.Broadcast, hlo.Iota, hlo.Reshape, hlo.Slice, hlo.Copy:
		return false
	}
	if cheapOps[in.Op] && in.Shape.IsScalar() {
		return false
	}
	size, err := in.Shape.ByteSize()
	read := int64(smallHoisted)
	if in.Op == hlo.Dot && termsOf(in) >= manyTerms {
		read = mostHoisted
	}
	for _, o := range in.Operands {
		n, _ := o.Shape.ByteSize()
		read += n
	}
	return err == nil && size <= read
}

// termsOf is how many terms a dot's sums have.
func termsOf(dot *hlo.Instruction) int64 {
	n := int64(1)
	for _, d := range dot.Attrs.(*hlo.DotAttrs).LHSContracting {
		n *= dot.Operands[0].Shape.Dims[d]
	}
	return n
}

// outsideLoop makes copies of list, and of all they are made of, on the loop's first state.
func (h *hoister) outsideLoop(body *hlo.Computation, list, elems []*hlo.Instruction) []*hlo.Instruction {
	now, needed := make([]*hlo.Instruction, len(body.Instructions)), madeOf(body, list)
	for i, in := range body.Instructions {
		switch k, ok := carried(in); {
		case !needed[i] || in.Op == hlo.Parameter:
		case ok:
			now[i] = elems[k]
		default:
			n := h.alloc()
			*n = *in
			n.Operands = h.operands(len(in.Operands))
			for j, o := range in.Operands {
				n.Operands[j] = now[o.Index()]
			}
			now[i] = h.add(n)
		}
	}
	values := make([]*hlo.Instruction, len(list))
	for j, in := range list {
		values[j] = now[in.Index()]
	}
	return values
}
