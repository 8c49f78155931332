package stablehlo

import (
	"errors"
	"fmt"
	"strconv"
)

// The bits that say what an op in bytecode has.
const (
	hasAttrs      = 1 << iota // a dictionary of attributes
	hasResults                // types of results
	hasOperands               // numbers of values
	hasSuccessors             // blocks to go to
	hasRegions
	hasUseOrders // orders of the uses of results
	hasProperties
)

// valueScope holds the values that one region defines. A nested region goes on counting behind those of the regions
// around it; an isolated one begins anew and sees nothing else.
type valueScope struct {
	base     uint64 // number of its first value
	count    uint64 // values that it says it has
	isolated bool
	values   []*Value // that are defined
}

// place is where a location says an op comes from.
type place struct {
	pos  Pos    // with a line, or no place
	name string // of a location without a line
}

// readIR reads the ops: one, which is the module.
func (f *bytecode) readIR(c cursor) {
	f.kinds = map[attrKey]*opKind{}
	f.pushValues(&c, 0, true)
	at := c.pos
	b := &Block{Pos: f.posAt(c.pos)}
	f.block(&c, b, nil)
	c.done("program")
	if f.err != nil {
		return
	}
	if len(b.Ops) != 1 || b.Ops[0].Name != "builtin.module" {
		f.failAt(at, "program is no module but %d ops", len(b.Ops))
		return
	}
	f.prog.Module = b.Ops[0]
}

func (f *bytecode) posAt(off int) Pos { return Pos{File: f.name, Col: off} }

func (f *bytecode) pushValues(c *cursor, count uint64, isolated bool) {
	s := valueScope{count: count, isolated: isolated}
	if !isolated {
		outer := &f.scopes[len(f.scopes)-1]
		s.base = outer.base + outer.count
	}
	if n := c.bounded(count, "values"); f.spend(c, n, refBytes) {
		s.values = make([]*Value, 0, n)
	}
	f.scopes = append(f.scopes, s)
}

// popValues ends a region.
func (f *bytecode) popValues(c *cursor) {
	last := len(f.scopes) - 1
	if s := &f.scopes[last]; uint64(len(s.values)) != s.count {
		c.fail("region defines %d values, %d are promised", len(s.values), s.count)
	}
	f.scopes = f.scopes[:last]
}

// define makes a new value of the innermost region.
func (f *bytecode) define(t Type) *Value {
	if f.usedVals == len(f.newVals) {
		f.newVals, f.usedVals = make([]Value, 64), 0
	}
	v := &f.newVals[f.usedVals]
	f.usedVals++
	v.Type = t
	s := &f.scopes[len(f.scopes)-1]
	s.values = append(s.values, v)
	return v
}

// value returns a value by its number.
func (f *bytecode) value(c *cursor, n uint64) *Value {
	for i := len(f.scopes) - 1; i >= 0; i-- {
		s := &f.scopes[i]
		if n >= s.base && n-s.base < uint64(len(s.values)) {
			return s.values[n-s.base]
		}
		if n >= s.base || s.isolated {
			break
		}
	}
	c.fail("value %d is used and not defined before", n)
	return &Value{Type: NoneType{}}
}

// block reads the head and the ops of a block.
func (f *bytecode) block(c *cursor, b *Block, owner *Op) {
	n := f.blockHead(c, b)
	b.Ops = make([]*Op, 0, n)
	for range n {
		op := f.op(c, owner)
		if f.err != nil {
			return
		}
		if !f.isCast(op) {
			op.own()
			b.Ops = append(b.Ops, op)
		}
	}
}

// blockHead reads the arguments of a block and returns the number of its ops.
func (f *bytecode) blockHead(c *cursor, b *Block) int {
	n, hasArgs := c.flagged()
	if hasArgs {
		f.blockArgs(c, b)
		if f.version >= versionUseLists && c.byte() != 0 {
			f.useOrders(c, len(b.Args))
		}
	}
	ops := c.bounded(n, "ops")
	if !f.spend(c, ops, opBytes+refBytes) {
		return 0
	}
	return ops
}

// isCast reports whether an op turns types of one dialect into the same of another, which are one in the tree, and
// makes its results stand for its operands.
func (f *bytecode) isCast(op *Op) bool {
	n := len(op.Results)
	if op.Name != conversionCast || len(op.Operands) != n || len(op.Regions) != 0 {
		return false
	}
	for i, v := range op.Operands {
		if !TypesEqual(v.Type, op.Results[i].Type) {
			return false
		}
	}
	values := f.scopes[len(f.scopes)-1].values
	copy(values[len(values)-n:], op.Operands)
	return true
}

func (f *bytecode) blockArgs(c *cursor, b *Block) {
	n := c.count("arguments")
	if !f.spend(c, n, valueBytes+2*refBytes) {
		return
	}
	b.Args = make([]*Value, 0, n)
	for range n {
		at := c.pos
		t, located := c.varint(), true
		if f.version >= versionElided {
			t, located = t>>1, t&1 != 0
		}
		pos := f.posAt(at)
		if located {
			pos, _ = f.location(c, c.varint(), at)
		}
		if v := f.define(f.typ(c, t)); f.err == nil {
			v.Name, v.at = "arg"+strconv.Itoa(f.argNumber), &pos
			f.argNumber++
			b.Args = append(b.Args, v)
		}
	}
}

