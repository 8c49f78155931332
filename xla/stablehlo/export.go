package stablehlo

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Export turns HLO into a tree of StableHLO and CHLO ops, whose String is a program that [Parse] and MLIR's own tools
// read. Tuples disappear: their elements become operands, results and arguments of their own. Computations that are
// called become functions, the entry the function main; others become regions where they are used. What is only of
// interest to a compiler is lost: layouts, schedules, fusions, the two halves of asynchronous ops. Places in sources
// are locations, which String leaves out.
//
// It fails with errors.ErrUnsupported for ops and element types that the dialects lack.
func Export(m *hlo.Module) (*Program, error) {
	ex := &exporter{functions: map[*hlo.Computation]string{}, taken: map[string]bool{"main": true}, module: m,
		rows: exportRows(), most: minOps}
	for _, c := range m.Computations {
		ex.most += maxOpsEach * len(c.Instructions)
	}
	if m.Entry == nil {
		return nil, fmt.Errorf("module %s has no entry computation", m.Name)
	}
	ex.functions[m.Entry] = "main"
	ex.queue = []*hlo.Computation{m.Entry}
	body := &Block{}
	for len(ex.queue) > 0 {
		c := ex.queue[0]
		ex.queue = ex.queue[1:]
		f, err := ex.function(c)
		if err != nil {
			return nil, err
		}
		body.Ops = append(body.Ops, f)
	}
	module := &Op{Name: "builtin.module", Regions: []*Region{{Blocks: []*Block{body}}}}
	if plainSymbol(m.Name) {
		module.set("sym_name", StringAttr(m.Name))
	}
	if n := m.Config.NumPartitions; n > 0 {
		module.set("mhlo.num_partitions", number32(n))
	}
	if n := m.Config.NumReplicas; n > 0 {
		module.set("mhlo.num_replicas", number32(n))
	}
	if len(m.Config.Frontend) > 0 {
		module.set("mhlo.frontend_attributes", stringDict(m.Config.Frontend))
	}
	return &Program{Module: module}, nil
}

// exporter turns one module into a tree.
type exporter struct {
	module    *hlo.Module
	functions map[*hlo.Computation]string // those that are called, by name
	taken     map[string]bool
	queue     []*hlo.Computation // functions to be written
	ops, most int
	rows      *[hlo.NumOps]exportFunc
}

// The most ops of one program are minOps and maxOpsEach for each instruction. Computations used in several regions are
// written once for each, so that a short text could stand for any number.
const minOps, maxOpsEach = 1 << 16, 32

// symbol returns the name of the function that c becomes.
func (ex *exporter) symbol(c *hlo.Computation) string {
	if name, ok := ex.functions[c]; ok {
		return name
	}
	clean := cleanName(c.Name) // as the importer would make it
	name := clean
	for i := 1; ex.taken[name]; i++ {
		name = fmt.Sprintf("%s.%d", clean, i)
	}
	ex.taken[name], ex.functions[c] = true, name
	ex.queue = append(ex.queue, c)
	return name
}

// function makes the func.func of a computation.
func (ex *exporter) function(c *hlo.Computation) (*Op, error) {
	name := ex.functions[c]
	b := &writer{ex: ex, block: &Block{}, values: map[*hlo.Instruction]node{}}
	var args []node
	for _, p := range c.Parameters {
		n, err := b.arguments(p.Shape)
		if err != nil {
			return nil, at(p, err)
		}
		args = append(args, n)
	}
	result, err := b.computation(c, args)
	if err != nil {
		return nil, err
	}
	values, err := result.leaves()
	if err != nil {
		return nil, at(c.Root, err)
	}
	b.append(&Op{Name: "func.return", Operands: values})
	f := &Op{Name: "func.func", Regions: []*Region{{Blocks: []*Block{b.block}}}}
	f.set("sym_name", StringAttr(name))
	f.set("function_type", TypeAttr{FuncType{typesOf(b.block.Args), typesOf(values)}})
	if name != "main" {
		f.set("sym_visibility", StringAttr("private"))
		return f, nil
	}
	ex.setArguments(f, c, args)
	return f, nil
}

