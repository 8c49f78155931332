package stablehlo

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

func exportSame(b *writer, in *hlo.Instruction) (node, error) { return b.values[in.Operands[0]], nil }

func exportFirst(b *writer, in *hlo.Instruction) (node, error) { return b.element(in.Operands[0], 0) }

func exportSecond(b *writer, in *hlo.Instruction) (node, error) { return b.element(in.Operands[0], 1) }

// element returns an element of what a tuple became.
func (b *writer) element(in *hlo.Instruction, i int64) (node, error) {
	n := b.values[in]
	if i >= int64(len(n.elems)) {
		return n, fmt.Errorf("operand %s has no element %d: %w", in.Name, i, errors.ErrUnsupported)
	}
	return n.elems[i], nil
}

func exportElementOf(b *writer, in *hlo.Instruction) (node, error) {
	return b.element(in.Operands[0], in.Attrs.(*hlo.GetTupleElementAttrs).Index)
}

func exportTuple(b *writer, in *hlo.Instruction) (node, error) {
	n := node{tuple: true}
	for _, o := range in.Operands {
		n.elems = append(n.elems, b.values[o])
	}
	return n, nil
}

// exportAddDependency writes a barrier that waits for the value and the token.
func exportAddDependency(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	n, err := b.op(in, "stablehlo.optimization_barrier", shape.TupleOf(in.Operands[0].Shape, in.Operands[1].Shape),
		operands)
	if err != nil {
		return node{}, err
	}
	return n.elems[0], nil
}

func exportBarrier(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil || len(operands) == 0 {
		return b.values[in.Operands[0]], err
	}
	return b.op(in, "stablehlo.optimization_barrier", in.Shape, operands)
}

func exportCopyStart(b *writer, in *hlo.Instruction) (node, error) {
	n := b.values[in.Operands[0]]
	return tupleOf(n, n, node{}), nil
}

// exportCall writes calls and fusions as calls of functions, composites as such.
func exportCall(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	return b.call(in, in.Called()[0], in.Shape, operands)
}

func (b *writer) call(in *hlo.Instruction, c *hlo.Computation, s shape.Shape, operands []*Value) (node, error) {
	callee := symbolOf(b.ex.symbol(c))
	a, ok := in.Attrs.(*hlo.CallAttrs)
	name := ""
	if ok && a.IsComposite && in.Common != nil {
		name, _ = in.Common.Frontend.Lookup("composite.name")
	}
	if !compositeName(name) {
		return b.op(in, "func.call", s, operands, named("callee", callee))
	}
	attrs := []NamedAttr{named("name", StringAttr(name)), named("decomposition", callee)}
	text, _ := in.Common.Frontend.Lookup("composite.attributes")
	if d, ok := dictionary(text); ok {
		attrs = append(attrs, named("composite_attributes", d))
	}
	if text, ok := in.Common.Frontend.Lookup("composite.version"); ok {
		v, err := strconv.ParseInt(text, 10, 32)
		if err != nil || v < 0 {
			return node{}, fmt.Errorf("composite.version: got %q, want a number: %w", text, errors.ErrUnsupported)
		}
		attrs = append(attrs, named("version", number32(v)))
	}
	return b.op(in, "stablehlo.composite", s, operands, attrs...)
}

// exportAsyncStart writes the call at once.
func exportAsyncStart(b *writer, in *hlo.Instruction) (node, error) {
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	result, err := b.call(in, in.Called()[0], in.Shape.Elems[1], operands)
	return tupleOf(node{tuple: true}, result), err
}

// exportWhile writes a loop over the parts of the state.
func exportWhile(b *writer, in *hlo.Instruction) (node, error) {
	a := in.Attrs.(*hlo.WhileAttrs)
	return b.applied(in, "stablehlo.while", []*hlo.Computation{a.Condition, a.Body})
}

