package stablehlo

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// importFunc imports one op: it makes instructions and hands the op's results to ctx.finish or ctx.results.
type importFunc func(c *ctx, op *Op) error

// ctx is a computation while it is being made.
type ctx struct {
	im           *importer
	outer        *ctx // of the region around; nil for a function
	name         string
	owner        *Op // whose region this is; nil for a function
	instructions []*hlo.Instruction
	slab         []hlo.Instruction           // for those to come
	lists        []*hlo.Instruction          // for their operands
	values       map[*Value]*hlo.Instruction // that another computation had first; nil without
	taken        map[string]bool             // names of instructions, save those that end in the instruction's number
	named        [hlo.NumOps]bool            // ops whose name was given to an instruction
	numbered     bool                        // a name that is taken might be one with a number
	names        []byte                      // memory for names
	sinking      int                         // depth of ops being copied from outside
	last         *Op                         // the return of the block that was imported last
}

// newContext begins a computation.
func (im *importer) newContext(outer *ctx, name string) *ctx {
	return &ctx{im: im, outer: outer, name: name, taken: map[string]bool{}}
}

// body imports the ops of a block and returns what its last op returns.
func (c *ctx) body(b *Block, owner *Op) ([]*hlo.Instruction, error) {
	source := opSource{b.Ops, b.body}
	c.instructions = slices.Grow(c.instructions, source.count())
	op, err := source.next()
	if op == nil && err == nil {
		err = errorf(b.Pos, "%s: a block has no return at its end", owner.Name)
	}
	for err == nil {
		var next *Op
		if next, err = source.next(); err != nil {
			break
		}
		switch {
		case next == nil && isReturn(op):
			c.last = op
			return c.operands(op)
		case next == nil:
			err = op.Errorf("block does not end with a return")
		case isReturn(op):
			err = op.Errorf("return is not the last op of its block")
		default:
			err = c.op(op)
			source.free(op)
			op = next
		}
	}
	return nil, err
}

var returns = map[string]bool{
	"func.return": true, "stablehlo.return": true, "mhlo.return": true, "chlo.return": true, "sdy.return": true,
}

func isReturn(op *Op) bool { return strings.HasSuffix(op.Name, ".return") && returns[op.Name] }

// op imports one op.
func (c *ctx) op(op *Op) error {
	if err := c.row(op)(c, op); err != nil {
		return wrap(op, err)
	}
	return nil
}

// row returns how an op is imported: by its row in the table, or by the op table of HLO.
func (c *ctx) row(op *Op) importFunc {
	if usesQuantised(op) {
		return importQuantised
	}
	return c.plainRow(op)
}

// plainRow returns how an op is imported whose tensors are not quantised, or as if they were not.
func (c *ctx) plainRow(op *Op) importFunc {
	if k := op.shared(); k != nil {
		if k.row == nil {
			k.row, k.bare = c.findRow(op), !slices.ContainsFunc(op.Attrs, isCommon)
		}
		return k.row
	}
	f := c.im.plain[op.Name]
	if f == nil {
		f = c.findRow(op)
		c.im.plain[op.Name] = f
	}
	return f
}

func (c *ctx) findRow(op *Op) importFunc {
	for _, name := range spellings(op.Name) {
		if f := c.im.rows[name]; f != nil {
			return f
		}
		if code, ok := hlo.OpByMLIR(name); ok {
			return func(c *ctx, op *Op) error { return importGeneric(c, op, code) }
		}
	}
	return func(_ *ctx, op *Op) error {
		hint := meantOp(op.Name, allForms)
		if op.Dialect() == "stablehlo" { // all of whose ops are known: this one is wrong
			return op.Errorf("unknown op%s", hint)
		}
		return unsupported(op, "op is unknown or not supported%s", hint)
	}
}

// set makes an instruction that of a value.
func (c *ctx) set(v *Value, in *hlo.Instruction) {
	if v.by == nil || v.by == c {
		v.in, v.by = in, c
		return
	}
	if c.values == nil {
		c.values = map[*Value]*hlo.Instruction{}
	}
	c.values[v] = in
}

// get returns the instruction of a value in this computation, nil if it has none.
func (c *ctx) get(v *Value) *hlo.Instruction {
	if v.by == c {
		return v.in
	}
	return c.values[v]
}

