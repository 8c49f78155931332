package stablehlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// lastIsToken wants the last of an op's values to be a token.
func lastIsToken(op *Op, what string, values []*Value) error {
	if len(values) == 0 || values[len(values)-1].Type != (TokenType{}) {
		return op.Errorf("last %s is no token", what)
	}
	return nil
}

// dataShape returns the shape of all results but the last, a token: of one, or a tuple.
func dataShape(op *Op) (shape.Shape, error) {
	if err := lastIsToken(op, "result", op.Results); err != nil {
		return shape.Shape{}, err
	}
	return declared(&Op{Name: op.Name, Pos: op.Pos, Results: op.Results[:len(op.Results)-1]})
}

// dataOperand returns all operands but the last, a token, as one value, and the token.
func (c *ctx) dataOperand(op *Op) (data, token *hlo.Instruction, err error) {
	if err := lastIsToken(op, "operand", op.Operands); err != nil {
		return nil, nil, err
	}
	operands, err := c.operands(op)
	if err != nil {
		return nil, nil, err
	}
	last := len(operands) - 1
	if last == 1 {
		return operands[0], operands[1], nil
	}
	data, err = c.tuple(op, operands[:last]...)
	return data, operands[last], err
}

// received makes the data and the token in a pair the results of an op.
func (c *ctx) received(op *Op, pair *hlo.Instruction) error {
	last := len(op.Results) - 1
	data, err := c.element(op, pair, 0)
	if err != nil {
		return err
	}
	token, err := c.element(op, pair, 1)
	if err != nil {
		return err
	}
	c.set(op.Results[last], token)
	if last == 1 {
		c.set(op.Results[0], data)
		return c.common(op, pair)
	}
	for i, v := range op.Results[:last] {
		e, err := c.element(op, data, i)
		if err != nil {
			return err
		}
		c.set(v, e)
	}
	return c.common(op, pair)
}

// importInfeed imports an infeed: data and a token from a token. Law: row 85.
func importInfeed(c *ctx, op *Op) error {
	a := &hlo.InfeedAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	data, err := dataShape(op)
	if err != nil {
		return err
	}
	if err := checkInfeedLayout(op); err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.Infeed, a, shape.TupleOf(data, shape.TokenShape()), operands...)
	if err != nil {
		return err
	}
	return c.received(op, in)
}

// checkInfeedLayout wants a layout for each result but the token, lists of lists of dimensions for tuples.
func checkInfeedLayout(op *Op) error {
	if op.Attr("layout") == nil {
		return nil
	}
	list, ok := op.Attr("layout").(ArrayAttr)
	if !ok || len(list) != len(op.Results)-1 {
		return op.wrong("layout", fmt.Sprintf("a list of %d layouts", len(op.Results)-1))
	}
	for _, a := range list {
		if _, ok := a.(ArrayAttr); !ok {
			return op.wrong("layout", "a list of lists")
		}
	}
	return nil
}

// importOutfeed imports an outfeed: a token from data and a token.
func importOutfeed(c *ctx, op *Op) error {
	a := &hlo.OutfeedAttrs{}
	if err := setAttrs(op, a); err != nil {
		return err
	}
	data, token, err := c.dataOperand(op)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.Outfeed, a, shape.TokenShape(), data, token)
	if err != nil {
		return err
	}
	return c.finish(op, in)
}

// The types of channels.
const (
	deviceToDevice = 1
	deviceToHost   = 2
	hostToDevice   = 3
)

// channelAttrs reads the channel of a send or receive. host is its type where the other side is the host.
func channelAttrs(op *Op, host int64) (*hlo.ChannelAttrs, error) {
	a := &hlo.ChannelAttrs{}
	if err := setAttrs(op, a); err != nil {
		return nil, err
	}
	var err error
	if a.ChannelID, err = channel(op); err != nil {
		return nil, err
	}
	want := int64(deviceToDevice)
	if a.IsHostTransfer {
		want = host
	}
	if d, ok := op.Attr("channel_handle").(*DialectAttr); ok { // send C1, recv C1
		if got, ok := intOf(d.Fields.Lookup("type")); !ok || got != want {
			return nil, op.wrong("channel_handle", fmt.Sprintf("type = %d", want))
		}
	}
	return a, nil
}

