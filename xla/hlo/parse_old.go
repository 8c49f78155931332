package hlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// oldOp is an op that XLA has no more: op is the one whose attributes it takes, rewrite says it in ops of today.
type removedOp struct {
	op      Opcode
	rewrite oldOp
}

// oldOp makes the instructions that a removed op or a spelling of an op means and returns the last.
type oldOp func(d *draft) (*Instruction, error)

// oldOps are the removed ops by name.
var oldOps = map[string]removedOp{
	"cross-replica-sum": {AllReduce, crossReplicaSum}, // until 2019
	"generate-token":    {AfterAll, sameAs},           // 2018
	"create-token":      {AfterAll, sameAs},
	"tuple-select":      {Select, tupleSelect}, // until 2022
	"trace":             {Tuple, trace},        // until 2021
}

func sameAs(d *draft) (*Instruction, error) {
	d.old = nil
	return d.finish()
}

// crossReplicaSum is an all-reduce that adds.
func crossReplicaSum(d *draft) (*Instruction, error) {
	a := d.attrs.(*AllReduceAttrs)
	if a.ToApply == nil && len(d.operands) > 0 {
		var err error
		if a.ToApply, err = d.adder(d.operands[0].Shape.Type); err != nil {
			return nil, err
		}
	}
	return sameAs(d)
}

// adder makes the computation of two scalars' sum.
func (d *draft) adder(t shape.ElementType) (*Computation, error) {
	if c := d.adders[t]; c != nil {
		return c, nil
	}
	two := []shape.Shape{shape.Array(t), shape.Array(t)}
	c, err := d.make("add_"+t.String(), two, func(p []*Instruction) *Instruction {
		return &Instruction{Name: "sum", Op: Add, Operands: p}
	})
	if d.adders == nil {
		d.adders = map[shape.ElementType]*Computation{}
	}
	d.adders[t] = c
	return c, err
}

