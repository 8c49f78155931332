package hlopb

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// maxCallChain bounds how many computations are read before the one that calls them.
const maxCallChain = 5_000

// reader makes a module of a HloModuleProto.
type reader struct {
	*message
	m     *hlo.Module
	units map[int64]*unit
	// sequences are the orders of instructions of a scheduled module by computation.
	sequences map[int64][]int64
	frames    *frames
	// bare says that layouts are there for XLA only.
	bare   bool
	chain  int
	adders map[shape.ElementType]*hlo.Computation
}

// unit is a computation of the file, comp what was made of it.
type unit struct {
	msg     *message
	id      int64
	reading bool
	comp    *hlo.Computation
}

// readModule reads a HloModuleProto.
func readModule(m *message) (*hlo.Module, error) {
	r := &reader{message: m, m: &hlo.Module{Name: m.str("name")}, units: map[int64]*unit{}}
	r.frames = readFrames(m)
	r.bare = m.texts()["layouts"] == "none"
	r.schedule()
	var order []*unit
	m.subs("computations", func(c *message) {
		u := &unit{msg: c, id: c.num("id")}
		if r.units[u.id] != nil {
			c.fail("id", "two computations have the id %d", u.id)
		}
		r.units[u.id] = u
		order = append(order, u)
	})
	if len(order) == 0 {
		m.fail("computations", "the module has no computation")
	}
	for _, u := range order {
		r.computation(u)
	}
	r.entry(order)
	r.config()
	return r.m, r.err
}

// entry finds the entry computation, by its name in files that know no ids.
func (r *reader) entry(order []*unit) {
	id, name := r.num("entry_computation_id"), r.str("entry_computation_name")
	u := r.units[id]
	for _, other := range order {
		if id == 0 && name != "" && other.comp != nil && other.comp.Name == name {
			u = other
		}
	}
	if u == nil {
		r.fail("entry_computation_id", "there is no computation %d", id)
		return
	}
	r.m.Entry = u.comp
}

func (r *reader) schedule() {
	s := r.sub("schedule")
	if s == nil {
		return
	}
	r.m.Config.IsScheduled, r.sequences = true, map[int64][]int64{}
	s.subs("sequences", func(e *message) {
		if list := e.sub("value"); list != nil {
			r.sequences[e.num("key")] = list.nums("instruction_ids")
		}
	})
}

// computation makes the computation of u, unless that was done.
func (r *reader) computation(u *unit) *hlo.Computation {
	switch {
	case r.err != nil || u.comp != nil:
		return u.comp
	case u.reading:
		u.msg.fail("", "computation %s calls itself, directly or through others", u.msg.str("name"))
		return nil
	case r.chain > maxCallChain:
		u.msg.fail("", "computations call later ones more than %d deep", maxCallChain)
		return nil
	}
	u.reading = true
	r.chain++
	b := &body{reader: r, unit: u, byID: map[int64]*hlo.Instruction{}, names: map[int64]string{}}
	u.comp = b.read()
	r.chain--
	if u.comp != nil {
		r.m.Computations = append(r.m.Computations, u.comp)
	}
	return u.comp
}

// body is a computation that is being read.
type body struct {
	*reader
	unit  *unit
	byID  map[int64]*hlo.Instruction
	names map[int64]string // of all instructions
	list  []*hlo.Instruction
}

func (b *body) read() *hlo.Computation {
	c := b.unit.msg
	name := c.ownName()
	var messages []*message
	c.subs("instructions", func(m *message) {
		id := m.num("id")
		if _, ok := b.names[id]; ok {
			m.fail("id", "two instructions of computation %s have the id %d", name, id)
		}
		b.names[id] = m.ownName()
		messages = append(messages, m)
	})
	for _, m := range b.inOrder(messages) {
		if b.err == nil {
			b.instruction(m)
		}
	}
	root := b.byID[c.num("root_id")]
	if root == nil {
		c.fail("root_id", "computation %s has no instruction %d", name, c.num("root_id"))
	}
	if b.err != nil {
		return nil
	}
	comp, err := hlo.NewComputation(name, b.list, root)
	if err != nil {
		c.fail("", "%w", err)
		return nil
	}
	b.leftovers(c, comp)
	return comp
}

// leftovers keeps what else the file says of a computation. Its program's shape and its being a fusion's follow from
// the module.
func (b *body) leftovers(c *message, comp *hlo.Computation) {
	c.drop("program_shape")
	c.drop("is_fusion_computation")
	if thread := c.str("execution_thread"); thread != "" {
		comp.Extra = append(comp.Extra, hlo.RawAttr{Name: "execution_thread", Text: hlo.Quote(thread)})
	}
	c.extra(&comp.Extra, nil)
	comp.Proto = c.rest(nil)
}

