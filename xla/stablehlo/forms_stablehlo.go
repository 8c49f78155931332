package stablehlo

import "fmt"

var (
	dimsKey      = key{word: "dims", value: (*parser).dims}
	dimensionKey = key{word: "dim", attr: "dimension", value: (*parser).intAttr}
)

func (k key) to(attr string) key {
	k.attr = attr
	return k
}

// stablehloForms are those of StableHLO, and of MHLO under the same names.
var stablehloForms = map[string]form{
	"abs": plain(same), "add": plain(same), "after_all": plain(same), "and": plain(same), "atan2": plain(same),
	"bitcast": plain(functional), "bitcast_convert": plain(functional), "cbrt": plain(same), "ceil": plain(same),
	"clamp": plain(same), "convert": plain(same), "copy": plain(same), "cosine": plain(same),
	"count_leading_zeros": plain(same), "create_token": plain(same), "divide": plain(same),
	"dynamic_pad":     plain(functional),
	"dynamic_reshape": plain(functional), "dynamic_update_slice": plain(functional), "erf": plain(same),
	"exponential": plain(same), "exponential_minus_one": plain(same), "floor": plain(same), "imag": plain(same),
	"is_finite": plain(functional), "log": plain(same), "log_plus_one": plain(same), "logistic": plain(same),
	"maximum": plain(same), "minimum": plain(same), "multiply": plain(same), "negate": plain(same), "not": plain(same),
	"optimization_barrier": plain(pairs), "or": plain(same), "partition_id": plain(same), "popcnt": plain(same),
	"power": plain(same), "real": plain(same), "real_dynamic_slice": plain(functional), "remainder": plain(same),
	"replica_id": plain(same), "reshape": plain(functional), "return": ending(consumed), "round_nearest_afz": plain(same),
	"round_nearest_even": plain(same), "rsqrt": plain(same), "shift_left": plain(same),
	"shift_right_arithmetic": plain(same), "shift_right_logical": plain(same), "sign": plain(same), "sine": plain(same),
	"sqrt": plain(same), "subtract": plain(same), "tan": plain(same), "tanh": plain(same), "xor": plain(same),
	"select": plain(selected), "complex": plain(complexParts), "tuple": plain(tupled),
	"uniform_dequantize": plain(functional), "uniform_quantize": plain(same), "async_done": plain(functional),
	"acos": plain(same), "acosh": plain(same), "asin": plain(same), "asinh": plain(same), "atanh": plain(same),
	"cosh": plain(same), "sinh": plain(same),

	"broadcast":                keyed(functional, key{"sizes", "broadcast_sizes", (*parser).dims, false}),
	"broadcast_in_dim":         keyed(functional, dimsKey.to("broadcast_dimensions")),
	"cholesky":                 keyed(same, key{"lower", "lower", (*parser).boolAttr, true}),
	"concatenate":              keyed(functional, dimensionKey),
	"dynamic_broadcast_in_dim": keyed(functional, dimsKey.to("broadcast_dimensions")),
	"dynamic_iota":             keyed(functional, dimensionKey.to("iota_dimension")),
	"dynamic_slice":            keyed(functional, key{"sizes", "slice_sizes", (*parser).dims, false}),
	"einsum":                   keyed(functional, key{"config", "einsum_config", (*parser).plainString, false}),
	"unary_einsum":             keyed(functional, key{"config", "einsum_config", (*parser).plainString, false}),
	"fft": keyed(functional, key{"type", "fft_type", enum("fft_type"), false},
		key{"length", "fft_length", (*parser).dims, false}),
	"get_dimension_size": keyed(functional, dimensionKey),
	"iota":               keyed(same, dimensionKey.to("iota_dimension")),
	"pad": keyed(functional, key{"low", "edge_padding_low", (*parser).dims, false},
		key{"high", "edge_padding_high", (*parser).dims, false}, key{"interior", "interior_padding", (*parser).dims, false}),
	"reverse":            keyed(same, dimsKey.to("dimensions")),
	"rng":                keyed(functional, key{"distribution", "rng_distribution", enum("rng_distribution"), false}),
	"rng_bit_generator":  keyed(functional, key{"algorithm", "rng_algorithm", enum("rng_algorithm"), false}),
	"set_dimension_size": keyed(functional, dimensionKey),
	"torch_index_select": keyed(functional, dimensionKey.to("dim"),
		key{"batch_dims", "batch_dims", (*parser).intAttr, false}),
	"transpose": keyed(functional, dimsKey.to("permutation")),
	"dot":       keyed(functional, key{"precision", "precision_config", (*parser).precisions, true}),

	"compare":           (*parser).compareForm,
	"composite":         (*parser).compositeForm,
	"constant":          (*parser).constantForm,
	"convolution":       (*parser).convolutionForm,
	"custom_call":       (*parser).customCallForm,
	"dot_general":       (*parser).dotGeneralForm,
	"get_tuple_element": (*parser).tupleElementForm,
	"reduce":            (*parser).reduceForm,
	"reduce_precision":  (*parser).floatFormat,
	"slice":             (*parser).sliceForm,
	"topk":              (*parser).topKForm,
	"while":             (*parser).whileForm,
}

