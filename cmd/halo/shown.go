package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shown returns a text of a file, such as a name, as a terminal may have it: what does not print is escaped as in Go,
// so that no name moves the cursor, hides others or makes lines of its own.
func shown(text string) string { return escaped(text, "") }

// maxMessage is the most bytes of a message that are shown: names of a file may have megabytes.
const maxMessage = 1 << 16

// shownLines is shown for a message, whose lines stay lines. The middle of a long one is left out.
func shownLines(text string) string {
	if n := len(text) - maxMessage; n > 0 {
		text = fmt.Sprintf("%s ... %d bytes left out ... %s", text[:maxMessage/2], n, text[len(text)-maxMessage/2:])
	}
	return escaped(text, "\n\t")
}

func escaped(text, kept string) string {
	plain := func(r rune) bool { return unicode.IsPrint(r) || strings.ContainsRune(kept, r) }
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) || r == unicode.ReplacementChar }) < 0 {
		return text
	}
	var b strings.Builder
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if plain(r) && (r != unicode.ReplacementChar || size > 1) {
			b.WriteString(text[:size])
		} else {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// printf prints a line or more for people: texts among args are shown.
func (t *tool) printf(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case string:
			args[i] = shown(a)
		case []string:
			list := make([]string, len(a))
			for k := range a {
				list[k] = shown(a[k])
			}
			args[i] = list
		}
	}
	fmt.Fprintf(t.stdout, format, args...)
}
