package stablehlo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/spelling"
	"github.com/halo-xla/halo/xla/hlo"
)

// scope holds the values that may be used at a place of the text. A nested region sees the values around it
// unless it is isolated, and may not define them again.
type scope struct {
	values   map[string][]*Value // shared with the scopes around, up to the next isolated one
	defined  []string            // here, to be forgotten at the end
	outer    *scope
	isolated bool
}

func (p *parser) pushScope(isolated bool) {
	s := &scope{outer: p.scope, isolated: isolated}
	if isolated {
		s.values = map[string][]*Value{}
	} else {
		s.values = p.scope.values
	}
	p.scope = s
}

func (p *parser) popScope() {
	for _, name := range p.scope.defined {
		delete(p.scope.values, name)
	}
	p.scope = p.scope.outer
}

// define makes a name stand for values.
func (p *parser) define(name string, pos Pos, values []*Value) {
	if old := p.scope.values[name]; old != nil {
		p.failAt(pos, "value %%%s is defined twice, first at line %d", name, old[0].Pos().Line)
		return
	}
	p.scope.values[name] = values
	p.scope.defined = append(p.scope.defined, name)
}

// value reads the use of a value: %x or %x#1.
func (p *parser) value() *Value {
	pos, name := p.pos(), p.expect(tokValue)
	index := 0
	if p.is(tokHash) && name != "" {
		if _, err := fmt.Sscanf(p.tok.text, "%d", &index); err != nil || !digit(p.tok.text[0]) {
			p.want("the number of a result")
		}
		p.advance()
	}
	if p.err != nil {
		return &Value{Type: NoneType{}}
	}
	values := p.scope.values[name]
	if values == nil {
		p.failAt(pos, "value %%%s is used and not defined before", name)
		return &Value{Type: NoneType{}}
	}
	if index >= len(values) {
		p.failAt(pos, "%%%s#%d is used, but %%%s has %d results", name, index, name, len(values))
		return &Value{Type: NoneType{}}
	}
	return values[index]
}

// opState is an op while it is being read.
type opState struct {
	*Op
	uses []Pos  // of the operands
	in   []Type // of the operands, as written behind the op
	out  []Type // of the results
}

// resultName is one name on the left of "=", for count results.
type resultName struct {
	name  string
	pos   Pos
	count int
}

// op reads one op with its results. It returns nil after a fault.
func (p *parser) op() *Op {
	names := p.resultNames()
	st := &opState{Op: &Op{Pos: p.pos()}}
	switch p.tok.kind {
	case tokString:
		st.Name = p.str()
		p.genericForm(st)
	case tokIdent:
		st.Name = opName(p.tok.text)
		parse := p.lookupForm(st.Name)
		if parse == nil {
			p.unknownForm(st.Name)
			return nil
		}
		p.advance()
		parse(p, st)
	default:
		p.want("an op")
	}
	if p.isWord("loc") {
		st.Loc = p.location()
	}
	p.finish(st, names)
	if p.err != nil {
		return nil
	}
	return st.Op
}

// unknownForm says why an op cannot be read that is written without quotes.
func (p *parser) unknownForm(name string) {
	if _, known := hlo.OpByMLIR(name); known {
		p.fail("%s has no short form, want %q(...)", name, name)
		return
	}
	dialect, _, _ := strings.Cut(name, ".")
	hint := meantOp(name, p.forms)
	if hint == "" && p.forms[dialect] == nil {
		hint = ", want one of the dialects " + strings.Join(slices.Sorted(maps.Keys(p.forms)), ", ")
	}
	p.fail("unknown op %s%s", name, hint)
}

// meantOp is a hint at the op that a name may have been meant for, whose dialect or own part is misspelt, or which has
// no dialect.
func meantOp(name string, forms map[string]map[string]form) string {
	dialect, op, dotted := strings.Cut(name, ".")
	if !dotted {
		dialect, op = "stablehlo", name
	}
	if forms[dialect] == nil {
		dialect = spelling.Nearest(dialect, slices.Sorted(maps.Keys(forms)))
	}
	if at := spelling.Nearest(op, opsOf(dialect, forms)); at != "" {
		return ", did you mean " + dialect + "." + at
	}
	return ""
}

