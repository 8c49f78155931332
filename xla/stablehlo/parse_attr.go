package stablehlo

import (
	"math"
	"strconv"
)

// attr reads an attribute with its type, if one is written.
func (p *parser) attr() Attr {
	defer p.leave()
	if !p.enter() {
		return UnitAttr{}
	}
	switch p.tok.kind {
	case tokString:
		return p.stringAttr()
	case tokInt, tokFloat, '-':
		return p.typedNumber()
	case tokSymbol:
		return p.symbolRef()
	case '[':
		var elems ArrayAttr
		p.list('[', ']', func() { elems = append(elems, p.attr()) })
		return elems
	case '{':
		return DictAttr(p.dict())
	case tokHash:
		return p.hashAttr()
	case '(', tokBang:
		return TypeAttr{p.parseType()}
	case tokIdent:
		return p.identAttr()
	}
	p.want("an attribute")
	return UnitAttr{}
}

// stringAttr reads a string; a type behind it says nothing to us.
func (p *parser) stringAttr() Attr {
	s := StringAttr(p.str())
	if p.accept(':') {
		p.parseType()
	}
	return s
}

// typedNumber reads 1, 1 : i32, -1.5 : f32, 0x7FC00000 : f32.
func (p *parser) typedNumber() Attr {
	a := p.number()
	if !p.accept(':') {
		return a
	}
	pos := p.pos()
	t := p.parseType()
	if f, ok := a.(FloatAttr); ok {
		if _, ok := t.(FloatType); !ok {
			p.failAt(pos, "type of the number %s is %s, want a float type", f.Text, t)
		}
		return FloatAttr{f.Text, t}
	}
	switch t.(type) {
	case IntType, IndexType, FloatType:
	default:
		p.failAt(pos, "type of the integer %s is %s, want an integer type", a.(IntAttr).Text, t)
	}
	return IntAttr{a.(IntAttr).Text, t}
}

// number reads a number without a type behind it.
func (p *parser) number() Attr {
	text := ""
	if p.accept('-') {
		text = "-"
	}
	text += p.tok.text
	switch p.tok.kind {
	case tokInt:
		p.advance()
		return IntAttr{text, IntType{Width: 64}}
	case tokFloat:
		p.advance()
		return FloatAttr{text, FloatType{"f64"}}
	}
	p.want("a number")
	return IntAttr{"0", IntType{Width: 64}}
}

// int64 reads a whole number.
func (p *parser) int64() int64 {
	pos := p.pos()
	a, ok := p.number().(IntAttr)
	if !ok {
		p.failAt(pos, "got a float, want an integer")
		return 0
	}
	v, err := strconv.ParseInt(a.Text, 0, 64)
	if err != nil {
		p.failAt(pos, "integer %s does not fit in 64 bits", a.Text)
	}
	return v
}

// float64 reads a number.
func (p *parser) float64() float64 {
	pos := p.pos()
	text := ""
	switch a := p.number().(type) {
	case IntAttr:
		text = a.Text
	case FloatAttr:
		text = a.Text
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) {
		p.failAt(pos, "%s is no number", text)
	}
	return v
}

// symbolRef reads @a or @a::@b.
func (p *parser) symbolRef() Attr {
	path := []string{p.expect(tokSymbol)}
	for p.accept(tokColons) {
		path = append(path, p.expect(tokSymbol))
	}
	return SymbolAttr{path}
}

// dict reads {a = 1, "b.c" = 2, d}.
func (p *parser) dict() []NamedAttr {
	attrs := []NamedAttr{}
	seen := map[string]bool{}
	p.list('{', '}', func() {
		a := NamedAttr{Pos: p.pos(), Value: UnitAttr{}}
		if p.is(tokString) {
			a.Name = p.str()
		} else {
			a.Name = p.expect(tokIdent)
		}
		if seen[a.Name] {
			p.failAt(a.Pos, "attribute %s is given twice", a.Name)
		}
		seen[a.Name] = true
		if p.accept('=') {
			a.Value = p.attr()
		}
		attrs = append(attrs, a)
	})
	return attrs
}

