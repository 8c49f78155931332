// Package stablehlo turns programs written as MLIR text (dialects StableHLO, MHLO, CHLO and func) into HLO.
//
// Reading has two steps. [ParseAST] turns text into a syntax tree of one generic form: every op, pretty or not,
// becomes an [Op] with operands, attributes, regions and types. The importer then turns the tree into HLO.
package stablehlo

import (
	"fmt"
	"strings"

	"github.com/halo-xla/halo/xla/hlo"
)

// Pos is a place in a text, lines and columns (in bytes) from 1. The zero Pos is no place. In a file without lines,
// Line is 0 and Col the offset.
type Pos struct {
	File      string
	Line, Col int
}

// String returns the position as "file:line:col", or as "file: byte offset" in a file without lines; "" if it is no
// place.
func (p Pos) String() string {
	switch {
	case p == Pos{}:
		return ""
	case p.Line == 0:
		return fmt.Sprintf("%s: byte %d", p.File, p.Col)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Error is a fault of a program, with the place of it.
type Error struct {
	Pos Pos
	Op  string // the name of the op at fault, "" if it lies with none
	Msg string // what, got, want
	Err error  // what is behind it: errors.ErrUnsupported, an error of package hlo, or nil
}

// Error returns "file:line:col: message".
func (e *Error) Error() string {
	if e.Pos == (Pos{}) {
		return e.Msg
	}
	return e.Pos.String() + ": " + e.Msg
}

// Unwrap returns what is behind the error.
func (e *Error) Unwrap() error { return e.Err }

func errorf(pos Pos, format string, args ...any) error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Err: cause(args)}
}

// cause returns the error among args, nil if there is none.
func cause(args []any) error {
	for _, a := range args {
		if err, ok := a.(error); ok {
			return err
		}
	}
	return nil
}

// Op is one operation, whichever way it was spelled.
type Op struct {
	Name     string // as written, with its dialect: "stablehlo.add", "mhlo.add", "func.func", "builtin.module"
	Pos      Pos    // of the name
	Results  []*Value
	Operands []*Value
	Attrs    []NamedAttr // in the order of the text, those of pretty forms under the names of the generic form
	Regions  []*Region
	Loc      *Location // nil if none was written
	kind     *opKind   // nil unless a reader said it
}

// Value is an SSA value: the result of an op or the argument of a block.
type Value struct {
	Name string // as written without "%", "0" also for "%0#1"; "" for a value that an importer or a short form made up
	Type Type
	Op   *Op  // whose result it is; nil for a block argument
	at   *Pos // where it was defined; nil if that is where its op stands
	// in is the instruction that Import made of it in the computation by, the first that has one.
	in *hlo.Instruction
	by *ctx
}

// Pos returns where the value was defined; the zero Pos if nobody knows.
func (v *Value) Pos() Pos {
	switch {
	case v.at != nil:
		return *v.at
	case v.Op != nil:
		return v.Op.Pos
	}
	return Pos{}
}

// NamedAttr is an attribute of an op or of a dictionary.
type NamedAttr struct {
	Name     string
	Pos      Pos
	Value    Attr
	Property bool // it stood between <{ and }>
}

// Region is a list of blocks; structured ops have exactly one in each region.
type Region struct {
	Pos    Pos
	Blocks []*Block
}

// Block is a list of ops that see the block's arguments and, save in functions, what stands before the region.
type Block struct {
	Pos  Pos
	Args []*Value
	Ops  []*Op
	body *functionBody // reads the ops in the place of Ops; nil unless the importer asked for that
}

// Program is what one text holds.
type Program struct {
	Module    *Op               // a builtin.module, made up where the text has only functions
	Resources map[string]string // dialect resources by key, as "0x..." text, see [DenseAttr]
}

// LocKind says which of MLIR's locations a [Location] is.
type LocKind uint8

// The kinds of locations.
const (
	LocUnknown  LocKind = iota
	LocFile             // File, Line, Col
	LocName             // Name, and the place in Children[0] if there is one
	LocFused            // of all Children
	LocCallSite         // Children[0] was called at Children[1]
	LocAlias            // Name is that of an alias that has no definition
)

// Location is where the producer of a program says an op comes from.
type Location struct {
	Kind      LocKind
	Name      string
	File      string
	Line, Col int
	Children  []*Location
	// as is what Import made of it, nil if it says nothing; made whether it did.
	as   *hlo.Common
	made bool
}

// Block returns the only block of region i. It fails if there is no such region or the region has not one block.
func (o *Op) Block(i int) (*Block, error) {
	if i >= len(o.Regions) {
		return nil, errorf(o.Pos, "%s: has %d regions, want at least %d", o.Name, len(o.Regions), i+1)
	}
	if r := o.Regions[i]; len(r.Blocks) != 1 {
		return nil, errorf(r.Pos, "%s: region %d has %d blocks, want one", o.Name, i, len(r.Blocks))
	}
	return o.Regions[i].Blocks[0], nil
}

// Signature returns the op with the types of its operands, as errors name it: "stablehlo.add(tensor<2xf32>, ...)".
func (o *Op) Signature() string {
	types := make([]string, len(o.Operands))
	for i, v := range o.Operands {
		types[i] = v.Type.String()
	}
	return o.Name + "(" + strings.Join(types, ", ") + ")"
}

// Errorf returns an error at the op that begins with its signature.
func (o *Op) Errorf(format string, args ...any) error {
	return &Error{Pos: o.Pos, Op: o.Name, Msg: o.Signature() + ": " + fmt.Sprintf(format, args...), Err: cause(args)}
}

// Dialect returns the part of the op's name before the first dot.
func (o *Op) Dialect() string {
	dialect, _, _ := strings.Cut(o.Name, ".")
	return dialect
}
