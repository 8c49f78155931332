package stablehlo

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// importCall imports a call of a function.
func importCall(c *ctx, op *Op) error { return c.call(op, "callee", false) }

func (c *ctx) call(op *Op, attr string, composite bool) error {
	name, err := op.Text(attr)
	if err != nil {
		return err
	}
	f := c.im.functions[name]
	if f == nil {
		return op.Errorf("function @%s is not defined", name)
	}
	if err := sameTypes(op, f.typ); err != nil {
		return err
	}
	callee, err := c.im.computation(f)
	if err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	a := &hlo.CallAttrs{ToApply: callee, IsComposite: composite}
	in, err := c.add(op, hlo.Call, a, noShape, operands...)
	if err != nil {
		return err
	}
	return c.oneOrTuple(op, in)
}

// sameTypes compares an op's operands and results with those of a function it calls.
func sameTypes(op *Op, t FuncType) error {
	for _, part := range [...]struct {
		what   string
		values []*Value
		types  []Type
	}{{"operand", op.Operands, t.Inputs}, {"result", op.Results, t.Results}} {
		if len(part.values) != len(part.types) {
			return op.Errorf("has %d %ss, want %d as the function", len(part.values), part.what, len(part.types))
		}
		for i, v := range part.values {
			if !TypesEqual(v.Type, part.types[i]) {
				return op.Errorf("%s %d is %s, want %s as the function", part.what, i, v.Type, part.types[i])
			}
		}
	}
	return nil
}

// importComposite imports a composite as a call of its decomposition. Law: row 76.
func importComposite(c *ctx, op *Op) error {
	name, err := op.Text("name")
	if err != nil {
		return err
	}
	if !compositeName(name) { // composite C1
		return op.Errorf("name %q is no dialect and op with a dot between them", name)
	}
	version, err := op.IntOr("version", 0)
	if err != nil {
		return err
	}
	attrs := "{}"
	if a := op.Attr("composite_attributes"); a != nil {
		dict, ok := a.(DictAttr)
		if !ok {
			return op.wrong("composite_attributes", "a dictionary")
		}
		if attrs, err = c.im.text(op, dict); err != nil {
			return err
		}
	}
	before := len(c.instructions)
	if err := c.call(op, "decomposition", true); err != nil {
		return err
	}
	for _, in := range c.instructions[before:] {
		if in.Op != hlo.Call {
			continue
		}
		common := hlo.Common{}
		if in.Common != nil {
			common = *in.Common
		}
		if err := c.im.copy(op, common.Frontend); err != nil {
			return err
		}
		common.Frontend = append(slices.Clone(common.Frontend), hlo.KeyValue{Key: "composite.attributes", Value: attrs},
			hlo.KeyValue{Key: "composite.name", Value: name},
			hlo.KeyValue{Key: "composite.version", Value: fmt.Sprint(version)})
		in.Common = &common
	}
	return nil
}

// compositeName reports whether a name is namespace.op.
func compositeName(name string) bool {
	dot := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '.':
			dot = dot || i > 0
		case !letter(c) && c != '_' && c != '$' && c != '-' && (i == 0 || !digit(c)):
			return false
		}
	}
	return dot && name[len(name)-1] != '.'
}

// importWhile imports a loop. Its state is one value: the tuple of the op's values and of those from outside that its
// regions use, or the only value there is.
func importWhile(c *ctx, op *Op) error {
	if len(op.Regions) != 2 || len(op.Results) != len(op.Operands) {
		return op.Errorf("has %d regions and %d results, want 2 and one result an operand", len(op.Regions), len(op.Results))
	}
	init, err := c.operands(op)
	if err != nil {
		return err
	}
	free := captures(op.Regions...)
	for _, v := range free {
		in, err := c.value(v)
		if err != nil {
			return err
		}
		init = append(init, in)
	}
	w := &loop{c: c, op: op, captures: free, bare: len(init) == 1}
	if err := w.shape(); err != nil {
		return err
	}
	a := &hlo.WhileAttrs{}
	if a.Condition, err = w.region(0, "while_cond"); err != nil {
		return err
	}
	if a.Body, err = w.region(1, "while_body"); err != nil {
		return err
	}
	return w.finish(a, init)
}

