package stablehlo

import (
	"fmt"
	"strings"
)

// maxDepth is how deep attributes, types, locations and regions may nest.
const maxDepth = 256

// Text is a piece of a file: a whole one, or what stands between two lines "// -----".
type Text struct {
	File   string // for positions
	Line   int    // of the file on which Source begins, from 1; 0 means 1
	Source string
}

// SplitChunks cuts a file at its lines "// -----", each of which separates two programs. The pieces keep their
// lines' numbers.
func SplitChunks(file, source string) []Text {
	var chunks []Text
	start, line, begin := 0, 1, 1
	for off := 0; off < len(source); line++ {
		end := strings.IndexByte(source[off:], '\n')
		if end < 0 {
			end = len(source) - off
		}
		next := min(off+end+1, len(source))
		if strings.TrimRight(source[off:off+end], " \t\r") == "// -----" {
			chunks = append(chunks, Text{File: file, Line: begin, Source: source[start:off]})
			start, begin = next, line+1
		}
		off = next
	}
	return append(chunks, Text{File: file, Line: begin, Source: source[start:]})
}

// ParseAST turns one program into a tree. Names are resolved, shapes of the tree checked and types of uses
// compared with those of definitions; what the ops mean is not looked at. Text with functions and no module
// gets a module around it.
//
// Every error is an [*Error].
func ParseAST(t Text) (*Program, error) {
	p := &parser{file: t.File, forms: allForms, lex: lexer{text: t.Source, line: max(t.Line, 1)}}
	p.prog = &Program{Resources: map[string]string{}}
	p.advance()
	p.program()
	p.resolveLocations()
	if p.err != nil {
		return nil, p.err
	}
	return p.prog, nil
}

// parser reads one text by recursive descent. The first fault stays in err; from then on every token is the end of
// the text, so that all loops come to their end and no step needs to look at err.
type parser struct {
	file   string
	lex    lexer
	tok    token // the one to be read next
	err    error
	prog   *Program
	forms  map[string]map[string]form
	depth  int
	scope  *scope
	attrs  map[string]Attr      // attribute aliases by name
	types  map[string]Type      // type aliases by name
	sizes  map[string]int       // parts of what an alias stands for, by its mark and name
	nodes  int                  // parts of all that was read, those of aliases counted at each use
	locs   map[string]*Location // location aliases by name
	locPos map[string]Pos       // where location aliases are defined
	later  []*Location          // uses of location aliases
}

func (p *parser) advance() {
	if p.err != nil {
		p.tok = token{kind: tokEOF, line: p.tok.line, col: p.tok.col}
		return
	}
	tok, wrong := p.lex.next()
	p.tok = tok
	if wrong != "" {
		p.failAt(p.pos(), "%s", wrong)
	}
}

func (p *parser) pos() Pos { return Pos{File: p.file, Line: p.tok.line, Col: p.tok.col} }

// posAt returns the position of an offset at or behind the next token.
func (p *parser) posAt(off int) Pos {
	pos := p.pos()
	between := p.lex.text[p.tok.off:off]
	if n := strings.Count(between, "\n"); n > 0 {
		pos.Line += n
		pos.Col = len(between) - strings.LastIndexByte(between, '\n')
	} else {
		pos.Col += len(between)
	}
	return pos
}

// failAt records the first fault.
func (p *parser) failAt(pos Pos, format string, args ...any) {
	if p.err == nil {
		p.err = errorf(pos, format, args...)
	}
	p.tok.kind, p.tok.text = tokEOF, ""
}

func (p *parser) fail(format string, args ...any) { p.failAt(p.pos(), format, args...) }

// want says which token was expected in the place of the next one.
func (p *parser) want(what string) { p.fail("got %s, want %s", p.tok, what) }

func (p *parser) is(k tokenKind) bool { return p.tok.kind == k }

func (p *parser) isWord(word string) bool { return p.tok.kind == tokIdent && p.tok.text == word }

// accept reads a token of this kind if it is next.
func (p *parser) accept(k tokenKind) bool {
	if p.tok.kind != k || k == tokEOF {
		return false
	}
	p.advance()
	return true
}

func (p *parser) acceptWord(word string) bool {
	if !p.isWord(word) {
		return false
	}
	p.advance()
	return true
}

// expect reads a token of this kind and returns its text.
func (p *parser) expect(k tokenKind) string {
	if p.tok.kind != k {
		p.want(k.String())
		return ""
	}
	text := p.tok.text
	p.advance()
	return text
}

func (p *parser) expectWord(word string) {
	if !p.acceptWord(word) {
		p.want(fmt.Sprintf("%q", word))
	}
}

// str reads a string and returns its value.
func (p *parser) str() string {
	if !p.is(tokString) {
		p.want(tokString.String())
		return ""
	}
	value, wrong := unquote(p.tok.text)
	if wrong != "" {
		p.fail("%s", wrong)
	}
	p.advance()
	return value
}

