package hlopb

import (
	"encoding/binary"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// elements are the fields of LiteralProto by element type.
var elements = map[shape.ElementType]string{
	shape.Pred: "preds", shape.S8: "s8s", shape.U8: "u8s", shape.S16: "s16s", shape.U16: "u16s", shape.S32: "s32s",
	shape.U32: "u32s", shape.S64: "s64s", shape.U64: "u64s", shape.F16: "f16s", shape.BF16: "bf16s", shape.F32: "f32s",
	shape.F64: "f64s", shape.C64: "c64s", shape.C128: "c128s", shape.S4: "s4s", shape.U4: "u4s", shape.S2: "s2s",
	shape.U2: "u2s", shape.S1: "s1s", shape.U1: "u1s", shape.F8E5M2: "f8e5m2s", shape.F8E4M3: "f8e4m3s",
	shape.F8E4M3FN: "f8e4m3fns", shape.F8E4M3B11FNUZ: "f8e4m3b11fnuzs", shape.F8E5M2FNUZ: "f8e5m2fnuzs",
	shape.F8E4M3FNUZ: "f8e4m3fnuzs", shape.F8E3M4: "f8e3m4s", shape.F4E2M1FN: "f4e2m1fns",
	shape.F8E8M0FNU: "f8e8m0fnus", shape.F6E3M2FN: "f6e3m2fns", shape.F6E2M3FN: "f6e2m3fns",
}

// literalOf reads a LiteralProto. It takes memory only for the values that are there.
func literalOf(m *message) *literal.Literal {
	s := shapeOf(m.need("shape"))
	if m.err != nil {
		return nil
	}
	switch {
	case s.IsToken():
		return literal.NewToken()
	case s.IsTuple():
		return tupleLiteral(m, s)
	case !s.IsArray():
		m.fail("", "a literal of shape %v", s)
		return nil
	}
	size, ok := s.CheckedSize()
	if !ok {
		m.fail("shape", "an array of shape %v has no known size", s)
		return nil
	}
	data := elementBytes(m, s, size)
	if m.err != nil {
		return nil
	}
	if s.Layout != nil {
		s.Layout = &shape.Layout{MinorToMajor: s.Layout.MinorToMajor} // the values are neither packed nor tiled
	}
	l, err := literal.FromBytes(s, data)
	if err != nil {
		m.fail("", "%w", err)
		return nil
	}
	l = l.RowMajor()
	if s.Layout != nil && l.Shape().Layout != nil {
		l, err = l.WithShape(l.Shape().WithoutLayout())
	}
	if err != nil {
		m.fail("", "%w", err)
		return nil
	}
	for d, n := range m.nums("dynamic_sizes") {
		if d < len(s.Dims) && n >= 0 && n < s.Dims[d] {
			l.SetDynamicSize(d, n)
		}
	}
	return l
}

func tupleLiteral(m *message, s shape.Shape) *literal.Literal {
	var elems []*literal.Literal
	m.subs("tuple_literals", func(e *message) { elems = append(elems, literalOf(e)) })
	if len(elems) != len(s.Elems) && m.err == nil {
		m.fail("tuple_literals", "got %d values for a tuple of %d", len(elems), len(s.Elems))
	}
	if m.err != nil {
		return nil
	}
	l := literal.NewTuple(elems...)
	if !l.Shape().Compatible(s) {
		m.fail("tuple_literals", "got %v, want %v", l.Shape(), s)
	}
	return l
}

// elementBytes returns the elements of an array of size elements as a literal has them.
func elementBytes(m *message, s shape.Shape, size int64) []byte {
	field := elements[s.Type]
	if m.desc.field(field).kind == bytesKind {
		return bytesOf(m, s, field, size)
	}
	width := s.Type.Component().Bytes()
	want := size * int64(s.Type.Bytes()/width)
	if got := int64(m.scalars(field, nil)); got != want && m.err == nil {
		m.wrongCount(field, got, want, s)
	}
	if m.err != nil {
		return nil
	}
	data := make([]byte, want*int64(width))
	if m.fixed(field, data) {
		return data
	}
	m.scalars(field, func(i int, n uint64) { put(data[i*width:], n, width) })
	return data
}

// fixed copies a list of floats whose numbers lie one behind the other, as nearly always, and reports whether they do.
func (m *message) fixed(field string, data []byte) (done bool) {
	if k := m.desc.field(field).kind; k != floatKind && k != doubleKind {
		return false
	}
	m.all(field, func(f *rawField) {
		if f.end-f.value == len(data) && m.hasLength(f) {
			done = true
			copy(data, m.src[f.value:f.end])
		}
	})
	return done
}

func put(dst []byte, n uint64, width int) {
	switch width {
	case 1:
		dst[0] = byte(n)
		if n != 0 {
			dst[0] = 1
		}
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(n))
	default:
		binary.LittleEndian.PutUint64(dst, n)
	}
}

