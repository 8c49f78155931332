package stablehlo

import (
	"slices"
	"strings"
)

// dense reads dense<elements> : type. The elements are scanned, which finds their nesting and faults of spelling, and
// are kept as text.
func (p *parser) dense() Attr {
	p.advance()
	if !p.is('<') {
		p.want("'<'")
		return UnitAttr{}
	}
	p.advance()
	a := &DenseAttr{Pos: p.pos(), Prog: p.prog}
	switch p.tok.kind {
	case '>':
		a.Dims = []int64{0}
	case tokString:
		p.denseHex(a)
	default:
		p.denseElements(a)
	}
	p.expect('>')
	p.denseType(a)
	return a
}

func (p *parser) denseHex(a *DenseAttr) {
	a.Kind = DenseHex
	digits, ok := strings.CutPrefix(strings.Trim(p.tok.text, `"`), "0x")
	if !ok || strings.Trim(digits, "0123456789abcdefABCDEF") != "" || len(digits)%2 != 0 {
		p.fail("elements are a string that is no \"0x\" and pairs of hexadecimal digits")
	}
	a.Text = digits
	p.advance()
}

// denseElements scans a list or one element.
func (p *parser) denseElements(a *DenseAttr) {
	s := denseScanner{text: p.lex.text, off: p.tok.off}
	start := s.off
	s.scan(0)
	if s.wrong != "" {
		p.failAt(p.posAt(s.off), "%s", s.wrong)
		return
	}
	a.Text = p.lex.text[start:s.off]
	a.Kind, a.Dims = DenseSplat, nil
	if len(s.dims) > 0 {
		a.Kind, a.Dims = DenseList, s.dims
	}
	p.resetTo(s.off)
}

// denseResource reads dense_resource<key> : type.
func (p *parser) denseResource() Attr {
	p.advance()
	p.expect('<')
	a := &DenseAttr{Pos: p.pos(), Kind: DenseResource, Prog: p.prog}
	a.Text = p.metaKey()
	p.expect('>')
	p.denseType(a)
	return a
}

// denseType reads the type and compares the nesting of a list with its shape.
func (p *parser) denseType(a *DenseAttr) {
	p.expect(':')
	pos := p.pos()
	t, ok := p.parseType().(*TensorType)
	if p.err != nil {
		return
	}
	if !ok || t.Unranked || slices.Contains(t.Dims, Dynamic) {
		p.failAt(pos, "type of a list of elements is no tensor of known shape")
		return
	}
	a.Type = t
	empty := slices.Equal(a.Dims, []int64{0}) && slices.Contains(t.Dims, 0)
	if a.Kind == DenseList && !slices.Equal(a.Dims, t.Dims) && !empty {
		p.failAt(a.Pos, "list of elements has the sizes [%s], its type is %s", joinDims(a.Dims), t)
	}
}

// denseScanner walks over the elements of dense<...>. With elem it hands each of them on, in order.
type denseScanner struct {
	text  string
	off   int
	dims  []int64           // sizes of the nested lists, found in the first of each level
	elem  func(text string) // text of one element: a number, true, false, a string or (re, im)
	wrong string            // the first fault, at off
	leaf  int               // depth of the elements + 1; 0 before the first
}

func (s *denseScanner) fail(wrong string) {
	if s.wrong == "" {
		s.wrong = wrong
	}
}

func (s *denseScanner) space() {
	for s.off < len(s.text) {
		switch c := s.text[s.off]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			s.off++
		case c == '/' && strings.HasPrefix(s.text[s.off:], "//"):
			n := strings.IndexByte(s.text[s.off:], '\n')
			if n < 0 {
				s.off = len(s.text)
				return
			}
			s.off += n
		default:
			return
		}
	}
}

func (s *denseScanner) peek() byte {
	if s.off < len(s.text) {
		return s.text[s.off]
	}
	return 0
}

// scan reads a list or an element at depth.
func (s *denseScanner) scan(depth int) {
	if s.space(); s.peek() == '[' {
		s.list(depth)
		return
	}
	start := s.off
	s.element()
	if s.leaf == 0 {
		s.leaf = depth + 1
	}
	if s.wrong == "" && s.leaf != depth+1 {
		s.off = start
		s.fail("elements do not all stand at one depth of the list")
	}
	if s.elem != nil && s.wrong == "" {
		s.elem(s.text[start:s.off])
	}
}

func (s *denseScanner) list(depth int) {
	if depth >= maxDepth {
		s.fail("nesting is too deep")
		return
	}
	start, n := s.off, int64(0)
	first := depth == len(s.dims)
	if first {
		s.dims = append(s.dims, 0)
	}
	s.off++
	for s.space(); s.wrong == "" && s.peek() != ']'; s.space() {
		if n > 0 {
			if s.peek() != ',' {
				s.fail("no ',' or ']' behind an element")
				return
			}
			s.off++
		}
		s.scan(depth + 1)
		n++
	}
	if s.wrong != "" {
		return
	}
	if first {
		s.dims[depth] = n
	} else if s.dims[depth] != n {
		s.off = start
		s.fail("lists of one level differ in length")
		return
	}
	s.off++
}

// element reads a number, true, false, a string or a complex number.
func (s *denseScanner) element() {
	switch c := s.peek(); {
	case c == '(':
		s.off++
		s.space()
		s.number()
		if s.space(); s.peek() != ',' {
			s.fail("no ',' in a complex number")
			return
		}
		s.off++
		s.space()
		s.number()
		if s.space(); s.peek() != ')' {
			s.fail("no ')' behind a complex number")
			return
		}
		s.off++
	case c == 't' || c == 'f':
		s.word()
	case c == '"':
		l := lexer{text: s.text, off: s.off}
		if _, wrong := l.str(); wrong != "" {
			s.fail(wrong)
			return
		}
		s.off = l.off
	default:
		s.number()
	}
}

func (s *denseScanner) word() {
	for _, w := range [...]string{"true", "false"} {
		if strings.HasPrefix(s.text[s.off:], w) {
			s.off += len(w)
			return
		}
	}
	s.fail("element is no number, true or false")
}

func (s *denseScanner) number() {
	off := s.off
	if off < len(s.text) && s.text[off] == '-' {
		for off++; off < len(s.text) && s.text[off] == ' '; off++ {
		}
	}
	if off == len(s.text) || !digit(s.text[off]) {
		if strings.HasPrefix(s.text[s.off:], "...") {
			s.fail("elements were left out ('...')")
		}
		s.fail("element is no number, true or false")
		return
	}
	l := lexer{text: s.text, off: off}
	s.off = l.number().end
}