// list reads items between open and end with commas between them. There may be none.
func (p *parser) list(open, end tokenKind, item func()) {
	p.expect(open)
	if p.accept(end) {
		return
	}
	p.items(item)
	p.expect(end)
}

// items reads one or more items with commas between them.
func (p *parser) items(item func()) {
	item()
	for p.accept(',') {
		item()
	}
}

// enter counts a level of nesting; the caller defers leave.
func (p *parser) enter() bool {
	p.depth++
	p.nodes++
	if p.depth > maxDepth {
		p.fail("nesting is deeper than %d", maxDepth)
		return false
	}
	return p.err == nil
}

func (p *parser) leave() { p.depth-- }

// resetTo goes on reading at an offset of the current line or a later one, at or behind the current token.
func (p *parser) resetTo(off int) {
	if p.err != nil {
		return
	}
	l := &p.lex
	l.off, l.line, l.lineStart = p.tok.off, p.tok.line, p.tok.off-p.tok.col+1
	for l.off < off {
		n := strings.IndexByte(l.text[l.off:off], '\n')
		if n < 0 {
			break
		}
		l.off += n + 1
		l.line++
		l.lineStart = l.off
	}
	l.off = off
	p.advance()
}

// program reads a whole text.
func (p *parser) program() {
	p.pushScope(true)
	pos := p.pos()
	body := &Block{Pos: pos}
	for p.err == nil && !p.is(tokEOF) {
		switch p.tok.kind {
		case tokHash, tokBang:
			p.alias()
		case tokMetaOpen:
			p.metadata()
		default:
			body.Ops = append(body.Ops, p.op())
		}
	}
	p.popScope()
	if len(body.Ops) == 1 && body.Ops[0] != nil && body.Ops[0].Name == "builtin.module" {
		p.prog.Module = body.Ops[0]
		return
	}
	region := &Region{Pos: pos, Blocks: []*Block{body}}
	p.prog.Module = &Op{Name: "builtin.module", Pos: pos, Regions: []*Region{region}}
}

// alias reads a definition #name = attribute, #name = loc(...) or !name = type.
func (p *parser) alias() {
	kind, name, pos := p.tok.kind, p.tok.text, p.pos()
	p.advance()
	p.expect('=')
	before := p.nodes
	defer func() { p.measure(pos, aliasKey(kind, name), p.nodes-before) }()
	switch {
	case kind == tokBang:
		if _, double := p.types[name]; double {
			p.failAt(pos, "type alias !%s is defined twice", name)
		}
		p.types = put(p.types, name, p.parseType())
	case p.isWord("loc"):
		if _, double := p.locs[name]; double {
			p.failAt(pos, "location alias #%s is defined twice", name)
		}
		p.locs = put(p.locs, name, p.location())
		p.locPos = put(p.locPos, name, pos)
	default:
		if _, double := p.attrs[name]; double {
			p.failAt(pos, "attribute alias #%s is defined twice", name)
		}
		p.attrs = put(p.attrs, name, p.attr())
	}
}

// maxAlias bounds the parts of an alias: aliases that name others twice each would grow with the power of their number.
const maxAlias = 1 << 16

// measure notes that an alias has n parts, and fails if these are too many.
func (p *parser) measure(pos Pos, key string, n int) {
	if n > maxAlias {
		p.failAt(pos, "alias %s stands for more than %d parts", key, maxAlias)
	}
	p.sizes = put(p.sizes, key, n)
}

// aliasKey is an alias's name with its mark, as types and attributes may have the same.
func aliasKey(kind tokenKind, name string) string {
	if kind == tokBang {
		return "!" + name
	}
	return "#" + name
}

func put[V any](m map[string]V, name string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[name] = value
	return m
}

// metadata reads {-# dialect_resources: {dialect: {key: "0x..."}} #-}; other metadata is skipped.
func (p *parser) metadata() {
	p.expect(tokMetaOpen)
	p.items(func() {
		section := p.metaKey()
		p.expect(':')
		p.list('{', '}', func() {
			p.metaKey() // dialect
			p.expect(':')
			p.list('{', '}', func() { p.resource(section == "dialect_resources") })
		})
	})
	p.expect(tokMetaClose)
}

func (p *parser) metaKey() string {
	if p.is(tokString) {
		return p.str()
	}
	return p.expect(tokIdent)
}

func (p *parser) resource(keep bool) {
	key := p.metaKey()
	p.expect(':')
	if !p.is(tokString) {
		p.attr()
		return
	}
	text := strings.Trim(p.tok.text, `"`)
	p.advance()
	if keep && p.err == nil {
		p.prog.Resources[key] = text
	}
}
