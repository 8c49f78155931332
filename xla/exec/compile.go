package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// New returns the backend of a machine.
func New(m Machine) Backend {
	k := newKeeper(max(m.Threads(), 1))
	remote, _ := m.(Remote)
	return &backend{m, home{k, newExecutor(k), newPacks(len(k.shelves)), remote}}
}

// backend is a machine with what its programs share.
type backend struct {
	machine Machine
	home
}

// home is what the programs of a backend share: memory, threads and packed constants.
type home struct {
	keeper   *keeper
	executor *executor
	packs    *packs
	remote   Remote // the machine, nil if it has no memory of its own
}

// on is the backend of the machine that device d is.
func (b *backend) on(int) *backend { return b }

// Trim gives back the memory that is kept for executions to come.
func (b *backend) Trim() {
	b.executor.tidyAll()
	b.keeper.trim()
}

func (b *backend) Name() string { return b.machine.Name() }

func (b *backend) Compile(ctx context.Context, m *hlo.Module, o Options) (Program, error) {
	if s, ok := b.machine.(Server); ok {
		o.Handlers = s.Serving(o.Handlers)
	}
	if err := hlo.Unsupported(m, o.Handlers); err != nil {
		return nil, err
	}
	if err := checkWritten(m); err != nil {
		return nil, err
	}
	read := identityOf(m)
	m, err := b.improve(ctx, m, o)
	if err != nil {
		return nil, err
	}
	b.keeper.setLimit(o.MemoryLimit / 2)
	p := newProgram(b.machine, o, m, b.home)
	p.identity = cmp.Or(read, p.identity)
	c := &compiler{ctx: ctx, machine: b.machine, options: o, program: p}
	if err := c.module(p); err != nil {
		p.Close()
		return nil, err
	}
	if p.remote != nil {
		p.keeper.opened(1)
		p.closing = append(p.closing, func() { p.keeper.opened(-1) })
	}
	return p, nil
}

// sub compiles a computation to a program of its own, which lives as long as the one being compiled.
func (c *compiler) sub(comp *hlo.Computation) (*program, error) {
	p := newProgram(c.machine, c.options, &hlo.Module{Name: comp.Name, Entry: comp}, c.program.home)
	p.options.DumpTo = ""
	p.partOf(c.program)
	s := &compiler{ctx: c.ctx, machine: c.machine, options: c.options, program: p, depth: c.depth}
	return p, s.module(p)
}

// compiler turns one module into steps over slots.
type compiler struct {
	ctx     context.Context
	machine Machine
	options Options
	program *program
	slots   []slot
	count   int // steps so far
	depth   int // calls under way
	boxes   int
	foreign bool // functions of the user are called
	lacking lacking
}

// foreign are the ops that need a hub even if there is only one device: functions of the user run, which may end their
// goroutine, or channels outlive the instruction.
var foreign = map[hlo.Opcode]bool{hlo.CustomCall: true, hlo.Send: true, hlo.Recv: true, hlo.RecvDone: true}

// slot is a piece of memory with one address in a run.
type slot struct {
	kind slotKind
	size int64
	// data are the bytes of a constant: those of pack, if there is one, once it is filled.
	data []byte
	pack *pack
	// index is the parameter's or result's number among their leaves.
	index int
	// offset is the place of a temporary in the arena, and that of staged arguments and results.
	offset int64
	staged bool
	// host is the result slot in whose memory it lies instead, NoSlot if there is none.
	host int32
	// donor is the parameter slot that a result overwrites, NoSlot if there is none.
	donor int32
}

type slotKind uint8

const (
	temporary slotKind = iota // in the arena
	parameter                 // bytes of an argument
	result                    // memory of its own, which goes to the caller
	constant                  // lives as long as the executable
	boxed                     // a literal at run time: its size is unknown before, or it is no array
)

// maxSteps bounds the steps of a program: computations are compiled anew where they are called, and a short text can
// call without end.
const maxSteps = 1 << 20

// maxDepth bounds the nesting of calls.
const maxDepth = 1000

func (c *compiler) newSlot(s slot) Slice {
	if len(c.slots) == math.MaxInt32 {
		panic("exec: bug: too many slots")
	}
	s.host, s.donor = NoSlot, NoSlot
	c.slots = append(c.slots, s)
	return Slice{Slot: int32(len(c.slots) - 1), Size: s.size}
}

func (c *compiler) newBox() Slice {
	c.boxes++
	return c.newSlot(slot{kind: boxed, index: c.boxes - 1})
}

