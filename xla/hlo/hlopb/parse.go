package hlopb

import (
	"bytes"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
)

// Snapshot is a program, and what it was run with.
type Snapshot struct {
	Module *hlo.Module
	// Arguments are those of the entry computation, for each partition; nil if the file has none.
	Arguments [][]*literal.Literal
	// Result is what it gave; nil if the file does not say.
	Result *literal.Literal
	// Platform is what ran it, as XLA calls it.
	Platform string
}

// Format is one of the messages that hold a program.
type Format string

// The formats.
const (
	moduleProto         Format = "HloModuleProto"
	programProto        Format = "HloProto"
	snapshotProto       Format = "HloSnapshot"
	unoptimizedSnapshot Format = "HloUnoptimizedSnapshot"
	None                Format = ""
)

// Detect returns which message src is, by its content, and whether it is text. A file that was cut, or has a wrong
// length somewhere, is still taken for what it began as.
func Detect(src []byte) (f Format, text bool) {
	if f := detectText(src); f != None {
		return f, true
	}
	return detectBinary(src), false
}

// plainText reports whether there are no control characters but white space.
func plainText(src []byte) bool {
	return !bytes.ContainsFunc(src, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' })
}

// detectBinary looks at what field 1 holds: the name of a module, a module, or a message that has one in field 1.
func detectBinary(src []byte) Format {
	if plainText(src[:min(len(src), 512)]) {
		return None // a newline is the tag of field 1
	}
	one := first(src, 1)
	switch {
	case IsGraph(src):
		return None
	case one == nil && !isModule(src):
		return None
	case isModule(src):
		return moduleProto
	case isModule(one):
		if snapshot := first(src, 2); snapshot != nil {
			return unoptimizedSnapshot // HloProto has no field 2
		}
		return programProto
	case isModule(first(one, 1)):
		return snapshotProto
	}
	return None
}

// isModule reports whether b begins like a HloModuleProto: its first computation has an instruction with an opcode, or
// it has a name, the entry's id and no computation at all.
func isModule(b []byte) bool {
	if c := first(b, 3); c != nil {
		return isOpcode(first(first(c, 2), 2))
	}
	return isText(first(b, 1)) && (isText(first(b, 2)) || first(b, 4) != nil || hasNumber(b, 6))
}

// IsGraph reports whether src is a GraphDef of TensorFlow, binary or text: nodes that have a name, an operation and
// attributes.
func IsGraph(src []byte) bool {
	if word, rest, ok := bytes.Cut(src[:min(len(src), 512)], []byte("{")); ok && string(bytes.TrimSpace(word)) == "node" {
		return bytes.Contains(rest, []byte("op:")) || bytes.Contains(rest, []byte("name:"))
	}
	node := first(src, 1)
	op := first(node, 2)
	return isText(first(node, 1)) && isText(op) && op[0] >= 'A' && op[0] <= 'Z' && first(node, 5) != nil
}

func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' {
			return false
		}
	}
	return len(b) > 0
}

func isOpcode(b []byte) bool {
	for _, c := range b {
		if (c < 'a' || c > 'z') && c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return len(b) > 0
}

// first returns the bytes of the first field with the number n, what there is of them; nil if there is none.
func first(b []byte, n protowire.Number) (value []byte) {
	each(b, func(num protowire.Number, wire protowire.Type, v []byte) bool {
		if num != n || wire != protowire.BytesType {
			return true
		}
		value = v
		return false
	})
	return value
}

func hasNumber(b []byte, n protowire.Number) (found bool) {
	each(b, func(num protowire.Number, wire protowire.Type, _ []byte) bool {
		found = found || num == n && wire == protowire.VarintType
		return !found
	})
	return found
}

// each calls do with every field until it returns false; of the last one there may be only a part.
func each(b []byte, do func(num protowire.Number, wire protowire.Type, v []byte) bool) {
	for len(b) > 0 {
		num, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		b = b[n:]
		var v []byte
		if wire == protowire.BytesType {
			size, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return
			}
			v = b[n:]
			if size < uint64(len(v)) {
				v = v[:size:size]
			}
			b = b[n+len(v):]
		} else {
			n := protowire.ConsumeFieldValue(num, wire, b)
			if n < 0 {
				return
			}
			b = b[n:]
		}
		if !do(num, wire, v) {
			return
		}
	}
}

