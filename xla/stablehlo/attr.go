package stablehlo

import (
	"strconv"
	"strings"
)

// Attr is the value of an attribute: one of the types of this file.
type Attr interface {
	attr()
}

// UnitAttr is an attribute whose presence is all it says.
type UnitAttr struct{}

// BoolAttr is true or false.
type BoolAttr bool

// IntAttr is a whole number as written, or the bits of a float in hexadecimal where Type is a float type.
type IntAttr struct {
	Text string // digits or 0x digits, after "-" if negative
	Type Type   // i64 unless written
}

// FloatAttr is a number with a point.
type FloatAttr struct {
	Text string
	Type Type // f64 unless written
}

// StringAttr is a string, without its quotes and escapes.
type StringAttr string

// TypeAttr is a type in the place of an attribute.
type TypeAttr struct{ Type Type }

// SymbolAttr is @name or @outer::@inner.
type SymbolAttr struct{ Path []string }

// ArrayAttr is [a, b].
type ArrayAttr []Attr

// DictAttr is {a = 1, b}.
type DictAttr []NamedAttr

// DenseArrayAttr is array<i64: 1, 2>; Elems are the numbers as written.
type DenseArrayAttr struct {
	Elem  Type
	Elems []string
}

// DialectAttr is an attribute of a dialect: #stablehlo.gather<k = v>, #stablehlo<precision HIGH>, #sdy.sharding<...>.
type DialectAttr struct {
	Name   string   // "stablehlo.gather", "stablehlo.precision"
	Fields DictAttr // of one with keys, and of a convolution's dimension numbers
	Word   string   // of an enumeration: "HIGH"
	Body   string   // what stands between < and >, for attributes of dialects without a meaning here
}

// OpaqueAttr is an attribute kept as written, such as affine_map<...>.
type OpaqueAttr string

// LocAttr is loc(...) in the place of an attribute.
type LocAttr struct{ Loc *Location }

// DenseKind says how the elements of a [DenseAttr] are written.
type DenseKind uint8

// The ways to write elements.
const (
	DenseList     DenseKind = iota // nested lists, of sizes Dims
	DenseSplat                     // one element for all
	DenseHex                       // a string of hexadecimal digits, the elements' bytes
	DenseResource                  // Text is a key of Program.Resources
	DenseBytes                     // Data holds the elements' bytes
)

// DenseAttr is dense<...> : tensor<...> or dense_resource<key> : tensor<...>. The elements stay text until somebody
// wants them, so a large constant costs no more memory than its text.
type DenseAttr struct {
	Pos  Pos // of Text
	Kind DenseKind
	Text string  // the list, the element, the digits after 0x, or the key
	Data []byte  // little-endian, of all elements or one for all; booleans one a byte or eight a byte
	Dims []int64 // sizes of the nested lists
	Type *TensorType
	Prog *Program // whose Resources hold the key
}

func (UnitAttr) attr()            {}
func (BoolAttr) attr()            {}
func (IntAttr) attr()             {}
func (FloatAttr) attr()           {}
func (StringAttr) attr()          {}
func (TypeAttr) attr()            {}
func (SymbolAttr) attr()          {}
func (ArrayAttr) attr()           {}
func (DictAttr) attr()            {}
func (DenseArrayAttr) attr()      {}
func (*DialectAttr) attr()        {}
func (OpaqueAttr) attr()          {}
func (LocAttr) attr()             {}
func (*DenseAttr) attr()          {}
func (s SymbolAttr) name() string { return s.Path[len(s.Path)-1] }

// Lookup returns the value of a name, nil if it is not there.
func (d DictAttr) Lookup(name string) Attr {
	for i := range d {
		if d[i].Name == name {
			return d[i].Value
		}
	}
	return nil
}

// AttrString returns an attribute as MLIR writes it, "" for nil.
func AttrString(a Attr) string {
	switch a := a.(type) {
	case nil:
		return ""
	case BoolAttr:
		return strconv.FormatBool(bool(a))
	case IntAttr:
		return a.Text + typeSuffix(a.Type, "i64")
	case FloatAttr:
		return a.Text + typeSuffix(a.Type, "f64")
	case StringAttr:
		return quote(string(a))
	case TypeAttr:
		return a.Type.String()
	case SymbolAttr:
		return symbolString(a)
	case ArrayAttr:
		return "[" + joinAttrs(a) + "]"
	case DictAttr:
		return "{" + joinNamed(a) + "}"
	case DenseArrayAttr:
		return denseArrayString(a)
	case *DialectAttr:
		return dialectString(a)
	case OpaqueAttr:
		return string(a)
	case *DenseAttr:
		return denseString(a)
	case LocAttr:
		return "loc(unknown)"
	}
	return "unit"
}

func typeSuffix(t Type, usual string) string {
	if s := t.String(); s != usual {
		return " : " + s
	}
	return ""
}

func symbolString(a SymbolAttr) string {
	parts := make([]string, len(a.Path))
	for i, name := range a.Path {
		parts[i] = "@" + name
		if !plainSymbol(name) {
			parts[i] = "@" + quote(name)
		}
	}
	return strings.Join(parts, "::")
}

func joinAttrs(attrs []Attr) string {
	parts := make([]string, len(attrs))
	for i, a := range attrs {
		parts[i] = AttrString(a)
	}
	return strings.Join(parts, ", ")
}

func joinNamed(attrs []NamedAttr) string {
	parts := make([]string, len(attrs))
	for i, a := range attrs {
		name := a.Name
		if !plainSymbol(name) {
			name = quote(name)
		}
		if _, unit := a.Value.(UnitAttr); unit {
			parts[i] = name
		} else {
			parts[i] = name + " = " + AttrString(a.Value)
		}
	}
	return strings.Join(parts, ", ")
}

func denseArrayString(a DenseArrayAttr) string {
	if len(a.Elems) == 0 {
		return "array<" + a.Elem.String() + ">"
	}
	return "array<" + a.Elem.String() + ": " + strings.Join(a.Elems, ", ") + ">"
}

func dialectString(a *DialectAttr) string {
	dialect, name, _ := strings.Cut(a.Name, ".")
	switch {
	case a.Word != "":
		return "#" + dialect + "<" + name + " " + a.Word + ">"
	case name == "conv":
		return "#" + a.Name + "<raw " + joinNamed(a.Fields) + ">"
	case a.Fields != nil:
		return "#" + a.Name + "<" + joinNamed(a.Fields) + ">"
	}
	return "#" + a.Name + "<" + a.Body + ">"
}

func denseString(a *DenseAttr) string {
	text := a.Text
	switch a.Kind {
	case DenseBytes:
		return denseString(a.written())
	case DenseHex:
		text = `"0x` + text + `"`
	case DenseResource:
		return "dense_resource<" + text + "> : " + a.Type.String()
	}
	return "dense<" + text + "> : " + a.Type.String()
}

// plainSymbol reports whether a name needs no quotes after "@" or before "=".
func plainSymbol(s string) bool {
	for i := range len(s) {
		if c := s[i]; !identByte(c) || i == 0 && c != '_' && !letter(c) {
			return false
		}
	}
	return s != ""
}

const hexDigits = "0123456789ABCDEF"

// quote returns a string as MLIR writes it: quotes, backslashes and bytes that do not print as \XX.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b.WriteString(`\\`)
		case c < ' ' || c > '~' || c == '"':
			b.WriteByte('\\')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
