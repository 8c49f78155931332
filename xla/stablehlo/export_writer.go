package stablehlo

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// writer fills one block with ops.
type writer struct {
	ex     *exporter
	block  *Block
	values map[*hlo.Instruction]node
	depth  int // of regions
}

// arguments adds the arguments of a value of shape s to the block.
func (b *writer) arguments(s shape.Shape) (node, error) {
	types, err := flat(s)
	if err != nil {
		return node{}, err
	}
	values := make([]*Value, len(types))
	for i, t := range types {
		values[i] = &Value{Type: t}
		b.block.Args = append(b.block.Args, values[i])
	}
	n, _ := shaped(s, values)
	return n, nil
}

// computation writes c's instructions for the given parameters and returns its result.
func (b *writer) computation(c *hlo.Computation, args []node) (node, error) {
	used := map[*hlo.Instruction]bool{c.Root: true}
	for _, in := range c.Instructions {
		for _, o := range in.Operands {
			used[o] = true
		}
	}
	for _, in := range c.Instructions {
		if in.Op == hlo.Constant && !used[in] { // such as the sizes that rng's shape comes from
			continue
		}
		var n node
		var err error
		if p, ok := in.Attrs.(*hlo.ParameterAttrs); ok {
			n = args[p.Number]
		} else if n, err = b.instruction(in); err != nil {
			return node{}, at(in, err)
		}
		b.values[in] = n
	}
	return b.values[c.Root], nil
}

func (b *writer) instruction(in *hlo.Instruction) (node, error) {
	if b.ex.ops > b.ex.most {
		return node{}, fmt.Errorf("the program has more than %d ops when its branches and bodies are written out: %w",
			b.ex.most, errors.ErrUnsupported)
	}
	if f := b.ex.rows[in.Op]; f != nil {
		return f(b, in)
	}
	return exportGeneric(b, in)
}

// append adds an op to the block.
func (b *writer) append(op *Op) {
	b.ex.ops++
	for _, v := range op.Results {
		v.Op = op
	}
	b.block.Ops = append(b.block.Ops, op)
}

// op adds an op with the attributes of in and results of the shape s, and returns these.
func (b *writer) op(in *hlo.Instruction, name string, s shape.Shape, operands []*Value,
	attrs ...NamedAttr) (node, error) {
	return b.region(in, name, s, operands, nil, attrs...)
}

// region is op for one with regions.
func (b *writer) region(in *hlo.Instruction, name string, s shape.Shape, operands []*Value, regions []*Region,
	attrs ...NamedAttr) (node, error) {
	types, err := flat(s)
	if err != nil {
		return node{}, err
	}
	op := &Op{Name: name, Operands: operands, Regions: regions, Attrs: append(attrs, commonAttrs(in)...),
		Loc: locationOf(in), Pos: Pos(in.Pos)}
	for _, t := range types {
		op.Results = append(op.Results, &Value{Type: t})
	}
	b.append(op)
	n, _ := shaped(s, op.Results)
	return n, nil
}

// value adds an op of one array result that no instruction stands for.
func (b *writer) value(name string, s shape.Shape, operands []*Value, attrs ...NamedAttr) (*Value, error) {
	t, err := exportType(s)
	if err != nil {
		return nil, err
	}
	op := &Op{Name: name, Operands: operands, Attrs: attrs, Results: []*Value{{Type: t}}}
	b.append(op)
	return op.Results[0], nil
}

// operands returns the values of in's operands, tuples in their parts.
func (b *writer) operands(in *hlo.Instruction) ([]*Value, error) {
	var all []*Value
	for _, o := range in.Operands {
		v, err := b.values[o].leaves()
		if err != nil {
			return nil, err
		}
		all = append(all, v...)
	}
	return all, nil
}

// body writes a computation as a region. With params nil its parameters are the region's arguments.
func (b *writer) body(c *hlo.Computation, params []node) (*Region, error) {
	if c == nil {
		return nil, errors.New("a computation is missing")
	}
	if b.depth >= maxDepth/2 {
		return nil, fmt.Errorf("regions nest deeper than %d: %w", maxDepth/2, errors.ErrUnsupported)
	}
	r := &writer{ex: b.ex, block: &Block{}, values: map[*hlo.Instruction]node{}, depth: b.depth + 1}
	if params == nil {
		for _, p := range c.Parameters {
			n, err := r.arguments(p.Shape)
			if err != nil {
				return nil, at(p, err)
			}
			params = append(params, n)
		}
	}
	result, err := r.computation(c, params)
	if err != nil {
		return nil, err
	}
	values, err := result.leaves()
	if err != nil {
		return nil, at(c.Root, err)
	}
	r.append(&Op{Name: "stablehlo.return", Operands: values})
	return &Region{Blocks: []*Block{r.block}}, nil
}

// exportGeneric writes an op that is one to one a row of the op table.
func exportGeneric(b *writer, in *hlo.Instruction) (node, error) {
	name := in.Op.Info().MLIR
	if name == "" {
		return node{}, fmt.Errorf("StableHLO has no such op: %w", errors.ErrUnsupported)
	}
	return b.named(in, name)
}

// parts returns the values of in's operands and the attributes that have a name in MLIR.
func (b *writer) parts(in *hlo.Instruction) (operands []*Value, attrs []NamedAttr, err error) {
	if operands, err = b.operands(in); err != nil {
		return nil, nil, err
	}
	attrs, err = fieldAttrs(in.Attrs)
	return operands, attrs, err
}

// named writes in as the op name, with the attributes that have a name in MLIR.
func (b *writer) named(in *hlo.Instruction, name string, extra ...NamedAttr) (node, error) {
	operands, attrs, err := b.parts(in)
	if err != nil {
		return node{}, err
	}
	return b.op(in, name, in.Shape, operands, append(attrs, extra...)...)
}

// applied writes an op with regions for the computations cs.
func (b *writer) applied(in *hlo.Instruction, name string, cs []*hlo.Computation, extra ...NamedAttr) (node, error) {
	operands, attrs, err := b.parts(in)
	if err != nil {
		return node{}, err
	}
	regions := make([]*Region, len(cs))
	for i, c := range cs {
		if regions[i], err = b.body(c, nil); err != nil {
			return node{}, err
		}
	}
	return b.region(in, name, in.Shape, operands, regions, append(attrs, extra...)...)
}