// loop is a while op while it is being imported.
type loop struct {
	c        *ctx
	op       *Op
	captures []*Value
	bare     bool        // the state is one value and no tuple
	state    shape.Shape // of the state
}

func (w *loop) shape() error {
	var elems []shape.Shape
	for _, v := range slices.Concat(w.op.Results, w.captures) {
		s, err := shapeOf(v.Type)
		if err != nil {
			return w.op.Errorf("value: %v", err)
		}
		elems = append(elems, s)
	}
	w.state = shape.TupleOf(elems...)
	if w.bare {
		w.state = elems[0]
	}
	return nil
}

// region imports the condition (0) or the body (1).
func (w *loop) region(i int, name string) (*hlo.Computation, error) {
	block, err := w.op.Block(i)
	if err != nil {
		return nil, err
	}
	if len(block.Args) != len(w.op.Operands) { // while C1, C2
		return nil, w.op.Errorf("region %d has %d arguments, want %d as there are operands",
			i, len(block.Args), len(w.op.Operands))
	}
	for k, v := range block.Args {
		if !compatibleTypes(v.Type, w.op.Operands[k].Type) {
			return nil, w.op.Errorf("region %d: argument %d is %s, want %s", i, k, v.Type, w.op.Operands[k].Type)
		}
	}
	r := w.c.region(w.op, name)
	if err := r.unpack(w.op, w.state, w.bare, slices.Concat(block.Args, w.captures)); err != nil {
		return nil, err
	}
	results, err := r.body(block, w.op)
	if err != nil {
		return nil, err
	}
	if i == 0 {
		return r.build(results, false, w.op)
	}
	if len(results) != len(w.op.Operands) { // while C2
		return nil, w.op.Errorf("body returns %d values, want %d", len(results), len(w.op.Operands))
	}
	for _, v := range w.captures {
		in, err := r.value(v)
		if err != nil {
			return nil, err
		}
		results = append(results, in)
	}
	return r.build(results, !w.bare, w.op)
}

func (w *loop) finish(a *hlo.WhileAttrs, init []*hlo.Instruction) error {
	state := init[:1]
	if !w.bare {
		t, err := w.c.tuple(w.op, init...)
		if err != nil {
			return err
		}
		state = []*hlo.Instruction{t}
	}
	in, err := w.c.add(w.op, hlo.While, a, w.state, state...)
	if err != nil {
		return err
	}
	if w.bare && len(w.op.Results) == 1 {
		return w.c.finish(w.op, in)
	}
	if w.bare {
		return w.c.common(w.op, in)
	}
	return w.c.results(w.op, in)
}

// compatibleTypes reports whether two types may be of one value: dimensions unknown in either match any size.
func compatibleTypes(a, b Type) bool {
	if TypesEqual(a, b) {
		return true
	}
	x, err := shapeOf(a)
	if err != nil {
		return false
	}
	y, err := shapeOf(b)
	return err == nil && quantised(a) == quantised(b) && refines(x, y)
}

// region returns the context of a region's computation.
func (c *ctx) region(op *Op, name string) *ctx {
	r := c.im.newContext(c, c.im.uniqueName(name))
	r.owner = op
	return r
}

// unpack makes the parameter of a computation that takes its values in one, and the values from it.
func (c *ctx) unpack(op *Op, s shape.Shape, bare bool, values []*Value) error {
	p, err := c.parameter(op, 0, s, "")
	if err != nil {
		return err
	}
	for i, v := range values {
		in := p
		if !bare {
			if in, err = c.element(op, p, i); err != nil {
				return err
			}
		}
		c.set(v, in)
	}
	return nil
}

// captures returns the values that regions use and do not define, in the order of their uses. Constants are left out:
// they are made again inside.
func captures(regions ...*Region) []*Value {
	f := finder{inside: map[*Value]bool{}}
	for _, r := range regions {
		f.region(r)
	}
	return f.free
}

