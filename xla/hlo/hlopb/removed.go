package hlopb

import (
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// removedOp is an op that XLA has no more: op is the one whose attributes it takes, rewrite says it in ops of today.
type removedOp struct {
	op      hlo.Opcode
	rewrite func(d *draft)
}

var removedOps = map[string]removedOp{
	"cross-replica-sum": {hlo.AllReduce, crossReplicaSum},  // until 2019
	"generate-token":    {hlo.AfterAll, func(d *draft) {}}, // 2018
	"create-token":      {hlo.AfterAll, func(d *draft) {}},
	"trace":             {hlo.Tuple, func(d *draft) { d.operands = nil }}, // until 2021: printed its operand
	"tuple-select":      {hlo.Select, tupleSelect},                        // until 2022
}

// crossReplicaSum is an all-reduce that adds, with or without the computation that says so.
func crossReplicaSum(d *draft) {
	if d.m.has("called_computation_ids") || len(d.operands) == 0 {
		return
	}
	t := d.operands[0].Shape.Type
	if d.adders[t] == nil {
		two := []shape.Shape{shape.Array(t), shape.Array(t)}
		if d.adders == nil {
			d.adders = map[shape.ElementType]*hlo.Computation{}
		}
		d.adders[t] = d.make("add_"+t.String(), two, hlo.Add)
	}
	d.attrs.(*hlo.AllReduceAttrs).ToApply = d.adders[t]
}

// tupleSelect chooses between whole tuples: a conditional whose branches return their operand.
func tupleSelect(d *draft) {
	if len(d.operands) != 3 {
		d.m.fail("operand_ids", "got %d operands, want 3 (pred on_true on_false)", len(d.operands))
		return
	}
	a := &hlo.ConditionalAttrs{}
	for i, in := range d.operands[1:] {
		a.Branches = append(a.Branches, d.make(fmt.Sprintf("%s.%t", d.name, i == 0), []shape.Shape{in.Shape}, hlo.Parameter))
	}
	d.op, d.attrs = hlo.Conditional, a
}

// make makes a computation that gives op of its parameters, or the first parameter.
func (d *draft) make(name string, params []shape.Shape, op hlo.Opcode) *hlo.Computation {
	var list []*hlo.Instruction
	add := func(op hlo.Opcode, a hlo.Attrs, s shape.Shape, operands []*hlo.Instruction) {
		in, err := hlo.NewInstruction(op, a, s, operands, d.position())
		if err != nil {
			d.m.fail("", "%w", err)
			return
		}
		in.Name = fmt.Sprintf("%s.%d", op, len(list))
		list = append(list, in)
	}
	for i, s := range params {
		add(hlo.Parameter, &hlo.ParameterAttrs{Number: int64(i)}, s, nil)
	}
	if op != hlo.Parameter && d.err == nil {
		add(op, nil, shape.Shape{}, list)
	}
	if d.err != nil {
		return nil
	}
	c, err := hlo.NewComputation(name, list, list[len(list)-1])
	if err != nil {
		d.m.fail("", "%w", err)
		return nil
	}
	d.reader.m.Computations = append(d.reader.m.Computations, c)
	return c
}
