package stablehlo

import "fmt"

var chloForms = map[string]form{
	"acos": plain(same), "acosh": plain(same), "asin": plain(same), "asin_acos_kernel": plain(same), "asinh": plain(same),
	"atan": plain(same), "atanh": plain(same), "bessel_i1e": plain(same), "conj": plain(same), "cosh": plain(same),
	"digamma": plain(same), "erf": plain(same), "erf_inv": plain(same), "erfc": plain(same), "is_inf": plain(functional),
	"is_neg_inf": plain(functional), "is_pos_inf": plain(functional), "lgamma": plain(same), "mulhi": plain(same),
	"next_after": plain(same), "polygamma": plain(same), "sinh": plain(same), "square": plain(same), "tan": plain(same),
	"zeta": plain(same), "_asin_acos_kernel": plain(same),

	"broadcast_add": plain(functional), "broadcast_and": plain(functional), "broadcast_atan2": plain(functional),
	"broadcast_compare": plain(functional), "broadcast_complex": plain(functional), "broadcast_divide": plain(functional),
	"broadcast_maximum": plain(functional), "broadcast_minimum": plain(functional),
	"broadcast_multiply":   plain(functional),
	"broadcast_next_after": plain(functional), "broadcast_or": plain(functional),
	"broadcast_polygamma": plain(functional),
	"broadcast_power":     plain(functional), "broadcast_remainder": plain(functional),
	"broadcast_select":     plain(functional),
	"broadcast_shift_left": plain(functional), "broadcast_shift_right_arithmetic": plain(functional),
	"broadcast_shift_right_logical": plain(functional), "broadcast_subtract": plain(functional),
	"broadcast_xor": plain(functional), "broadcast_zeta": plain(functional),

	"constant": (*parser).constantForm,
	"top_k":    (*parser).topKForm,
	"scan":     (*parser).scanForm,
	"return":   ending(consumed),
}

// scanForm reads "(%a) inits (%b) dimension = 0 attributes {...} {region} : types".
func (p *parser) scanForm(st *opState) {
	p.operandList(st)
	inputs := len(st.Operands)
	p.expectWord("inits")
	p.operandList(st)
	pos := p.pos()
	p.expectWord("dimension")
	p.expect('=')
	p.set(st, pos, "dimension", p.intAttr())
	if p.acceptWord("attributes") {
		p.attrDict(st, false)
	}
	sizes := []string{fmt.Sprint(inputs), fmt.Sprint(len(st.Operands) - inputs)}
	p.set(st, pos, "operandSegmentSizes", DenseArrayAttr{Elem: IntType{Width: 32}, Elems: sizes})
	st.Regions = []*Region{p.region(nil, false)}
	p.typesOf(st, functional)
}

var checkForms = map[string]form{
	"expect_eq":              plain(consumed),
	"expect_almost_eq":       keyed(consumed, key{"tolerance", "tolerance", (*parser).numberAttr, true}),
	"expect_eq_const":        (*parser).expectConstForm,
	"expect_almost_eq_const": (*parser).expectConstForm,
	"expect_close": keyed(consumed, key{"max_ulp_difference", "max_ulp_difference", (*parser).intAttr, true},
		key{"min_ulp_difference", "min_ulp_difference", (*parser).intAttr, true}),
	"expect_serialized_eq": keyed(consumed, key{"probe_id", "probe_id", (*parser).plainString, false},
		key{"iter", "iter", (*parser).intAttr, true}),
}

// expectConstForm reads "%a, dense<...> : type {attributes}", where the operand has the type of the constant.
func (p *parser) expectConstForm(st *opState) {
	p.operand(st)
	p.expect(',')
	pos := p.pos()
	value := p.attr()
	p.set(st, pos, "value", value)
	t := valueType(value)
	if t == nil {
		p.failAt(pos, "%s: value is no list of elements", st.Name)
		return
	}
	st.in = []Type{t}
	p.optionalAttrDict(st)
}

var interpreterForms = map[string]form{
	"probe": keyed(same, key{"probe_id", "probe_id", (*parser).plainString, false}),
	"print": plain(consumed),
}

var arithForms = map[string]form{
	"constant": (*parser).constantForm,
}

var sdyForms = map[string]form{
	"mesh":                (*parser).meshForm,
	"sharding_constraint": (*parser).shardedForm,
	"reshard":             (*parser).shardedForm,
	"manual_computation":  (*parser).manualForm,
	"return":              ending(consumed),
}

// meshForm reads "@mesh = <["a"=2]> {attributes}".
func (p *parser) meshForm(st *opState) {
	p.set(st, p.pos(), "sym_name", StringAttr(p.expect(tokSymbol)))
	p.expect('=')
	p.set(st, p.pos(), "mesh", p.shardyAttr("mesh"))
	p.optionalAttrDict(st)
}

// shardyAttr reads <...> as the attribute #sdy.name<...>, unparsed.
func (p *parser) shardyAttr(name string) Attr {
	body, _ := p.rawBody()
	return &DialectAttr{Name: "sdy." + name, Body: body}
}

// shardedForm reads "%a <@mesh, [...]> : type".
func (p *parser) shardedForm(st *opState) {
	p.operand(st)
	p.set(st, p.pos(), "sharding", p.shardyAttr("sharding"))
	p.optionalAttrDict(st)
	p.typesOf(st, same)
}

// manualForm reads "(%a) in_shardings=[<...>] out_shardings=[<...>] manual_axes={"x"} (%b: type) {region} : types".
func (p *parser) manualForm(st *opState) {
	p.operandList(st)
	for _, word := range [...]string{"in_shardings", "out_shardings"} {
		p.expectWord(word)
		p.expect('=')
		pos := p.pos()
		var list ArrayAttr
		p.list('[', ']', func() { list = append(list, p.shardyAttr("sharding")) })
		p.set(st, pos, word, list)
	}
	p.expectWord("manual_axes")
	p.expect('=')
	pos := p.pos()
	var axes ArrayAttr
	p.list('{', '}', func() { axes = append(axes, p.plainString()) })
	p.set(st, pos, "manual_axes", axes)
	args := []*Value{}
	p.list('(', ')', func() { args = append(args, p.blockArg()) })
	st.Regions = []*Region{p.region(args, false)}
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}
