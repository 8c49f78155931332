package literal

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/halo-xla/halo/xla/shape"
)

// String returns the literal in HLO text with its shape, on one line: "f32[2,2] { { 1, 2 }, { 3, 4 } }". An array
// with sizes at run time has them behind the shape and only the elements within: "s32[<=10](2) {1, 2}".
func (l *Literal) String() string {
	b := l.shape.Append(nil, false)
	if l.sizes != nil {
		b = append(b, '(')
		for i, n := range l.sizes {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, n, 10)
		}
		b = append(b, ')')
	}
	return string(l.Append(append(b, ' ')))
}

// Append appends the literal in HLO text without its shape, on one line, as constants are written: predicates in
// arrays are 0 and 1, scalars true and false; dimensions of arrays of rank above 3 are numbered in comments; F32 and
// F64 have the fewest digits that round back to them, narrower floats as many as always do.
func (l *Literal) Append(b []byte) []byte {
	switch {
	case l.shape.Type == shape.Token:
		return append(b, "token"...)
	case l.shape.IsTuple():
		return l.appendTuple(b)
	}
	p := printer{l: l, data: l.RowMajor().data, sizes: l.shape.Dims, width: l.shape.Type.Bytes()}
	if l.sizes != nil {
		p.sizes = l.sizes
	}
	if len(p.sizes) == 0 {
		return AppendElement(b, l.shape.Type, p.data)
	}
	if manyEmpty(p.sizes) {
		return append(b, "{}"...)
	}
	return p.append(b, 0, 0, 0)
}

// manyEmpty reports whether an array without elements has so many empty rows that {} is written for it: XLA's text has
// each row, which would take as long as its sizes say.
func manyEmpty(sizes []int64) bool {
	rows := int64(1)
	for i, n := range sizes {
		if n == 0 {
			return rows > maxEmptyRows
		}
		if rows *= n; rows > maxEmptyRows {
			return slices.Contains(sizes[i:], 0)
		}
	}
	return false
}

// maxEmptyRows is how many empty rows are written.
const maxEmptyRows = 1000

func (l *Literal) appendTuple(b []byte) []byte {
	if len(l.elems) == 0 {
		return append(b, "()"...)
	}
	for i, e := range l.elems {
		if i == 0 {
			b = append(b, "( "...)
		} else {
			b = append(b, ", "...)
		}
		b = e.Append(b)
	}
	return append(b, " )"...)
}

type printer struct {
	l     *Literal
	data  []byte // row-major at the bounds
	sizes []int64
	width int
}

// append appends the elements of dimension d from number at on; i is the index in the dimension before.
func (p *printer) append(b []byte, d int, i, at int64) []byte {
	n, dims := p.sizes[d], p.l.shape.Dims
	rank, last := len(dims), d == len(dims)-1
	space := !last || rank > 1 && n > 1
	b = append(b, '{')
	if space {
		b = append(b, ' ')
	}
	if !last && rank > 3 && d > 0 {
		b = strconv.AppendInt(append(b, "/*i"...), int64(d-1), 10)
		b = strconv.AppendInt(append(b, '='), i, 10)
		b = append(b, "*/ "...)
	}
	for k := range n {
		if k > 0 {
			b = append(b, ", "...)
		}
		if last {
			b = p.element(b, at+k)
		} else {
			b = p.append(b, d+1, k, (at+k)*dims[d+1])
		}
	}
	if space {
		b = append(b, ' ')
	}
	return append(b, '}')
}

func (p *printer) element(b []byte, i int64) []byte {
	e := p.data[i*int64(p.width) : (i+1)*int64(p.width)]
	if p.l.shape.Type == shape.Pred {
		return append(b, '0'+byte(b2u(e[0] != 0)))
	}
	return AppendElement(b, p.l.shape.Type, e)
}

// AppendElement appends the HLO text of the element of type t whose bytes e begins with, t.Bytes() of them,
// little-endian: "true", "-7", "1.5", "-inf", "nan(0x400001)", "(1, -2)".
func AppendElement(b []byte, t shape.ElementType, e []byte) []byte {
	switch t.Class() {
	case shape.PredClass:
		return strconv.AppendBool(b, e[0] != 0)
	case shape.SignedClass:
		up := 64 - t.Bits()
		return strconv.AppendInt(b, int64(bitsOf(t, e))<<up>>up, 10)
	case shape.UnsignedClass:
		return strconv.AppendUint(b, bitsOf(t, e)&lowMask(t.Bits()), 10)
	case shape.FloatClass:
		return appendFloat(b, t, bitsOf(t, e)&lowMask(t.Bits()))
	case shape.ComplexClass:
		c := t.Component()
		b = AppendElement(append(b, '('), c, e)
		b = AppendElement(append(b, ", "...), c, e[c.Bytes():])
		return append(b, ')')
	}
	panic("literal: bug: element of " + t.String())
}

func lowMask(bits int) uint64 { return math.MaxUint64 >> (64 - bits) }

// bitsOf returns the bytes of an element of at most 64 bits as a number.
func bitsOf(t shape.ElementType, e []byte) uint64 {
	switch t.Bytes() {
	case 1:
		return uint64(e[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(e))
	case 4:
		return uint64(binary.LittleEndian.Uint32(e))
	}
	return binary.LittleEndian.Uint64(e)
}

// bytesOf is the opposite of bitsOf.
func bytesOf(t shape.ElementType, bits uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, bits)[:t.Bytes()]
}

func appendFloat(b []byte, t shape.ElementType, bits uint64) []byte {
	v := t.ToFloat64(bits)
	switch {
	case v != v:
		return appendNaN(b, t, bits)
	case math.IsInf(v, 0):
		if v < 0 {
			b = append(b, '-')
		}
		return append(b, "inf"...)
	case t == shape.F64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case t == shape.F32:
		return strconv.AppendFloat(b, v, 'g', -1, 32)
	}
	n := len(b)
	for digits := 2 + (t.MantissaBits()+1)*30103/100000; ; digits++ {
		b = strconv.AppendFloat(b[:n], v, 'g', digits, 64)
		if back, err := strconv.ParseFloat(string(b[n:]), 64); err == nil && t.FromFloat64(back) == bits {
			return b
		}
	}
}

// appendNaN writes the payload only if the format has several NaNs and this is not its usual one.
func appendNaN(b []byte, t shape.ElementType, bits uint64) []byte {
	sign, quiet := uint64(1)<<(t.Bits()-1), t.FromFloat64(math.NaN())
	if bits&sign != 0 && quiet&sign == 0 {
		b = append(b, '-')
	}
	b = append(b, "nan"...)
	payload := lowMask(t.MantissaBits())
	if !hasPayload(t) || bits&payload == quiet&payload {
		return b
	}
	b = append(b, "(0x"...)
	return append(strconv.AppendUint(b, bits&payload, 16), ')')
}

// hasPayload reports whether several bit patterns of t are NaN, as in the formats with infinity.
func hasPayload(t shape.ElementType) bool { return math.IsInf(t.MaxFloat64(), 1) }
