package pass

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// fusion is one group of instructions that become a fusion.
type fusion struct {
	members []*hlo.Instruction // in their order
	results []*hlo.Instruction // the members that others use
	inputs  []*hlo.Instruction // old instructions outside
	body    []*hlo.Instruction
	now     map[*hlo.Instruction]*hlo.Instruction // in the body
	done    bool
}

// rebuild makes the new computation: fusions where their last member was or where the first user needs them.
func (u *fuser) rebuild() {
	of := u.fusions()
	if of == nil {
		u.keepAllIf(false)
		return
	}
	order := &emitter{fuser: u, of: of, done: make([]bool, len(u.old.Instructions)), after: u.orderEdges()}
	for i := range u.old.Instructions {
		if f := of[int32(i)]; f == nil || f.members[len(f.members)-1].Index() == i {
			order.emit(i)
		}
	}
}

// fusions makes the groups that are worth it, by the indices of their members; nil if there are none.
func (u *fuser) fusions() map[int32]*fusion {
	open := map[int32]*fusion{}
	of := map[int32]*fusion{}
	var list []*fusion
	for i, in := range u.old.Instructions {
		if u.kind[i] < member {
			continue
		}
		g := u.find(int32(i))
		f := open[g]
		if f == nil || len(f.members) >= u.f.Max || !u.agrees(f, in) {
			f = &fusion{}
			open[g] = f
			list = append(list, f)
		}
		f.members = append(f.members, in)
		of[int32(i)] = f
	}
	for _, f := range list {
		u.setResults(f, of)
		if !u.pays(f) {
			for _, in := range f.members {
				delete(of, int32(in.Index()))
			}
		}
	}
	if len(of) == 0 {
		return nil
	}
	return of
}

// agrees reports whether a fusion can take one more member: all of its reductions must be siblings.
func (u *fuser) agrees(f *fusion, in *hlo.Instruction) bool {
	if in.Op != hlo.Reduce || u.rows != nil {
		return true
	}
	siblings := u.f.Siblings
	if siblings == nil {
		siblings = sameDimensions
	}
	return !slices.ContainsFunc(f.members, func(m *hlo.Instruction) bool { return m.Op == hlo.Reduce && !siblings(m, in) })
}

// sameDimensions reports whether two reductions have the same dimensions.
func sameDimensions(a, b *hlo.Instruction) bool {
	return slices.Equal(a.Attrs.(*hlo.ReduceAttrs).Dimensions, b.Attrs.(*hlo.ReduceAttrs).Dimensions) &&
		a.Operands[0].Shape.SameDims(b.Operands[0].Shape)
}

// setResults finds the members that are used outside.
func (u *fuser) setResults(f *fusion, of map[int32]*fusion) {
	for _, in := range f.members {
		used := in == u.old.Root
		for _, user := range u.users[in.Index()] {
			used = used || of[user] != f
		}
		if used {
			f.results = append(f.results, in)
		}
	}
}

// pays reports whether a fusion saves memory traffic: it has several members, or one that reads a leaf.
func (u *fuser) pays(f *fusion) bool {
	if u.rows != nil {
		return u.paysRow(f)
	}
	reductions, work := 0, 0
	for _, in := range f.members {
		if u.kind[in.Index()] == ending {
			reductions++
		}
		if in.Op != hlo.Reshape {
			work++
		}
	}
	if reductions > 0 && !u.f.Mixed && reductions < len(f.results) || work == 0 {
		return false
	}
	return work > 1 || slices.ContainsFunc(f.members[0].Operands, func(o *hlo.Instruction) bool {
		return u.kind[o.Index()] == leaf && (!o.Shape.IsScalar() || u.f.Threads && o.Op != hlo.Constant)
	})
}

// orderEdges returns, for instructions with an effect and the ends of control dependencies, the one before.
func (u *fuser) orderEdges() map[int]int {
	after := map[int]int{}
	last := -1
	for i, in := range u.old.Instructions {
		if u.kind[i] != outside || !u.isPinned(in) && !in.HasSideEffect() {
			continue
		}
		if last >= 0 {
			after[i] = last
		}
		last = i
	}
	return after
}

// emitter puts instructions and fusions in an order in which operands come first.
type emitter struct {
	*fuser
	of    map[int32]*fusion
	done  []bool
	after map[int]int
	stack []int
}

