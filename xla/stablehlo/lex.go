package stablehlo

import (
	"fmt"
	"strings"
)

// tokenKind is the kind of a token; punctuation of one byte is its own kind.
type tokenKind byte

const (
	tokEOF       tokenKind = iota
	tokIdent               // add, stablehlo.add
	tokValue               // %x, text without %
	tokSymbol              // @x, @"x", text without @
	tokBlock               // ^bb0, text without ^
	tokHash                // #x, text without #
	tokBang                // !x, text without !
	tokInt                 // 12, 0x1F
	tokFloat               // 1.5, 1.0e+3
	tokString              // "x", text with its quotes and escapes
	tokArrow               // ->
	tokColons              // ::
	tokMetaOpen            // {-#
	tokMetaClose           // #-}
)

var tokenNames = [...]string{
	tokEOF: "the end of the text", tokIdent: "a name", tokValue: "a value", tokSymbol: "a symbol", tokBlock: "a block",
	tokHash: "an attribute", tokBang: "a type", tokInt: "an integer", tokFloat: "a number", tokString: "a string",
	tokArrow: "'->'", tokColons: "'::'", tokMetaOpen: "'{-#'", tokMetaClose: "'#-}'",
}

func (k tokenKind) String() string {
	if int(k) < len(tokenNames) {
		return tokenNames[k]
	}
	return fmt.Sprintf("'%c'", byte(k))
}

// token is a piece of the text. end is the offset behind it.
type token struct {
	kind      tokenKind
	text      string
	off, end  int
	line, col int
}

