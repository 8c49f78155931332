package hlopb

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanner reads words, numbers and quoted strings.
type scanner struct {
	src string
	at  int
}

func (s *scanner) space() {
	for s.at < len(s.src) && strings.IndexByte(" \t\r\n", s.src[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) take(c byte) bool {
	if s.at < len(s.src) && s.src[s.at] == c {
		s.at++
		return true
	}
	return false
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// word returns the letters, digits, dots and underscores at the position.
func (s *scanner) word() string {
	start := s.at
	for s.at < len(s.src) && isWord(s.src[s.at]) {
		s.at++
	}
	return s.src[start:s.at]
}

// value returns a quoted string without its quotes, or what stands before the next white space outside of brackets.
func (s *scanner) value() (text string, quoted bool) {
	if s.at < len(s.src) && s.src[s.at] == '"' {
		text, _ = s.quoted()
		return text, true
	}
	start, depth := s.at, 0
	for ; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0:
			depth--
		case c == '"':
			s.quoted()
			s.at--
		case depth <= 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			return s.src[start:s.at], false
		}
	}
	return s.src[start:s.at], false
}

// escapes are the letters after a backslash.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'a': 7, 'b': 8, 'f': 12, 'v': 11}

// quoted reads a string in quotes of either kind; ok is false if it does not end.
func (s *scanner) quoted() (text string, ok bool) {
	quote := s.src[s.at]
	s.at++
	start := s.at
	for s.at < len(s.src) && s.src[s.at] != quote && s.src[s.at] != '\\' {
		s.at++
	}
	if s.take(quote) { // no escapes, as nearly always
		return s.src[start : s.at-1], true
	}
	b := []byte(s.src[start:s.at])
	for s.at < len(s.src) {
		c := s.src[s.at]
		s.at++
		switch {
		case c == quote:
			return string(b), true
		case c == '\\' && s.at < len(s.src):
			b = s.escape(b)
		default:
			b = append(b, c)
		}
	}
	return string(b), false
}

// escape appends what the letters after a backslash mean.
func (s *scanner) escape(b []byte) []byte {
	c := s.src[s.at]
	s.at++
	switch {
	case c >= '0' && c <= '7':
		s.at--
		return append(b, byte(s.digits(3, 8)))
	case c == 'x' || c == 'X':
		return append(b, byte(s.digits(2, 16)))
	case c == 'u':
		return utf8.AppendRune(b, rune(s.digits(4, 16)))
	case c == 'U':
		return utf8.AppendRune(b, rune(s.digits(8, 16)))
	}
	if v, ok := escapes[c]; ok {
		c = v
	}
	return append(b, c)
}

// digits reads at most so many digits.
func (s *scanner) digits(most, base int) (v uint64) {
	for range most {
		if s.at >= len(s.src) {
			break
		}
		d, err := strconv.ParseUint(s.src[s.at:s.at+1], base, 8)
		if err != nil {
			break
		}
		v = v*uint64(base) + d
		s.at++
	}
	return v
}

// appendQuoted appends s in double quotes, with escapes for what is not printable ASCII.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '"' || c == '\'' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~':
			b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
