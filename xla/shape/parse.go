package shape

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halo-xla/halo/internal/spelling"
)

// maxDepth is how deep the text of a shape may nest.
const maxDepth = 500

// MaxRank is how many dimensions a shape that is read from a file may have: the rules of ops compare every dimension
// with every other.
const MaxRank = 1 << 10

// SyntaxError says what is wrong with the text of a shape or layout.
type SyntaxError struct {
	Offset int    // in bytes from the start of the text
	What   string // what was found and what was wanted
}

// Error returns What; the offset is for those who know the text's position.
func (e *SyntaxError) Error() string { return e.What }

// Parse parses the HLO text of a shape, with or without layouts: "(f32[2,<=3]{1,0:T(8,128)}, token[])". Comments are
// skipped. An error is a *SyntaxError.
func Parse(text string) (Shape, error) {
	s, rest, err := ParsePrefix(text)
	if err != nil {
		return Shape{}, err
	}
	p := parser{text: text, pos: len(text) - len(rest)}
	if p.space(); p.pos < len(text) {
		return Shape{}, p.wrong("the end of the shape")
	}
	return s, nil
}

// ParsePrefix parses the shape that text begins with and returns the text after it. A brace begins a layout only if
// it follows the dimensions at once and has a number or a colon after it.
func ParsePrefix(text string) (s Shape, rest string, err error) {
	p := parser{text: text}
	if s, err = p.shape(); err != nil {
		return Shape{}, text, err
	}
	return s, text[p.pos:], nil
}

// ParseLayout parses the HLO text of a layout, "{1,0:T(8,128)}". Only Validate knows whether it fits a shape.
func ParseLayout(text string) (*Layout, error) {
	p := parser{text: text}
	p.space()
	l, err := p.layout()
	if err != nil {
		return nil, err
	}
	if p.space(); p.pos < len(text) {
		return nil, p.wrong("the end of the layout")
	}
	return l, nil
}

type parser struct {
	text  string
	pos   int
	depth int
}

// wrong returns the error that something else than want is at the position.
func (p *parser) wrong(want string) error {
	got := "the end of the text"
	if rest := p.text[p.pos:]; rest != "" {
		n := 1
		for n < len(rest) && n < 12 && isWord(rest[0]) && isWord(rest[n]) {
			n++
		}
		got = fmt.Sprintf("%q", rest[:n])
	}
	return p.fail("got %s, want %s", got, want)
}

func (p *parser) fail(format string, args ...any) error {
	return &SyntaxError{p.pos, fmt.Sprintf(format, args...)}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// space skips white space and comments.
func (p *parser) space() {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.pos++
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return // what comes next fails at the comment
			}
			p.pos += end + 4
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.pos += end
		default:
			return
		}
	}
}

// take skips white space and, if tok follows, tok.
func (p *parser) take(tok string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], tok) {
		return false
	}
	p.pos += len(tok)
	return true
}

func (p *parser) need(tok string) error {
	if !p.take(tok) {
		return p.wrong(fmt.Sprintf("%q", tok))
	}
	return nil
}

func (p *parser) word() string {
	p.space()
	start := p.pos
	for p.pos < len(p.text) && isWord(p.text[p.pos]) {
		p.pos++
	}
	return p.text[start:p.pos]
}

// number parses a decimal number of at least 0.
func (p *parser) number() (int64, error) {
	p.space()
	if rest := p.text[p.pos:]; len(rest) > 1 && rest[0] == '-' && '0' <= rest[1] && rest[1] <= '9' {
		return 0, p.fail("number is negative, want 0 or more")
	}
	n, start := int64(0), p.pos
	for ; p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9'; p.pos++ {
		d := int64(p.text[p.pos] - '0')
		if n > (math.MaxInt64-d)/10 {
			p.pos = start
			return 0, p.fail("number does not fit in 64 bits")
		}
		n = n*10 + d
	}
	if p.pos == start {
		return 0, p.wrong("a number")
	}
	return n, nil
}