// value returns the instruction of a value. One from outside a region that is a constant, or made of constants
// only, is made again inside.
func (c *ctx) value(v *Value) (*hlo.Instruction, error) {
	if in := c.get(v); in != nil {
		return in, nil
	}
	if c.outer == nil {
		return nil, errorf(v.Pos(), "value %%%s has no instruction", v.Name)
	}
	if v.Op == nil || !sinkable(v.Op) {
		return nil, unsupported(c.owner, "its computation uses the value %%%s from outside, which is no constant", v.Name)
	}
	if c.sinking > maxDepth {
		return nil, unsupported(c.owner, "its computation uses the value %%%s from outside, made by too many ops", v.Name)
	}
	c.sinking++
	err := c.op(v.Op)
	c.sinking--
	if err != nil {
		return nil, err
	}
	return c.get(v), nil
}

// sinkable reports whether an op may be done twice.
func sinkable(op *Op) bool {
	if len(op.Regions) > 0 || op.Dialect() != "stablehlo" && op.Dialect() != "mhlo" && op.Dialect() != "chlo" {
		return false
	}
	for _, name := range spellings(op.Name) {
		if code, ok := hlo.OpByMLIR(name); ok {
			return code != hlo.CustomCall && code.Info().Traits&hlo.SideEffect == 0
		}
	}
	return false
}

// operands returns the instructions of an op's operands.
func (c *ctx) operands(op *Op) ([]*hlo.Instruction, error) {
	ins := c.list(len(op.Operands))
	for i, v := range op.Operands {
		var err error
		if ins[i], err = c.value(v); err != nil {
			return nil, err
		}
	}
	return ins, nil
}

// add makes an instruction. told is its shape, or the zero Shape if it follows from the operands.
func (c *ctx) add(op *Op, code hlo.Opcode, a hlo.Attrs, told shape.Shape, operands ...*hlo.Instruction) (
	*hlo.Instruction, error) {
	in := c.alloc()
	in.Op, in.Attrs, in.Shape, in.Operands, in.Pos = code, a, told, operands, hloPos(op.Pos)
	if err := in.Complete(); err != nil {
		return nil, wrap(op, err)
	}
	in.Name = c.instructionName(code)
	in.Common = c.im.metadata(op.Loc)
	c.instructions = append(c.instructions, in)
	return in, nil
}

// list returns memory for n operands out of a block of many, where many are to come.
func (c *ctx) list(n int) []*hlo.Instruction {
	if len(c.lists) < n {
		c.lists = make([]*hlo.Instruction, max(n, min(512, 2*(cap(c.instructions)-len(c.instructions)))))
	}
	list := c.lists[:n:n]
	c.lists = c.lists[n:]
	return list
}

// alloc returns memory for an instruction out of a block of many, where many are to come.
func (c *ctx) alloc() *hlo.Instruction {
	if len(c.slab) == 0 {
		c.slab = make([]hlo.Instruction, max(1, min(128, cap(c.instructions)-len(c.instructions))))
	}
	in := &c.slab[0]
	c.slab = c.slab[1:]
	return in
}

func hloPos(p Pos) hlo.Pos { return hlo.Pos{File: p.File, Line: p.Line, Col: p.Col} }

// instructionName returns the name of a new instruction: that of its op for the first, with a number for others.
func (c *ctx) instructionName(code hlo.Opcode) string {
	base := code.String()
	if !c.named[code] {
		if c.named[code] = true; !c.taken[base] {
			c.taken[base] = true
			return base
		}
	}
	n := len(c.instructions) // no other name has it
	name := c.numberedName(base, n)
	if !c.numbered || !c.taken[name] {
		return name
	}
	for c.taken[name] { // by an argument, or by an instruction that had to give way to one
		n++
		name = c.numberedName(base, n)
	}
	c.taken[name] = true
	return name
}

// numberedName is "base.n". Names share blocks of memory, as there are many.
func (c *ctx) numberedName(base string, n int) string {
	const digits = 20
	if cap(c.names)-len(c.names) < len(base)+1+digits {
		c.names = make([]byte, 0, max(len(base)+1+digits, min(4096, 16*(cap(c.instructions)-len(c.instructions)))))
	}
	start := len(c.names)
	c.names = strconv.AppendInt(append(append(c.names, base...), '.'), int64(n), 10)
	name := c.names[start:]
	return unsafe.String(&name[0], len(name))
}