// useOrders skips the orders in which n values are used, which only matter to those who change programs.
func (f *bytecode) useOrders(c *cursor, n int) {
	values := 1
	if n > 1 {
		values = c.count("orders of uses")
	}
	for range values {
		if n > 1 {
			c.varint()
		}
		uses, _ := c.flagged()
		for range c.bounded(uses, "uses") {
			c.varint()
		}
	}
}

// op reads one op with its regions. owner is the op around it, nil for the module. Its results do not know it yet.
func (f *bytecode) op(c *cursor, owner *Op) *Op {
	at := c.pos
	kind := c.varint()
	if kind >= uint64(len(f.ops)) {
		c.fail("kind %d of an op: there are %d", kind, len(f.ops))
		return nil
	}
	row := f.ops[kind].row
	mask := c.byte()
	op := f.newOp()
	op.Name = row.name
	op.Pos, op.Loc = f.location(c, c.varint(), at)
	op.Attrs, op.Results, op.Operands = nil, nil, op.Operands[:0]
	if op.kind = f.opKind(c, kind, mask); op.kind != nil {
		op.Attrs = op.kind.attrs
	}
	if mask&hasResults != 0 {
		f.results(c, op)
	}
	if mask&hasOperands != 0 {
		f.operands(c, op)
	}
	if mask&hasSuccessors != 0 && c.varint() != 0 {
		c.fail("%s: branches to blocks are not supported: %v", op.Name, errors.ErrUnsupported)
	}
	if mask&hasUseOrders != 0 {
		f.useOrders(c, len(op.Results))
	}
	if mask&hasRegions != 0 {
		f.opRegions(c, op)
	}
	if f.err == nil && row.finish != nil {
		row.finish(op, owner)
	}
	return op
}

func (f *bytecode) operands(c *cursor, op *Op) {
	n := c.count("operands")
	f.spend(c, n, refBytes)
	if cap(op.Operands) < n { // an op before, whose memory it has, had fewer
		op.Operands = f.newList(n)
	}
	op.Operands = op.Operands[:n]
	for i := range op.Operands {
		op.Operands[i] = f.value(c, c.varint())
	}
}

func (f *bytecode) results(c *cursor, op *Op) {
	n := c.count("results")
	if !f.spend(c, n, valueBytes+2*refBytes) {
		return
	}
	for range n {
		f.define(c.typ())
	}
	values := f.scopes[len(f.scopes)-1].values
	op.Results = values[len(values)-n : len(values) : len(values)]
}

// opRegions reads the regions of an op. Those of an isolated one may be a section.
func (f *bytecode) opRegions(c *cursor, op *Op) {
	n, isolated := c.flagged()
	body := c
	if isolated && f.version >= versionLazy {
		nested := c.nested(sectionIR)
		body = &nested
	}
	if f.regions++; f.regions > maxDepth {
		c.fail("nesting is deeper than %d", maxDepth)
	}
	regions := body.bounded(n, "regions")
	if !f.spend(c, regions, regionBytes+refBytes) {
		return
	}
	op.Regions = make([]*Region, regions)
	later := f.lazy && body != c && regions == 1 && op.Name == "func.func"
	for i := range op.Regions {
		op.Regions[i] = f.region(body, op, isolated, &later)
	}
	f.regions--
	if body != c && !later {
		body.done("regions of %s", op.Name)
	}
}

// region reads a region. With later it may put off the ops, and says whether it did.
func (f *bytecode) region(c *cursor, op *Op, isolated bool, later *bool) *Region {
	r := &Region{Pos: f.posAt(c.pos)}
	blocks := c.count("blocks")
	if *later = *later && blocks == 1; blocks == 0 {
		return r
	}
	f.pushValues(c, c.varint(), isolated)
	defer func(n int) { f.argNumber = n }(f.argNumber)
	if isolatedOps[op.Name] {
		f.argNumber = 0
	}
	if !f.spend(c, blocks, blockBytes+refBytes) {
		return r
	}
	all := make([]Block, blocks)
	r.Blocks = make([]*Block, blocks)
	for i := range all {
		all[i].Pos = f.posAt(c.pos)
		r.Blocks[i] = &all[i]
		if *later {
			all[i].body = f.later(c, op, f.blockHead(c, &all[i]))
			return r
		}
		f.block(c, &all[i], op)
	}
	f.popValues(c)
	return r
}

// location returns the place that location n tells, for what lies at an offset, and the location itself.
func (f *bytecode) location(c *cursor, n uint64, at int) (Pos, *Location) {
	a, ok := f.attr(c, n).(LocAttr)
	if !ok {
		if f.err == nil {
			f.failAt(at, "attribute %d is no location", n)
		}
		return Pos{}, nil
	}
	p := f.attrs[n].place
	if p == nil {
		p = &place{}
		p.find(a.Loc, 0)
		if f.attrs[n].place = p; p.pos.Line == 0 {
			p.pos.File = f.name
			if p.name != "" {
				p.pos.File = fmt.Sprintf("%s: %q", f.name, p.name[:min(len(p.name), maxName)])
			}
		}
	}
	if p.pos.Line > 0 {
		return p.pos, a.Loc
	}
	return Pos{File: p.pos.File, Col: at}, a.Loc
}

// find looks for the first file and the first name in a location.
func (p *place) find(l *Location, depth int) {
	if depth > 64 {
		return
	}
	switch {
	case l.Kind == LocFile && l.Line > 0:
		p.pos = Pos{File: l.File, Line: l.Line, Col: l.Col}
	case l.Kind == LocName && p.name == "":
		p.name = l.Name
	}
	for _, child := range l.Children {
		if p.pos.Line > 0 {
			return
		}
		p.find(child, depth+1)
	}
}
