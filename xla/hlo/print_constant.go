package hlo

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// appendConstant appends the values of l as the text of a constant has them: "{ { 1, 2 }, { 3, 4 } }", numbers with as
// many digits as tell them from their neighbours.
func appendConstant(b []byte, l *literal.Literal) []byte {
	s := l.Shape()
	switch {
	case s.IsTuple():
		b = append(b, '(')
		for i, e := range l.Elems() {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendConstant(b, e)
		}
		return append(b, ')')
	case !s.IsArray():
		return b
	}
	w := &constantWriter{sizes: s.Dims, element: elementWriter(s.Type), width: s.Type.Bytes(), data: l.RowMajor().Bytes()}
	if sizes := l.DynamicSizes(); sizes != nil {
		w.sizes = sizes
	}
	w.strides = make([]int, s.Rank())
	step := w.width
	for d := s.Rank() - 1; d >= 0; d-- {
		w.strides[d] = step
		step *= int(s.Dims[d])
	}
	return w.dim(b, 0, 0)
}

type constantWriter struct {
	sizes   []int64
	strides []int // in bytes
	width   int
	data    []byte
	element func(b, src []byte) []byte
}

// dim appends dimension d, whose elements begin at an offset of the data.
func (w *constantWriter) dim(b []byte, d, at int) []byte {
	if d == len(w.sizes) {
		return w.element(b, w.data[at:at+w.width])
	}
	space := d+1 < len(w.sizes) && w.sizes[d] > 0
	b = append(b, '{')
	for i := range int(w.sizes[d]) {
		if i > 0 {
			b = append(b, ',')
		}
		if i > 0 || space {
			b = append(b, ' ')
		}
		b = w.dim(b, d+1, at+i*w.strides[d])
	}
	if space {
		b = append(b, ' ')
	}
	return append(b, '}')
}

// elementWriter returns what appends one element of type t.
func elementWriter(t shape.ElementType) func(b, src []byte) []byte {
	size := t.Bytes()
	switch t.Class() {
	case shape.PredClass:
		return func(b, src []byte) []byte { return strconv.AppendBool(b, src[0] != 0) }
	case shape.SignedClass:
		shift := 64 - t.Bits()
		return func(b, src []byte) []byte { return strconv.AppendInt(b, int64(load(src, size)<<shift)>>shift, 10) }
	case shape.UnsignedClass:
		return func(b, src []byte) []byte { return strconv.AppendUint(b, load(src, size), 10) }
	case shape.ComplexClass:
		part, half := elementWriter(t.Component()), size/2
		return func(b, src []byte) []byte {
			b = append(part(append(b, '('), src[:half]), ", "...)
			return append(part(b, src[half:]), ')')
		}
	}
	if size >= 4 {
		return func(b, src []byte) []byte { return appendFloat(b, t, load(src, size), 8*size) }
	}
	texts := map[uint64]string{}
	return func(b, src []byte) []byte {
		bits := load(src, size)
		text, ok := texts[bits]
		if !ok {
			text = string(appendNarrow(nil, t, bits))
			texts[bits] = text
		}
		return append(b, text...)
	}
}

// load reads size bytes as an unsigned number.
func load(src []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(src[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(src))
	case 4:
		return uint64(binary.LittleEndian.Uint32(src))
	}
	return binary.LittleEndian.Uint64(src)
}

// appendFloat appends the shortest number that reads back as the same bits of an F32 or F64.
func appendFloat(b []byte, t shape.ElementType, bits uint64, width int) []byte {
	v := t.ToFloat64(bits)
	switch {
	case v != v:
		return appendNaN(b, t, bits)
	case math.IsInf(v, 1):
		return append(b, "inf"...)
	case math.IsInf(v, -1):
		return append(b, "-inf"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, width)
}

// appendNarrow appends the number with the fewest digits that reads back as the same bits of a type below 32 bits.
func appendNarrow(b []byte, t shape.ElementType, bits uint64) []byte {
	v := t.ToFloat64(bits)
	if v != v || math.IsInf(v, 0) {
		return appendFloat(b, t, bits, 64)
	}
	for digits := 1; ; digits++ {
		text := strconv.FormatFloat(v, 'g', digits, 64)
		if back, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(back) < largest(t) && t.FromFloat64(back) == bits {
			return append(b, text...)
		}
	}
}