// newLeaf returns a new temporary for an array of shape s, a box if its size is unknown, nothing for a token.
func (c *compiler) newLeaf(s shape.Shape) (leaf, error) {
	s = s.WithoutLayout()
	switch {
	case s.IsToken():
		return leaf{Slice{Slot: NoSlot}, s}, nil
	case !s.IsArray() || s.IsDynamic():
		return leaf{c.newBox(), s}, nil
	}
	n, err := s.ByteSize()
	if err == nil && n > literal.MaxBytes {
		err = fmt.Errorf("%w: shape %v takes %d bytes, want at most %d", hlo.ErrLimit, s, n, int64(literal.MaxBytes))
	}
	if err != nil {
		return leaf{}, err
	}
	return leaf{c.newSlot(slot{size: n}), s}, nil
}

func (c *compiler) newValue(s shape.Shape) (value, error) {
	var v value
	for _, e := range s.Leaves() {
		l, err := c.newLeaf(e)
		if err != nil {
			return nil, err
		}
		v = append(v, l)
	}
	return v, nil
}

// constantLeaf returns the slot of a literal that is no tuple.
func (c *compiler) constantLeaf(l *literal.Literal) leaf {
	if l.Shape().IsToken() {
		return leaf{Slice{Slot: NoSlot}, l.Shape()}
	}
	l = l.RowMajor()
	data := l.Bytes()
	return leaf{c.newSlot(slot{kind: constant, size: int64(len(data)), data: data}), l.Shape().WithoutLayout()}
}

// constant returns the value of x if it is a constant.
func (c *compiler) constant(x leaf) *literal.Literal {
	if x.Slot == NoSlot || c.slots[x.Slot].kind != constant {
		return nil
	}
	l, err := literal.FromBytes(x.shape, c.slots[x.Slot].data[x.Offset:x.Offset+x.Size])
	if err != nil {
		panic("exec: bug: " + err.Error())
	}
	return l
}

// fillPacks fills the packs of p and gives their data to the slots.
func (c *compiler) fillPacks(p *program) error {
	if err := p.packs.fill(c.ctx, p.packed); err != nil {
		return err
	}
	for i := range c.slots {
		if x := c.slots[i].pack; x != nil {
			c.slots[i].data = x.data
		}
	}
	return nil
}

// module compiles the entry.
func (c *compiler) module(p *program) error {
	m := p.module
	args := make([]value, len(m.Entry.Parameters))
	for i, in := range m.Entry.Parameters {
		var err error
		if args[i], err = c.parameter(in.Shape, p); err != nil {
			return &hlo.Error{In: in, Err: err}
		}
	}
	b := &block{}
	root, err := c.computation(b, m.Entry, args)
	if err != nil {
		return err
	}
	if err := c.lacking.err(c.machine.Name()); err != nil {
		return err
	}
	if err := c.fillPacks(p); err != nil {
		return err
	}
	p.results = c.results(b, root, p)
	p.body, p.slots, p.boxes, p.foreign = b, c.slots, c.boxes, c.foreign
	p.brief = p.isBrief()
	if err := p.assign(); err != nil {
		return err
	}
	if err := p.dump(); err != nil {
		return err
	}
	p.linker.recorder, _ = c.machine.(Recorder)
	p.linker.single = p.options.Verify || p.options.Profile
	if err := p.build(b); err != nil {
		return err
	}
	p.linker.link(p, b)
	p.quick = p.quickSegment()
	return nil
}

// parameter makes the leaves of an entry parameter.
func (c *compiler) parameter(s shape.Shape, p *program) (value, error) {
	v, err := c.newValue(s)
	for _, l := range v {
		if l.Slot == NoSlot {
			p.parameters = append(p.parameters, NoSlot)
			continue
		}
		if sl := &c.slots[l.Slot]; sl.kind == temporary {
			sl.kind, sl.index = parameter, len(p.parameters)
		}
		p.parameters = append(p.parameters, l.Slot)
	}
	return v, err
}

// results gives the leaves of the root memory of their own, unless they are arguments, constants or boxes. A part of a
// slot is copied.
func (c *compiler) results(b *block, root value, p *program) value {
	out := make(value, len(root))
	p.owned = make([]bool, len(root))
	times := map[int32]int{}
	for i, l := range root {
		if l.Slot == NoSlot || c.slots[l.Slot].kind != temporary && c.slots[l.Slot].kind != result {
			out[i] = l
			continue
		}
		if l.Offset != 0 || l.Size != c.slots[l.Slot].size {
			to := leaf{c.newSlot(slot{size: l.Size}), l.shape}
			c.copy(b, to, l)
			l = to
		}
		if sl := &c.slots[l.Slot]; sl.kind == temporary {
			sl.kind, sl.index = result, len(p.resultSlots)
			p.resultSlots, p.leafOf = append(p.resultSlots, l.Slot), append(p.leafOf, i)
		}
		times[l.Slot]++
		out[i] = l
	}
	for i, l := range out {
		p.owned[i] = times[l.Slot] == 1
	}
	return out
}

// scope is one call of a computation: the values of its instructions.
type scope struct {
	block  *block
	comp   *hlo.Computation
	args   []value
	values map[*hlo.Instruction]value
}