// inOrder returns the instructions in the order of the schedule, if there is one.
func (b *body) inOrder(messages []*message) []*message {
	sequence, ok := b.sequences[b.unit.id]
	if !ok || b.err != nil {
		return messages
	}
	byID := make(map[int64]*message, len(messages))
	for _, m := range messages {
		byID[m.num("id")] = m
	}
	ordered := make([]*message, 0, len(messages))
	for _, id := range sequence {
		if m := byID[id]; m != nil {
			ordered = append(ordered, m)
			delete(byID, id)
		}
	}
	if len(ordered) != len(messages) || len(sequence) != len(messages) {
		b.unit.msg.fail("", "the schedule of computation %s has %d instructions, want each of its %d once",
			b.unit.msg.str("name"), len(sequence), len(messages))
	}
	return ordered
}

// instruction reads one instruction and what it calls.
func (b *body) instruction(m *message) {
	opcode, id := m.str("opcode"), m.num("id")
	operands := b.operands(m)
	if !m.has("shape") {
		m.fail("shape", "instruction %s has no shape", m.str("name"))
	}
	if b.err != nil {
		return
	}
	s := b.shape(m.sub("shape"))
	if own, err := shape.Parse(m.texts()["shape"]); err == nil && own.Compatible(s) {
		s = own
	}
	old, removed := removedOps[opcode]
	op, ok := hlo.OpByName(opcode)
	switch {
	case removed:
		op = old.op
	case !ok:
		m.fail("opcode", "unknown opcode %q", opcode)
	}
	if b.err != nil {
		return
	}
	d := &draft{body: b, m: m, op: op, name: b.names[id], shape: s, operands: operands}
	d.attrs = readAttrs(m, op)
	if removed && b.err == nil {
		old.rewrite(d)
	}
	if b.err == nil {
		d.calls()
	}
	if b.err == nil {
		b.byID[id] = d.finish()
	}
}

func (b *body) operands(m *message) []*hlo.Instruction {
	ids := m.nums("operand_ids")
	if len(ids) == 0 {
		return nil
	}
	list := make([]*hlo.Instruction, len(ids))
	for i, id := range ids {
		if list[i] = b.byID[id]; list[i] != nil {
			continue
		}
		if _, ok := b.names[id]; ok {
			m.fail("operand_ids", "operand %d is instruction %d, which does not stand before its user", i, id)
		}
		m.fail("operand_ids", "operand %d: the computation has no instruction %d", i, id)
	}
	return list
}

// draft is an instruction that is being read.
type draft struct {
	*body
	m        *message
	op       hlo.Opcode
	name     string
	shape    shape.Shape
	operands []*hlo.Instruction
	attrs    hlo.Attrs
}

// calls gives the called computations to the attributes that name some. A while loop's body is before its condition.
func (d *draft) calls() {
	ids := d.m.nums("called_computation_ids")
	if d.attrs == nil || len(ids) == 0 && d.op != hlo.While {
		return
	}
	fields := d.attrs.Fields()
	if d.op == hlo.While {
		slices.Reverse(fields)
	}
	_, applied := d.m.texts()["to_apply"]
	for _, f := range fields {
		switch p := f.Ptr.(type) {
		case **hlo.Computation:
			if *p == nil && len(ids) > 0 && (d.op != hlo.CustomCall || applied) {
				*p, ids = d.called(ids[0]), ids[1:]
			}
			if *p == nil && f.When == hlo.Always {
				d.m.fail("called_computation_ids", "there is no computation for %s", f.Name)
			}
		case *[]*hlo.Computation:
			for ; len(ids) > 0 && d.err == nil; ids = ids[1:] {
				*p = append(*p, d.called(ids[0]))
			}
		}
	}
}

func (d *draft) called(id int64) *hlo.Computation {
	u := d.units[id]
	if u == nil {
		d.m.fail("called_computation_ids", "the module has no computation %d", id)
		return nil
	}
	return d.computation(u)
}

// finish makes the instruction and checks it.
func (d *draft) finish() *hlo.Instruction {
	at := d.position()
	common := readCommon(d.m, d.attrs, d.names)
	if d.err != nil {
		return nil
	}
	in := &hlo.Instruction{Op: d.op, Attrs: d.attrs, Shape: d.shape, Operands: d.operands, Pos: at, Name: d.name}
	if d.lenient {
		d.list = append(d.list, hlo.Widen(in)...)
	}
	if err := in.Complete(); err != nil {
		d.m.fail("", "%w", err)
		return nil
	}
	in.Common = common
	d.list = append(d.list, in)
	return in
}

// position is where the producer's source has the instruction, the offset in the file if it does not say.
func (d *draft) position() hlo.Pos {
	if s := d.m.sub("metadata"); s != nil {
		if p := d.frames.place(s.num("stack_frame_id")); p.File != "" {
			return p
		}
		if file := s.str("source_file"); file != "" {
			return hlo.Pos{File: file, Line: int(s.num("source_line")), Col: int(s.num("source_column"))}
		}
	}
	if d.text || len(d.m.fields) == 0 {
		return hlo.Pos{}
	}
	return hlo.Pos{File: d.file, Col: d.m.fields[0].start}
}

// ownName is the name that an instruction or computation had before names were made unique.
func (m *message) ownName() string {
	if name, ok := m.texts()[""]; ok {
		m.drop("name")
		return name
	}
	return m.str("name")
}
