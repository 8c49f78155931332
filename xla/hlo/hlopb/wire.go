package hlopb

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth is how deep messages may nest.
const maxDepth = 200

// decoder reads one file. It keeps its first error.
type decoder struct {
	file string
	src  []byte
	// text says that src was made from text, so that offsets mean nothing to the user.
	text bool
	// lenient says that operands of mixed float types are widened.
	lenient bool
	// devices are the ids that replica groups have spelled out.
	devices int
	err     error
}

// message is one message: its fields as they stand in the file, those of nested messages not looked at yet.
type message struct {
	*decoder
	desc   *messageDesc
	parent *message
	name   string // of the field that holds it
	index  int    // among the values of that field, -1 if there is one
	depth  int
	fields []rawField
}

// rawField is a value of a field: src[start:end] with its tag, src[value:end] if it has a length.
type rawField struct {
	desc              *fieldDesc // nil: unknown
	start, value, end int
	n                 uint64
	used              bool
	child             *message // made of a message that is there once
}

// open returns the whole file as a message.
func (d *decoder) open(desc *messageDesc) *message {
	m := &message{decoder: d, desc: desc, index: -1}
	m.decode(0, len(d.src))
	return m
}

// fail keeps an error about a field of m, or about m itself if field is "".
func (m *message) fail(field, format string, args ...any) {
	if m.err != nil {
		return
	}
	path := m.path()
	if field != "" && path != "" {
		field = "." + field
	}
	m.err = fmt.Errorf("%s: %s%s: %w", m.file, path, field, fmt.Errorf(format, args...))
}

// failAt is fail with the offset in the file.
func (m *message) failAt(at int, field, format string, args ...any) {
	if m.text {
		m.fail(field, format, args...)
		return
	}
	m.fail(field, "byte %d: %w", at, fmt.Errorf(format, args...))
}

// path says where m is: "computations[1].instructions[3].shape".
func (m *message) path() string {
	if m.parent == nil {
		return m.desc.name
	}
	p := m.parent.path()
	if m.parent.parent == nil {
		p = ""
	} else {
		p += "."
	}
	if m.index >= 0 {
		return fmt.Sprintf("%s%s[%d]", p, m.name, m.index)
	}
	return p + m.name
}

// decode appends the fields of src[from:to].
func (m *message) decode(from, to int) {
	m.fields = slices.Grow(m.fields, count(m.src[from:to]))
	for at := from; at < to && m.err == nil; {
		num, wire, n := protowire.ConsumeTag(m.src[at:to])
		if n < 0 {
			m.failAt(at, "", "the tag of a field: %w", protowire.ParseError(n))
			return
		}
		size := protowire.ConsumeFieldValue(num, wire, m.src[at+n:to])
		desc := m.desc.byNumber[num]
		if size < 0 {
			err := protowire.ParseError(size)
			m.failAt(at, fieldName(desc, num), "ends inside of the field, or its length is wrong: %w", err)
			return
		}
		f := rawField{start: at, value: at + n, end: at + n + size}
		f.take(m.src, wire)
		if desc != nil && (wire == desc.kind.wire() || wire == protowire.BytesType && desc.repeated) {
			f.desc = desc
		}
		m.fields = append(m.fields, f)
		at = f.end
	}
}

// count returns the number of fields, of those that are whole.
func count(b []byte) (n int) {
	for len(b) > 0 {
		_, _, size := protowire.ConsumeField(b)
		if size < 0 {
			break
		}
		b = b[size:]
		n++
	}
	return n
}

func fieldName(desc *fieldDesc, num protowire.Number) string {
	if desc == nil {
		return fmt.Sprint(num)
	}
	return desc.name
}

// take reads a number, or skips the length of what has one.
func (f *rawField) take(src []byte, wire protowire.Type) {
	switch b := src[f.value:f.end]; wire {
	case protowire.VarintType:
		f.n, _ = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		f.n = uint64(binary.LittleEndian.Uint32(b))
	case protowire.Fixed64Type:
		f.n = binary.LittleEndian.Uint64(b)
	case protowire.BytesType:
		_, n := protowire.ConsumeVarint(b)
		f.value += n
	}
}