// String returns the token as errors quote it.
func (t token) String() string {
	sigil := map[tokenKind]string{tokValue: "%", tokSymbol: "@", tokBlock: "^", tokHash: "#", tokBang: "!"}[t.kind]
	if t.text == "" && sigil == "" {
		return t.kind.String()
	}
	text := sigil + t.text
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// lexer cuts a text into tokens. It is a value: a copy remembers a place to come back to.
type lexer struct {
	text      string
	off       int
	line      int // of off, from 1
	lineStart int // offset at which the line begins
}

func (l *lexer) token(kind tokenKind, text string, start, end int) token {
	t := token{kind: kind, text: text, off: start, end: end, line: l.line, col: start - l.lineStart + 1}
	l.off = end
	return t
}

// space skips blanks and comments.
func (l *lexer) space() {
	for l.off < len(l.text) {
		switch c := l.text[l.off]; {
		case c == '\n':
			l.off++
			l.line++
			l.lineStart = l.off
		case c == ' ' || c == '\t' || c == '\r':
			l.off++
		case c == '/' && strings.HasPrefix(l.text[l.off:], "//"):
			n := strings.IndexByte(l.text[l.off:], '\n')
			if n < 0 {
				n = len(l.text) - l.off
			}
			l.off += n
		default:
			return
		}
	}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
func hexDigit(c byte) bool {
	return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// identByte reports whether a byte may stand in a bare name.
func identByte(c byte) bool { return letter(c) || digit(c) || c == '_' || c == '$' || c == '.' }

// suffixByte reports whether a byte may stand in a name after a sigil.
func suffixByte(c byte) bool { return identByte(c) || c == '-' }

// while returns the offset of the first byte from off that does not satisfy ok.
func (l *lexer) while(off int, ok func(byte) bool) int {
	for off < len(l.text) && ok(l.text[off]) {
		off++
	}
	return off
}

var sigils = [256]tokenKind{'%': tokValue, '@': tokSymbol, '^': tokBlock, '#': tokHash, '!': tokBang}

// next returns the next token, or an error text for bytes that are none.
func (l *lexer) next() (token, string) {
	l.space()
	start := l.off
	if start >= len(l.text) {
		return l.token(tokEOF, "", start, start), ""
	}
	c := l.text[start]
	switch {
	case letter(c) || c == '_':
		end := l.while(start, identByte)
		return l.token(tokIdent, l.text[start:end], start, end), ""
	case digit(c):
		return l.number(), ""
	case c == '"':
		return l.str()
	case sigils[c] != 0:
		return l.prefixed(sigils[c])
	}
	return l.punctuation()
}

func (l *lexer) punctuation() (token, string) {
	rest := l.text[l.off:]
	for _, p := range [...]struct {
		text string
		kind tokenKind
	}{{"->", tokArrow}, {"::", tokColons}, {"{-#", tokMetaOpen}} {
		if strings.HasPrefix(rest, p.text) {
			return l.token(p.kind, p.text, l.off, l.off+len(p.text)), ""
		}
	}
	if strings.IndexByte("()[]{}<>,:=-+*?/|", rest[0]) >= 0 {
		return l.token(tokenKind(rest[0]), rest[:1], l.off, l.off+1), ""
	}
	return l.token(tokEOF, "", l.off, len(l.text)), fmt.Sprintf("unexpected character %q", rest[:1])
}

// number reads 12, 0x1F, 1.5 or 1.0e+3.
func (l *lexer) number() token {
	start := l.off
	if rest := l.text[start:]; len(rest) > 2 && rest[0] == '0' && rest[1] == 'x' && hexDigit(rest[2]) {
		end := l.while(start+2, hexDigit)
		return l.token(tokInt, l.text[start:end], start, end)
	}
	end := l.while(start, digit)
	if end == len(l.text) || l.text[end] != '.' {
		return l.token(tokInt, l.text[start:end], start, end)
	}
	end = l.while(end+1, digit)
	if exp := end; exp < len(l.text) && l.text[exp]|0x20 == 'e' {
		exp++
		if exp < len(l.text) && (l.text[exp] == '+' || l.text[exp] == '-') {
			exp++
		}
		if stop := l.while(exp, digit); stop > exp {
			end = stop
		}
	}
	return l.token(tokFloat, l.text[start:end], start, end)
}

// str reads a string; an unescaped line end inside it is an error.
func (l *lexer) str() (token, string) {
	start := l.off
	for i := start + 1; i < len(l.text); i++ {
		n := strings.IndexAny(l.text[i:], "\"\\\n")
		if n < 0 {
			break
		}
		i += n
		if l.text[i] == '"' {
			return l.token(tokString, l.text[start:i+1], start, i+1), ""
		}
		if l.text[i] == '\n' {
			break
		}
		i++
	}
	return l.token(tokEOF, "", start, len(l.text)), "string has no end"
}

// prefixed reads a name after its sigil.
func (l *lexer) prefixed(kind tokenKind) (token, string) {
	start := l.off
	if kind == tokHash && strings.HasPrefix(l.text[start:], "#-}") {
		return l.token(tokMetaClose, "#-}", start, start+3), ""
	}
	if kind == tokSymbol && start+1 < len(l.text) && l.text[start+1] == '"' {
		l.off++
		t, msg := l.str()
		if msg != "" {
			return t, msg
		}
		name, err := unquote(t.text)
		if err != "" {
			return t, err
		}
		return l.token(tokSymbol, name, start, t.end), ""
	}
	end := start + 1
	if end < len(l.text) && digit(l.text[end]) {
		end = l.while(end, digit)
	} else {
		end = l.while(end, suffixByte)
	}
	if end == start+1 {
		t := l.token(tokEOF, "", start, len(l.text))
		return t, fmt.Sprintf("no name after %q", l.text[start:start+1])
	}
	return l.token(kind, l.text[start+1:end], start, end), ""
}

// unquote returns the bytes of a string token, or what is wrong with it.
func unquote(quoted string) (value, wrong string) {
	s := quoted[1 : len(quoted)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, ""
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return "", "string ends inside an escape"
		}
		if escaped := strings.IndexByte(`"\nt`, s[i]); escaped >= 0 {
			b.WriteByte("\"\\\n\t"[escaped])
			continue
		}
		if i+1 >= len(s) || !hexDigit(s[i]) || !hexDigit(s[i+1]) {
			return "", fmt.Sprintf("unknown escape %q in string", s[i-1:i+1])
		}
		b.WriteByte(hexValue(s[i])<<4 | hexValue(s[i+1]))
		i++
	}
	return b.String(), ""
}

func hexValue(c byte) byte {
	if digit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
