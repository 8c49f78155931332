package hlopb

import (
	"fmt"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// textForm returns a message, whose binary form b is, in the text format of protocol buffers. Fields that are not known
// stand by their numbers in comments, which Parse reads.
func textForm(desc *messageDesc, b []byte) string {
	p := &textPrinter{}
	p.message((&decoder{src: b}).open(desc))
	return string(p.b)
}

// textPrinter writes fields one a line, those of nested messages further in.
type textPrinter struct {
	b      []byte
	indent string
}

// message writes the fields in the order of the .proto, then those that are not known.
func (p *textPrinter) message(m *message) {
	for _, f := range m.desc.fields {
		switch {
		case !m.has(f.name):
		case f.name == ownText:
			m.subs(f.name, p.comment)
		case f.kind == messageKind && f.repeated:
			m.subs(f.name, func(s *message) { p.nested(f.name, s) })
		case f.kind == messageKind:
			p.nested(f.name, m.sub(f.name))
		case f.kind == stringKind || f.kind == bytesKind:
			for i, s := range m.strs(f.name) {
				if f.repeated || i == 0 {
					p.line(f.name, appendQuoted(nil, s))
				}
			}
		case f.repeated:
			m.scalars(f.name, func(_ int, n uint64) { p.line(f.name, f.text(n)) })
		default:
			p.line(f.name, f.text(uint64(m.num(f.name))))
		}
	}
	for i := range m.fields {
		if f := &m.fields[i]; f.desc == nil {
			p.unknown(m, f)
		}
	}
}

// ownText is the field that XLA does not have, ownField stands before the numbers of fields that are not known. Text
// has them in comments.
const (
	ownText  = "halo_text"
	ownField = "halo_field"
)

// comment writes "# halo_text { name: "x" text: "y" }".
func (p *textPrinter) comment(m *message) {
	p.b = append(append(append(p.b, p.indent...), "# "...), ownText...)
	p.b = appendQuoted(append(p.b, " { name: "...), m.str("name"))
	p.b = appendQuoted(append(p.b, " text: "...), m.str("text"))
	p.b = append(p.b, " }\n"...)
}

func (p *textPrinter) line(name string, value []byte) {
	p.b = append(append(append(append(p.b, p.indent...), name...), ": "...), value...)
	p.b = append(p.b, '\n')
}

func (p *textPrinter) nested(name string, m *message) {
	outer := p.indent
	p.b = append(append(append(p.b, outer...), name...), " {\n"...)
	p.indent += "  "
	p.message(m)
	p.indent = outer
	p.b = append(append(p.b, outer...), "}\n"...)
}

func (p *textPrinter) unknown(m *message, f *rawField) {
	num, wire, _ := protowire.ConsumeTag(m.src[f.start:f.end])
	value := []byte(strconv.FormatUint(f.n, 10))
	switch wire {
	case protowire.BytesType:
		value = appendQuoted(nil, string(m.src[f.value:f.end]))
	case protowire.Fixed32Type:
		value = fmt.Appendf(nil, "0x%08x", f.n)
	case protowire.Fixed64Type:
		value = fmt.Appendf(nil, "0x%016x", f.n)
	case protowire.StartGroupType:
		return // nobody writes groups
	}
	p.line("# "+ownField+" "+strconv.Itoa(int(num)), value)
}

// text is the text of one number of the field.
func (f *fieldDesc) text(n uint64) []byte {
	switch f.kind {
	case boolKind:
		return strconv.AppendBool(nil, n != 0)
	case uintKind:
		return strconv.AppendUint(nil, n, 10)
	case floatKind:
		return appendFloat(float64(math.Float32frombits(uint32(n))), 32)
	case doubleKind:
		return appendFloat(math.Float64frombits(n), 64)
	case enumKind:
		if name, ok := f.enum.names[int64(n)]; ok {
			return []byte(name)
		}
	}
	return strconv.AppendInt(nil, int64(n), 10)
}

func appendFloat(v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return []byte("nan")
	case math.IsInf(v, 1):
		return []byte("inf")
	case math.IsInf(v, -1):
		return []byte("-inf")
	}
	return strconv.AppendFloat(nil, v, 'g', -1, bits)
}
