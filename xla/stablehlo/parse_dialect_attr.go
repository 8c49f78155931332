package stablehlo

import (
	"fmt"
	"slices"
	"strings"
)

// enums lists the words of each enumeration attribute, #stablehlo<name WORD>.
var enums = map[string][]string{
	"comparison_direction":      {"EQ", "NE", "GE", "GT", "LE", "LT"},
	"comparison_type":           {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
	"fft_type":                  {"FFT", "IFFT", "RFFT", "IRFFT"},
	"precision":                 {"DEFAULT", "HIGH", "HIGHEST", "PACKED_NIBBLE"},
	"rng_algorithm":             {"DEFAULT", "THREE_FRY", "PHILOX"},
	"rng_distribution":          {"UNIFORM", "NORMAL"},
	"transpose":                 {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
	"result_accuracy_mode":      {"DEFAULT", "HIGHEST", "TOLERANCE"},
	"custom_call_schedule":      {"NONE", "LATEST", "EARLIEST"},
	"fusion_kind":               {"kLoop", "kInput", "kOutput", "kCustom"},
	"domain_kind":               {"sharding"},
	"dequantize_mode":           {"MIN_COMBINED"},
	"collective_broadcast_mode": {"DEFAULT"},
}

// structs lists the keys of each attribute with keys, #stablehlo.name<key = value, ...>.
var structs = map[string]string{
	"gather": "offset_dims collapsed_slice_dims operand_batching_dims start_indices_batching_dims start_index_map " +
		"index_vector_dim",
	"scatter": "update_window_dims inserted_window_dims input_batching_dims scatter_indices_batching_dims " +
		"scatter_dims_to_operand_dims index_vector_dim",
	"dot": "lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions rhs_contracting_dimensions",
	"ragged_dot": "lhs_batching_dimensions rhs_batching_dimensions lhs_contracting_dimensions " +
		"rhs_contracting_dimensions lhs_ragged_dimensions rhs_group_dimensions",
	"dot_algorithm": "lhs_precision_type rhs_precision_type accumulation_type lhs_component_count rhs_component_count " +
		"num_primitive_operations allow_imprecise_accumulation",
	"channel_handle":          "handle type",
	"output_operand_alias":    "output_tuple_indices operand_index operand_tuple_indices",
	"result_accuracy":         "atol rtol ulps mode",
	"replica_group_mesh_axes": "mesh mesh_name axes",
	"axis_ref":                "name sub_axis_info",
	"sub_axis_info":           "pre_size size",
	"result_alias":            "tuple_indices result_index result_tuple_indices must_alias",
	"input_output_alias":      "parameter_index parameter_shape_index output_index kind",
}

// dialectAttr returns what reads #name<...>, nil if it is kept unread.
func dialectAttr(name string) func(*parser, *DialectAttr) {
	dialect, rest, dotted := strings.Cut(name, ".")
	if dialect != "stablehlo" && dialect != "mhlo" && dialect != "chlo" {
		return nil
	}
	switch {
	case !dotted:
		return (*parser).enumAttr
	case rest == "conv":
		return func(p *parser, a *DialectAttr) {
			p.expect('<')
			a.Fields = p.convDims()
			p.expect('>')
		}
	case rest == "bounds":
		return func(p *parser, a *DialectAttr) { a.Fields = p.bounds(a.Name, '<', '>') }
	case rest == "type_extensions":
		return func(p *parser, a *DialectAttr) {
			p.expect('<')
			p.expectWord("bounds")
			p.expect('=')
			a.Fields = p.bounds(a.Name, '[', ']')
			p.expect('>')
		}
	case structs[rest] != "":
		return (*parser).structAttr
	case enums[rest] != nil:
		return (*parser).modeAttr
	}
	return nil
}

// plainDialectAttr reports whether #name without <...> is an attribute of a dialect and no alias.
func plainDialectAttr(name string) bool {
	dialect, _, dotted := strings.Cut(name, ".")
	return dotted && dialect != "stablehlo" && dialect != "mhlo" && dialect != "chlo" && !strings.HasPrefix(name, "loc")
}

// enumAttr reads <precision HIGH> behind #stablehlo.
func (p *parser) enumAttr(a *DialectAttr) {
	p.expect('<')
	pos, kind := p.pos(), p.expect(tokIdent)
	if enums[kind] == nil {
		p.failAt(pos, "enumeration #%s<%s> is unknown", a.Name, kind)
	}
	a.Name += "." + kind
	a.Word = p.enumWord(kind)
	p.expect('>')
}

// modeAttr reads <HIGHEST> behind #stablehlo.result_accuracy_mode.
func (p *parser) modeAttr(a *DialectAttr) {
	_, kind, _ := strings.Cut(a.Name, ".")
	p.expect('<')
	a.Word = p.enumWord(kind)
	p.expect('>')
}

// enumWord reads a word of an enumeration.
func (p *parser) enumWord(kind string) string {
	if !p.is(tokIdent) || !slices.Contains(enums[kind], p.tok.text) {
		p.want(fmt.Sprintf("a %s: one of %s", kind, strings.Join(enums[kind], " ")))
		return ""
	}
	return p.expect(tokIdent)
}

// structAttr reads <key = value, ...>, maybe with a comma at the end, and wants each key once and known.
func (p *parser) structAttr(a *DialectAttr) {
	_, kind, _ := strings.Cut(a.Name, ".")
	keys := strings.Fields(structs[kind])
	a.Fields = DictAttr{}
	p.expect('<')
	for more := true; more && p.err == nil && !p.is('>'); more = p.accept(',') {
		f := NamedAttr{Pos: p.pos(), Name: p.expect(tokIdent)}
		if p.err == nil && !slices.Contains(keys, f.Name) {
			p.failAt(f.Pos, "#%s has no key %s, want one of %s", a.Name, f.Name, strings.Join(keys, " "))
		}
		if a.Fields.Lookup(f.Name) != nil {
			p.failAt(f.Pos, "#%s: key %s is given twice", a.Name, f.Name)
		}
		p.expect('=')
		f.Value = p.structValue()
		a.Fields = append(a.Fields, f)
	}
	p.expect('>')
}

// structValue reads the value of a key: an attribute without a type behind it, or the (pre-size)size of a part
// of a mesh axis.
func (p *parser) structValue() Attr {
	switch p.tok.kind {
	case tokInt, tokFloat, '-':
		return p.number()
	case tokString:
		return StringAttr(p.str())
	case '(':
		p.advance()
		pre := p.number()
		p.expect(')')
		return ArrayAttr{pre, p.number()}
	}
	return p.attr()
}

// bounds reads ?, 4 between two brackets.
func (p *parser) bounds(name string, open, end tokenKind) DictAttr {
	pos := p.pos()
	a := DenseArrayAttr{Elem: IntType{Width: 64}}
	p.list(open, end, func() {
		if p.accept('?') {
			a.Elems = append(a.Elems, "?")
			return
		}
		at := p.pos()
		if n := p.int64(); n < 0 {
			p.failAt(at, "#%s: bound %d is negative", name, n)
		} else {
			a.Elems = append(a.Elems, fmt.Sprint(n))
		}
	})
	return DictAttr{{Name: "bounds", Pos: pos, Value: a}}
}

// convSide names the attributes for the dimensions of one of the three shapes of a convolution.
type convSide struct {
	first, second    string // the two dimensions that are not spatial
	spatial          string
	letterA, letterB byte
}

var convSides = [3]convSide{
	{first: "input_batch_dimension", letterA: 'b', second: "input_feature_dimension", letterB: 'f',
		spatial: "input_spatial_dimensions"},
	{first: "kernel_input_feature_dimension", letterA: 'i', second: "kernel_output_feature_dimension", letterB: 'o',
		spatial: "kernel_spatial_dimensions"},
	{first: "output_batch_dimension", letterA: 'b', second: "output_feature_dimension", letterB: 'f',
		spatial: "output_spatial_dimensions"},
}

// convDims reads [b, 0, f]x[0, i, o]->[b, 0, f] or raw keys with the same meaning.
func (p *parser) convDims() DictAttr {
	if p.isWord("raw") {
		p.advance()
		return p.rawConvDims()
	}
	var all DictAttr
	spatial := -1
	for i := range convSides {
		if i == 1 {
			p.expectWord("x")
		}
		if i == 2 {
			p.expect(tokArrow)
		}
		pos := p.pos()
		fields, n := p.convSide(&convSides[i])
		if spatial >= 0 && n != spatial {
			p.failAt(pos, "convolution has %d spatial dimensions here, %d before", n, spatial)
		}
		spatial = n
		all = append(all, fields...)
	}
	return all
}

// convSide reads one bracket and returns its attributes and the number of spatial dimensions.
func (p *parser) convSide(s *convSide) (DictAttr, int) {
	pos := p.pos()
	dims := map[int64]int{} // spatial dimension -> place
	letters := map[byte]int{}
	place := 0
	p.list('[', ']', func() {
		switch {
		case p.is(tokInt):
			d := p.int64()
			if _, twice := dims[d]; twice {
				p.failAt(pos, "spatial dimension %d stands twice", d)
			}
			dims[d] = place
		case p.accept('?'): // a dimension nobody speaks of
		case p.isWord(string(s.letterA)) || p.isWord(string(s.letterB)):
			letter := p.expect(tokIdent)[0]
			if _, twice := letters[letter]; twice {
				p.failAt(pos, "dimension %c stands twice", letter)
			}
			letters[letter] = place
		default:
			p.want(fmt.Sprintf("a number, %c or %c", s.letterA, s.letterB))
		}
		place++
	})
	places := make([]string, len(dims))
	for i := range places {
		at, ok := dims[int64(i)]
		if !ok {
			p.failAt(pos, "spatial dimension %d is missing", i)
		}
		places[i] = fmt.Sprint(at)
	}
	for _, letter := range []byte{s.letterA, s.letterB} {
		if _, ok := letters[letter]; !ok {
			p.failAt(pos, "dimension %c is missing", letter)
		}
	}
	i64 := IntType{Width: 64}
	return DictAttr{
		{Name: s.first, Pos: pos, Value: IntAttr{fmt.Sprint(letters[s.letterA]), i64}},
		{Name: s.second, Pos: pos, Value: IntAttr{fmt.Sprint(letters[s.letterB]), i64}},
		{Name: s.spatial, Pos: pos, Value: DenseArrayAttr{i64, places}},
	}, len(dims)
}

// rawConvDims reads input_batch_dimension = 0, input_spatial_dimensions = [1, 2], ...
func (p *parser) rawConvDims() DictAttr {
	var all DictAttr
	p.items(func() {
		f := NamedAttr{Pos: p.pos(), Name: p.expect(tokIdent)}
		p.expect('=')
		f.Value = p.structValue()
		all = append(all, f)
	})
	return all
}