// setArguments sets what is said of the entry's parameters: donation and sharding.
func (ex *exporter) setArguments(f *Op, c *hlo.Computation, args []node) {
	var all ArrayAttr
	said := false
	for i, p := range c.Parameters {
		leaves, _ := args[i].leaves()
		for range leaves {
			var d DictAttr
			if p.Common != nil && p.Common.Sharding != "" {
				d = append(d, NamedAttr{Name: "mhlo.sharding", Value: StringAttr(p.Common.Sharding)})
			}
			if p.Common != nil && len(p.Common.Frontend) > 0 {
				d = append(d, NamedAttr{Name: "mhlo.frontend_attributes", Value: stringDict(p.Common.Frontend)})
			}
			if !args[i].tuple {
				d = append(d, ex.donation(int64(i))...)
			}
			said = said || len(d) > 0
			all = append(all, d)
		}
	}
	if said {
		f.set("arg_attrs", all)
	}
}

// donation says whether a parameter's memory may hold a result.
func (ex *exporter) donation(number int64) DictAttr {
	for _, a := range ex.module.Config.Alias {
		if a.Parameter == number && len(a.Index) == 0 && len(a.Output) <= 1 {
			out := int64(0)
			if len(a.Output) == 1 {
				out = a.Output[0]
			}
			return DictAttr{{Name: "tf.aliasing_output", Value: number32(out)}}
		}
	}
	for _, d := range ex.module.Config.BufferDonor {
		if d.Parameter == number && len(d.Index) == 0 {
			return DictAttr{{Name: "jax.buffer_donor", Value: BoolAttr(true)}}
		}
	}
	return nil
}

// node is what an HLO value becomes: one value, or for a tuple the nodes of its elements. The zero node stands for
// what has no value, such as the context of an asynchronous op.
type node struct {
	value *Value
	tuple bool
	elems []node
}

func tupleOf(elems ...node) node { return node{tuple: true, elems: elems} }

// leaves returns the values of n in order.
func (n node) leaves() ([]*Value, error) {
	if !n.tuple {
		if n.value == nil {
			return nil, fmt.Errorf("a value that only asynchronous ops have is used: %w", errors.ErrUnsupported)
		}
		return []*Value{n.value}, nil
	}
	var all []*Value
	for _, e := range n.elems {
		v, err := e.leaves()
		if err != nil {
			return nil, err
		}
		all = append(all, v...)
	}
	return all, nil
}

// shaped gives values the structure of s and returns those that are left.
func shaped(s shape.Shape, values []*Value) (node, []*Value) {
	if !s.IsTuple() {
		return node{value: values[0]}, values[1:]
	}
	n := node{tuple: true}
	for _, e := range s.Elems {
		var elem node
		elem, values = shaped(e, values)
		n.elems = append(n.elems, elem)
	}
	return n, values
}

// flat returns the types of the leaves of s.
func flat(s shape.Shape) ([]Type, error) {
	if !s.IsTuple() {
		t, err := exportType(s)
		return []Type{t}, err
	}
	all := []Type{}
	for _, e := range s.Elems {
		t, err := flat(e)
		if err != nil {
			return nil, err
		}
		all = append(all, t...)
	}
	return all, nil
}

func typesOf(values []*Value) []Type {
	types := make([]Type, len(values))
	for i, v := range values {
		types[i] = v.Type
	}
	return types
}

// set gives an op an attribute.
func (o *Op) set(name string, a Attr) { o.Attrs = append(o.Attrs, NamedAttr{Name: name, Value: a}) }

// at says at which instruction an error is.
func at(in *hlo.Instruction, err error) error {
	var there *hlo.Error
	if errors.As(err, &there) {
		return err
	}
	return &hlo.Error{In: in, Err: err}
}
