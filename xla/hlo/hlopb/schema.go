package hlopb

import (
	_ "embed" // hlo.proto and xla_data.proto
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

//go:embed hlo.proto
var hloProto string

//go:embed xla_data.proto
var dataProto string

// kind is how the values of a field lie on the wire.
type kind uint8

const (
	noKind kind = iota
	intKind
	uintKind
	boolKind
	floatKind
	doubleKind
	stringKind
	bytesKind
	enumKind
	messageKind
)

var kinds = map[string]kind{"int32": intKind, "int64": intKind, "uint32": uintKind, "uint64": uintKind,
	"bool": boolKind, "float": floatKind, "double": doubleKind, "string": stringKind, "bytes": bytesKind}

// wire is the wire type of one value.
func (k kind) wire() protowire.Type {
	switch k {
	case floatKind:
		return protowire.Fixed32Type
	case doubleKind:
		return protowire.Fixed64Type
	case stringKind, bytesKind, messageKind:
		return protowire.BytesType
	}
	return protowire.VarintType
}

// size is the bytes of a number that always takes as many, 0 for others.
func (k kind) size() int {
	switch k {
	case floatKind:
		return 4
	case doubleKind:
		return 8
	}
	return 0
}

// fieldDesc is a field of a message.
type fieldDesc struct {
	name     string
	number   protowire.Number
	kind     kind
	typ      string // as the .proto has it
	repeated bool
	message  *messageDesc
	enum     *enumDesc
}

// messageDesc is a kind of message; its fields are in the order of the .proto.
type messageDesc struct {
	name     string
	fields   []*fieldDesc
	byName   map[string]*fieldDesc
	byNumber map[protowire.Number]*fieldDesc
}

type enumDesc struct {
	names   map[int64]string
	numbers map[string]int64
}

// schema are the messages and enumerations of the .proto files by their full names, less the package's.
type schema struct {
	messages map[string]*messageDesc
	enums    map[string]*enumDesc
}

// descriptors is the schema of the two files.
var descriptors = sync.OnceValue(func() *schema {
	s := &schema{map[string]*messageDesc{}, map[string]*enumDesc{}}
	for _, text := range []string{dataProto, hloProto} {
		p := &protoParser{schema: s, words: protoWords(text)}
		p.scope("")
	}
	for name, m := range s.messages {
		for _, f := range m.fields {
			s.resolve(name, f)
		}
	}
	return s
})

// describe returns the message called name.
func describe(name string) *messageDesc {
	m := descriptors().messages[name]
	if m == nil {
		panic("hlopb: bug: no message " + name)
	}
	return m
}

// field returns the field called name.
func (m *messageDesc) field(name string) *fieldDesc {
	f := m.byName[name]
	if f == nil {
		panic(fmt.Sprintf("hlopb: bug: message %s has no field %s", m.name, name))
	}
	return f
}

func (m *messageDesc) add(f *fieldDesc) {
	m.fields = append(m.fields, f)
	m.byName[f.name], m.byNumber[f.number] = f, f
}

func newMessage(name string) *messageDesc {
	return &messageDesc{name: name, byName: map[string]*fieldDesc{}, byNumber: map[protowire.Number]*fieldDesc{}}
}

// resolve finds the type of a field of the message scope: in it, in those around it, or at the top.
func (s *schema) resolve(scope string, f *fieldDesc) {
	if f.message != nil { // of a map
		f.kind = messageKind
		return
	}
	if f.kind = kinds[f.typ]; f.kind != noKind {
		return
	}
	for {
		name := strings.TrimPrefix(scope+"."+f.typ, ".")
		if f.message = s.messages[name]; f.message != nil {
			f.kind = messageKind
			return
		}
		if f.enum = s.enums[name]; f.enum != nil {
			f.kind = enumKind
			return
		}
		if scope == "" {
			panic("hlopb: bug: no type " + f.typ)
		}
		scope = scope[:max(strings.LastIndexByte(scope, '.'), 0)]
	}
}

// protoWords cuts the text of a .proto into words and punctuation.
func protoWords(text string) []string {
	var clean strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		clean.WriteString(line)
		clean.WriteByte(' ')
	}
	spaced := strings.NewReplacer("{", " { ", "}", " } ", ";", " ; ", "=", " = ", "<", " < ", ">", " > ", ",", " , ")
	return strings.Fields(spaced.Replace(clean.String()))
}

// protoParser reads the part of the language that our files use.
type protoParser struct {
	*schema
	words []string
}

func (p *protoParser) next() string {
	w := p.words[0]
	p.words = p.words[1:]
	return w
}

// statement returns the words up to the semicolon.
func (p *protoParser) statement() []string {
	n := slices.Index(p.words, ";")
	s := p.words[:n]
	p.words = p.words[n+1:]
	return s
}

// scope reads what stands in a message, or in the file, up to the closing brace or the end.
func (p *protoParser) scope(name string) {
	for len(p.words) > 0 && p.words[0] != "}" {
		switch w := p.next(); w {
		case "message":
			inner := strings.TrimPrefix(name+"."+p.next(), ".")
			p.next()
			p.messages[inner] = newMessage(inner)
			p.scope(inner)
			p.next()
		case "enum":
			p.enum(strings.TrimPrefix(name+"."+p.next(), "."))
		case "syntax", "package", "import":
			p.statement()
		default:
			p.field(name, append([]string{w}, p.statement()...))
		}
	}
}

func (p *protoParser) enum(name string) {
	e := &enumDesc{map[int64]string{}, map[string]int64{}}
	for p.next(); p.words[0] != "}"; {
		s := p.statement()
		n := number(s[2])
		e.names[n], e.numbers[s[0]] = s[0], n
	}
	p.next()
	p.enums[name] = e
}

// field reads "repeated T name = 1" and "map < K , V > name = 1", which is a repeated message of key and value.
func (p *protoParser) field(scope string, s []string) {
	m := p.messages[scope]
	f := &fieldDesc{number: protowire.Number(number(s[len(s)-1])), name: s[len(s)-3]}
	if s[0] == "repeated" {
		f.repeated, s = true, s[1:]
	}
	f.typ = s[0]
	if s[0] == "map" {
		f.repeated, f.message = true, newMessage(scope+"."+f.name)
		for i, part := range []string{"key", "value"} {
			entry := &fieldDesc{name: part, number: protowire.Number(i + 1), typ: s[2+2*i]}
			p.resolve(scope, entry)
			f.message.add(entry)
		}
	}
	m.add(f)
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		panic("hlopb: bug: " + err.Error())
	}
	return n
}