// constant makes a constant.
func (c *ctx) constant(op *Op, l *literal.Literal) (*hlo.Instruction, error) {
	a, s := constantOf(l)
	return c.add(op, hlo.Constant, a, s)
}

// tuple makes a tuple.
func (c *ctx) tuple(op *Op, elems ...*hlo.Instruction) (*hlo.Instruction, error) {
	return c.add(op, hlo.Tuple, nil, shape.Shape{}, elems...)
}

// element takes an element of a tuple.
func (c *ctx) element(op *Op, tuple *hlo.Instruction, i int) (*hlo.Instruction, error) {
	return c.add(op, hlo.GetTupleElement, &hlo.GetTupleElementAttrs{Index: int64(i)}, shape.Shape{}, tuple)
}

// finish makes an instruction the one result of an op, with the op's attributes that any instruction may have.
func (c *ctx) finish(op *Op, in *hlo.Instruction) error {
	if len(op.Results) != 1 {
		return op.Errorf("has %d results, want one", len(op.Results))
	}
	c.set(op.Results[0], in)
	return c.common(op, in)
}

// results makes the elements of a tuple the results of an op.
func (c *ctx) results(op *Op, tuple *hlo.Instruction) error {
	for i, v := range op.Results {
		e, err := c.element(op, tuple, i)
		if err != nil {
			return err
		}
		c.set(v, e)
	}
	return c.common(op, tuple)
}

// oneOrTuple is finish for one result and results for another number of them.
func (c *ctx) oneOrTuple(op *Op, in *hlo.Instruction) error {
	if len(op.Results) == 1 {
		return c.finish(op, in)
	}
	return c.results(op, in)
}

// declared returns the shape of an op's results: that of the only one, or a tuple.
func declared(op *Op) (shape.Shape, error) {
	if len(op.Results) == 1 {
		if t, ok := op.Results[0].Type.(*TensorType); ok && t.known != nil && t.known.of == t { // most of the time
			return t.known.shape, nil
		}
		s, err := shapeOf(op.Results[0].Type)
		if err != nil {
			err = op.Errorf("result: %v", err)
		}
		return s, err
	}
	shapes := make([]shape.Shape, len(op.Results))
	for i, v := range op.Results {
		var err error
		if shapes[i], err = shapeOf(v.Type); err != nil {
			return shape.Shape{}, op.Errorf("result: %v", err)
		}
	}
	return shape.TupleOf(shapes...), nil
}

// parameters makes a parameter for each argument of a block.
func (c *ctx) parameters(args []*Value, op *Op) error {
	c.instructions = slices.Grow(c.instructions, len(args))
	for i, v := range args {
		s, err := shapeOf(v.Type)
		if err != nil {
			return errorf(v.Pos(), "argument %d of %s: %v", i, op.Name, err)
		}
		in, err := c.parameter(op, i, s, v.Name)
		if err != nil {
			return err
		}
		c.set(v, in)
	}
	return nil
}

func (c *ctx) parameter(op *Op, number int, s shape.Shape, name string) (*hlo.Instruction, error) {
	in, err := c.add(op, hlo.Parameter, &hlo.ParameterAttrs{Number: int64(number)}, s)
	if err != nil {
		return nil, err
	}
	in.Common = nil
	if clean := cleanName(name); name != "" && clean == name && !c.taken[name] {
		delete(c.taken, in.Name)
		c.named[hlo.Parameter] = c.taken[hlo.Parameter.String()]
		c.taken[name], in.Name, c.numbered = true, name, c.numbered || endsInNumber(name)
	}
	return in, nil
}

// endsInNumber reports whether a name might be one that numberedName makes.
func endsInNumber(name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return len(base) < len(name) && strings.HasSuffix(base, ".")
}

// build ends the computation. With tuple, its result is the tuple of results, else the only one.
func (c *ctx) build(results []*hlo.Instruction, tuple bool, op *Op) (*hlo.Computation, error) {
	if !tuple && len(results) != 1 {
		return nil, op.Errorf("computation returns %d values, want one", len(results))
	}
	var root *hlo.Instruction
	var err error
	if tuple {
		if root, err = c.tuple(op, results...); err != nil {
			return nil, err
		}
	} else {
		root = results[0]
	}
	comp, err := hlo.NewComputation(c.name, c.instructions, root)
	if err != nil {
		return nil, wrap(op, err)
	}
	return comp, nil
}