// make makes a computation of parameters, and of the root that build gives unless that is a parameter.
func (d *draft) make(name string, params []shape.Shape, build func([]*Instruction) *Instruction) (*Computation, error) {
	b := &body{parser: d.parser, name: d.freeName(name), byName: map[string]*Instruction{}}
	var list []*Instruction
	for i, s := range params {
		p, err := b.add(&Instruction{Name: fmt.Sprintf("p%d", i), Op: Parameter, Shape: s,
			Attrs: &ParameterAttrs{Number: int64(i)}, Pos: d.place(d.at)})
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	root := build(list)
	if !slices.Contains(list, root) {
		root.Pos = d.place(d.at)
		if _, err := b.add(root); err != nil {
			return nil, err
		}
	}
	c, err := NewComputation(b.name, b.instructions, root)
	if err == nil {
		d.keep(c)
	}
	return c, err
}

// tupleSelect chooses between whole tuples: a conditional whose branches return their operand.
func tupleSelect(d *draft) (*Instruction, error) {
	if len(d.operands) != 3 {
		return nil, d.errorAt(d.opAt, "got %d operands, want 3 (pred on_true on_false)", len(d.operands))
	}
	a := &ConditionalAttrs{}
	for i, in := range d.operands[1:] {
		c, err := d.make(fmt.Sprintf("%s.%t", d.name, i == 0), []shape.Shape{in.Shape},
			func(params []*Instruction) *Instruction { return params[0] })
		if err != nil {
			return nil, err
		}
		a.Branches = append(a.Branches, c)
	}
	d.op, d.attrs = Conditional, a
	return sameAs(d)
}

// trace had a tag, printed its operand and returned an empty tuple.
func trace(d *draft) (*Instruction, error) {
	d.operands, d.common.Extra = nil, nil
	return sameAs(d)
}

// asyncSugar reads the short spelling of asynchronous ops: "x-start" is an async-start of a computation that has only
// x, "x-update" and "x-done" are async-update and async-done.
func asyncSugar(opcode string) (Opcode, oldOp, bool) {
	for _, s := range []struct {
		suffix string
		op     Opcode
	}{{"-update", AsyncUpdate}, {"-done", AsyncDone}} {
		base, ok := strings.CutSuffix(opcode, s.suffix)
		if _, known := OpByName(base); ok && known {
			return s.op, sameAs, true
		}
	}
	base, ok := strings.CutSuffix(opcode, "-start")
	op, known := OpByName(base)
	return op, asyncStart, ok && known
}

// asyncStart wraps the op in a computation of its own.
func asyncStart(d *draft) (*Instruction, error) {
	if len(d.told.Elems) < 2 {
		return nil, d.errorAt(d.at, "%s has shape %v, want a tuple of operands, result and contexts", d.opcode, d.told)
	}
	outer := &AsyncAttrs{}
	for _, f := range outer.Fields() {
		i := slices.IndexFunc(d.common.Extra, func(a RawAttr) bool { return a.Name == f.Name })
		if i < 0 {
			continue
		}
		a := attrText{name: f.Name, at: d.at, text: d.common.Extra[i].Text}
		if err := d.parseField(f, &a); err != nil {
			return nil, d.attributeError(&a, err)
		}
		d.common.Extra = slices.Delete(d.common.Extra, i, i+1)
	}
	shapes := make([]shape.Shape, len(d.operands))
	for i, o := range d.operands {
		shapes[i] = o.Shape
	}
	var err error
	outer.Calls, err = d.make(d.name+".wrapped", shapes, func(params []*Instruction) *Instruction {
		return &Instruction{Name: d.op.String(), Op: d.op, Shape: d.told.Elems[1], Operands: params, Attrs: d.attrs}
	})
	if err != nil {
		return nil, err
	}
	d.op, d.attrs = AsyncStart, outer
	return sameAs(d)
}

// gather2018 are the names of gather's dimension numbers in its first year.
var gather2018 = map[string]string{
	"output_window_dims":          "offset_dims",
	"elided_window_dims":          "collapsed_slice_dims",
	"gather_dims_to_operand_dims": "start_index_map",
	"window_bounds":               "slice_sizes",
}

// oldNames are the names that ops' attributes had before.
var oldNames = map[Opcode]map[string]string{
	Gather:    gather2018,
	Compare:   {"order": "type"},
	AllReduce: {"all_reduce_id": "channel_id"},
	Infeed:    {"config": "infeed_config"},
	Scan:      {"scan_dimension": "dimensions"},
}

// renameOld gives attributes today's names.
func (d *draft) renameOld() {
	names := oldNames[d.op]
	for i := range d.given {
		if now := names[d.given[i].name]; now != "" && !d.has(now) {
			d.given[i].name = now
		}
	}
	switch d.op {
	case Compare:
		d.orderWins()
	}
}

// orderWins drops the type of a compare that has an order of TOTAL too.
func (d *draft) orderWins() {
	t := slices.IndexFunc(d.given, func(a attrText) bool { return a.name == "type" })
	o := slices.IndexFunc(d.given, func(a attrText) bool { return a.name == "order" })
	if t < 0 || o < 0 {
		return
	}
	d.given[o].used = true
	if strings.HasPrefix(d.given[o].text, "TOTAL") {
		d.given[t] = d.given[o]
		d.given[t].name, d.given[t].used = "type", false
	}
}

func (d *draft) has(name string) bool {
	return slices.ContainsFunc(d.given, func(a attrText) bool { return a.name == name })
}

// trueAndFalse makes true_computation and false_computation the two branches of a conditional.
func (d *draft) trueAndFalse(f Field) (done bool, err error) {
	t := slices.IndexFunc(d.given, func(a attrText) bool { return a.name == "true_computation" })
	e := slices.IndexFunc(d.given, func(a attrText) bool { return a.name == "false_computation" })
	if d.op != Conditional || f.Name != "branch_computations" || t < 0 || e < 0 {
		return false, nil
	}
	branches := f.Ptr.(*[]*Computation)
	for _, i := range []int{t, e} {
		d.given[i].used = true
		c, err := d.called(&d.given[i])
		if err != nil {
			return true, err
		}
		*branches = append(*branches, c)
	}
	return true, nil
}
