package hlo

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// escapes are the letters after a backslash and the bytes they stand for.
const (
	escapeLetters = `abfnrtv\'"?`
	escapedBytes  = "\a\b\f\n\r\t\v\\'\"?"
)

// unescape undoes the escapes of C: letters, up to three octal digits, x and two hexadecimal digits, u and four. A
// backslash before anything else stands for itself.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			i++
			continue
		}
		var n int
		b, n = unescapeOne(b, s[i+1:])
		i += 1 + n
	}
	return string(b)
}

// unescapeOne appends what the text after a backslash stands for and returns how long it is.
func unescapeOne(b []byte, s string) ([]byte, int) {
	if k := strings.IndexByte(escapeLetters, s[0]); k >= 0 {
		return append(b, escapedBytes[k]), 1
	}
	if v, n := digits(s, 3, 8); n > 0 && v < 256 {
		return append(b, byte(v)), n
	}
	if s[0] == 'x' {
		if v, n := digits(s[1:], 2, 16); n > 0 {
			return append(b, byte(v)), 1 + n
		}
	}
	if s[0] == 'u' {
		if v, n := digits(s[1:], 4, 16); n == 4 {
			return utf8.AppendRune(b, rune(v)), 5
		}
	}
	return append(b, '\\'), 0
}

// digits reads up to most digits of the base and returns how many there are.
func digits(s string, most, base int) (v, n int) {
	for n < most && n < len(s) {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] <= '9' {
			d = int(s[n]) - '0'
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}

// Quote returns s as a quoted string of HLO text.
func Quote(s string) string { return string(appendQuoted(nil, s)) }

// appendQuoted appends s as a string that text reads back as the same bytes. UTF-8 stays as it is.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		r, n := utf8.DecodeRuneInString(s[i:])
		switch k := strings.IndexByte("\n\r\t\\\"", c); {
		case k >= 0:
			b = append(b, '\\', `nrt\"`[k])
			n = 1
		case c < ' ' || c == 0x7F || r == utf8.RuneError && n <= 1:
			b = fmt.Appendf(b, `\%03o`, c)
			n = 1
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return append(b, '"')
}
