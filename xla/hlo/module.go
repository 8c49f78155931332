// Package hlo is the HLO language: its programs, their text, its operations and what each of them means.
package hlo

import (
	"fmt"
	"math"
	"slices"

	"github.com/halo-xla/halo/xla/shape"
)

// Module is a program: computations, one of which is the entry.
type Module struct {
	Name string
	// Computations are in an order in which callees come before their callers.
	Computations []*Computation
	Entry        *Computation
	// Config is what the module's header line says besides its name.
	Config ModuleConfig
	// ParameterNames and ResultNames are what the producer calls the entry's parameters and the leaves of its result;
	// nil if it does not say. Text does not hold them.
	ParameterNames, ResultNames []string
}

// Computation is a function: a list of instructions in an order in which operands come before their users.
type Computation struct {
	Name         string
	Instructions []*Instruction
	Root         *Instruction
	// Parameters are the Parameter instructions by number.
	Parameters []*Instruction
	// Extra are attributes after the closing brace, kept as text: execution_thread and unknown ones.
	Extra []RawAttr
	// Proto are fields of the HloComputationProto it came from that nothing here holds; text does not have them.
	Proto []byte
	// effect is what is known of side effects; it is read and set at once.
	effect uint32
}

// Instruction is one operation and its result. Once built it is not changed; passes make new ones.
type Instruction struct {
	Name string
	Op   Opcode
	// unsized says whether its shape has dynamic dimensions, dynamic whether it or an operand's has; index is its place
	// in its computation, users how many operand slots name it.
	unsized, dynamic bool
	index, users     int32
	Shape            shape.Shape
	Operands         []*Instruction
	// Attrs are the op's attributes; nil if the op has none.
	Attrs Attrs
	// Common are the attributes that any op may have; nil if there are none.
	Common *Common
	// Pos is where the instruction stands in the program's text or in the caller's source: "file:line:col".
	Pos Pos
	// bytes are what the result takes when it is a static array, 0 otherwise.
	bytes int64
}

// Pos is a place in a program's text or, for built programs, in the source that called the builder. In a file without
// lines, Line is 0 and Col the offset.
type Pos struct {
	File string
	Line int
	Col  int
}

