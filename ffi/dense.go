package ffi

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// maxArray is how many bytes the arrays of all attributes may have: splats are written out.
const maxArray = 1 << 30

// dense reads what follows "dense<": numbers in brackets, one number for all elements, or bytes; then the type.
func (p *parser) dense() (any, error) {
	p.space()
	var raw string
	var words []string
	if strings.HasPrefix(p.text[p.pos:], `"`) {
		var err error
		if raw, err = p.quoted(); err != nil {
			return nil, err
		}
		if !p.take(">") {
			return nil, p.wrong("> after the bytes")
		}
	} else if words = p.numbers(); words == nil {
		return nil, p.wrong("numbers in brackets and >")
	}
	t, n, err := p.tensor()
	if err != nil {
		return nil, err
	}
	if t == shape.Pred {
		return nil, fmt.Errorf("arrays of i1 are not taken")
	}
	a := Array{Type: t}
	if raw != "" {
		a.Data, err = rawElements(t, n, raw)
		return a, err
	}
	a.Data, err = elements(t, n, words)
	return a, err
}

// numbers takes the words up to the closing >; nil if there is none.
func (p *parser) numbers() []string {
	end := strings.IndexByte(p.text[p.pos:], '>')
	if end < 0 {
		return nil
	}
	body := p.text[p.pos : p.pos+end]
	p.pos += end + 1
	words := strings.FieldsFunc(body, func(r rune) bool { return strings.ContainsRune(" \t\r\n,[]()", r) })
	if words == nil {
		return []string{}
	}
	return words
}

// tensor reads ": tensor<2x3xf32>", or vector for tensor, and returns the type and how many elements there are.
func (p *parser) tensor() (t shape.ElementType, n int64, err error) {
	if !p.take(":") || !p.take("tensor<") && !p.take("vector<") {
		return 0, 0, p.wrong(": tensor<...> after the numbers")
	}
	n = 1
	for p.space(); p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9'; {
		x := strings.IndexByte(p.text[p.pos:], 'x')
		if x < 0 {
			return 0, 0, p.wrong("sizes with x after each")
		}
		d, err := strconv.ParseInt(p.text[p.pos:p.pos+x], 10, 64)
		if err != nil {
			return 0, 0, p.wrong("sizes with x after each")
		}
		hi, lo := bits.Mul64(uint64(n), uint64(d))
		if hi != 0 || lo > maxArray {
			return 0, 0, fmt.Errorf("more than %d elements", maxArray)
		}
		n = int64(lo)
		p.pos += x + 1
	}
	if t, err = p.elementType(); err == nil && !p.take(">") {
		err = p.wrong("> after the type")
	}
	if p.room -= n * int64(bytesOf(t)); err == nil && p.room < 0 {
		err = fmt.Errorf("more than %d bytes", maxArray)
	}
	return t, n, err
}

// elements are the bytes of n elements, which words are or the only one is for all.
func elements(t shape.ElementType, n int64, words []string) ([]byte, error) {
	part, count := t, n
	if t.Class() == shape.ComplexClass {
		part, count = map[shape.ElementType]shape.ElementType{shape.C64: shape.F32, shape.C128: shape.F64}[t], 2*n
	}
	var data []byte
	for _, w := range words {
		d, err := element(part, w)
		if err != nil {
			return nil, err
		}
		data = append(data, d...)
	}
	if int64(len(words)) == count {
		return data, nil
	}
	if len(data) == bytesOf(t) {
		return bytes.Repeat(data, int(n)), nil
	}
	return nil, fmt.Errorf("got %d numbers, want %d", len(words), count)
}

// rawElements are the bytes of n elements that are written as "0x...", all or one for all.
func rawElements(t shape.ElementType, n int64, raw string) ([]byte, error) {
	data, err := hex.DecodeString(strings.TrimPrefix(raw, "0x"))
	if err != nil {
		return nil, fmt.Errorf("dense<%q>: want hexadecimal digits after 0x", raw)
	}
	size := bytesOf(t)
	if len(data) == size && n != 1 {
		return bytes.Repeat(data, int(n)), nil
	}
	if int64(len(data)) != n*int64(size) {
		return nil, fmt.Errorf("got %d bytes, want %d", len(data), n*int64(size))
	}
	return data, nil
}

// element is the bytes of a number: decimal, or the bits of it in hexadecimal, as MLIR writes what is no number.
func element(t shape.ElementType, word string) ([]byte, error) {
	if digits, ok := strings.CutPrefix(word, "0x"); ok {
		v, err := strconv.ParseUint(digits, 16, 64)
		if err != nil || t.Bits() < 64 && v>>t.Bits() != 0 {
			return nil, fmt.Errorf("%s value %q, want at most %d hexadecimal digits", t, word, (t.Bits()+3)/4)
		}
		out := make([]byte, 8)
		for i := range out {
			out[i] = byte(v >> (8 * i))
		}
		return out[:bytesOf(t)], nil
	}
	if t.Class() == shape.SignedClass { // a signless number may be written as one without a sign
		if v, err := strconv.ParseUint(word, 10, t.Bits()); err == nil {
			word = strconv.FormatInt(int64(v<<(64-t.Bits()))>>(64-t.Bits()), 10)
		}
	}
	return literal.ParseElement(t, word)
}