// ending is the form of a return: "%a, %b : types", or nothing.
func ending(sig signature) form {
	return func(p *parser, st *opState) {
		p.operands(st)
		p.optionalAttrDict(st)
		if len(st.Operands) > 0 || p.is(':') {
			p.typesOf(st, sig)
		}
	}
}

// compareForm reads "EQ, %a, %b, FLOAT".
func (p *parser) compareForm(st *opState) {
	p.set(st, p.pos(), "comparison_direction", p.enumValue("comparison_direction"))
	p.expect(',')
	if p.operands(st) {
		p.set(st, p.pos(), "compare_type", p.enumValue("comparison_type"))
	}
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// compositeForm reads "\"name\" %a, %b {attributes}".
func (p *parser) compositeForm(st *opState) {
	p.set(st, p.pos(), "name", p.plainString())
	if p.operands(st) {
		p.want("an operand")
	}
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// constantForm reads "{attributes} dense<...> : type", whose result has the type of its value.
func (p *parser) constantForm(st *opState) {
	if p.is('(') { // the form of quantised constants: () <{value = ...}> : () -> type
		p.genericForm(st)
		return
	}
	p.optionalAttrDict(st)
	pos := p.pos()
	value := p.attr()
	p.set(st, pos, "value", value)
	if t := valueType(value); t != nil {
		st.out = []Type{t}
	} else {
		p.failAt(pos, "%s: value is no list of elements", st.Name)
	}
}

// valueType returns the type of a constant's value; nil if it is no constant.
func valueType(a Attr) Type {
	switch a := a.(type) {
	case *DenseAttr:
		if a.Type != nil {
			return a.Type
		}
	case IntAttr:
		return a.Type
	case FloatAttr:
		return a.Type
	case BoolAttr:
		return IntType{Width: 1}
	}
	return nil
}

// customCallForm reads "@target(%a, %b) {attributes}".
func (p *parser) customCallForm(st *opState) {
	pos := p.pos()
	p.set(st, pos, "call_target_name", StringAttr(p.expect(tokSymbol)))
	p.operandList(st)
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// tupleElementForm reads "%t[0]".
func (p *parser) tupleElementForm(st *opState) {
	p.operand(st)
	p.expect('[')
	p.set(st, p.pos(), "index", IntAttr{fmt.Sprint(p.int64()), IntType{Width: 32}})
	p.expect(']')
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// sliceForm reads "%a [0:2, 1:9:3]".
func (p *parser) sliceForm(st *opState) {
	p.operand(st)
	pos := p.pos()
	i64 := IntType{Width: 64}
	parts := [3]DenseArrayAttr{{Elem: i64}, {Elem: i64}, {Elem: i64}}
	p.list('[', ']', func() {
		ends := [3]int64{2: 1}
		ends[0] = p.int64()
		p.expect(':')
		ends[1] = p.int64()
		if p.accept(':') {
			ends[2] = p.int64()
		}
		for i := range parts {
			parts[i].Elems = append(parts[i].Elems, fmt.Sprint(ends[i]))
		}
	})
	for i, name := range [...]string{"start_indices", "limit_indices", "strides"} {
		p.set(st, pos, name, parts[i])
	}
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// dotGeneralForm reads "%a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [...],
// algorithm = <...>".
func (p *parser) dotGeneralForm(st *opState) {
	comma := p.operands(st)
	numbers := &DialectAttr{Name: "stablehlo.dot", Fields: DictAttr{}}
	pos := p.pos()
	for _, side := range [...]string{"batching", "contracting"} {
		if comma = comma || p.accept(','); !comma || !p.acceptWord(side+"_dims") {
			continue
		}
		p.expect('=')
		lhs := p.dims()
		p.expectWord("x")
		rhs := p.dims()
		numbers.Fields = append(numbers.Fields,
			NamedAttr{Name: "lhs_" + side + "_dimensions", Pos: pos, Value: lhs},
			NamedAttr{Name: "rhs_" + side + "_dimensions", Pos: pos, Value: rhs})
		comma = false
	}
	p.set(st, pos, "dot_dimension_numbers", numbers)
	p.keys(st, []key{
		{"precision", "precision_config", (*parser).precisions, true},
		{"algorithm", "algorithm", (*parser).algorithm, true},
	}, comma, false)
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// algorithm reads <lhs_precision_type = tf32, ...>, with or without its name before it.
func (p *parser) algorithm() Attr {
	if p.is(tokHash) {
		return p.attr()
	}
	a := &DialectAttr{Name: "stablehlo.dot_algorithm"}
	p.structAttr(a)
	return a
}

// topKForm reads "(%a, k = 8, largest = true)".
func (p *parser) topKForm(st *opState) {
	p.expect('(')
	p.operand(st)
	p.keys(st, []key{
		{"k", "k", (*parser).intAttr, false},
		{"largest", "largest", (*parser).boolAttr, true},
	}, false, false)
	p.expect(')')
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}