// String returns "file:line:col", "file: byte offset" in a file without lines, or "" for the zero Pos.
func (p Pos) String() string {
	switch {
	case p.File == "" && p.Line == 0:
		return ""
	case p.Line == 0:
		return fmt.Sprintf("%s: byte %d", p.File, p.Col)
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// OperandShapes returns the shapes of the operands.
func (in *Instruction) OperandShapes() []shape.Shape {
	s := make([]shape.Shape, len(in.Operands))
	for i, o := range in.Operands {
		s[i] = o.Shape
	}
	return s
}

// ResultShapes returns the shapes of in's results: those of the elements of a tuple, else the one.
func (in *Instruction) ResultShapes() []shape.Shape {
	if in.Shape.IsTuple() {
		return in.Shape.Elems
	}
	return []shape.Shape{in.Shape}
}

// Called returns the computations that in's attributes name, in the order of its fields.
func (in *Instruction) Called() []*Computation {
	if !calls[in.Op] || in.Attrs == nil {
		return nil
	}
	var cs []*Computation
	for _, f := range in.Attrs.Fields() {
		switch p := f.Ptr.(type) {
		case **Computation:
			if *p != nil {
				cs = append(cs, *p)
			}
		case *[]*Computation:
			cs = append(cs, *p...)
		}
	}
	return cs
}

// calls are the ops whose attributes can name computations, ones those that have integers of the kind One; they are
// filled beside the op table.
var calls, ones [NumOps]bool

// hasOne reports whether a, new attributes of an op, has an integer that is 1 where nothing is said.
func hasOne(a Attrs) bool {
	return slices.ContainsFunc(a.Fields(), func(f Field) bool {
		_, ok := f.Ptr.(*int64)
		return ok && f.When == One
	})
}

// canCall reports whether a, new attributes of an op, has a field for computations.
func canCall(a Attrs) bool {
	for _, f := range a.Fields() {
		switch f.Ptr.(type) {
		case **Computation, *[]*Computation:
			return true
		}
	}
	return false
}

// ProgramShape returns the shapes of c's parameters and result.
func (c *Computation) ProgramShape() (params []shape.Shape, result shape.Shape) {
	for _, p := range c.Parameters {
		params = append(params, p.Shape)
	}
	return params, c.Root.Shape
}

// Roots returns the operands of c's root if that makes a tuple of them, or else the root: what a fusion gives.
func (c *Computation) Roots() []*Instruction {
	if c.Root.Op == Tuple {
		return c.Root.Operands
	}
	return []*Instruction{c.Root}
}

// seal numbers c's instructions and counts their users; every computation is sealed before it runs or prints.
func (c *Computation) seal() {
	for i, in := range c.Instructions {
		in.seal(i)
	}
	if c.Root != nil {
		c.Root.users++
	}
}

// seal numbers in and counts it as a user of its operands, which are sealed already.
func (in *Instruction) seal(index int) {
	unsized := in.Shape.IsDynamic()
	in.index, in.users, in.unsized, in.dynamic, in.bytes = int32(index), 0, unsized, unsized, arrayBytes(in.Shape)
	for _, o := range in.Operands {
		o.users++
		in.dynamic = in.dynamic || o.unsized
	}
}

// arrayBytes is what a value of the shape takes if it is a static array, and 0 for all others.
func arrayBytes(s shape.Shape) int64 {
	if !s.IsArray() || s.IsDynamic() {
		return 0
	}
	n, ok := s.CheckedSize()
	if width := int64(s.Type.Bytes()); ok && n <= math.MaxInt64/width {
		return n * width
	}
	return math.MaxInt64
}

// NewComputation makes a computation of instructions in an order in which operands come first. Root may be any of them.
// It fails if an operand is missing or late, or if the parameter numbers are not 0 to P-1.
func NewComputation(name string, instructions []*Instruction, root *Instruction) (*Computation, error) {
	c := &Computation{Name: name, Instructions: instructions, Root: root}
	defined := func(o *Instruction, n int) bool { return int(o.index) < n && instructions[o.index] == o }
	var parameters []*Instruction
	for i, in := range instructions {
		for _, o := range in.Operands {
			if !defined(o, i) {
				return nil, errorf(in, "operand %s is not defined before its use in computation %s", o.Name, name)
			}
		}
		if in.seal(i); in.Op == Parameter {
			parameters = append(parameters, in)
		}
	}
	if root == nil || !defined(root, len(instructions)) {
		return nil, fmt.Errorf("computation %s has no root among its instructions", name)
	}
	root.users++
	if err := c.setParameters(parameters); err != nil {
		return nil, err
	}
	return c, nil
}

// setParameters puts c's parameters in the order of their numbers.
func (c *Computation) setParameters(parameters []*Instruction) error {
	c.Parameters = make([]*Instruction, len(parameters))
	for _, in := range parameters {
		n := in.Attrs.(*ParameterAttrs).Number
		switch {
		case n < 0 || n >= int64(len(parameters)):
			return errorf(in, "parameter number %d, want 0 to %d without gaps", n, len(parameters)-1)
		case c.Parameters[n] != nil:
			return errorf(in, "parameter number %d is used twice, by %s too", n, c.Parameters[n].Name)
		}
		c.Parameters[n] = in
	}
	return nil
}

// Error is a fault in a program and the instruction that has it.
type Error struct {
	// In is the instruction at fault; its operands and attributes may be incomplete.
	In  *Instruction
	Err error
}

// Error returns "file:line:col: op(shapes): what, got, want".
func (e *Error) Error() string {
	b := []byte(e.In.Pos.String())
	if len(b) > 0 {
		b = append(b, ": "...)
	}
	b = append(append(b, e.In.Op.String()...), '(')
	for i, o := range e.In.Operands {
		if i > 0 {
			b = append(b, ", "...)
		}
		if b = o.Shape.Append(b, false); len(b) > maxOperandText {
			b = append(b[:maxOperandText], "..."...)
			break
		}
	}
	return string(append(b, "): "...)) + e.Err.Error()
}

// maxOperandText bounds the bytes of a message up to the end of the operands: tuples may have thousands of elements.
const maxOperandText = 1000

// Unwrap returns what is wrong, without the place.
func (e *Error) Unwrap() error { return e.Err }

func errorf(in *Instruction, format string, args ...any) error {
	return &Error{in, fmt.Errorf(format, args...)}
}
