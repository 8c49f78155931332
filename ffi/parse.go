package ffi

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// ParseAttrs reads a dictionary in MLIR's syntax, "{eps = 1.0e-5 : f32, axes = array<i64: 0, 1>}", at the start of
// which nothing means no attributes. It takes what XLA does: integers and bools, f32 and f64, strings, arrays of
// numbers as array<...> or dense<...> of any rank, and dictionaries of all these. It fails on others, lists in brackets
// and types for example, and names the attribute.
func ParseAttrs(text string) (Attrs, error) {
	p := &parser{text: text, room: maxArray}
	if p.space(); p.pos == len(p.text) {
		return nil, nil
	}
	a, err := p.dictionary(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.pos < len(p.text) {
		return nil, p.wrong("the end")
	}
	sortAttrs(a)
	return a, nil
}

type parser struct {
	text string
	pos  int
	room int64 // bytes that arrays may still have
}

// maxDepth is how deep dictionaries may nest.
const maxDepth = 200

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// take skips token if it comes next.
func (p *parser) take(token string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], token) {
		return false
	}
	p.pos += len(token)
	return true
}

func (p *parser) wrong(want string) error {
	p.space()
	got := p.text[p.pos:]
	if len(got) > 24 {
		got = got[:24] + "..."
	}
	return fmt.Errorf("at byte %d: got %q, want %s", p.pos, got, want)
}

// word takes what can be in names, numbers and types.
func (p *parser) word() string {
	p.space()
	from := p.pos
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n,=:{}[]()<>\"", p.text[p.pos]) < 0 {
		p.pos++
	}
	return p.text[from:p.pos]
}

func (p *parser) dictionary(depth int) (Attrs, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("dictionaries nest deeper than %d", maxDepth)
	}
	if !p.take("{") {
		return nil, p.wrong("a dictionary in braces")
	}
	a, seen := Attrs{}, map[string]bool{}
	for !p.take("}") {
		if len(a) > 0 && !p.take(",") {
			return nil, p.wrong("a comma or }")
		}
		name, err := p.name()
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("attribute %s stands twice", name)
		}
		seen[name] = true
		if !p.take("=") {
			return nil, p.wrong("= after the name " + name)
		}
		v, err := p.value(depth)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		a = append(a, Attr{name, v})
	}
	return a, nil
}

func (p *parser) name() (string, error) {
	if p.space(); strings.HasPrefix(p.text[p.pos:], `"`) {
		return p.quoted()
	}
	if w := p.word(); w != "" {
		return w, nil
	}
	return "", p.wrong("a name")
}

// quoted reads a string: \n, \t, \\, \" and \XX are escapes.
func (p *parser) quoted() (string, error) {
	var b strings.Builder
	for i := p.pos + 1; i < len(p.text); i++ {
		switch c := p.text[i]; c {
		case '"':
			p.pos = i + 1
			return b.String(), nil
		case '\\':
			n, c, ok := escape(p.text[i+1:])
			if !ok {
				return "", p.wrong(`a string whose escapes are \n, \t, \\, \" or \XX`)
			}
			b.WriteByte(c)
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return "", p.wrong("a string that ends")
}

// escape reads what follows a backslash and returns its length and the byte that it means.
func escape(s string) (n int, c byte, ok bool) {
	if s == "" {
		return 0, 0, false
	}
	if i := strings.IndexByte(`nt\"`, s[0]); i >= 0 {
		return 1, "\n\t\\\""[i], true
	}
	if len(s) < 2 {
		return 0, 0, false
	}
	hi, ok1 := hexDigit(s[0])
	lo, ok2 := hexDigit(s[1])
	return 2, hi<<4 | lo, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	i := strings.IndexByte("0123456789abcdefABCDEF", c)
	if i > 15 {
		i -= 6
	}
	return byte(i), i >= 0
}

func (p *parser) value(depth int) (any, error) {
	p.space()
	switch rest := p.text[p.pos:]; {
	case strings.HasPrefix(rest, `"`):
		return p.quoted()
	case strings.HasPrefix(rest, "{"):
		return p.dictionary(depth + 1)
	case p.take("array<"):
		return p.array()
	case p.take("dense<"):
		return p.dense()
	case strings.HasPrefix(rest, "["):
		return nil, fmt.Errorf("lists in brackets are not taken, use array<...> or dense<...>")
	}
	return p.scalar()
}

func (p *parser) scalar() (any, error) {
	at := p.pos
	w := p.word()
	if b, ok := map[string]byte{"false": 0, "true": 1}[w]; ok {
		return Scalar{shape.Pred, []byte{b}}, nil
	}
	if w == "" || strings.IndexByte("+-0123456789", w[0]) < 0 {
		p.pos = at
		return nil, p.wrong("a number, a string, true, false, array<...>, dense<...> or a dictionary")
	}
	t := shape.S64
	if strings.ContainsAny(w, ".") {
		t = shape.F64
	}
	if p.take(":") {
		var err error
		if t, err = p.elementType(); err != nil {
			return nil, err
		}
	}
	if c := t.Class(); c != shape.SignedClass && c != shape.UnsignedClass && t != shape.F32 && t != shape.F64 {
		return nil, fmt.Errorf("scalars of type %s are not taken, only integers, i1, f32 and f64", t)
	}
	data, err := element(t, w)
	return Scalar{t, data}, err
}

func (p *parser) elementType() (shape.ElementType, error) {
	at := p.pos
	w := p.word()
	if w == "complex" && p.take("<") {
		w = "complex<" + p.word() + ">"
		p.take(">")
	}
	t, ok := shape.TypeByMLIR(w)
	if w == "index" {
		t, ok = shape.S64, true
	}
	if !ok || t.Class() == shape.NoClass {
		p.pos = at
		return 0, p.wrong("an element type")
	}
	return t, nil
}

// array reads what follows "array<": a type and numbers.
func (p *parser) array() (any, error) {
	t, err := p.elementType()
	if err != nil {
		return nil, err
	}
	if t == shape.Pred {
		return nil, fmt.Errorf("arrays of i1 are not taken")
	}
	a := Array{Type: t}
	for more := p.take(":"); more; more = p.take(",") {
		data, err := element(t, p.word())
		if err != nil {
			return nil, err
		}
		a.Data = append(a.Data, data...)
	}
	if !p.take(">") {
		return nil, p.wrong("> after the numbers")
	}
	return a, nil
}
