// Package scalar compiles computations on scalars, as reduce, map, sort, scatter and while have them, to programs for a
// register machine, and runs them in Go. Package cgo/loops/scalar runs the same programs in C; those with loops are
// machine code where there is AVX2 and memory for it.
//
// A program has registers of 8 bytes and a flat list of instructions. A register holds a predicate or integer as 64
// bits, extended as its type says; an F32 as its 32 bits; an F64 as its bits, and each float narrower than F32 as those
// of the F64 of its value: results are computed in F64 and rounded once, as the reference does it. A complex number
// takes two registers, one a part. Small arrays take the registers of their elements; in loops, those of some numbers
// of 32 bits may be vectors, two numbers in a register, and large ones that are only looked at and written to element
// by element stay in memory.
package scalar

import (
	"fmt"
	"slices"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// Leaf is the type and number of elements of a parameter or result, or of one element of a tuple that is one.
type Leaf struct {
	Type shape.ElementType
	// Elements is 1 for a scalar.
	Elements int

	memory bool // it stays there
	lanes  int  // of the vector that holds it
}

// length is how many entries a value has for the leaf, which take registers.
func (l Leaf) length() int {
	if l.memory || l.lanes > 0 {
		return 1
	}
	return l.Elements
}

func (l Leaf) registers() int {
	if l.memory || l.lanes > 0 {
		return 1
	}
	return l.Elements * width(l.Type)
}

// Bytes returns how many bytes the leaf takes in memory.
func (l Leaf) Bytes() int64 { return int64(l.Type.Bytes() * l.Elements) }

// Instr is one instruction. D is the register that it writes, A, B and C those that it reads; Imm is a width in bits,
// an element type, an offset, a place in the code or a function, as Op says. Native code reads the same 16 bytes.
type Instr struct {
	Op      Op
	D, A, B uint16
	C       uint16
	E       uint16 // of instructions that only native code has
	Imm     int32
}

// Program is a compiled computation. It does not change and is safe for concurrent use.
type Program struct {
	// Params and Results are the leaves of the parameters and of the result, in order. A run has a Stream for each.
	Params, Results []Leaf

	code  []Instr
	image []uint64
}

// Instructions returns the program's code, which must not be changed.
func (p *Program) Instructions() []Instr { return p.code }

// Registers returns what the registers hold before the first run: constants and zeros. It must not be changed.
func (p *Program) Registers() []uint64 { return p.image }

// Native reports whether C has all the program's instructions.
func (p *Program) Native() bool {
	for i := range p.code {
		if in := &p.code[i]; operations[in.Op].goOnly || in.Op == Call && calls[in.Imm].goOnly {
			return false
		}
	}
	return true
}

// Loops reports whether the program has loops, so that one run may take long.
func (p *Program) Loops() bool {
	for i := range p.code {
		if in := &p.code[i]; in.Op >= Again && in.Op <= AgainNeS {
			return true
		}
	}
	return false
}

// String returns the program as text, an instruction a line.
func (p *Program) String() string {
	s := fmt.Sprintf("registers %#x\n", p.image)
	for i, in := range p.code {
		s += fmt.Sprintf("%3d %-8s d%d a%d b%d c%d %d\n", i, operations[in.Op].name, in.D, in.A, in.B, in.C, in.Imm)
	}
	return s
}

// Compile compiles a computation of any number of parameters and results, tuples flattened. It fails with
// errors.ErrUnsupported if c has larger arrays than fit in registers or an op that programs have no instructions for;
// the error does not name c.
func Compile(c *hlo.Computation) (*Program, error) {
	cc := newCompiler()
	args, params := make([]value, len(c.Parameters)), []Leaf(nil)
	stream := 0
	for i, p := range c.Parameters {
		var err error
		if args[i], stream, err = cc.load(p.Shape, stream, &params); err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i, err)
		}
	}
	out, err := cc.inline(c, args)
	if err != nil {
		return nil, err
	}
	return cc.finish(c.Root.Shape, out, stream, params)
}

// CompileLoop compiles a call of a while loop, of whose results those may be anything that are not wanted; all are if
// wanted is nil. It fails as Compile does, with what was wrong with each way. A loop's large arrays stay in memory, if
// all that is done to them is that elements are looked at and written to; arrays of some numbers of 32 bits are
// vectors, if that is needed or takes less; else all go through registers, if they fit.
func CompileLoop(in *hlo.Instruction, wanted []bool) (*Program, error) {
	first := hasShortVector(in.Shape)
	var refused []error
	var best *Program
	for _, vectors := range []bool{first, !first} {
		cc := newCompiler()
		cc.arrays, cc.wanted = map[uint16]*array{}, wanted
		if vectors {
			cc.vectors = map[uint16]int{}
			cc.constant(0) // the register that instructions name for operands that they do not have
		}
		p, err := cc.compileOp(in)
		if err == nil {
			if best == nil || p.effort() < best.effort() {
				best = p
			}
			if !first {
				break
			}
			continue
		}
		way := map[bool]string{true: "with vectors", false: "without vectors"}[vectors]
		refused = append(refused, fmt.Errorf("%s: %w", way, err))
	}
	if best != nil {
		return best, nil
	}
	p, err := newCompiler().compileOp(in)
	if err != nil {
		return nil, fmt.Errorf("%w; %w; all in registers: %w", refused[0], refused[1], err)
	}
	return p, nil
}

// hasShortVector reports whether a value of shape s has an array that could be a vector and that could also be computed
// element by element.
func hasShortVector(s shape.Shape) bool {
	return slices.ContainsFunc(s.Leaves(), func(e shape.Shape) bool {
		return e.IsArray() && isLane[e.Type] && e.Size() >= minLanes && e.Size() <= maxElements
	})
}

// isWanted reports whether something looks at element k of the result of shape s.
func (c *compiler) isWanted(s shape.Shape, k int) bool {
	return c.wanted == nil || slices.ContainsFunc(s.Elems, shape.Shape.IsTuple) || c.wanted[k]
}

func (c *compiler) compileOp(in *hlo.Instruction) (*Program, error) {
	args, params := make([]value, len(in.Operands)), []Leaf(nil)
	stream := 0
	for i, o := range in.Operands {
		var err error
		if args[i], stream, err = c.load(o.Shape, stream, &params); err != nil {
			return nil, fmt.Errorf("operand %d: %w", i, err)
		}
		c.foresee(o, args[i])
	}
	out, err := c.instruction(in, args)
	if err != nil {
		return nil, err
	}
	return c.finish(in.Shape, out, stream, params)
}