func (s *scope) operands(in *hlo.Instruction) []value {
	out := make([]value, len(in.Operands))
	for i, o := range in.Operands {
		out[i] = s.values[o]
	}
	return out
}

// computation appends the steps of one call of comp to b and returns the value of its root.
func (c *compiler) computation(b *block, comp *hlo.Computation, args []value) (value, error) {
	if c.depth++; c.depth > maxDepth {
		return nil, fmt.Errorf("computation %s: calls nest deeper than %d: %w", comp.Name, maxDepth, errors.ErrUnsupported)
	}
	defer func() { c.depth-- }()
	s := &scope{b, comp, args, make(map[*hlo.Instruction]value, len(comp.Instructions))}
	for _, in := range c.schedule(comp) {
		v, err := c.instruction(s, in)
		if err != nil {
			var known *hlo.Error
			if !errors.As(err, &known) {
				err = &hlo.Error{In: in, Err: err}
			}
			return nil, err
		}
		s.values[in] = v
	}
	return s.values[comp.Root], nil
}

func (c *compiler) instruction(s *scope, in *hlo.Instruction) (value, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	c.foreign = c.foreign || foreign[in.Op]
	if f := own[in.Op]; f != nil {
		if v, done, err := f(c, s, in); done || err != nil {
			return v, err
		}
	}
	v, err := c.newValue(in.Shape)
	if err != nil {
		return nil, err
	}
	if hlo.TakesSizes(in.Op) || isDynamic(s, in, v, c) {
		return v, c.dynamic(s, in, v)
	}
	return v, c.lower(s, in, v)
}

// isDynamic reports whether in has a box among its operands or results.
func isDynamic(s *scope, in *hlo.Instruction, v value, c *compiler) bool {
	boxedIn := func(v value) bool {
		for _, l := range v {
			if l.Slot != NoSlot && c.slots[l.Slot].kind == boxed {
				return true
			}
		}
		return false
	}
	for _, o := range in.Operands {
		if boxedIn(s.values[o]) || o.Shape.IsDynamic() {
			return true
		}
	}
	return boxedIn(v)
}

// dynamic appends the thunk of an instruction with dynamic dimensions.
func (c *compiler) dynamic(s *scope, in *hlo.Instruction, v value) error {
	t := &dynamicThunk{referenceThunk: *newReferenceThunk(in, s.operands(in), v), program: c.program}
	c.program.dynamics = append(c.program.dynamics, t)
	return c.add(s.block, &step{in: in, thunk: t, kernel: t.Kernel()})
}

// lower asks the machine for a thunk, and takes the reference's if it has none.
func (c *compiler) lower(s *scope, in *hlo.Instruction, v value) error {
	err := c.machineThunk(s, in, v)
	if errors.Is(err, errors.ErrUnsupported) {
		return c.reference(s, in, v, err.Error())
	}
	return err
}

// machineThunk appends the machine's thunk for in. It fails with errors.ErrUnsupported if there is none.
func (c *compiler) machineThunk(s *scope, in *hlo.Instruction, v value) error {
	mark := len(c.slots)
	l := &Lowering{In: in, c: c, operands: s.operands(in), results: v, comp: s.comp}
	t, err := c.machine.Lower(l)
	if err != nil {
		c.slots = c.slots[:mark]
		return err
	}
	st := &step{in: in, thunk: t, kernel: kernelOf(t), scratch: l.scratch}
	for _, r := range v {
		if !writes(t, r.Slice) {
			panic(fmt.Sprintf("exec: bug: %s does not say that it writes all of its result %v", st.kernel, r.shape))
		}
	}
	return c.add(s.block, st)
}

// writes reports whether t says that it writes s.
func writes(t Thunk, s Slice) bool {
	if s.Slot == NoSlot || s.Size == 0 {
		return true
	}
	for _, u := range t.Uses() {
		if u.Write && u.Slice == s {
			return true
		}
	}
	return false
}

func kernelOf(t Thunk) string {
	if d, ok := t.(Described); ok {
		return d.Kernel()
	}
	return "exec"
}

// reference appends the thunk that evaluates in by its definition, or notes that in is lacking.
func (c *compiler) reference(s *scope, in *hlo.Instruction, v value, reason string) error {
	if !c.options.AllowReference {
		c.lacking.add(in)
		return nil
	}
	t := newReferenceThunk(in, s.operands(in), v)
	return c.add(s.block, &step{in: in, thunk: t, kernel: "reference", reason: reason})
}

func (c *compiler) add(b *block, st *step) error {
	if c.count++; c.count > maxSteps {
		return fmt.Errorf("the program has more than %d steps when its calls are expanded: %w", maxSteps,
			errors.ErrUnsupported)
	}
	b.steps = append(b.steps, st)
	return nil
}