// importSend imports a send as HLO's send and send-done. Law: rows 86 and 87.
func importSend(c *ctx, op *Op) error {
	a, err := channelAttrs(op, deviceToHost)
	if err != nil {
		return err
	}
	data, token, err := c.dataOperand(op)
	if err != nil {
		return err
	}
	send, err := c.add(op, hlo.Send, a, noShape, data, token)
	if err != nil {
		return err
	}
	if err := c.common(op, send); err != nil {
		return err
	}
	done, err := c.add(op, hlo.SendDone, a, noShape, send)
	if err != nil {
		return err
	}
	return c.finish(op, done)
}

// importRecv imports a receive as HLO's recv and recv-done. Law: rows 88 and 89.
func importRecv(c *ctx, op *Op) error {
	a, err := channelAttrs(op, hostToDevice)
	if err != nil {
		return err
	}
	data, err := dataShape(op)
	if err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	recv, err := c.add(op, hlo.Recv, a, shape.TupleOf(data, shape.Array(shape.U32), shape.TokenShape()), operands...)
	if err != nil {
		return err
	}
	if err := c.common(op, recv); err != nil {
		return err
	}
	done, err := c.add(op, hlo.RecvDone, a, noShape, recv)
	if err != nil {
		return err
	}
	return c.received(op, done)
}

// importCustomCall imports a custom call with its layouts, aliases and called functions, and one that stands for an op
// of MHLO as that op. Law: row 90.
func importCustomCall(c *ctx, op *Op) error {
	target, err := op.Text("call_target_name")
	if err != nil {
		return err
	}
	if o := calledOp(op, target); o != nil {
		return c.plainRow(o)(c, o)
	}
	a := &hlo.CustomCallAttrs{Target: target}
	if a.HasSideEffect, err = op.Bool("has_side_effect"); err != nil {
		return err
	}
	if a.APIVersion, err = apiVersion(op); err != nil {
		return err
	}
	if a.CalledComputations, err = c.calledComputations(op); err != nil {
		return err
	}
	if a.OutputOperandAliasing, err = c.outputAliases(op); err != nil {
		return err
	}
	operands, err := c.operands(op)
	if err != nil {
		return err
	}
	told, err := c.customCallShapes(op, a, operands)
	if err != nil {
		return err
	}
	in, err := c.add(op, hlo.CustomCall, a, told, operands...)
	if err != nil {
		return err
	}
	return c.oneOrTuple(op, in)
}

// calledOp returns the op of MHLO for which a custom call stands, with the attributes that the call says it has; nil if
// it stands for none.
func calledOp(op *Op, target string) *Op {
	name, ok := strings.CutPrefix(target, "mhlo.")
	attrs, ok2 := op.Attr("mhlo.attributes").(DictAttr)
	if !ok || !ok2 || len(op.Regions) > 0 || name != "topk" && name != "tan" && !slices.Contains(mhloCalls, name) {
		return nil
	}
	o := *op
	o.Name, o.Attrs = target, slices.Clone(attrs)
	for _, a := range op.Attrs {
		if strings.HasPrefix(a.Name, "mhlo.") && a.Name != "mhlo.attributes" && a.Name != "mhlo.version" {
			o.Attrs = append(o.Attrs, a)
		}
	}
	return &o
}

func apiVersion(op *Op) (hlo.APIVersion, error) {
	v, err := op.IntOr("api_version", int64(hlo.APIOriginal))
	if _, ok := op.Attr("mhlo.backend_config").(DictAttr); ok && v == int64(hlo.APIOriginal) {
		v = int64(hlo.APITypedFFI) // measured: XLA takes it so, and bytecode cannot leave the version out
	}
	if err == nil && (v < 0 || v > int64(hlo.APITypedFFI)) {
		err = op.wrong("api_version", "0 to 4")
	}
	config := op.Attr("backend_config")
	_, dict := config.(DictAttr)
	text, _ := config.(StringAttr)
	if err == nil && dict && v != int64(hlo.APITypedFFI) {
		err = op.wrong("backend_config", "a string unless api_version is 4")
	}
	if err == nil && text != "" && v == int64(hlo.APITypedFFI) {
		err = op.wrong("backend_config", "a dictionary since api_version is 4")
	}
	return hlo.APIVersion(v), err
}