func (p *parser) shape() (Shape, error) {
	if p.depth++; p.depth > maxDepth {
		return Shape{}, p.fail("shape nests deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	if p.take("(") {
		return p.tuple()
	}
	start := p.pos
	name := p.word()
	if name == "" {
		return Shape{}, p.wrong("a shape")
	}
	t, ok := TypeByName(name)
	if !ok || t == Invalid || t == Tuple {
		p.pos = start
		return Shape{}, p.fail("unknown element type %q%s", name, spelling.Type(name, names()))
	}
	if t == Buffer {
		return p.buffer()
	}
	return p.array(t, start)
}

func (p *parser) tuple() (Shape, error) {
	s := Shape{Type: Tuple}
	if p.take(")") {
		return s, nil
	}
	for {
		e, err := p.shape()
		if err != nil {
			return s, err
		}
		s.Elems = append(s.Elems, e)
		if p.take(")") {
			return s, nil
		}
		if !p.take(",") {
			return s, p.wrong(`"," or ")"`)
		}
	}
}

func (p *parser) buffer() (Shape, error) {
	if err := p.need("("); err != nil {
		return Shape{}, err
	}
	start := p.pos
	e, err := p.shape()
	if err != nil {
		return Shape{}, err
	}
	if !e.IsArray() {
		p.pos = start
		return Shape{}, p.fail("buffer of %s, want an array", e)
	}
	return Shape{Type: Buffer, Elems: []Shape{e}}, p.need(")")
}

func (p *parser) array(t ElementType, start int) (Shape, error) {
	s := Shape{Type: t}
	if err := p.need("["); err != nil {
		return s, err
	}
	if !p.take("]") {
		if err := p.dims(&s); err != nil {
			return s, err
		}
	}
	if !t.IsArray() && len(s.Dims) > 0 {
		p.pos = start
		return s, p.fail("%s has dimensions, want %s[]", t, t)
	}
	if err := s.checkSize(); err != nil {
		p.pos = start
		return s, p.fail("%s", err)
	}
	if !t.IsArray() || !p.atLayout(len(s.Dims)) {
		return s, nil
	}
	at := p.pos
	l, err := p.layout()
	if err != nil {
		return s, err
	}
	if err := l.Validate(s); err != nil {
		p.pos = at
		return s, p.fail("%s", err)
	}
	s.Layout = l
	return s, nil
}

// checkSize refuses arrays whose known dimensions overflow.
func (s Shape) checkSize() error {
	known := slices.DeleteFunc(slices.Clone(s.Dims), func(d int64) bool { return d == Unbounded })
	if n, ok := mulAll(known); !ok || n > math.MaxInt64/int64(max(s.Type.Bytes(), 1)) {
		return fmt.Errorf("the size of %s overflows", s)
	}
	return nil
}

// atLayout reports whether the brace of a layout is at the position.
func (p *parser) atLayout(rank int) bool {
	rest := p.text[p.pos:]
	if !strings.HasPrefix(rest, "{") {
		return false
	}
	look := parser{text: rest, pos: 1}
	look.space()
	rest = rest[look.pos:]
	return rest != "" && ('0' <= rest[0] && rest[0] <= '9' || rest[0] == ':' || rest[0] == '}' && rank == 0)
}

func (p *parser) dims(s *Shape) error {
	for {
		n, dynamic, err := p.dim()
		if err != nil {
			return err
		}
		if len(s.Dims) == MaxRank {
			return p.fail("shape has more than %d dimensions", MaxRank)
		}
		s.Dims = append(s.Dims, n)
		if dynamic && s.Dynamic == nil {
			s.Dynamic = make([]bool, len(s.Dims)-1)
		}
		if s.Dynamic != nil {
			s.Dynamic = append(s.Dynamic, dynamic)
		}
		if p.take("]") {
			return nil
		}
		if !p.take(",") {
			return p.wrong(`"," or "]"`)
		}
	}
}

func (p *parser) dim() (n int64, dynamic bool, err error) {
	if p.take("?") {
		return Unbounded, true, nil
	}
	dynamic = p.take("<=")
	n, err = p.number()
	return n, dynamic, err
}