// errNoProto is what Parse says of bytes that are none of its messages.
var errNoProto = errors.New("no HloModuleProto, HloProto or HloSnapshot")

// Parse reads the program of a HloModuleProto, HloProto or HloSnapshot, binary or text; file is what errors say. It
// checks every instruction by its op's rules. Errors say the path of the field at fault.
func Parse(src []byte, file string) (*hlo.Module, error) {
	s, err := ParseSnapshot(src, file, Options{})
	if err != nil {
		return nil, err
	}
	return s.Module, nil
}

// Options are what may be read in another way.
type Options struct {
	// Lenient lets elementwise ops have operands of several float types, as hlo.ParseLenient does.
	Lenient bool
}

// open finds the format of a file and makes binary of text.
func open(src []byte, file string) (*decoder, Format, error) {
	format, text := Detect(src)
	if format == None {
		return nil, None, fmt.Errorf("%s: %w", file, errNoProto)
	}
	if text {
		b, err := parseText(string(src), file, string(format))
		return &decoder{file: file, src: b, text: true}, format, err
	}
	return &decoder{file: file, src: src}, format, nil
}

// moduleOf returns the HloModuleProto in a file.
func moduleOf(m *message, format Format) *message {
	switch format {
	case moduleProto:
		return m
	case snapshotProto:
		m = m.need("hlo")
	}
	return m.need("hlo_module")
}

// ParseSnapshot reads a HloSnapshot or HloUnoptimizedSnapshot: the program with its arguments and its result. Of other
// files it returns the program alone.
func ParseSnapshot(src []byte, file string, o Options) (*Snapshot, error) {
	d, format, err := open(src, file)
	if err != nil {
		return nil, err
	}
	d.lenient = o.Lenient
	m := d.open(describe(string(format)))
	s := &Snapshot{}
	if s.Module, err = readModule(moduleOf(m, format)); err != nil {
		return nil, err
	}
	switch format {
	case snapshotProto:
		s.Arguments = [][]*literal.Literal{arguments(m)}
		if r := m.sub("result"); r != nil {
			s.Result = literalOf(r)
		}
		s.Platform = m.str("execution_platform")
	case unoptimizedSnapshot:
		m.subs("partitions", func(p *message) { s.Arguments = append(s.Arguments, arguments(p)) })
	}
	if d.err != nil {
		return nil, d.err
	}
	return s, s.check(file)
}

func arguments(m *message) (list []*literal.Literal) {
	m.subs("arguments", func(a *message) { list = append(list, literalOf(a)) })
	return list
}

// check compares the arguments with the parameters.
func (s *Snapshot) check(file string) error {
	params, _ := s.Module.Entry.ProgramShape()
	for _, list := range s.Arguments {
		if len(list) != len(params) {
			return fmt.Errorf("%s: arguments: got %d, the program takes %d", file, len(list), len(params))
		}
		for i, l := range list {
			if !l.Shape().Compatible(params[i]) {
				return fmt.Errorf("%s: arguments[%d]: got %v, the program takes %v", file, i, l.Shape(), params[i])
			}
		}
	}
	return nil
}

// MarshalSnapshot returns s as a HloSnapshot. It has room for the arguments of one partition.
func MarshalSnapshot(s *Snapshot) []byte {
	w := &writer{desc: describe("HloSnapshot")}
	w.sub("hlo", func() { w.packed("hlo_module", func() { w.b = append(w.b, Marshal(s.Module)...) }) })
	if len(s.Arguments) > 0 {
		for _, l := range s.Arguments[0] {
			w.literal("arguments", l, nil)
		}
	}
	if s.Result != nil {
		w.literal("result", s.Result, nil)
	}
	w.str("execution_platform", s.Platform)
	return w.b
}