// finder looks for the values that regions use and do not define.
type finder struct {
	inside map[*Value]bool // defined inside, or found
	free   []*Value
}

func (f *finder) region(r *Region) {
	for _, b := range r.Blocks {
		f.define(b.Args)
		for _, op := range b.Ops {
			for _, v := range op.Operands {
				f.use(v)
			}
			for _, inner := range op.Regions {
				f.region(inner)
			}
			f.define(op.Results)
		}
	}
}

func (f *finder) define(values []*Value) {
	for _, v := range values {
		f.inside[v] = true
	}
}

func (f *finder) use(v *Value) {
	if f.inside[v] || v.Op != nil && slices.Contains(spellings(v.Op.Name), "stablehlo.constant") {
		return
	}
	f.inside[v] = true
	f.free = append(f.free, v)
}

// importIf imports a choice between two regions; the first is for true.
func importIf(c *ctx, op *Op) error {
	if len(op.Regions) != 2 || len(op.Operands) != 1 {
		return op.Errorf("has %d regions and %d operands, want 2 and 1", len(op.Regions), len(op.Operands))
	}
	return c.conditional(op)
}

// importCase imports a choice between regions by number.
func importCase(c *ctx, op *Op) error {
	if len(op.Regions) == 0 || len(op.Operands) != 1 { // case C1
		return op.Errorf("has %d regions and %d operands, want at least 1 and 1", len(op.Regions), len(op.Operands))
	}
	return c.conditional(op)
}

// conditional imports if and case. Each branch takes one parameter, the tuple of the values from outside that
// it uses.
func (c *ctx) conditional(op *Op) error {
	index, err := c.value(op.Operands[0])
	if err != nil {
		return err
	}
	operands := []*hlo.Instruction{index}
	a := &hlo.ConditionalAttrs{}
	for i := range op.Regions {
		branch, arg, err := c.branch(op, i)
		if err != nil {
			return err
		}
		a.Branches = append(a.Branches, branch)
		operands = append(operands, arg)
	}
	told, err := declared(op)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.Conditional, a, told, operands...)
	if err != nil {
		return err
	}
	return c.oneOrTuple(op, in)
}

// branch imports region i and makes its argument.
func (c *ctx) branch(op *Op, i int) (*hlo.Computation, *hlo.Instruction, error) {
	block, err := op.Block(i)
	if err != nil {
		return nil, nil, err
	}
	if len(block.Args) != 0 { // if C1, case C2
		return nil, nil, op.Errorf("branch %d has %d arguments, want none", i, len(block.Args))
	}
	free := captures(op.Regions[i])
	var args []*hlo.Instruction
	for _, v := range free {
		in, err := c.value(v)
		if err != nil {
			return nil, nil, err
		}
		args = append(args, in)
	}
	arg, err := c.tuple(op, args...)
	if err != nil {
		return nil, nil, err
	}
	r := c.region(op, fmt.Sprintf("branch_%d", i))
	if err := r.unpack(op, arg.Shape, false, free); err != nil {
		return nil, nil, err
	}
	results, err := r.body(block, op)
	if err != nil {
		return nil, nil, err
	}
	if len(results) != len(op.Results) { // if C3, case C3
		return nil, nil, op.Errorf("branch %d returns %d values, want %d", i, len(results), len(op.Results))
	}
	comp, err := r.build(results, len(results) != 1, op)
	return comp, arg, err
}

// importBarrier imports an optimisation barrier: of one value, or of a tuple.
func importBarrier(c *ctx, op *Op) error {
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	if len(operands) != len(op.Results) {
		return op.Errorf("has %d results, want one an operand", len(op.Results))
	}
	told, err := declared(op)
	if err != nil {
		return err
	}
	if len(operands) == 1 {
		return c.simple(op, hlo.OptimizationBarrier, nil)
	}
	t, err := c.tuple(op, operands...)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.OptimizationBarrier, nil, told, t)
	if err != nil {
		return err
	}
	return c.results(op, in)
}

// importCreateToken makes a token of no others.
func importCreateToken(c *ctx, op *Op) error { return c.simple(op, hlo.AfterAll, nil) }