// identAttr reads an attribute that begins with a bare name: a keyword or a type.
func (p *parser) identAttr() Attr {
	switch p.tok.text {
	case "true", "false":
		return BoolAttr(p.expect(tokIdent) == "true")
	case "unit":
		p.advance()
		return UnitAttr{}
	case "dense":
		return p.dense()
	case "dense_resource":
		return p.denseResource()
	case "array":
		return p.denseArray()
	case "loc":
		return LocAttr{p.location()}
	case "affine_map", "affine_set", "strided", "distinct":
		start := p.tok.off
		p.advance()
		_, end := p.rawBody()
		return OpaqueAttr(p.lex.text[start:end])
	}
	if t := p.identType(); t != nil {
		return TypeAttr{t}
	}
	p.want("an attribute")
	return UnitAttr{}
}

// denseArray reads array<i64: 1, 2> or array<i64>.
func (p *parser) denseArray() Attr {
	p.advance()
	p.expect('<')
	a := DenseArrayAttr{Elem: p.parseType()}
	if p.accept(':') {
		p.items(func() { a.Elems = append(a.Elems, p.arrayElem(a.Elem)) })
	}
	p.expect('>')
	return a
}

// arrayElem reads one element of array<elem: ...>.
func (p *parser) arrayElem(elem Type) string {
	pos := p.pos()
	t, _ := elem.(IntType)
	if t.Width == 1 {
		if p.isWord("true") || p.isWord("false") {
			return p.expect(tokIdent)
		}
		p.want("true or false")
		return ""
	}
	switch a := p.number().(type) {
	case IntAttr:
		p.checkInt(pos, a.Text, t)
		return a.Text
	case FloatAttr:
		if t.Width != 0 {
			p.failAt(pos, "got %s, want an integer", a.Text)
		}
		return a.Text
	}
	return ""
}

// checkInt wants text to be a number of an integer type of up to 64 bits; other types pass.
func (p *parser) checkInt(pos Pos, text string, t IntType) {
	if t.Width == 0 || t.Width > 64 || p.err != nil {
		return
	}
	if _, err := strconv.ParseInt(text, 0, t.Width); err == nil {
		return
	}
	if _, err := strconv.ParseUint(text, 0, t.Width); err != nil {
		p.failAt(pos, "integer %s does not fit in %s", text, t)
	}
}

// hashAttr reads #alias, #dialect.name<...> or #dialect<name ...>.
func (p *parser) hashAttr() Attr {
	name, pos := p.tok.text, p.pos()
	if a, ok := p.attrs[name]; ok {
		p.nodes += p.sizes["#"+name]
		p.advance()
		return a
	}
	if loc, ok := p.locs[name]; ok {
		p.advance()
		return LocAttr{loc}
	}
	p.advance()
	if !p.is('<') || digit(name[0]) {
		if plain := plainDialectAttr(name); plain {
			return &DialectAttr{Name: name}
		}
		p.failAt(pos, "attribute alias #%s is not defined", name)
		return UnitAttr{}
	}
	if parse := dialectAttr(name); parse != nil {
		a := &DialectAttr{Name: name}
		parse(p, a)
		return a
	}
	body, _ := p.rawBody()
	return &DialectAttr{Name: name, Body: body}
}

// rawBody reads <...> unparsed and returns what stands between, and the offset behind it. Brackets inside have
// to match.
func (p *parser) rawBody() (body string, end int) {
	if !p.is('<') {
		p.want("'<'")
		return "", p.tok.off
	}
	text, start := p.lex.text, p.tok.off
	var open []byte
	for i := start; i < len(text); i++ {
		switch c := text[i]; c {
		case '<', '(', '[', '{':
			open = append(open, closing[c])
		case '-':
			if i+1 < len(text) && text[i+1] == '>' {
				i++
			}
		case '"':
			i = p.skipString(i)
		case '>', ')', ']', '}':
			if open[len(open)-1] != c {
				p.fail("brackets do not match: got '%c', want '%c'", c, open[len(open)-1])
				return "", i
			}
			open = open[:len(open)-1]
			if len(open) == 0 {
				p.resetTo(i + 1)
				return text[start+1 : i], i + 1
			}
		}
	}
	p.fail("'<' is not closed")
	return "", len(text)
}

var closing = [256]byte{'<': '>', '(': ')', '[': ']', '{': '}'}

// skipString returns the offset of the closing quote of the string at off.
func (p *parser) skipString(off int) int {
	text := p.lex.text
	for i := off + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}
