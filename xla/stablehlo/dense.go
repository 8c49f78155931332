package stablehlo

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Literal returns the elements as a value of the attribute's type. It fails if an element is not one of the type, if
// bytes are too few or too many, or if the type is none that HLO has.
func (a *DenseAttr) Literal() (*literal.Literal, error) {
	s, err := shapeOf(a.Type)
	if err != nil {
		return nil, errorf(a.Pos, "%v", err)
	}
	size, ok := s.CheckedSize()
	if !ok || size > literal.MaxBytes/16 {
		return nil, errorf(a.Pos, "constant of type %s has too many elements", a.Type)
	}
	var data []byte
	switch a.Kind {
	case DenseSplat:
		data, err = a.splat(s.Type, size)
	case DenseList:
		data, err = a.list(s.Type, size)
	case DenseHex:
		data, err = a.bytes(s.Type, size, a.Text)
	case DenseResource:
		data, err = a.resource(s.Type, size)
	case DenseBytes:
		data, err = a.elements(s.Type, size, a.Data)
	}
	if err != nil {
		return nil, err
	}
	l, err := literal.FromBytes(s, data)
	if err != nil {
		return nil, errorf(a.Pos, "%v", err)
	}
	return l, nil
}

// splat repeats one element.
func (a *DenseAttr) splat(t shape.ElementType, size int64) ([]byte, error) {
	elem, wrong := appendElement(nil, t, a.Text)
	if wrong != "" {
		return nil, errorf(a.Pos, "element of type %s: %s", t, wrong)
	}
	return repeatBytes(elem, size), nil
}

func repeatBytes(elem []byte, n int64) []byte {
	if !slices.ContainsFunc(elem, func(b byte) bool { return b != 0 }) {
		return make([]byte, int64(len(elem))*n)
	}
	data := make([]byte, 0, int64(len(elem))*n)
	for range n {
		data = append(data, elem...)
	}
	return data
}

// list reads nested lists.
func (a *DenseAttr) list(t shape.ElementType, size int64) ([]byte, error) {
	data := make([]byte, 0, min(size, int64(len(a.Text)))*int64(t.Bytes()))
	fault := ""
	n := int64(0)
	s := denseScanner{text: a.Text}
	s.elem = func(text string) {
		var wrong string
		if data, wrong = appendElement(data, t, text); wrong != "" && fault == "" {
			fault = fmt.Sprintf("element %d of type %s: %s", n, t, wrong)
		}
		n++
	}
	if a.Text != "" {
		s.scan(0)
	}
	if s.wrong != "" {
		fault = s.wrong
	}
	if fault == "" && n != size {
		fault = fmt.Sprintf("got %d elements, want %d", n, size)
	}
	if fault != "" {
		return nil, errorf(a.Pos, "%s", fault)
	}
	return data, nil
}

// appendElement appends the little-endian bytes of an element, or says what is wrong with it.
func appendElement(data []byte, t shape.ElementType, text string) ([]byte, string) {
	if text[0] == '(' {
		if !t.IsComplex() {
			return data, fmt.Sprintf("got the complex number %s", text)
		}
		re, im, _ := strings.Cut(text[1:len(text)-1], ",")
		data, wrong := appendElement(data, t.Component(), strings.TrimSpace(re))
		if wrong != "" {
			return data, wrong
		}
		return appendElement(data, t.Component(), strings.TrimSpace(im))
	}
	var v uint64
	wrong := fmt.Sprintf("got %s", text)
	switch t.Class() {
	case shape.PredClass:
		v, wrong = predBits(text)
	case shape.SignedClass, shape.UnsignedClass:
		v, wrong = intBits(t, text)
	case shape.FloatClass:
		v, wrong = floatBits(t, text)
	}
	for range t.Bytes() {
		data = append(data, byte(v))
		v >>= 8
	}
	return data, wrong
}

func predBits(text string) (uint64, string) {
	switch text {
	case "true", "1", "-1":
		return 1, ""
	case "false", "0":
		return 0, ""
	}
	return 0, fmt.Sprintf("got %s, want true or false", text)
}