// hasLength reports whether the value at f is bytes.
func (m *message) hasLength(f *rawField) bool {
	return protowire.Type(m.src[f.start]&7) == protowire.BytesType
}

// all calls do with every value of a field and marks them as used.
func (m *message) all(name string, do func(f *rawField)) {
	desc := m.desc.field(name)
	for i := range m.fields {
		if f := &m.fields[i]; f.desc == desc {
			f.used = true
			do(f)
		}
	}
}

// has reports whether a field is there.
func (m *message) has(name string) bool {
	desc := m.desc.field(name)
	for i := range m.fields {
		if m.fields[i].desc == desc {
			return true
		}
	}
	return false
}

// num returns an integer, 0 if it is absent; the last one counts.
func (m *message) num(name string) (n int64) {
	m.all(name, func(f *rawField) { n = int64(f.n) })
	return n
}

func (m *message) flag(name string) bool { return m.num(name) != 0 }

// raw returns bytes, which belong to the file.
func (m *message) raw(name string) (b []byte) {
	m.all(name, func(f *rawField) { b = m.src[f.value:f.end] })
	return b
}

func (m *message) str(name string) string { return string(m.raw(name)) }

// strs returns a list of strings.
func (m *message) strs(name string) (list []string) {
	m.all(name, func(f *rawField) { list = append(list, string(m.src[f.value:f.end])) })
	return list
}

// float returns the number of a float or double.
func (m *message) float(name string) float64 {
	n := uint64(m.num(name))
	if m.desc.field(name).kind == doubleKind {
		return math.Float64frombits(n)
	}
	return float64(math.Float32frombits(uint32(n)))
}

// scalars calls do, unless it is nil, with every number of a repeated field, packed or not, and returns how many there
// were.
func (m *message) scalars(name string, do func(i int, n uint64)) (count int) {
	desc := m.desc.field(name)
	m.all(name, func(f *rawField) {
		if !m.hasLength(f) {
			if do != nil {
				do(count, f.n)
			}
			count++
			return
		}
		if size := desc.kind.size(); do == nil && size > 0 && (f.end-f.value)%size == 0 { // they need only be counted
			count += (f.end - f.value) / size
			return
		}
		for at := f.value; at < f.end && m.err == nil; count++ {
			n, size := consume(desc.kind.wire(), m.src[at:f.end])
			if size < 0 {
				m.failAt(at, name, "number %d of the list: %w", count, protowire.ParseError(size))
				return
			}
			if do != nil {
				do(count, n)
			}
			at += size
		}
	})
	return count
}

// consume reads one number and returns how long it is.
func consume(wire protowire.Type, b []byte) (uint64, int) {
	switch wire {
	case protowire.Fixed32Type:
		n, size := protowire.ConsumeFixed32(b)
		return uint64(n), size
	case protowire.Fixed64Type:
		return protowire.ConsumeFixed64(b)
	}
	return protowire.ConsumeVarint(b)
}

// nums returns a list of integers, nil if there are none.
func (m *message) nums(name string) (list []int64) {
	m.scalars(name, func(_ int, n uint64) { list = append(list, int64(n)) })
	return list
}

// sub returns the message in a field, nil if it is absent; several are one whose fields follow each other.
func (m *message) sub(name string) (s *message) {
	m.all(name, func(f *rawField) {
		switch {
		case f.child != nil: // read before
			s = f.child
			return
		case s == nil:
			s = m.nest(name, -1)
		}
		f.child = s
		s.decode(f.value, f.end)
	})
	return s
}

// need is sub for what must be there.
func (m *message) need(name string) *message {
	s := m.sub(name)
	if s == nil {
		m.fail("", "there is no %s", name)
		s = m.nest(name, -1)
	}
	return s
}

// subs calls do with each message of a repeated field until one fails.
func (m *message) subs(name string, do func(s *message)) {
	i := 0
	m.all(name, func(f *rawField) {
		if m.err == nil {
			s := m.nest(name, i)
			s.decode(f.value, f.end)
			do(s)
			i++
		}
	})
}

