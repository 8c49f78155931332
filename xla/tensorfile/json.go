package tensorfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/halo-xla/halo/xla/shape"
)

// jsonText reads JSON from where it has come to. Headers of many arrays are long: what encoding/json makes on the way
// would take thirty times the text, and much longer.
type jsonText struct {
	text []byte
	pos  int
}

// space skips white space.
func (j *jsonText) space() {
	for j.pos < len(j.text) && bytes.IndexByte([]byte(" \t\r\n"), j.text[j.pos]) >= 0 {
		j.pos++
	}
}

// take skips white space, and c if that follows.
func (j *jsonText) take(c byte) bool {
	j.space()
	if j.pos == len(j.text) || j.text[j.pos] != c {
		return false
	}
	j.pos++
	return true
}

// want is the error of a text that goes on with anything else.
func (j *jsonText) want(what string) error {
	rest := j.text[j.pos:]
	if len(rest) == 0 {
		return fmt.Errorf("byte %d: the text ends, want %s", j.pos, what)
	}
	return fmt.Errorf("byte %d: got %q, want %s", j.pos, rest[:min(len(rest), 24)], what)
}

// object walks an object: value reads what stands under each name.
func (j *jsonText) object(value func(name string) error) error {
	if !j.take('{') {
		return j.want("a JSON object")
	}
	for first := true; !j.take('}'); first = false {
		if !first && !j.take(',') {
			return j.want(`"," or "}"`)
		}
		name, err := j.str()
		if err != nil {
			return err
		}
		if !j.take(':') {
			return j.want(`":"`)
		}
		if err := value(name); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

// once is object where each name stands once: with two, readers would differ in which they take.
func (j *jsonText) once(value func(name string) error) error {
	seen := map[string]bool{}
	return j.object(func(name string) error {
		if seen[name] {
			return errTwice
		}
		seen[name] = true
		return value(name)
	})
}

var errTwice = errors.New("the name stands twice")

// str reads a string.
func (j *jsonText) str() (string, error) {
	if !j.take('"') {
		return "", j.want("a string")
	}
	start, plain := j.pos, true
	for j.pos < len(j.text) && j.text[j.pos] != '"' {
		if j.text[j.pos] == '\\' {
			plain = false
			j.pos++
		}
		j.pos++
	}
	if j.pos >= len(j.text) {
		j.pos = len(j.text)
		return "", j.want(`"\"" at the end of a string`)
	}
	j.pos++
	quoted := j.text[start-1 : j.pos]
	if plain && utf8.Valid(quoted) && bytes.IndexFunc(quoted, func(r rune) bool { return r < ' ' }) < 0 {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return "", fmt.Errorf("byte %d: %w", start-1, err)
	}
	return s, nil
}

// numbers reads a list of whole numbers, as many as a shape may have.
func (j *jsonText) numbers() ([]int64, error) {
	if !j.take('[') {
		return nil, j.want("a list of numbers")
	}
	var list []int64
	for first := true; !j.take(']'); first = false {
		if !first && !j.take(',') {
			return nil, j.want(`"," or "]"`)
		}
		if len(list) == shape.MaxRank {
			return nil, j.want(fmt.Sprintf("a list of at most %d numbers", shape.MaxRank))
		}
		n, err := j.number()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func (j *jsonText) number() (int64, error) {
	j.space()
	word := j.text[j.pos:]
	if end := bytes.IndexAny(word, ",] \t\r\n"); end >= 0 {
		word = word[:end]
	}
	if len(word) > len("-9223372036854775808") || !json.Valid(word) {
		return 0, j.want("a whole number below 2^63")
	}
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err != nil {
		return 0, j.want("a whole number below 2^63")
	}
	j.pos += len(word)
	return n, nil
}

// pass goes over a value of any kind.
func (j *jsonText) pass() error {
	j.space()
	start, depth := j.pos, 0
	for j.pos < len(j.text) {
		switch c := j.text[j.pos]; {
		case c == '"':
			if _, err := j.str(); err != nil {
				return err
			}
			continue
		case c == '{' || c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && bytes.IndexByte([]byte(",}]"), c) >= 0:
			return j.passed(start)
		}
		j.pos++
	}
	return j.passed(start)
}

// passed wants what was gone over since start to be a value.
func (j *jsonText) passed(start int) error {
	if value := j.text[start:j.pos]; !json.Valid(value) {
		j.pos = start
		return j.want("a JSON value")
	}
	return nil
}
