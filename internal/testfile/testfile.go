// Package testfile reads the text files under testdata: cases with a comment, inputs, wanted answers or marked errors.
//
// A file holds one or more cases with a line "// -----" between them. A case is itself a legal HLO or MLIR text, since
// everything a test needs beside the program stands in comments:
//
//	// Addition wraps.
//	// in: s32[] 2147483647
//	// in: s32[] 1
//	// want: s32[] -2147483648
//	HloModule add_wraps
//	ENTRY main { ... }
//	// -----
//	// Operands of two lengths are refused.
//	HloModule add_lengths
//	ENTRY main {
//	  ...
//	  ROOT s = f32[2] add(x, y)  // ERROR "sizes differ" "dim 0"
//	}
//
// The comment lines at the head of a case are its Comment (the point of the case, and its name in the test) and its
// Directives: lines "// key: value" whose key is one lower-case word. A directive goes on over lines indented by three
// spaces or more after the slashes. A line "// ERROR" with quoted strings marks an error expected on that line.
//
// A case may end with a line "// ----" followed by golden text: the wanted output, that [Case.Golden] compares and,
// when the test runs with -rewrite, replaces.
package testfile

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

const (
	caseLine   = "// -----" // between two cases
	goldenLine = "// ----"  // between a case's text and its golden text
	errorMark  = "// ERROR "
)

// Case is one case of a file.
type Case struct {
	File       string      // path as given to Read
	Line       int         // line of the file on which Text begins, from 1
	Comment    string      // the comment at its head without slashes and directives, lines joined by "\n"
	Directives []Directive // in the order of the file
	Errors     []Mark      // in the order of the file
	Text       string      // the whole case, head comments and marks included, golden text not
	Want       string      // golden text, "" if none

	golden int // first line of the golden text from 0, -1 if the case has none
}

// Directive is a line "// key: value" at the head of a case.
type Directive struct {
	Key, Value string
	Line       int // in the file, from 1
}

// Mark is an expected error: its message contains every string of Contains and speaks of line Line of the file.
type Mark struct {
	Line     int
	Contains []string
}

// Read reads the cases of a file. It fails if the file cannot be read, or a mark has no quoted string.
func Read(path string) ([]*Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(data))
}

// Parse splits the text of a file into its cases; path is what Case.File and errors say.
func Parse(path, text string) ([]*Case, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var cases []*Case
	start := 0
	for i := 0; i <= len(lines); i++ {
		if i < len(lines) && strings.TrimSpace(lines[i]) != caseLine {
			continue
		}
		c, err := parseCase(path, lines, start, i)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
		start = i + 1
	}
	return cases, nil
}

// parseCase reads lines[start:end].
func parseCase(path string, lines []string, start, end int) (*Case, error) {
	c := &Case{File: path, Line: start + 1, golden: -1}
	textEnd := end
	for i := start; i < end; i++ {
		if strings.TrimSpace(lines[i]) == goldenLine {
			textEnd, c.golden = i, i+1
			c.Want = join(lines[i+1 : end])
			break
		}
	}
	c.Text = join(lines[start:textEnd])
	c.readHead(lines[start:textEnd])
	for i := start; i < textEnd; i++ {
		_, marks, found := strings.Cut(lines[i], errorMark)
		if !found {
			continue
		}
		contains, err := quoted(marks)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		c.Errors = append(c.Errors, Mark{Line: i + 1, Contains: contains})
	}
	return c, nil
}

// readHead fills Comment and Directives from the comment lines the case begins with.
func (c *Case) readHead(lines []string) {
	var comment []string
	inDirective := false
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		body, ok := strings.CutPrefix(line, "//")
		if !ok || strings.HasPrefix(line, errorMark) {
			break
		}
		if key, value, ok := directive(body); ok {
			c.Directives = append(c.Directives, Directive{key, value, c.Line + i})
			inDirective = true
			continue
		}
		if inDirective && strings.HasPrefix(body, "   ") {
			d := &c.Directives[len(c.Directives)-1]
			d.Value = strings.TrimSpace(d.Value + " " + strings.TrimSpace(body))
			continue
		}
		inDirective = false
		comment = append(comment, strings.TrimSpace(body))
	}
	c.Comment = strings.TrimSpace(strings.Join(comment, "\n"))
}

// directive splits " key: value"; ok is false for prose.
func directive(body string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimPrefix(body, " "), ":")
	if !ok || key == "" || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return "", "", false
	}
	if value != "" && value[0] != ' ' {
		return "", "", false
	}
	return key, strings.TrimSpace(value), true
}

// quoted reads one or more Go string literals with spaces between them.
func quoted(s string) ([]string, error) {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		prefix, err := strconv.QuotedPrefix(s)
		if err != nil {
			return nil, fmt.Errorf(`ERROR mark: want quoted strings, got %s`, s)
		}
		text, err := strconv.Unquote(prefix)
		if err != nil {
			return nil, fmt.Errorf("ERROR mark %s: %w", prefix, err)
		}
		out = append(out, text)
		s = s[len(prefix):]
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("ERROR mark without a quoted string")
	}
	return out, nil
}

// Source is the case's text behind as many empty lines as stand before it in the file, so that positions in errors are
// those of the file.
func (c *Case) Source() string { return strings.Repeat("\n", c.Line-1) + c.Text }

// All returns the values of the directives named key, in order.
func (c *Case) All(key string) []string {
	var values []string
	for _, d := range c.Directives {
		if d.Key == key {
			values = append(values, d.Value)
		}
	}
	return values
}

// One returns the value of the only directive named key, or otherwise if there is none. It fails if there are several.
func (c *Case) One(key, otherwise string) (string, error) {
	switch values := c.All(key); len(values) {
	case 0:
		return otherwise, nil
	case 1:
		return values[0], nil
	default:
		return "", fmt.Errorf("%s:%d: %d directives %q, want at most one", c.File, c.Line, len(values), key)
	}
}

// Only fails if the case has a directive whose key is not among keys: a misspelt "wnat:" must not make a test pass.
func (c *Case) Only(keys ...string) error {
	for _, d := range c.Directives {
		known := false
		for _, key := range keys {
			known = known || d.Key == key
		}
		if !known {
			return fmt.Errorf("%s:%d: unknown directive %q, want one of %s", c.File, d.Line, d.Key,
				strings.Join(keys, ", "))
		}
	}
	return nil
}

// Name names the case in test output: the first line of its comment, or its line number.
func (c *Case) Name() string {
	first, _, _ := strings.Cut(c.Comment, "\n")
	first = strings.TrimSuffix(first, ".")
	if first == "" {
		return fmt.Sprintf("line %d", c.Line)
	}
	return first
}

func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