func (m *message) wrongCount(field string, got, want int64, s shape.Shape) {
	if got == 0 {
		m.fail(field, "there are no values for %v: whoever wrote the file left them out", s)
		return
	}
	m.fail(field, "got %d values for %v, want %d", got, s, want)
}

// bytesOf reads elements that lie in bytes. Those narrower than a byte have one each, or fill it from its low bits.
func bytesOf(m *message, s shape.Shape, field string, size int64) []byte {
	b := m.raw(field)
	width, bits, perByte := int64(s.Type.Bytes()), s.Type.Bits(), 1
	if n := int64(8 / max(bits, 1)); n > 1 && int64(len(b)) == (size+n-1)/n {
		perByte = int(n)
	}
	if got := int64(len(b)) / width; perByte == 1 && int64(len(b)) != size*width {
		m.wrongCount(field, got, size, s)
		return nil
	}
	data := make([]byte, size*width)
	if bits >= 8 {
		copy(data, b)
		return data
	}
	for i := range data {
		data[i] = b[i/perByte] >> (bits * (i % perByte))
	}
	return literal.Canonical(s.Type, data)
}

// literal appends a LiteralProto with the elements in the order of a layout, nil for row-major.
func (w *writer) literal(name string, l *literal.Literal, layout *shape.Layout) {
	w.sub(name, func() {
		s := l.Shape()
		switch {
		case s.IsTuple():
			w.shape("shape", s)
			for _, e := range l.Elems() {
				w.literal("tuple_literals", e, nil)
			}
			return
		case !s.IsArray():
			w.shape("shape", s)
			return
		}
		l = l.RowMajor()
		if layout != nil && !(&shape.Layout{MinorToMajor: layout.MinorToMajor}).IsDefault() {
			if turned, err := l.Relayout(&shape.Layout{MinorToMajor: layout.MinorToMajor}); err == nil {
				l = turned
			}
		}
		w.shape("shape", l.Shape())
		w.elements(s.Type, l.Bytes())
		if sizes := l.DynamicSizes(); sizes != nil {
			w.nums("dynamic_sizes", sizes)
		}
	})
}

// elements appends the elements of an array as they lie in data.
func (w *writer) elements(t shape.ElementType, data []byte) {
	name := elements[t]
	f := w.desc.field(name)
	if f.kind == bytesKind {
		w.bytes(name, data, t.Bits())
		return
	}
	if len(data) == 0 {
		return
	}
	width := t.Component().Bytes()
	w.packed(name, func() {
		if f.kind == floatKind || f.kind == doubleKind {
			w.b = append(w.b, data...)
			return
		}
		for ; len(data) > 0; data = data[width:] {
			w.b = binary.AppendUvarint(w.b, element(data, t))
		}
	})
}

// element returns the first element of data as a varint has it.
func element(data []byte, t shape.ElementType) uint64 {
	switch {
	case t == shape.Pred:
		return uint64(data[0])
	case t == shape.S32:
		return uint64(int64(int32(binary.LittleEndian.Uint32(data))))
	case t.Bytes() == 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

// bytes appends elements that lie in bytes; of those narrower than a byte only their own bits.
func (w *writer) bytes(name string, data []byte, bits int) {
	if len(data) == 0 {
		return
	}
	w.packed(name, func() {
		start := len(w.b)
		w.b = append(w.b, data...)
		for i := start; bits < 8 && i < len(w.b); i++ {
			w.b[i] &= 1<<bits - 1
		}
	})
}
