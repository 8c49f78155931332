package stablehlo

var builtinForms = map[string]form{
	"module": (*parser).moduleForm,
}

var funcForms = map[string]form{
	"func":   (*parser).funcForm,
	"return": ending(consumed),
	"call":   (*parser).callForm,
}

// moduleForm reads "@name attributes {...} {ops}".
func (p *parser) moduleForm(st *opState) {
	if p.is(tokSymbol) {
		p.set(st, p.pos(), "sym_name", StringAttr(p.expect(tokSymbol)))
	}
	if p.acceptWord("attributes") {
		p.attrDict(st, false)
	}
	st.Regions = []*Region{p.region(nil, true)}
}

// callForm reads "@f(%a, %b) {attributes} : types".
func (p *parser) callForm(st *opState) {
	p.set(st, p.pos(), "callee", p.symbolRef())
	p.operandList(st)
	p.optionalAttrDict(st)
	p.typesOf(st, functional)
}

// funcForm reads "private @f(%a: T {attributes}) -> (T {attributes}) attributes {...} {ops}".
func (p *parser) funcForm(st *opState) {
	for _, visibility := range [...]string{"public", "private", "nested"} {
		if pos := p.pos(); p.acceptWord(visibility) {
			p.set(st, pos, "sym_visibility", StringAttr(visibility))
			break
		}
	}
	p.set(st, p.pos(), "sym_name", StringAttr(p.expect(tokSymbol)))
	pos := p.pos()
	sig := &funcSignature{args: []*Value{}}
	p.list('(', ')', func() { p.funcArg(sig) })
	if p.accept(tokArrow) {
		p.funcResults(sig)
	}
	p.set(st, pos, "function_type", TypeAttr{sig.typ})
	p.setDicts(st, pos, "arg_attrs", sig.argAttrs)
	p.setDicts(st, pos, "res_attrs", sig.resAttrs)
	if p.acceptWord("attributes") {
		p.attrDict(st, false)
	}
	if !p.is('{') {
		return
	}
	if sig.unnamed {
		p.fail("func.func: has a body, and arguments without names")
	}
	st.Regions = []*Region{p.region(sig.args, true)}
}

// funcSignature is what stands between a function's name and its body.
type funcSignature struct {
	typ                FuncType
	args               []*Value
	argAttrs, resAttrs []Attr
	unnamed            bool // an argument has a type only
}

func (p *parser) funcArg(sig *funcSignature) {
	at := p.pos()
	v := &Value{at: &at}
	if p.is(tokValue) {
		v.Name = p.expect(tokValue)
		p.expect(':')
	} else {
		sig.unnamed = true
	}
	v.Type = p.parseType()
	sig.args = append(sig.args, v)
	sig.typ.Inputs = append(sig.typ.Inputs, v.Type)
	sig.argAttrs = append(sig.argAttrs, p.optionalDict())
	if p.isWord("loc") {
		p.location()
	}
}

// funcResults reads "T" or "(T {attributes}, U)".
func (p *parser) funcResults(sig *funcSignature) {
	if !p.is('(') {
		sig.typ.Results = []Type{p.parseType()}
		sig.resAttrs = []Attr{DictAttr(nil)}
		return
	}
	p.list('(', ')', func() {
		sig.typ.Results = append(sig.typ.Results, p.parseType())
		sig.resAttrs = append(sig.resAttrs, p.optionalDict())
	})
}

func (p *parser) optionalDict() Attr {
	if p.is('{') {
		return DictAttr(p.dict())
	}
	return DictAttr(nil)
}

// setDicts sets a list of dictionaries if one of them holds something.
func (p *parser) setDicts(st *opState, pos Pos, name string, dicts []Attr) {
	for _, d := range dicts {
		if len(d.(DictAttr)) > 0 {
			p.set(st, pos, name, ArrayAttr(dicts))
			return
		}
	}
}