// calledComputations returns the computations of a list of functions.
func (c *ctx) calledComputations(op *Op) ([]*hlo.Computation, error) {
	list, ok := op.Attr("called_computations").(ArrayAttr)
	if !ok && op.Attr("called_computations") != nil {
		return nil, op.wrong("called_computations", "a list of functions")
	}
	var called []*hlo.Computation
	for _, a := range list {
		comp, err := c.functionOf(op, a)
		if err != nil {
			return nil, err
		}
		called = append(called, comp)
	}
	return called, nil
}

// functionOf returns the computation of a function's symbol.
func (c *ctx) functionOf(op *Op, a Attr) (*hlo.Computation, error) {
	symbol, ok := a.(SymbolAttr)
	if !ok {
		return nil, op.Errorf("got %s, want a function", AttrString(a))
	}
	f := c.im.functions[symbol.name()]
	if f == nil {
		return nil, op.Errorf("function @%s is not defined", symbol.name())
	}
	return c.im.computation(f)
}

// outputAliases reads which results live in which operands, as HLO text has it: {{0}: (1, {})}.
func (c *ctx) outputAliases(op *Op) (hlo.Raw, error) {
	list, ok := op.Attr("output_operand_aliases").(ArrayAttr)
	if !ok || len(list) == 0 {
		return "", nil
	}
	aliases := make([]hlo.Alias, len(list))
	for i, a := range list {
		d, ok := a.(*DialectAttr)
		if !ok {
			return "", op.wrong("output_operand_aliases", "a list of #stablehlo.output_operand_alias<...>")
		}
		out, ok := intsOf(d.Fields.Lookup("output_tuple_indices"))
		index, ok2 := intOf(d.Fields.Lookup("operand_index"))
		in, ok3 := intsOf(d.Fields.Lookup("operand_tuple_indices"))
		if !ok || !ok2 || !ok3 || index < 0 || index >= int64(len(op.Operands)) {
			return "", op.wrong("output_operand_aliases", "indices of results and operands")
		}
		aliases[i] = hlo.Alias{Output: out, ParameterIndex: hlo.ParameterIndex{Parameter: index, Index: in}}
	}
	text, err := c.im.kept(op, string(hlo.AliasesText(aliases)))
	return hlo.Raw(text), err
}

// joinInts writes numbers as HLO's text has them.
func joinInts(v []int64) string {
	parts := make([]string, len(v))
	for i, n := range v {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, ",")
}

// customCallShapes returns the shape of the result with its layouts and sets those of the operands, if the op
// says them.
func (c *ctx) customCallShapes(op *Op, a *hlo.CustomCallAttrs, operands []*hlo.Instruction) (shape.Shape, error) {
	told, err := declared(op)
	if err != nil {
		return told, err
	}
	in := make([]shape.Shape, len(operands))
	for i, o := range operands {
		in[i] = o.Shape
	}
	if op.Attr("operand_layouts") == nil && op.Attr("result_layouts") == nil {
		return told, nil
	}
	if a.OperandLayouts, err = layouts(op, "operand_layouts", in); err != nil {
		return told, err
	}
	if told.IsTuple() {
		elems, err := layouts(op, "result_layouts", told.Elems)
		return shape.TupleOf(elems...), err
	}
	results, err := layouts(op, "result_layouts", []shape.Shape{told})
	if err != nil {
		return told, err
	}
	return results[0], nil
}

// layouts gives shapes their layouts: lists of dimensions, the one that varies fastest first.
func layouts(op *Op, name string, shapes []shape.Shape) ([]shape.Shape, error) {
	list, ok := op.Attr(name).(ArrayAttr)
	if !ok || len(list) != len(shapes) {
		return nil, op.wrong(name, fmt.Sprintf("a list of %d layouts", len(shapes)))
	}
	shapes = slices.Clone(shapes)
	for i, a := range list {
		order, ok := intsOf(a)
		if !ok {
			return nil, op.wrong(name, "lists of dimensions")
		}
		if !shapes[i].IsArray() {
			if len(order) != 0 {
				return nil, op.Errorf("%s: value %d is %s, which has no layout", name, i, shapes[i])
			}
			continue
		}
		l := &shape.Layout{MinorToMajor: order}
		if err := l.Validate(shapes[i]); err != nil {
			return nil, op.Errorf("%s: layout %d: %v", name, i, err)
		}
		shapes[i] = shapes[i].WithLayout(l)
	}
	return shapes, nil
}
