package stablehlo

import (
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
)

// asyncOps are the ops that async_start may wrap. Law: StableHLO async_start C1.
var asyncOps = []string{
	"stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.collective_broadcast",
	"stablehlo.collective_permute", "stablehlo.collective_reduce", "stablehlo.reduce_scatter", "stablehlo.slice",
	"stablehlo.dynamic_slice", "stablehlo.dynamic_update_slice",
}

// importAsyncStart imports the start of one op. Its value is a future of what the op returns.
func importAsyncStart(c *ctx, op *Op) error {
	if err := regions(op, 1); err != nil {
		return err
	}
	block, err := op.Block(0)
	if err != nil {
		return err
	}
	if len(block.Ops) != 2 || !slices.Contains(asyncOps, spellings(block.Ops[0].Name)[0]) {
		return op.Errorf("body is not one collective or slice and a return")
	}
	future, ok := op.Results[0].Type.(FutureType)
	if !ok {
		return op.Errorf("result is %s, want a future", op.Results[0].Type)
	}
	args := make([]Type, len(block.Args))
	for i, v := range block.Args {
		args[i] = v.Type
	}
	returned := &Op{Name: op.Name, Pos: op.Pos, Operands: op.Operands, Results: block.Ops[1].Operands}
	if err := sameTypes(returned, FuncType{args, future.Elems}); err != nil {
		return err
	}
	a := &hlo.AsyncAttrs{}
	if a.Calls, err = c.computationOf(op, 0, "async"); err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.AsyncStart, a, noShape, operands...)
	if err != nil {
		return err
	}
	return c.finish(op, in)
}

// importAsyncDone waits for a future.
func importAsyncDone(c *ctx, op *Op) error {
	if len(op.Operands) != 1 {
		return op.Errorf("has %d operands, want one", len(op.Operands))
	}
	future, ok := op.Operands[0].Type.(FutureType)
	if !ok {
		return op.Errorf("operand is %s, want a future", op.Operands[0].Type)
	}
	if err := sameTypes(&Op{Name: op.Name, Pos: op.Pos, Results: op.Results}, FuncType{nil, future.Elems}); err != nil {
		return err
	}
	start, err := c.value(op.Operands[0])
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.AsyncDone, &hlo.AsyncAttrs{}, noShape, start)
	if err != nil {
		return err
	}
	return c.oneOrTuple(op, in)
}
