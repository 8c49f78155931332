package hlo

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// Builder makes a computation, one instruction a call. It keeps the first fault and returns it from Build; calls after
// a fault are harmless. Methods return an instruction, never nil. A Builder is for one goroutine.
type Builder struct {
	name         string
	instructions []*Instruction
	err          error
	parameters   int64
	common       *Common
	token        *Instruction // after the last transfer built without a token
}

// NewBuilder returns a builder of a computation called name.
func NewBuilder(name string) *Builder { return &Builder{name: name} }

// Err returns the first fault so far.
func (b *Builder) Err() error { return b.err }

// add appends an instruction whose shape is inferred. given is the shape of ops that are told theirs, else the zero
// Shape.
func (b *Builder) add(op Opcode, a Attrs, given shape.Shape, operands ...*Instruction) *Instruction {
	operands = b.allPresent(op, operands)
	in := &Instruction{Op: op, Shape: given, Operands: operands, Attrs: a, Common: b.common, Pos: callerPos()}
	in.Name = fmt.Sprintf("%s.%d", op, len(b.instructions))
	b.instructions = append(b.instructions, in)
	if b.err != nil {
		in.Shape = poison
		return in
	}
	setDefaults(op, a)
	s, err := Infer(in)
	if err != nil {
		b.err = err
		s = poison
	}
	in.Shape = s
	return in
}

// poison is the shape of instructions made after a fault.
var poison = shape.Array(shape.F32)

// fail keeps the first fault, which lies in the arguments of a builder method of op.
func (b *Builder) fail(op Opcode, format string, args ...any) *Instruction {
	in := &Instruction{Op: op, Name: "error", Shape: poison, Pos: callerPos()}
	b.instructions = append(b.instructions, in)
	if b.err == nil {
		b.err = errorf(in, format, args...)
	}
	return in
}

// present replaces operands of op that are nil, which is a fault, by what a fault gives.
func (b *Builder) present(op Opcode, operands ...**Instruction) {
	for i, o := range operands {
		if *o == nil {
			*o = b.fail(op, "operand %d is nil", i)
		}
	}
}

// allPresent is present for a list.
func (b *Builder) allPresent(op Opcode, operands []*Instruction) []*Instruction {
	if !slices.Contains(operands, nil) {
		return operands
	}
	operands = slices.Clone(operands)
	for i := range operands {
		if operands[i] == nil {
			operands[i] = b.fail(op, "operand %d is nil", i)
		}
	}
	return operands
}

// callerPos is the first place up the stack that is outside this package: where the user called the builder.
func callerPos() Pos {
	var pcs [12]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/xla/hlo.") || strings.HasSuffix(f.File, "_test.go") {
			return Pos{File: filepath.Base(f.File), Line: f.Line}
		}
		if !more {
			return Pos{}
		}
	}
}

// setDefaults sets the integers of a, an op's attributes, that are 1 where nothing is said.
func setDefaults(op Opcode, a Attrs) {
	if a == nil || !ones[op] {
		return
	}
	for _, f := range a.Fields() {
		if p, ok := f.Ptr.(*int64); ok && f.When == One && *p == 0 {
			*p = 1
		}
	}
}

// Infer checks in's operands and attributes by its op's rules and returns the shape of its result.
// For ops that are told their shape, in.Shape is that shape.
func Infer(in *Instruction) (shape.Shape, error) {
	info := in.Op.Info()
	n, variadic := info.Arity()
	if len(in.Operands) < n || len(in.Operands) > n && !variadic {
		return poison, errorf(in, "got %d operands, want %d (%s)", len(in.Operands), n, info.Operands)
	}
	s, err := info.Infer(in)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			return poison, err
		}
		return poison, &Error{in, err}
	}
	return s, nil
}

// Build returns the computation with root as its result, or the first fault.
func (b *Builder) Build(root *Instruction) (*Computation, error) {
	if b.err != nil {
		return nil, b.err
	}
	if root == nil {
		if len(b.instructions) == 0 {
			return nil, fmt.Errorf("hlo: computation %s has no instructions", b.name)
		}
		root = b.instructions[len(b.instructions)-1]
	}
	return NewComputation(b.name, b.instructions, root)
}

// NewModule makes a module of an entry computation and all computations it calls. One of nil, which Build returns with
// its error, has no entry, which Verify and who compiles it refuse.
func NewModule(name string, entry *Computation) *Module {
	m := &Module{Name: name, Entry: entry}
	seen := map[*Computation]bool{}
	var visit func(c *Computation)
	visit = func(c *Computation) {
		if seen[c] {
			return
		}
		seen[c] = true
		for _, in := range c.Instructions {
			for _, callee := range in.Called() {
				visit(callee)
			}
		}
		m.Computations = append(m.Computations, c)
	}
	if entry != nil {
		visit(entry)
	}
	return m
}

// Parameter adds a parameter of shape s. replicated says of each leaf of s whether all replicas get the same value; it
// is left out where that is unknown.
//
//	result s
//
// It fails, at Build, if the numbers are not 0 to P-1. Law: row 73.
func (b *Builder) Parameter(number int64, s shape.Shape, name string, replicated ...bool) *Instruction {
	if n := s.LeafCount(); len(replicated) > 0 && len(replicated) != n {
		return b.fail(Parameter, "got %d flags of replication, want %d as %v has leaves", len(replicated), n, s)
	}
	in := b.add(Parameter, &ParameterAttrs{Number: number, Replication: replicated}, s)
	if name != "" {
		in.Name = name
	}
	return in
}

// ConstantLiteral adds a constant.
//
//	result of l's shape
//
// It fails if l is nil. Law: row 74.
func (b *Builder) ConstantLiteral(l *literal.Literal) *Instruction {
	if l == nil {
		return b.fail(Constant, "the literal is nil")
	}
	return b.add(Constant, &ConstantAttrs{Literal: l}, l.Shape())
}
