package hlopb

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/halo-xla/halo/xla/hlo"
)

// detectText returns which message a text begins as, by the names of its first fields.
func detectText(src []byte) Format {
	s := &textParser{scanner: scanner{src: string(src[:min(len(src), 4096)])}}
	name := s.name()
	colon := s.mark(':')
	open := s.mark('{') || s.mark('<')
	if name == "" || !colon && !open {
		return None
	}
	for _, f := range []Format{moduleProto, programProto, snapshotProto} {
		desc := describe(string(f))
		known := desc.byName[name]
		if known == nil || open != (known.kind == messageKind) {
			continue
		}
		if open { // "computations {" may be HLO text, whose instructions have another look
			inner := s.name()
			if !s.mark('}') && (known.message.byName[inner] == nil || !s.mark(':') && !s.mark('{') && !s.mark('<')) {
				continue
			}
		}
		if f == programProto && mentions(src, "partitions") {
			return unoptimizedSnapshot
		}
		return f
	}
	return None
}

// mentions reports whether a line of the text begins with a field of that name, not nested.
func mentions(src []byte, name string) bool { return strings.Contains(string(src), "\n"+name+" ") }

// textParser makes the binary form of a text.
type textParser struct {
	scanner
	file  string
	w     *writer
	depth int
	err   error
}

// parseText returns the binary form of a text of the message called name.
func parseText(src, file, name string) ([]byte, error) {
	p := &textParser{scanner: scanner{src: src}, file: file, w: &writer{desc: describe(name)}}
	for p.skip(); p.at < len(p.src) && p.err == nil; p.skip() {
		p.field()
	}
	return p.w.b, p.err
}

func (p *textParser) fail(format string, args ...any) {
	if p.err != nil {
		return
	}
	before := p.src[:min(p.at, len(p.src))]
	line, start := 1+strings.Count(before, "\n"), strings.LastIndexByte(before, '\n')
	p.err = &hlo.SyntaxError{Pos: hlo.Pos{File: p.file, Line: line, Col: len(before) - start},
		Err: fmt.Errorf("%s: %w", p.w.desc.name, fmt.Errorf(format, args...))}
}

// skip passes white space and comments, but for the mark of those that hold a field.
func (p *textParser) skip() {
	for p.space(); p.at < len(p.src) && p.src[p.at] == '#'; p.space() {
		switch rest := p.src[p.at:]; {
		case strings.HasPrefix(rest, "# "+ownText+" {"):
			p.at += len("# ")
			return
		case strings.HasPrefix(rest, "# "+ownField+" "):
			p.at += len("# " + ownField + " ")
			return
		}
		if end := strings.IndexByte(p.src[p.at:], '\n'); end >= 0 {
			p.at += end
		} else {
			p.at = len(p.src)
		}
	}
}

func (p *textParser) name() string {
	p.skip()
	return p.word()
}

func (p *textParser) mark(c byte) bool {
	p.skip()
	return p.take(c)
}

// field reads "name: value", "name { ... }", "name: [value, value]" and the comma or semicolon after it.
func (p *textParser) field() {
	name := p.name()
	f := p.w.desc.byName[name]
	n, err := strconv.ParseInt(name, 10, 32)
	colon := p.mark(':')
	switch {
	case name == "":
		p.fail("got %q, want the name of a field", p.src[p.at:min(p.at+10, len(p.src))])
	case f == nil && err == nil && n > 0 && n <= int64(protowire.MaxValidNumber):
		p.unknown(protowire.Number(n))
	case f == nil:
		p.fail("there is no field %s", name)
	case !colon && f.kind != messageKind:
		p.fail("got no colon after %s", name)
	case p.mark('['):
		for first := true; p.err == nil && !p.mark(']'); first = false {
			if !first && !p.mark(',') {
				p.fail("%s: want a comma or ] in the list", name)
			}
			p.value(f)
		}
	default:
		p.value(f)
	}
	if !p.mark(',') {
		p.mark(';')
	}
}

// value reads one value of a field.
func (p *textParser) value(f *fieldDesc) {
	switch p.skip(); f.kind {
	case messageKind:
		p.nested(f)
	case stringKind, bytesKind:
		p.w.strs(f.name, p.text())
	default:
		p.number(f)
	}
}