// exportConditional writes the branches as regions that see the operands directly.
func exportConditional(b *writer, in *hlo.Instruction) (node, error) {
	index, err := b.values[in.Operands[0]].leaves()
	if err != nil {
		return node{}, err
	}
	var regions []*Region
	for i, c := range in.Attrs.(*hlo.ConditionalAttrs).Branches {
		r, err := b.body(c, []node{b.values[in.Operands[i+1]]})
		if err != nil {
			return node{}, err
		}
		regions = append(regions, r)
	}
	name := "stablehlo.case"
	if in.Operands[0].Shape.Type == shape.Pred {
		name = "stablehlo.if"
	}
	return b.region(in, name, in.Shape, index, regions)
}

// exportedVersion returns the interface of a custom call. One of the oldest that has a dictionary becomes one of the
// newest, as the importer and XLA take it.
func exportedVersion(c *hlo.Common, a *hlo.CustomCallAttrs) hlo.APIVersion {
	if c != nil && c.Dictionary && a.APIVersion == hlo.APIOriginal {
		if _, ok := dictionary(c.Config); ok {
			return hlo.APITypedFFI
		}
	}
	return a.APIVersion
}

// exportCustomCall writes a custom call; operands and results that are tuples in a tuple stay such.
func exportCustomCall(b *writer, in *hlo.Instruction) (node, error) {
	a := in.Attrs.(*hlo.CustomCallAttrs)
	if len(a.Window) > 0 || !a.DimLabels.IsZero() || a.Literal != "" {
		return node{}, fmt.Errorf("a custom call with a window, dimension labels or a literal: %w", errors.ErrUnsupported)
	}
	operands, err := b.operands(in)
	if err != nil {
		return node{}, err
	}
	if len(operands) != len(in.Operands) {
		return node{}, fmt.Errorf("a custom call of tuples: %w", errors.ErrUnsupported)
	}
	attrs := []NamedAttr{named("call_target_name", StringAttr(a.Target)),
		named("api_version", number32(int64(exportedVersion(in.Common, a))))}
	if a.HasSideEffect {
		attrs = append(attrs, named("has_side_effect", BoolAttr(true)))
	}
	var called ArrayAttr
	for _, c := range in.Called() {
		called = append(called, symbolOf(b.ex.symbol(c)))
	}
	if called != nil {
		attrs = append(attrs, named("called_computations", called))
	}
	if a.OperandLayouts != nil {
		attrs = append(attrs, named("operand_layouts", layoutsAttr(a.OperandLayouts)),
			named("result_layouts", layoutsAttr(in.Shape.Leaves())))
	}
	if a.OutputOperandAliasing != "" {
		aliases, err := aliasesAttr(a.OutputOperandAliasing)
		if err != nil {
			return node{}, err
		}
		attrs = append(attrs, named("output_operand_aliases", aliases))
	}
	return b.op(in, "stablehlo.custom_call", in.Shape, operands, attrs...)
}

// layoutsAttr lists the orders of dimensions, fastest first.
func layoutsAttr(shapes []shape.Shape) ArrayAttr {
	var list ArrayAttr
	for _, s := range shapes {
		l := s.Layout
		if l == nil {
			l = shape.DefaultLayout(s.Rank())
		}
		t := &TensorType{Dims: []int64{int64(len(l.MinorToMajor))}, Elem: IndexType{}}
		d := &DenseAttr{Kind: DenseList, Type: t, Dims: t.Dims}
		if len(l.MinorToMajor) > 0 {
			d.Text = "[" + joinDims(l.MinorToMajor) + "]"
		}
		list = append(list, d)
	}
	return list
}

// aliasesAttr says which results live in which operands.
func aliasesAttr(text hlo.Raw) (Attr, error) {
	told, err := hlo.ParseAliases(text)
	if err != nil {
		return nil, fmt.Errorf("output_to_operand_aliasing: %w", err)
	}
	var list ArrayAttr
	for _, a := range told {
		list = append(list, &DialectAttr{Name: "stablehlo.output_operand_alias", Fields: DictAttr{
			named("output_tuple_indices", numberList(a.Output)), named("operand_index", number64(a.Parameter)),
			named("operand_tuple_indices", numberList(a.Index)),
		}})
	}
	return list, nil
}
