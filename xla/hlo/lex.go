package hlo

import (
	"fmt"
	"sort"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// SyntaxError is a fault in the text of a program that lies with no instruction.
type SyntaxError struct {
	Pos Pos
	Err error
}

// Error returns "file:line:col: what, got, want".
func (e *SyntaxError) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns what is wrong, without the place.
func (e *SyntaxError) Unwrap() error { return e.Err }

// scanner reads HLO text byte by byte. Positions are offsets into src; pos is the next byte to read.
type scanner struct {
	src  string
	pos  int
	file string
	// gap is where the white space begins that was skipped last.
	gap int
	// lines are the offsets at which lines begin.
	lines []int
	// lastClose is where the last comment ends, so that no comment without an end is searched for it twice.
	lastClose int
}

func newScanner(src, file string) scanner {
	s := scanner{src: src, file: file, lines: make([]int, 1, 1+strings.Count(src, "\n"))}
	s.lastClose = strings.LastIndex(src, "*/")
	for i := 0; ; {
		n := strings.IndexByte(src[i:], '\n')
		if n < 0 {
			return s
		}
		i += n + 1
		s.lines = append(s.lines, i)
	}
}

// place returns the line and column of an offset, both from 1; columns count bytes.
func (s *scanner) place(at int) Pos {
	line := sort.SearchInts(s.lines, at+1)
	return Pos{File: s.file, Line: line, Col: at - s.lines[line-1] + 1}
}

// errorAt returns a fault at an offset.
func (s *scanner) errorAt(at int, format string, args ...any) error {
	return &SyntaxError{s.place(at), fmt.Errorf(format, args...)}
}

// wrong returns the fault that something else than want stands at the position.
func (s *scanner) wrong(want string) error {
	at := s.pos
	if at >= len(s.src) {
		at = s.gap // where the text ends for a reader
	}
	return s.errorAt(at, "got %s, want %s", s.next(), want)
}

// next describes what stands at the position.
func (s *scanner) next() string {
	if s.pos >= len(s.src) {
		return "the end of the text"
	}
	if strings.HasPrefix(s.src[s.pos:], "/*") {
		return "a comment without an end"
	}
	end := s.pos + 1
	for end < len(s.src) && end < s.pos+40 && wordByte[s.src[s.pos]] && wordByte[s.src[end]] {
		end++
	}
	return fmt.Sprintf("%q", s.src[s.pos:end])
}

// wordByte tells the bytes of names, opcodes, keywords and numbers.
var wordByte = func() (t [256]bool) {
	for c := range t {
		t[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
	}
	return t
}()

// space skips white space and comments. A comment without an end is left for the next reader to stumble over.
func (s *scanner) space() {
	if s.pos < len(s.src) {
		s.gap = s.pos
	}
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		case '/':
			end := s.commentEnd(s.pos)
			if end == s.pos {
				return
			}
			s.pos = end
		default:
			return
		}
	}
}

// commentEnd returns the offset after the comment that begins at i, or i if none does or it has no end.
func (s *scanner) commentEnd(i int) int {
	switch {
	case strings.HasPrefix(s.src[i:], "//"):
		if n := strings.IndexByte(s.src[i:], '\n'); n >= 0 {
			return i + n + 1
		}
		return len(s.src)
	case strings.HasPrefix(s.src[i:], "/*") && i+2 <= s.lastClose:
		return i + 2 + strings.Index(s.src[i+2:], "*/") + 2
	}
	return i
}

// take skips white space and, if tok follows, tok.
func (s *scanner) take(tok string) bool {
	s.space()
	if !strings.HasPrefix(s.src[s.pos:], tok) {
		return false
	}
	s.pos += len(tok)
	return true
}

// need is take that fails if tok does not follow.
func (s *scanner) need(tok string) error {
	if !s.take(tok) {
		return s.wrong(fmt.Sprintf("%q", tok))
	}
	return nil
}

// word skips white space and returns the word that follows, "" if none does. An arrow ends a word.
func (s *scanner) word() string {
	s.space()
	start := s.pos
	for s.pos < len(s.src) && wordByte[s.src[s.pos]] && !strings.HasPrefix(s.src[s.pos:], "->") {
		s.pos++
	}
	return s.src[start:s.pos]
}

