package pass

import (
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// edit makes the successor of m: f goes through each computation, callees before their callers. It returns m if f
// changes nothing and every computation is in use.
func edit(m *hlo.Module, f func(e *editor)) *hlo.Module {
	return editInto(m, f, func(c *hlo.Computation) *hlo.Computation { return c })
}

// editInto is edit, with end saying what to take for each computation when it is done.
func editInto(m *hlo.Module, f func(e *editor), end func(c *hlo.Computation) *hlo.Computation) *hlo.Module {
	me := &moduleEditor{m: m, made: map[*hlo.Computation]*hlo.Computation{}}
	for _, c := range m.Computations {
		e := me.editor(c)
		f(e)
		if n := end(e.finish()); n != c {
			me.made[c] = n
		}
	}
	return me.module()
}

// moduleEditor has what the editors of a module's computations share.
type moduleEditor struct {
	m *hlo.Module
	// made are the new computations by the old ones; unchanged ones are not in it.
	made map[*hlo.Computation]*hlo.Computation
}

// current returns what stands for c now.
func (me *moduleEditor) current(c *hlo.Computation) *hlo.Computation {
	if n := me.made[c]; n != nil {
		return n
	}
	return c
}

// module returns the new module.
func (me *moduleEditor) module() *hlo.Module {
	n := hlo.NewModule(me.m.Name, me.current(me.m.Entry))
	if len(me.made) == 0 && len(n.Computations) == len(me.m.Computations) {
		return me.m
	}
	n.Config, n.ParameterNames, n.ResultNames = me.m.Config, me.m.ParameterNames, me.m.ResultNames
	return n
}

// editor makes the successor of one computation: it appends to out what stands for each of the old instructions. All
// new instructions are its own, so that the old computation stays as it is.
type editor struct {
	*moduleEditor
	old *hlo.Computation
	now []*hlo.Instruction // what stands for each old instruction, by index
	out []*hlo.Instruction
	// root is the new root; nil: what stands for the old one.
	root *hlo.Instruction
	// dirty says that the new computation differs from the old one.
	dirty bool
	// pins are the names that control dependencies use; those instructions stay as they are.
	pins map[string]bool

	slab  []hlo.Instruction
	slots []*hlo.Instruction
}

func (me *moduleEditor) editor(c *hlo.Computation) *editor {
	n := len(c.Instructions)
	return &editor{moduleEditor: me, old: c, now: make([]*hlo.Instruction, n), out: make([]*hlo.Instruction, 0, n+n/4),
		pins: pinned(c)}
}

// pinned returns the names of the instructions of c that control dependencies name.
func pinned(c *hlo.Computation) map[string]bool {
	var pins map[string]bool
	for _, in := range c.Instructions {
		if in.Common == nil {
			continue
		}
		for _, name := range in.Common.Predecessors {
			if pins == nil {
				pins = map[string]bool{}
			}
			pins[name] = true
		}
	}
	return pins
}

// isPinned reports whether in is at an end of a control dependency: it is neither replaced nor removed.
func (e *editor) isPinned(in *hlo.Instruction) bool {
	return e.pins != nil && (e.pins[in.Name] || in.Common != nil && len(in.Common.Predecessors) > 0)
}

// of returns what stands for an old instruction.
func (e *editor) of(in *hlo.Instruction) *hlo.Instruction { return e.now[in.Index()] }

// alloc returns memory for one instruction out of a block of many.
func (e *editor) alloc() *hlo.Instruction {
	if len(e.slab) == 0 {
		e.slab = make([]hlo.Instruction, max(8, min(256, len(e.old.Instructions)-len(e.out))))
	}
	in := &e.slab[0]
	e.slab = e.slab[1:]
	return in
}

// operands returns memory for n operands out of a block of many.
func (e *editor) operands(n int) []*hlo.Instruction {
	if len(e.slots) < n {
		e.slots = make([]*hlo.Instruction, max(n, min(512, 2*len(e.old.Instructions))))
	}
	list := e.slots[:n:n]
	e.slots = e.slots[n:]
	return list
}

// clone returns a copy of the old instruction in on what stands for its operands and called computations. It is not
// added to the new computation.
func (e *editor) clone(in *hlo.Instruction) *hlo.Instruction {
	c := e.alloc()
	*c = *in
	if len(in.Operands) > 0 {
		c.Operands = e.operands(len(in.Operands))
		for i, o := range in.Operands {
			c.Operands[i] = e.now[o.Index()]
		}
	}
	if a := e.calling(in); a != nil {
		c.Attrs, e.dirty = a, true
	}
	return c
}

// calling returns in's attributes with the new computations; nil if those it calls have not changed.
func (e *editor) calling(in *hlo.Instruction) hlo.Attrs {
	for _, c := range in.Called() {
		if e.made[c] != nil {
			return replaceCalled(in.Attrs, e.current)
		}
	}
	return nil
}

// replaceCalled returns a copy of a that names to(c) where a names c.
func replaceCalled(a hlo.Attrs, to func(c *hlo.Computation) *hlo.Computation) hlo.Attrs {
	a = hlo.CloneAttrs(a)
	for _, f := range a.Fields() {
		switch p := f.Ptr.(type) {
		case **hlo.Computation:
			if *p != nil {
				*p = to(*p)
			}
		case *[]*hlo.Computation:
			list := make([]*hlo.Computation, len(*p))
			for i, c := range *p {
				list[i] = to(c)
			}
			*p = list
		}
	}
	return a
}

// add appends an instruction to the new computation.
func (e *editor) add(in *hlo.Instruction) *hlo.Instruction {
	e.out = append(e.out, in)
	return in
}

// keep copies an old instruction.
func (e *editor) keep(in *hlo.Instruction) *hlo.Instruction {
	n := e.add(e.clone(in))
	e.now[in.Index()] = n
	return n
}

// keepAll copies all of the old computation.
func (e *editor) keepAll() {
	for _, in := range e.old.Instructions {
		e.keep(in)
	}
}

// replace makes n, an instruction of the new computation, stand for the old instruction in.
func (e *editor) replace(in, n *hlo.Instruction) {
	e.now[in.Index()] = n
	e.dirty = true
}

// make appends a new instruction that is made in place of like, whose position and metadata it gets. told is as for
// hlo.NewInstruction. Wrong operands are a bug of the pass.
func (e *editor) make(like *hlo.Instruction, op hlo.Opcode, a hlo.Attrs, told shape.Shape,
	operands ...*hlo.Instruction) *hlo.Instruction {
	in, err := hlo.NewInstruction(op, a, told, operands, like.Pos)
	if err != nil {
		panic(bug{err})
	}
	in.Name = op.String()
	if like.Common != nil && like.Common.Metadata != "" {
		in.Common = &hlo.Common{Metadata: like.Common.Metadata}
	}
	e.dirty = true
	return e.add(in)
}

// inherit gives n, which was made to stand for the old instruction in, the name and the attributes that any op may
// have.
func inherit(n, in *hlo.Instruction) {
	n.Name, n.Common = in.Name, in.Common
}

// finish returns the new computation without what nobody uses, or the old one if nothing changed.
func (e *editor) finish() *hlo.Computation {
	if !e.dirty {
		return e.old
	}
	root := e.root
	if root == nil {
		root = e.of(e.old.Root)
	}
	c := computation(e.old, e.out, root)
	if dead := unused(c, e.pins); dead != nil {
		live := make([]*hlo.Instruction, 0, len(e.out))
		for i, in := range e.out {
			if !dead[i] {
				live = append(live, in)
			}
		}
		c = computation(e.old, live, root)
	}
	rename(c.Instructions, e.pins)
	return c
}

// computation makes the successor of old.
func computation(old *hlo.Computation, list []*hlo.Instruction, root *hlo.Instruction) *hlo.Computation {
	c, err := hlo.NewComputation(old.Name, list, root)
	if err != nil {
		panic(bug{err})
	}
	c.Extra = old.Extra
	return c
}

// unused says by index which instructions of c nothing needs: they have no effect and no user, users that are unused
// themselves left out. It returns nil if there are none.
func unused(c *hlo.Computation, pins map[string]bool) []bool {
	users := make([]int, len(c.Instructions))
	var dead []bool
	for i := len(users) - 1; i >= 0; i-- {
		in := c.Instructions[i]
		if users[i] += in.Users(); users[i] > 0 || !removable(in, pins) {
			continue
		}
		if dead == nil {
			dead = make([]bool, len(users))
		}
		dead[i] = true
		for _, o := range in.Operands {
			users[o.Index()]--
		}
	}
	return dead
}

func removable(in *hlo.Instruction, pins map[string]bool) bool {
	if in.Op == hlo.Parameter || pins[in.Name] || in.Common != nil && len(in.Common.Predecessors) > 0 {
		return false
	}
	return !in.HasSideEffect()
}

// madeOf says by index which instructions of c the values of list are made of, those of list included.
func madeOf(c *hlo.Computation, list []*hlo.Instruction) []bool {
	needed := make([]bool, len(c.Instructions))
	for _, in := range list {
		needed[in.Index()] = true
	}
	for i, in := range slices.Backward(c.Instructions) {
		for _, o := range in.Operands {
			needed[o.Index()] = needed[o.Index()] || needed[i]
		}
	}
	return needed
}

// rename gives instructions whose name another one before them has a number. Pinned names are given to their owners.
func rename(list []*hlo.Instruction, pins map[string]bool) {
	taken := make(map[string]int, len(list))
	for name := range pins {
		taken[name] = 1
	}
	owned := map[string]bool{}
	for _, in := range list {
		if pins[in.Name] && !owned[in.Name] {
			owned[in.Name] = true
			continue
		}
		n := taken[in.Name]
		if n == 0 {
			taken[in.Name] = 1
			continue
		}
		name := in.Name
		for free := name; ; n++ {
			if free = name + "." + strconv.Itoa(n); taken[free] == 0 {
				taken[name], taken[free], in.Name = n+1, 1, free
				break
			}
		}
	}
}
