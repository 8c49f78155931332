package stablehlo

import (
	"slices"
	"strings"
)

// whileForm reads "(%arg = %init, ...) : types attributes {...} cond {...} do {...}".
func (p *parser) whileForm(st *opState) {
	var args []*Value
	p.list('(', ')', func() {
		args = append(args, p.argument())
		p.expect('=')
		p.operand(st)
	})
	if len(args) > 0 {
		p.typesOf(st, pairs)
	} else if p.accept(':') && p.is('(') {
		p.funcType()
	}
	if p.acceptWord("attributes") {
		p.optionalAttrDict(st)
	}
	if p.err == nil && len(st.in) != len(args) {
		p.failAt(st.Pos, "%s: has %d values and types for %d", st.Name, len(args), len(st.in))
		return
	}
	for i, a := range args {
		if p.err == nil {
			a.Type = st.in[i]
		}
	}
	p.expectWord("cond")
	st.Regions = append(st.Regions, p.region(cloneValues(args), false))
	p.expectWord("do")
	st.Regions = append(st.Regions, p.region(cloneValues(args), false))
}

func cloneValues(values []*Value) []*Value {
	clones := make([]*Value, len(values))
	for i, v := range values {
		c := *v
		clones[i] = &c
	}
	return clones
}

// reduceForm reads "(%a init: %b), (%c init: %d) applies op across dimensions = [0] {attributes} : types", or
// without "applies op" and with "reducer(%x: T, %y: T) (...) {...}" at the end.
func (p *parser) reduceForm(st *opState) {
	inits := &opState{Op: &Op{}}
	p.items(func() {
		p.expect('(')
		p.operand(st)
		p.expectWord("init")
		p.expect(':')
		p.operand(inits)
		p.expect(')')
	})
	st.Operands, st.uses = append(st.Operands, inits.Operands...), append(st.uses, inits.uses...)
	applied, at := "", p.pos()
	if p.acceptWord("applies") {
		applied, at = p.tok.text, p.pos()
		p.expect(tokIdent)
	}
	p.expectWord("across")
	p.expectWord("dimensions")
	p.expect('=')
	p.set(st, p.pos(), "dimensions", p.dims())
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
	if p.err != nil {
		return
	}
	if applied != "" {
		p.appliedReducer(st, applied, at)
		return
	}
	p.reducer(st)
}

// reducer reads "reducer(%x: T, %y: T) (%z: T, %w: T) {...}": a pair for each reduced value, first its left and
// then its right argument. The block has all left ones before the right ones.
func (p *parser) reducer(st *opState) {
	p.expectWord("reducer")
	var left, right []*Value
	for p.is('(') {
		p.advance()
		left = append(left, p.blockArg())
		if at := p.pos(); p.is(')') {
			p.failAt(at, "%s: reducer takes one argument for reduced value %d, want two: a left and a right one", st.Name,
				len(left)-1)
			return
		}
		p.expect(',')
		right = append(right, p.blockArg())
		p.expect(')')
	}
	st.Regions = append(st.Regions, p.region(append(left, right...), false))
}

// appliedReducer makes the region of "applies op": a block of two scalars, the op and a return.
func (p *parser) appliedReducer(st *opState, name string, at Pos) {
	dialect, op, _ := strings.Cut(name, ".")
	if p.lookupForm(name) == nil || dialect != "stablehlo" && dialect != "mhlo" || len(st.Operands) != 2 {
		p.failAt(at, "%s: applies %s to %d values, want a binary op and one value", st.Name, name, len(st.Operands)/2)
		return
	}
	if !slices.Contains(appliedOps, op) {
		p.failAt(at, "%s: applies %s, which is no binary op", st.Name, name)
		return
	}
	t, ok := st.Operands[0].Type.(*TensorType)
	if !ok {
		p.failAt(at, "%s: reduces %s, want a tensor", st.Name, st.Operands[0].Type)
		return
	}
	scalar := &TensorType{Elem: t.Elem}
	lhs := &Value{Type: scalar, at: &at}
	rhs := &Value{Type: scalar, at: &at}
	apply := &Op{Name: name, Pos: at, Operands: []*Value{lhs, rhs}}
	apply.Results = []*Value{{Type: scalar, Op: apply}}
	ret := &Op{Name: dialect + ".return", Pos: at, Operands: apply.Results}
	block := &Block{Pos: at, Args: []*Value{lhs, rhs}, Ops: []*Op{apply, ret}}
	st.Regions = []*Region{{Pos: at, Blocks: []*Block{block}}}
}

var appliedOps = []string{"add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power",
	"remainder",
	"shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor"}

// convolutionForm reads "(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], ...}
// {attributes}".
func (p *parser) convolutionForm(st *opState) {
	p.operandList(st)
	p.expectWord("dim_numbers")
	p.expect('=')
	p.set(st, p.pos(), "dimension_numbers", &DialectAttr{Name: "stablehlo.conv", Fields: p.convDims()})
	p.expect(',')
	p.expectWord("window")
	p.expect('=')
	p.list('{', '}', func() { p.windowKey(st) })
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// windowKeys are the short names of a convolution's window attributes.
var windowKeys = map[string]string{
	"stride": "window_strides", "lhs_dilate": "lhs_dilation", "rhs_dilate": "rhs_dilation",
}

func (p *parser) windowKey(st *opState) {
	pos, word := p.pos(), p.expect(tokIdent)
	p.expect('=')
	switch attr := windowKeys[word]; {
	case attr != "":
		p.set(st, pos, attr, p.dims())
	case word == "pad":
		p.set(st, pos, "padding", p.paddings())
	case word == "reverse":
		p.set(st, pos, "window_reversal", p.flags())
	default:
		p.failAt(pos, "%s: window has no key %q, want stride, pad, lhs_dilate, rhs_dilate or reverse", st.Name, word)
	}
}

// paddings reads [[0, 1], [2, 3]].
func (p *parser) paddings() Attr {
	a := &DenseAttr{Pos: p.pos(), Prog: p.prog}
	if !p.is('[') {
		p.want("'['")
		return a
	}
	p.denseElements(a)
	a.Type = &TensorType{Dims: a.Dims, Elem: IntType{Width: 64}}
	if len(a.Dims) != 2 && !(len(a.Dims) == 1 && a.Dims[0] == 0) || len(a.Dims) == 2 && a.Dims[1] != 2 {
		p.failAt(a.Pos, "padding is no list of pairs")
	}
	return a
}

// flags reads [true, false] or [1, 0].
func (p *parser) flags() Attr {
	a := DenseArrayAttr{Elem: IntType{Width: 1}}
	p.list('[', ']', func() {
		switch {
		case p.is(tokInt) && (p.tok.text == "0" || p.tok.text == "1"):
			a.Elems = append(a.Elems, map[string]string{"0": "false", "1": "true"}[p.tok.text])
			p.advance()
		case p.isWord("true") || p.isWord("false"):
			a.Elems = append(a.Elems, p.expect(tokIdent))
		default:
			p.want("true or false")
		}
	})
	return a
}