// name returns the name that follows, without its optional "%".
func (s *scanner) name(what string) (string, error) {
	s.space()
	start := s.pos
	if s.pos < len(s.src) && s.src[s.pos] == '%' {
		s.pos++
	}
	if w := s.word(); w != "" {
		return w, nil
	}
	s.pos = start
	return "", s.wrong(what)
}

// shape reads a shape. Layouts are checked against their arrays.
func (s *scanner) shape() (shape.Shape, error) {
	s.space()
	t, rest, err := shape.ParsePrefix(s.src[s.pos:])
	if err != nil {
		at := s.pos
		if e, ok := err.(*shape.SyntaxError); ok {
			at += e.Offset
		}
		return t, s.errorAt(at, "shape: %w", err)
	}
	s.pos = len(s.src) - len(rest)
	return t, nil
}

// atShape reports whether a shape follows: a tuple's parenthesis, or a type's name and a bracket.
func (s *scanner) atShape() bool {
	s.space()
	if s.pos >= len(s.src) {
		return false
	}
	if s.src[s.pos] == '(' {
		return true
	}
	save := s.pos
	w := s.word()
	next := byte(0)
	if s.pos < len(s.src) {
		next = s.src[s.pos]
	}
	s.pos = save
	return w != "" && (next == '[' || w == "b" && next == '(')
}

// text reads a quoted string and undoes its escapes.
func (s *scanner) text() (string, error) {
	s.space()
	if s.pos >= len(s.src) || s.src[s.pos] != '"' {
		return "", s.wrong("a quoted string")
	}
	end := stringEnd(s.src, s.pos)
	if end < 0 {
		return "", s.errorAt(s.pos, "string has no closing quote")
	}
	quoted := s.src[s.pos+1 : end-1]
	s.pos = end
	return unescape(quoted), nil
}

// stringEnd returns the offset after the string that begins with the quote at i, -1 if it has no end.
func stringEnd(src string, i int) int {
	for i++; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// value reads the text of an attribute's value, of which there must be some.
func (s *scanner) value() (string, error) {
	text, err := s.balanced()
	if err == nil && text == "" {
		err = s.wrong("a value")
	}
	return text, err
}

// balanced reads text whose brackets match: up to a comma, white space or closing bracket that belongs to what
// surrounds it. Comments are dropped.
func (s *scanner) balanced() (string, error) {
	start, from := s.pos, s.pos
	var kept []byte // text so far, once a comment has been dropped
	var open []byte
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch c {
		case '"':
			end := stringEnd(s.src, s.pos)
			if end < 0 {
				return "", s.errorAt(s.pos, "string has no closing quote")
			}
			s.pos = end
			continue
		case '/':
			if end := s.commentEnd(s.pos); end > s.pos {
				kept = append(kept, s.src[from:s.pos]...)
				s.pos, from = end, end
				continue
			}
		case '{', '[', '(':
			open = append(open, c)
		case '}', ']', ')':
			if len(open) == 0 {
				return string(append(kept, s.src[from:s.pos]...)), nil
			}
			if !pairs(open[len(open)-1], c) {
				return "", s.errorAt(s.pos, "got %q, want the bracket that closes %q", c, open[len(open)-1])
			}
			open = open[:len(open)-1]
		case ',', ' ', '\n', '\t', '\r':
			if len(open) == 0 {
				return string(append(kept, s.src[from:s.pos]...)), nil
			}
		}
		s.pos++
	}
	if len(open) > 0 {
		return "", s.errorAt(start, "bracket %q is not closed", open[len(open)-1])
	}
	return string(append(kept, s.src[from:]...)), nil
}

func pairs(open, closing byte) bool {
	return open == '{' && closing == '}' || open == '[' && closing == ']' || open == '(' && closing == ')'
}

// skipBlock skips a block in braces, the position at the opening one, and whatever it holds.
func (s *scanner) skipBlock() error {
	start, depth := s.pos, 0
	for i := s.pos; i < len(s.src); i++ {
		switch s.src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				s.pos = i + 1
				return nil
			}
		case '"':
			end := stringEnd(s.src, i)
			if end < 0 {
				return s.errorAt(i, "string has no closing quote")
			}
			i = end - 1
		case '/':
			if end := s.commentEnd(i); end > i {
				i = end - 1
			}
		}
	}
	return s.errorAt(start, "brace is not closed before the end of the text")
}
