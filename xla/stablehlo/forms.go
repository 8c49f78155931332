package stablehlo

import (
	"strconv"
	"strings"
)

// form reads an op behind its name, in the way this op is printed.
type form func(p *parser, st *opState)

// lookupForm returns how an op written without quotes is read; nil if it has no such form.
func (p *parser) lookupForm(name string) form {
	dialect, op, _ := strings.Cut(name, ".")
	return p.forms[dialect][op]
}

// allForms holds the forms by dialect and op. It is handed to each parser rather than looked up by the forms
// themselves, which would make it refer to itself.
var allForms = map[string]map[string]form{
	"stablehlo":   stablehloForms,
	"mhlo":        stablehloForms,
	"chlo":        chloForms,
	"check":       checkForms,
	"interpreter": interpreterForms,
	"func":        funcForms,
	"builtin":     builtinForms,
	"sdy":         sdyForms,
	"arith":       arithForms,
}

// signature says what the types behind ":" mean when no arrow is among them.
type signature func(p *parser, st *opState, types []Type)

// key is ", word = value" behind the operands of a form.
type key struct {
	word, attr string
	value      func(p *parser) Attr
	optional   bool
}

// plain is the form "%a, %b {attributes} : types".
func plain(sig signature) form { return keyed(sig) }

// keyed is the form "%a, %b, word = value {attributes} : types".
func keyed(sig signature, keys ...key) form {
	return func(p *parser, st *opState) {
		comma := p.operands(st)
		p.keys(st, keys, comma, len(st.Operands) == 0)
		p.optionalAttrDict(st)
		p.typesOf(st, sig)
		p.optionalAttrDict(st)
	}
}

// keys reads ", word = value" for each of keys, in order. The first comma may have been read, and is not
// written where nothing stands before it.
func (p *parser) keys(st *opState, keys []key, comma, bare bool) {
	for i, k := range keys {
		if !comma && !(bare && i == 0) {
			if k.optional && !p.is(',') {
				continue
			}
			p.expect(',')
		}
		if comma = !p.isWord(k.word); comma && k.optional {
			continue
		}
		pos := p.pos()
		p.expectWord(k.word)
		p.expect('=')
		p.set(st, pos, k.attr, k.value(p))
		comma = false
	}
	if comma {
		p.want("an operand or a key")
	}
}

// typesOf reads ": types".
func (p *parser) typesOf(st *opState, sig signature) {
	p.expect(':')
	if p.is('(') {
		p.functionType(st)
		return
	}
	var types []Type
	p.items(func() { types = append(types, p.parseType()) })
	if p.accept(tokArrow) {
		st.in, st.out = types, p.resultTypes()
		return
	}
	if p.err == nil {
		sig(p, st, types)
	}
}

func repeat(t Type, n int) []Type {
	types := make([]Type, n)
	for i := range types {
		types[i] = t
	}
	return types
}

// one wants one type to be written.
func (p *parser) one(st *opState, types []Type) bool {
	if len(types) != 1 {
		p.failAt(st.Pos, "%s: %d types are written, want one, or (types) -> types", st.Name, len(types))
		return false
	}
	return true
}

// same: one type, of all operands and the result.
func same(p *parser, st *opState, types []Type) {
	if p.one(st, types) {
		st.in, st.out = repeat(types[0], len(st.Operands)), types
	}
}

// pairs: a type for each operand, of the result in its place as well.
func pairs(_ *parser, st *opState, types []Type) { st.in, st.out = types, types }

// consumed: a type for each operand or one for all; no results.
func consumed(_ *parser, st *opState, types []Type) {
	st.in = types
	if len(types) == 1 {
		st.in = repeat(types[0], len(st.Operands))
	}
}

// functional: only (types) -> types will do.
func functional(p *parser, st *opState, _ []Type) {
	p.failAt(st.Pos, "%s: types are not of the form (types) -> types", st.Name)
}

// selected: the types of the predicate and of the rest.
func selected(p *parser, st *opState, types []Type) {
	if len(types) != 2 {
		p.failAt(st.Pos, "%s: %d types are written, want that of the predicate and that of the result", st.Name, len(types))
		return
	}
	st.in, st.out = []Type{types[0], types[1], types[1]}, types[1:]
}

// complexParts: the type of the result; the operands have its real type.
func complexParts(p *parser, st *opState, types []Type) {
	if !p.one(st, types) {
		return
	}
	t, ok := types[0].(*TensorType)
	if ok {
		if c, isComplex := t.Elem.(ComplexType); isComplex {
			part := *t
			part.Elem = c.Elem
			st.in, st.out = repeat(&part, len(st.Operands)), types
			return
		}
	}
	p.failAt(st.Pos, "%s: type is %s, want a tensor of complex numbers", st.Name, types[0])
}

// tupled: the type of the result, a tuple of the operands.
func tupled(p *parser, st *opState, types []Type) {
	if !p.one(st, types) {
		return
	}
	t, ok := types[0].(TupleType)
	if !ok {
		p.failAt(st.Pos, "%s: type is %s, want a tuple", st.Name, types[0])
		return
	}
	st.in, st.out = t.Elems, types
}

// Values of keys.

func (p *parser) intAttr() Attr {
	pos := p.pos()
	a := p.number()
	if _, ok := a.(IntAttr); !ok {
		p.failAt(pos, "got a float, want an integer")
	}
	return a
}

func (p *parser) numberAttr() Attr { return p.number() }

func (p *parser) plainString() Attr { return StringAttr(p.str()) }

func (p *parser) boolAttr() Attr {
	if !p.isWord("true") && !p.isWord("false") {
		p.want("true or false")
		return BoolAttr(false)
	}
	return BoolAttr(p.expect(tokIdent) == "true")
}

// dims reads [0, 1], or array<i64: 0, 1> as some old printers wrote.
func (p *parser) dims() Attr {
	if p.isWord("array") {
		return p.denseArray()
	}
	a := DenseArrayAttr{Elem: IntType{Width: 64}}
	p.list('[', ']', func() {
		a.Elems = append(a.Elems, strconv.FormatInt(p.int64(), 10))
	})
	return a
}

// enum returns a reader of a bare word of an enumeration.
func enum(kind string) func(p *parser) Attr {
	return func(p *parser) Attr { return p.enumValue(kind) }
}

func (p *parser) enumValue(kind string) Attr {
	return &DialectAttr{Name: "stablehlo." + kind, Word: p.enumWord(kind)}
}

// precisions reads [HIGH, DEFAULT].
func (p *parser) precisions() Attr {
	var a ArrayAttr
	p.list('[', ']', func() { a = append(a, p.enumValue("precision")) })
	return a
}

// floatFormat reads "%a, format = e5m10" and sets both widths.
func (p *parser) floatFormat(st *opState) {
	comma := p.operands(st)
	if !comma {
		p.expect(',')
	}
	p.expectWord("format")
	p.expect('=')
	pos, text := p.pos(), p.tok.text
	exponent, mantissa, ok := strings.Cut(strings.TrimPrefix(text, "e"), "m")
	if !p.is(tokIdent) || text[0] != 'e' || !ok || !digits(exponent) || !digits(mantissa) {
		p.want("a format such as e5m10")
		return
	}
	p.advance()
	i32 := IntType{Width: 32}
	p.set(st, pos, "exponent_bits", IntAttr{exponent, i32})
	p.set(st, pos, "mantissa_bits", IntAttr{mantissa, i32})
	p.optionalAttrDict(st)
	p.typesOf(st, same)
}

func digits(s string) bool { return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == "" }