// nest returns an empty message in a field.
func (m *message) nest(name string, index int) *message {
	s := &message{decoder: m.decoder, desc: m.desc.field(name).message, parent: m, name: name, index: index,
		depth: m.depth + 1}
	if s.depth > maxDepth {
		m.fail(name, "messages nest deeper than %d", maxDepth)
	}
	return s
}

// rest appends the fields of m that nobody read, and of the messages in it that are there once those that nobody read
// there. Written behind the fields that were read they belong to the same message.
// Those of messages come first, by number, so that the second time is like the first.
func (m *message) rest(b []byte) []byte {
	var nested []*rawField
	for i := range m.fields {
		f := &m.fields[i]
		same := func(other *rawField) bool { return other.child == f.child } // several values are one child
		if f.used && f.child != nil && !slices.ContainsFunc(nested, same) {
			nested = append(nested, f)
		}
	}
	slices.SortFunc(nested, func(a, b *rawField) int { return int(a.desc.number - b.desc.number) })
	for _, f := range nested {
		if inner := f.child.rest(nil); len(inner) > 0 {
			b = protowire.AppendTag(b, f.desc.number, protowire.BytesType)
			b = protowire.AppendBytes(b, inner)
		}
	}
	for i := range m.fields {
		if f := &m.fields[i]; !f.used {
			b = append(b, m.src[f.start:f.end]...)
		}
	}
	return b
}

// drop marks a field as used: it says nothing that would have to be kept.
func (m *message) drop(name string) { m.all(name, func(*rawField) {}) }

// writer appends a message.
type writer struct {
	desc *messageDesc
	b    []byte
}

func (w *writer) tag(f *fieldDesc, wire protowire.Type) {
	w.b = protowire.AppendTag(w.b, f.number, wire)
}

// num appends a number unless it is 0.
func (w *writer) num(name string, n int64) {
	if n != 0 {
		w.always(name, n)
	}
}

// always appends a number, 0 too.
func (w *writer) always(name string, n int64) {
	f := w.desc.field(name)
	w.tag(f, protowire.VarintType)
	w.b = protowire.AppendVarint(w.b, uint64(n))
}

func (w *writer) flag(name string, v bool) {
	if v {
		w.num(name, 1)
	}
}

// float appends a float or double unless it is 0.
func (w *writer) float(name string, v float64) {
	f := w.desc.field(name)
	switch {
	case v == 0 && !math.Signbit(v):
	case f.kind == doubleKind:
		w.tag(f, protowire.Fixed64Type)
		w.b = protowire.AppendFixed64(w.b, math.Float64bits(v))
	default:
		w.tag(f, protowire.Fixed32Type)
		w.b = protowire.AppendFixed32(w.b, math.Float32bits(float32(v)))
	}
}

// str appends a string or bytes unless it is empty.
func (w *writer) str(name, s string) {
	if s != "" {
		w.strs(name, s)
	}
}

// strs appends the values of a repeated string, empty ones too.
func (w *writer) strs(name string, list ...string) {
	f := w.desc.field(name)
	for _, s := range list {
		w.tag(f, protowire.BytesType)
		w.b = protowire.AppendString(w.b, s)
	}
}

// nums appends a packed list of integers unless it is empty.
func (w *writer) nums(name string, list []int64) {
	if len(list) == 0 {
		return
	}
	w.packed(name, func() {
		for _, n := range list {
			w.b = protowire.AppendVarint(w.b, uint64(n))
		}
	})
}

func (w *writer) flags(name string, list []bool) {
	n := make([]int64, len(list))
	for i, v := range list {
		if v {
			n[i] = 1
		}
	}
	w.nums(name, n)
}

// packed appends what do appends as a value with a length.
func (w *writer) packed(name string, do func()) {
	w.tag(w.desc.field(name), protowire.BytesType)
	start := len(w.b)
	do()
	size := uint64(len(w.b) - start)
	n := protowire.SizeVarint(size)
	w.b = append(w.b, make([]byte, n)...)
	copy(w.b[start+n:], w.b[start:len(w.b)-n])
	protowire.AppendVarint(w.b[start:start], size)
}

// sub appends a message, even an empty one; do writes its fields.
func (w *writer) sub(name string, do func()) {
	outer := w.desc
	w.packed(name, func() {
		w.desc = outer.field(name).message
		do()
		w.desc = outer
	})
}
