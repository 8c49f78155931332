package literal

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// npyHeader is what the header of an npy file says.
type npyHeader struct {
	descr   dtype
	fortran bool
	dims    []int64
}

// dtype is a numpy type: "<f4" has kind f, 4 bytes, and is not big-endian.
type dtype struct {
	text string
	kind byte
	size int
	big  bool
}

// part returns the size of what byte order applies to: half of a complex number.
func (d dtype) part() int {
	if d.kind == 'c' {
		return d.size / 2
	}
	return d.size
}

var npyTypes = map[string]shape.ElementType{
	"b1": shape.Pred, "i1": shape.S8, "i2": shape.S16, "i4": shape.S32, "i8": shape.S64, "u1": shape.U8, "u2": shape.U16,
	"u4": shape.U32, "u8": shape.U64, "f2": shape.F16, "f4": shape.F32, "f8": shape.F64,
	"c8": shape.C64, "c16": shape.C128,
}

// elementType returns the element type of the file's array: want, if its items have the size of the file's.
func (h *npyHeader) elementType(want shape.ElementType) (shape.ElementType, error) {
	t, known := npyTypes[h.descr.text]
	switch {
	case want == shape.Invalid && known:
		return t, nil
	case want == shape.Invalid:
		return 0, fmt.Errorf("dtype %q is raw items of %d bytes, want the element type to be named", h.descr.text,
			h.descr.size)
	case known && want.Bytes() != h.descr.size:
		return 0, fmt.Errorf("got elements of %s (dtype %q), want %s", t, h.descr.text, want)
	case !want.IsArray() || want.Bytes() != h.descr.size:
		return 0, fmt.Errorf("dtype %q has items of %d bytes, want %s", h.descr.text, h.descr.size, want)
	}
	return want, nil
}

func readHeader(r io.Reader) (*npyHeader, error) {
	front := make([]byte, len(npyMagic)+4)
	if n, err := io.ReadFull(r, front); n == 0 {
		return nil, errors.New("not an npy file: it is empty")
	} else if err != nil || string(front[:len(npyMagic)]) != npyMagic {
		return nil, fmt.Errorf("not an npy file: it begins with %q, want %q", front[:n], npyMagic)
	}
	major, minor := front[6], front[7]
	if major < 1 || major > 3 || minor != 0 {
		return nil, fmt.Errorf("unknown version %d.%d", major, minor)
	}
	size := int64(front[8]) | int64(front[9])<<8
	if major > 1 {
		more := make([]byte, 2)
		if _, err := io.ReadFull(r, more); err != nil {
			return nil, errors.New("header ends early")
		}
		size |= int64(more[0])<<16 | int64(more[1])<<24
	}
	if size > maxHeader {
		return nil, fmt.Errorf("header of %d bytes, want at most %d", size, maxHeader)
	}
	text, err := readBytes(r, size)
	if err != nil {
		return nil, fmt.Errorf("header of %d bytes ends after %d", size, len(text))
	}
	p := &pyParser{text: string(text)}
	h, err := p.header()
	if err != nil {
		return nil, fmt.Errorf("header: column %d: %w", p.pos+1, err)
	}
	return h, nil
}

// pyParser reads the Python dictionary that a header is, and nothing else that Python has.
type pyParser struct {
	text string
	pos  int
}

func (p *pyParser) header() (*npyHeader, error) {
	h := &npyHeader{}
	fields := map[string]func(*npyHeader) error{"descr": p.descr, "fortran_order": p.order, "shape": p.shape}
	if !p.take("{") {
		return nil, errors.New("header is no dictionary")
	}
	for !p.take("}") {
		key, err := p.str()
		if err != nil {
			return nil, fmt.Errorf("key: %w", err)
		}
		parse := fields[key]
		if parse == nil {
			return nil, fmt.Errorf("key %s is unknown or there twice", quote(key))
		}
		delete(fields, key)
		if !p.take(":") {
			return nil, errors.New(`want ":"`)
		}
		if err := parse(h); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if !p.take(",") && !strings.HasPrefix(p.text[p.pos:], "}") {
			return nil, errors.New(`dictionary is not closed, want "," or "}"`)
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if fields[key] != nil {
			return nil, fmt.Errorf("header has no %s", key)
		}
	}
	if p.space(); p.pos < len(p.text) {
		return nil, errors.New("text after the dictionary")
	}
	return h, nil
}

func (p *pyParser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// take skips white space, tok if it follows, and white space again.
func (p *pyParser) take(tok string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.pos:], tok) {
		return false
	}
	p.pos += len(tok)
	p.space()
	return true
}

// str parses a string literal without escapes.
func (p *pyParser) str() (string, error) {
	for _, q := range []string{"'", `"`} {
		if !strings.HasPrefix(p.text[p.pos:], q) {
			continue
		}
		text, _, ok := strings.Cut(p.text[p.pos+1:], q)
		if !ok || strings.ContainsAny(text, "\\\n") {
			return "", errors.New("string is not closed or has escapes")
		}
		p.pos += len(text) + 2
		p.space()
		return text, nil
	}
	return "", errors.New("want a string")
}

// descr parses the dtype.
func (p *pyParser) descr(h *npyHeader) error {
	if strings.HasPrefix(p.text[p.pos:], "[") {
		return errors.New("structured dtype, want one element type")
	}
	text, err := p.str()
	if err != nil {
		return err
	}
	full := text
	if text != "" && strings.IndexByte("<>=|", text[0]) >= 0 {
		h.descr.big = text[0] == '>'
		text = text[1:]
	}
	if text == "" {
		return fmt.Errorf("dtype %s is unknown", quote(full))
	}
	h.descr.text, h.descr.kind = text, text[0]
	switch text[0] {
	case 'O':
		return errors.New("pickled objects, want numbers")
	case 'U', 'S', 'a':
		return fmt.Errorf("dtype %s is text, which is no element type", quote(full))
	}
	n, err := strconv.ParseUint(text[1:], 10, 8)
	if _, known := npyTypes[text]; err != nil || !known && (text[0] != 'V' || n == 0) {
		return fmt.Errorf("dtype %s has no element type", quote(full))
	}
	h.descr.size = int(n)
	return nil
}

func (p *pyParser) order(h *npyHeader) error {
	switch {
	case p.take("True"):
		h.fortran = true
	case !p.take("False"):
		return errors.New("want True or False")
	}
	return nil
}

// maxNPYRank is the most dimensions that numpy has.
const maxNPYRank = 64

// shape parses a tuple of numbers; "(5,)" is one of one, "(5)" is none.
func (p *pyParser) shape(h *npyHeader) error {
	if !p.take("(") {
		return errors.New("want a tuple")
	}
	for !p.take(")") {
		start := p.pos
		for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
			p.pos++
		}
		n, err := strconv.ParseInt(p.text[start:p.pos], 10, 64)
		if err != nil {
			return errors.New("want sizes that are integers of at least 0 and fit 64 bits")
		}
		p.take("L") // Python 2 wrote so
		if len(h.dims) == maxNPYRank {
			return fmt.Errorf("more than %d dimensions", maxNPYRank)
		}
		h.dims = append(h.dims, n)
		if !p.take(",") && (len(h.dims) == 1 || !strings.HasPrefix(p.text[p.pos:], ")")) {
			return errors.New(`want ","`)
		}
	}
	return nil
}