func (p *textParser) nested(f *fieldDesc) {
	end := byte('}')
	if p.mark('<') {
		end = '>'
	} else if !p.mark('{') {
		p.fail("%s: got no {", f.name)
		return
	}
	if p.depth++; p.depth > maxDepth {
		p.fail("messages nest deeper than %d", maxDepth)
	}
	p.w.sub(f.name, func() {
		for p.err == nil && !p.mark(end) {
			if p.at >= len(p.src) {
				p.fail("%s: the text ends before the %c", f.name, end)
				return
			}
			p.field()
		}
	})
	p.depth--
}

// text reads quoted strings, which are one if they follow each other.
func (p *textParser) text() (text string) {
	for some := false; ; some = true {
		p.skip()
		if p.at >= len(p.src) || p.src[p.at] != '"' && p.src[p.at] != '\'' {
			if !some {
				p.fail("got no quoted string")
			}
			return text
		}
		part, ok := p.quoted()
		if !ok {
			p.fail("the text ends before the quote")
		}
		text += part
	}
}

// number reads a number, a boolean or the name of an enumerator.
func (p *textParser) number(f *fieldDesc) {
	at := p.at
	minus := p.mark('-')
	p.skip()
	start := p.at
	for word := p.word(); word != "" && strings.HasSuffix(strings.ToLower(word), "e") && p.at < len(p.src) &&
		strings.IndexByte("+-", p.src[p.at]) >= 0 && f.wireIsFloat(); word = p.word() {
		p.at++ // of an exponent
	}
	word := p.src[start:p.at]
	n, ok := f.parse(word, minus)
	if !ok {
		p.at = at
		p.fail("%s: got %q, want a value of type %s", f.name, word, f.typ)
		return
	}
	p.w.tag(f, f.kind.wire())
	switch f.kind.wire() {
	case protowire.Fixed32Type:
		p.w.b = protowire.AppendFixed32(p.w.b, uint32(n))
	case protowire.Fixed64Type:
		p.w.b = protowire.AppendFixed64(p.w.b, n)
	default:
		p.w.b = protowire.AppendVarint(p.w.b, n)
	}
}

func (f *fieldDesc) wireIsFloat() bool { return f.kind == floatKind || f.kind == doubleKind }

// parse returns the bits of a number as the wire has them.
func (f *fieldDesc) parse(word string, minus bool) (uint64, bool) {
	sign := ""
	if minus {
		sign = "-"
	}
	switch f.kind {
	case boolKind:
		v, err := strconv.ParseBool(strings.ToLower(word))
		return b2u(v), err == nil && !minus
	case floatKind, doubleKind:
		return f.parseFloat(sign + word)
	case uintKind:
		n, err := strconv.ParseUint(word, 0, 64)
		return n, err == nil && !minus
	case enumKind:
		if n, ok := f.enum.numbers[word]; ok && !minus {
			return uint64(n), true
		}
	}
	n, err := strconv.ParseInt(sign+word, 0, 64)
	return uint64(n), err == nil
}

func b2u(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func (f *fieldDesc) parseFloat(word string) (uint64, bool) {
	bits := 64
	if f.kind == floatKind {
		bits = 32
	}
	v, err := strconv.ParseFloat(word, bits)
	if err != nil && !math.IsInf(v, 0) { // one that is too large is infinite
		v, err = strconv.ParseFloat(strings.TrimRight(word, "fF"), bits)
		if err != nil {
			return 0, false
		}
	}
	if bits == 32 {
		return uint64(math.Float32bits(float32(v))), true
	}
	return math.Float64bits(v), true
}

// unknown reads the value of a field that the text has by its number, in the forms that textForm writes.
func (p *textParser) unknown(n protowire.Number) {
	p.skip()
	if p.at < len(p.src) && (p.src[p.at] == '"' || p.src[p.at] == '\'') {
		p.w.b = protowire.AppendTag(p.w.b, n, protowire.BytesType)
		p.w.b = protowire.AppendString(p.w.b, p.text())
		return
	}
	word := p.name()
	v, err := strconv.ParseUint(word, 0, 64)
	switch {
	case err != nil:
		p.fail("field %d: got %q, want a number or a quoted string", n, word)
	case strings.HasPrefix(word, "0x") && len(word) == 10:
		p.w.b = protowire.AppendFixed32(protowire.AppendTag(p.w.b, n, protowire.Fixed32Type), uint32(v))
	case strings.HasPrefix(word, "0x") && len(word) == 18:
		p.w.b = protowire.AppendFixed64(protowire.AppendTag(p.w.b, n, protowire.Fixed64Type), v)
	default:
		p.w.b = protowire.AppendVarint(protowire.AppendTag(p.w.b, n, protowire.VarintType), v)
	}
}