// emit adds instruction i, or its fusion, and before it whatever it needs.
func (e *emitter) emit(i int) {
	e.stack = append(e.stack[:0], i)
	for len(e.stack) > 0 {
		i := e.stack[len(e.stack)-1]
		f := e.of[int32(i)]
		if e.done[i] || f != nil && f.done {
			e.stack = e.stack[:len(e.stack)-1]
			continue
		}
		if e.needs(i, f) {
			continue
		}
		e.stack = e.stack[:len(e.stack)-1]
		if f != nil {
			f.done = true
			e.build(f)
		} else {
			e.done[i] = true
			e.keep(e.old.Instructions[i])
		}
	}
}

// needs pushes what must come before and is not there yet.
func (e *emitter) needs(i int, f *fusion) bool {
	n := len(e.stack)
	if before, ok := e.after[i]; ok {
		e.need(before)
	}
	list := []*hlo.Instruction{e.old.Instructions[i]}
	if f != nil {
		list = f.members
	}
	for _, in := range list {
		for _, o := range in.Operands {
			if g := e.of[int32(o.Index())]; g == nil || g != f {
				e.need(o.Index())
			}
		}
	}
	return len(e.stack) > n
}

func (e *emitter) need(i int) {
	if f := e.of[int32(i)]; !e.done[i] && (f == nil || !f.done) {
		e.stack = append(e.stack, i)
	}
}

// build makes a fusion's computation and adds the fusion.
func (e *emitter) build(f *fusion) {
	f.now = make(map[*hlo.Instruction]*hlo.Instruction, 2*len(f.members))
	for _, in := range f.members {
		e.inner(f, in)
	}
	root := f.now[f.results[0]]
	if len(f.results) > 1 {
		elems := make([]*hlo.Instruction, len(f.results))
		for i, r := range f.results {
			elems[i] = f.now[r]
		}
		t, err := hlo.NewInstruction(hlo.Tuple, nil, shape.Shape{}, elems, f.results[0].Pos)
		if err != nil {
			panic(bug{err})
		}
		t.Name = "tuple"
		root, f.body = t, append(f.body, t)
	}
	rename(f.body, nil)
	c, err := hlo.NewComputation(fmt.Sprintf("fused_%s", root.Name), f.body, root)
	if err != nil {
		panic(bug{err})
	}
	e.call(f, c)
}

// inner adds a copy of in, which is a member or a leaf, to the body of f.
func (e *emitter) inner(f *fusion, in *hlo.Instruction) *hlo.Instruction {
	n := e.alloc()
	*n = *in
	n.Operands = e.operands(len(in.Operands))
	for i, o := range in.Operands {
		n.Operands[i] = e.innerOperand(f, o)
	}
	f.now[in] = n
	f.body = append(f.body, n)
	return n
}

// innerOperand returns what stands for o in the body: a member, a copy of a leaf, or a parameter.
func (e *emitter) innerOperand(f *fusion, o *hlo.Instruction) *hlo.Instruction {
	if n := f.now[o]; n != nil {
		return n
	}
	if e.kind[o.Index()] == leaf {
		return e.inner(f, o)
	}
	p := e.alloc()
	*p = hlo.Instruction{Name: "p_" + o.Name, Op: hlo.Parameter, Shape: o.Shape.WithoutLayout(),
		Attrs: &hlo.ParameterAttrs{Number: int64(len(f.inputs))}, Pos: o.Pos}
	f.inputs = append(f.inputs, o)
	f.now[o] = p
	f.body = append(f.body, p)
	return p
}

// call adds the fusion of c and makes its results stand for the members that were used outside.
func (e *emitter) call(f *fusion, c *hlo.Computation) {
	kind := hlo.Raw("kLoop")
	if slices.ContainsFunc(f.members, func(in *hlo.Instruction) bool { return in.Op == hlo.Reduce }) {
		kind = "kInput"
	}
	operands := make([]*hlo.Instruction, len(f.inputs))
	for i, o := range f.inputs {
		operands[i] = e.fuser.of(o)
	}
	last := f.results[len(f.results)-1]
	n := e.make(last, hlo.Fusion, &hlo.FusionAttrs{Kind: kind, Calls: c}, shape.Shape{}, operands...)
	if len(f.results) == 1 {
		inherit(n, last)
		e.replace(last, n)
		return
	}
	for i, r := range f.results {
		g := e.make(r, hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(i)}, shape.Shape{}, n)
		inherit(g, r)
		e.replace(r, g)
	}
}
