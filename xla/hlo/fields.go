package hlo

import (
	"github.com/halo-xla/halo/xla/shape"
)

// Attrs is one op's attributes. Fields lists them once, for the text's reader and printer, for protos, for StableHLO
// and for comparing. Attributes are not changed once an instruction is built.
type Attrs interface{ Fields() []Field }

// Field is one attribute.
type Field struct {
	// Name is its name in HLO text, MLIR its name in StableHLO; "" if it has none there.
	Name, MLIR string
	// Ptr is where the value lives: *bool, *int64, *float64, *string, *[]int64, *[]bool, **Computation, *[]*Computation,
	// *shape.Shape, *[]shape.Shape, *shape.ElementType or a Value.
	Ptr any
	// When says when the attribute is printed and what it is when absent.
	When When
}

// When says when an attribute is printed.
type When uint8

const (
	// Set attributes are printed when they are not the zero value.
	Set When = iota
	// Always attributes are printed even when zero or empty, and the reader demands them.
	Always
	// One attributes are integers that default to 1 and are printed when they differ from it; 0 given to the builder means
	// 1.
	One
	// Operand attributes stand in the parentheses of the operands: constant and parameter.
	Operand
)

// Value is an attribute with a text of its own: windows, dimension labels, enumerations, replica groups...
// It is implemented on pointers.
type Value interface {
	IsZero() bool
	// AppendText appends the text after "name=".
	AppendText(b []byte) []byte
	// ParseText reads what AppendText writes, and older spellings. s is balanced in its brackets and quotes.
	ParseText(s string) error
}

// Raw is an attribute value kept as the text it was.
type Raw string

// IsZero reports whether there is no text.
func (r *Raw) IsZero() bool { return *r == "" }

// AppendText appends the text.
func (r *Raw) AppendText(b []byte) []byte { return append(b, *r...) }

// ParseText keeps s.
func (r *Raw) ParseText(s string) error { *r = Raw(s); return nil }

// RawAttr is an attribute that no row of the op table knows; it is kept and printed again.
type RawAttr struct{ Name, Text string }

// KeyValue is one entry of frontend_attributes.
type KeyValue struct{ Key, Value string }

// Common are the attributes that any instruction may have.
type Common struct {
	Sharding     Raw
	Frontend     FrontendAttributes
	Predecessors []string // names of the control predecessors, in the same computation
	Metadata     Raw
	BackendConfig
	Statistics, Origin, ResultAccuracy Raw
	// Extra are attributes nobody knows.
	Extra []RawAttr
	// Proto are fields of the HloInstructionProto it came from that no attribute holds; text does not have them.
	Proto []byte
}

// BackendConfig is a backend_config: text for whoever runs the instruction.
type BackendConfig struct {
	// Config is the text without its quotes, or a JSON or MLIR dictionary with its braces.
	Config string
	// Dictionary says that Config is a dictionary and not a string.
	Dictionary bool
}

// NewBackendConfig returns a configuration as XLA's text has it: a dictionary if it can stand there without quotes.
func NewBackendConfig(config string) BackendConfig {
	return BackendConfig{config, isDictionary(config)}
}

// FrontendAttributes are key-value pairs in the order of the text.
type FrontendAttributes []KeyValue

// Lookup returns the value of key and whether it is there.
func (f FrontendAttributes) Lookup(key string) (string, bool) {
	for _, kv := range f {
		if kv.Key == key {
			return kv.Value, true
		}
	}
	return "", false
}

// ModuleConfig is what the header line of a module says.
type ModuleConfig struct {
	IsScheduled   bool
	NumReplicas   int64 // 0 means 1
	NumPartitions int64 // 0 means 1
	// Alias lists which results live in which donated parameters, BufferDonor the parameters donated without a result.
	Alias       []Alias
	BufferDonor []ParameterIndex
	// EntryLayout has the parameter and result shapes with the layouts callers use; nil elements mean default ones.
	EntryParams []shape.Shape
	EntryResult *shape.Shape
	Frontend    FrontendAttributes
	// Extra are other header attributes and the tables of file names and stack frames, kept as text.
	Extra  []RawAttr
	Tables []string
	// Proto are fields of the HloModuleProto it came from that nothing here holds; text does not have them.
	Proto []byte
}

// ParameterIndex is a part of a parameter: the parameter's number and the path into its tuple.
type ParameterIndex struct {
	Parameter int64
	Index     []int64
}

// Alias says that the result part Output lives in a parameter's memory.
type Alias struct {
	Output []int64
	ParameterIndex
	// Must is true for must-alias, false for may-alias.
	Must bool
}

func attrs[T any, P interface {
	*T
	Attrs
}]() Attrs {
	return P(new(T))
}

// names of an enumeration's values; the value is the index.
type names []string

func (n names) list() string {
	s := ""
	for _, name := range n {
		if name != "" && s != "" {
			s += ", "
		}
		s += name
	}
	return s
}

// OneDim is a dimension number that text writes as a list of one: "{1}".
type OneDim int64

// Optional is a number that may be absent.
type Optional struct {
	Value int64
	Set   bool
}

// OptionalDim is a OneDim that may be absent.
type OptionalDim Optional

// OptionalShape is a shape that may be absent.
type OptionalShape struct{ Shape *shape.Shape }