// opsOf lists the ops of a dialect by their names without it.
func opsOf(dialect string, forms map[string]map[string]form) []string {
	names := slices.Collect(maps.Keys(forms[dialect]))
	for op := range hlo.NumOps {
		if of, name, _ := strings.Cut(op.Info().MLIR, "."); of == dialect && dialect != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// short names of ops that may be written without their dialect.
var shortNames = map[string]string{
	"module": "builtin.module", "func": "func.func", "return": "func.return", "call": "func.call",
}

func opName(text string) string {
	if name, ok := shortNames[text]; ok {
		return name
	}
	return text
}

// resultNames reads %a, %b:2 =.
func (p *parser) resultNames() []resultName {
	if !p.is(tokValue) {
		return nil
	}
	var names []resultName
	p.items(func() {
		r := resultName{pos: p.pos(), name: p.expect(tokValue), count: 1}
		if p.accept(':') {
			r.count = int(p.int64())
			if r.count < 1 {
				p.failAt(r.pos, "%%%s has %d results, want at least one", r.name, r.count)
			}
		}
		names = append(names, r)
	})
	p.expect('=')
	return names
}

// finish compares the operands with the types written for them and makes the results.
func (p *parser) finish(st *opState, names []resultName) {
	if p.err != nil {
		return
	}
	if len(st.in) != len(st.Operands) {
		p.failAt(st.Pos, "%s: has %d operands and types for %d", st.Name, len(st.Operands), len(st.in))
		return
	}
	for i, v := range st.Operands {
		if !TypesEqual(v.Type, st.in[i]) {
			p.failAt(st.uses[i], "%s: operand %d has type %s, but %s is written for it", st.Name, i, v.Type, st.in[i])
			return
		}
	}
	st.Results = make([]*Value, len(st.out))
	for i, t := range st.out {
		st.Results[i] = &Value{Type: t, Op: st.Op}
	}
	rest := st.Results
	for i := range names {
		n := &names[i]
		if n.count > len(rest) {
			break
		}
		for _, v := range rest[:n.count] {
			v.Name, v.at = n.name, &n.pos
		}
		p.define(n.name, n.pos, rest[:n.count:n.count])
		rest = rest[n.count:]
	}
	if total := countNames(names); names != nil && total != len(st.out) {
		p.failAt(st.Pos, "%s: has %d results, and %d are named", st.Name, len(st.out), total)
	}
}

func countNames(names []resultName) int {
	n := 0
	for _, r := range names {
		n += r.count
	}
	return n
}

// operand reads one operand.
func (p *parser) operand(st *opState) {
	st.uses = append(st.uses, p.pos())
	st.Operands = append(st.Operands, p.value())
}

// operands reads one or more operands with commas between them. Behind a comma something else may follow, and
// then the comma has been read when operands returns true.
func (p *parser) operands(st *opState) (comma bool) {
	if !p.is(tokValue) {
		return false
	}
	p.operand(st)
	for p.accept(',') {
		if !p.is(tokValue) {
			return true
		}
		p.operand(st)
	}
	return false
}

// operandList reads (%a, %b).
func (p *parser) operandList(st *opState) {
	p.list('(', ')', func() { p.operand(st) })
}

// genericForm reads (%a, %b) <{properties}> ({regions}) {attributes} : (A, B) -> (C).
func (p *parser) genericForm(st *opState) {
	if st.Name == "" || strings.IndexByte(st.Name, '.') < 0 {
		p.failAt(st.Pos, "op name %q has no dialect%s", st.Name, meantOp(st.Name, p.forms))
	}
	p.operandList(st)
	if p.is('[') {
		p.fail("%s: branches to blocks are not supported", st.Name)
	}
	if p.is('<') {
		p.advance()
		p.attrDict(st, true)
		p.expect('>')
	}
	if p.is('(') {
		isolated := isolatedOps[st.Name]
		p.list('(', ')', func() { st.Regions = append(st.Regions, p.region(nil, isolated)) })
	}
	if p.is('{') {
		p.attrDict(st, false)
	}
	p.expect(':')
	p.functionType(st)
}

// isolatedOps have regions that see no values from outside.
var isolatedOps = map[string]bool{"builtin.module": true, "func.func": true}

// functionType reads (A, B) -> C as the types of an op.
func (p *parser) functionType(st *opState) {
	t := p.funcType()
	st.in, st.out = t.Inputs, t.Results
}

// attrDict reads {a = 1, b} into the attributes of an op.
func (p *parser) attrDict(st *opState, property bool) {
	for _, a := range p.dict() {
		a.Property = property
		p.addAttr(st, a)
	}
}

// optionalAttrDict reads {a = 1} if it is there.
func (p *parser) optionalAttrDict(st *opState) {
	if p.is('{') {
		p.attrDict(st, false)
	}
}

// maxAttrs is how many attributes an op may have. Each is compared with the others.
const maxAttrs = 1_000

func (p *parser) addAttr(st *opState, a NamedAttr) {
	if len(st.Attrs) == maxAttrs {
		p.failAt(a.Pos, "%s has more than %d attributes", st.Name, maxAttrs)
		return
	}
	for i := range st.Attrs {
		if st.Attrs[i].Name == a.Name {
			p.failAt(a.Pos, "%s: attribute %s is given twice", st.Name, a.Name)
			return
		}
	}
	st.Attrs = append(st.Attrs, a)
}

// set adds an attribute that a pretty form spells in its own way.
func (p *parser) set(st *opState, pos Pos, name string, value Attr) {
	p.addAttr(st, NamedAttr{Name: name, Pos: pos, Value: value, Property: true})
}

// region reads {ops} or {^bb0(%a: T): ops}. With args, these are the arguments of its first block, which then
// has no label.
func (p *parser) region(args []*Value, isolated bool) *Region {
	r := &Region{Pos: p.pos()}
	defer p.leave()
	if !p.enter() {
		return r
	}
	p.expect('{')
	p.pushScope(isolated)
	defer p.popScope()
	for _, a := range args {
		p.define(a.Name, a.Pos(), []*Value{a})
	}
	if args != nil || !p.is(tokBlock) {
		b := &Block{Pos: p.pos(), Args: args}
		p.blockOps(b)
		if len(b.Ops) > 0 || args != nil || !p.is(tokBlock) {
			r.Blocks = append(r.Blocks, b)
		}
	}
	for p.is(tokBlock) {
		r.Blocks = append(r.Blocks, p.block())
	}
	p.expect('}')
	return r
}

// block reads ^bb0(%a: T): ops.
func (p *parser) block() *Block {
	b := &Block{Pos: p.pos()}
	p.expect(tokBlock)
	if p.is('(') {
		p.list('(', ')', func() { b.Args = append(b.Args, p.blockArg()) })
	}
	p.expect(':')
	for _, a := range b.Args {
		p.define(a.Name, a.Pos(), []*Value{a})
	}
	p.blockOps(b)
	return b
}

// argument reads the name of an argument.
func (p *parser) argument() *Value {
	at := p.pos()
	return &Value{at: &at, Name: p.expect(tokValue)}
}

// blockArg reads %a: T loc(...).
func (p *parser) blockArg() *Value {
	v := p.argument()
	p.expect(':')
	v.Type = p.parseType()
	if p.isWord("loc") {
		p.location()
	}
	return v
}

func (p *parser) blockOps(b *Block) {
	for p.err == nil && !p.is('}') && !p.is(tokBlock) {
		b.Ops = append(b.Ops, p.op())
	}
}