// intBits reads an integer. A signed type takes unsigned numbers of its width too, as MLIR does; elements
// narrower than a byte have their sign extended over it.
func intBits(t shape.ElementType, text string) (uint64, string) {
	text = strings.ReplaceAll(text, " ", "")
	width := t.Bits()
	if i, err := strconv.ParseInt(text, 0, width); err == nil && (i >= 0 || t.IsSigned()) {
		return uint64(i), ""
	}
	u, err := strconv.ParseUint(text, 0, width)
	if err != nil {
		return 0, fmt.Sprintf("got %s, want an integer of %d bits", text, width)
	}
	if t.IsSigned() {
		up := 64 - width
		return uint64(int64(u<<up) >> up), ""
	}
	return u, ""
}

// floatBits reads a number with a point, or the bits of one in hexadecimal.
func floatBits(t shape.ElementType, text string) (uint64, string) {
	if strings.HasPrefix(text, "0x") {
		u, err := strconv.ParseUint(text[2:], 16, 64)
		if err != nil || bits.Len64(u) > t.Bits() {
			return 0, fmt.Sprintf("got %s, want at most %d bits", text, t.Bits())
		}
		return u, ""
	}
	if !strings.Contains(text, ".") {
		return 0, fmt.Sprintf("got %s, want a number with a point", text)
	}
	v, _ := strconv.ParseFloat(strings.ReplaceAll(text, " ", ""), 64) // out of range is infinity or zero
	return t.FromFloat64(v), ""
}

// bytes reads elements from hexadecimal digits.
func (a *DenseAttr) bytes(t shape.ElementType, size int64, digits string) ([]byte, error) {
	data, err := hex.DecodeString(digits)
	if err != nil {
		return nil, errorf(a.Pos, "elements: %v", err)
	}
	return a.elements(t, size, data)
}

// elements turns bytes into those of a literal: of all elements, or of one for all. Booleans are one a byte or eight a
// byte.
func (a *DenseAttr) elements(t shape.ElementType, size int64, data []byte) ([]byte, error) {
	width := int64(t.Bytes())
	got := int64(len(data))
	switch {
	case t == shape.Pred && size > 1 && got == (size+7)/8 && got != size:
		data = unpackBits(data, size)
	case t == shape.Pred && got == 1 && size != 1:
		data = repeatBytes(data, size)
	case got == size*width:
	case got == width:
		data = repeatBytes(data, size)
	default:
		return nil, errorf(a.Pos, "elements are %d bytes, want %d of %d bytes each", got, size, width)
	}
	return literal.Canonical(t, data), nil
}

func unpackBits(packed []byte, n int64) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = packed[i/8] >> (i % 8) & 1
	}
	return data
}

// isSplat reports whether one element stands for all.
func (a *DenseAttr) isSplat() bool {
	if a.Kind != DenseBytes {
		return a.Kind == DenseSplat
	}
	e, ok := elementType(a.Type.Elem)
	return ok && len(a.Data) == e.Bytes() && (e != shape.Pred || a.Data[0] == 0 || a.Data[0] == 0xFF)
}

// written returns an attribute as a text has it.
func (a *DenseAttr) written() *DenseAttr {
	if e, ok := elementType(a.Type.Elem); ok && a.isSplat() {
		return &DenseAttr{Pos: a.Pos, Kind: DenseSplat, Text: elementText(e, literal.Canonical(e, a.Data)), Type: a.Type}
	}
	if l, err := a.Literal(); err == nil {
		return denseText(l, a.Type)
	}
	return &DenseAttr{Pos: a.Pos, Kind: DenseHex, Text: strings.ToUpper(hex.EncodeToString(a.Data)), Type: a.Type}
}

// resource reads a blob: "0x", four bytes with its alignment, then the elements.
func (a *DenseAttr) resource(t shape.ElementType, size int64) ([]byte, error) {
	text, ok := a.Prog.Resources[a.Text]
	if !ok {
		return nil, errorf(a.Pos, "resource %s is not in the text: large constants were left out when it was printed",
			a.Text)
	}
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || len(digits) < 8 {
		return nil, errorf(a.Pos, "resource %s is no \"0x\" with an alignment and bytes", a.Text)
	}
	return a.bytes(t, size, digits[8:])
}
