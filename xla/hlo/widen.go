package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// ParseLenient is Parse, but elementwise ops may have operands of several float types, as XLA tolerates: the narrower
// are converted to the type with most bits, the first among equals. Section 3.2.
func ParseLenient(src []byte, file string) (*Module, error) { return parse(src, file, true) }

// Widen has an elementwise instruction use conversions of its operands where they are of several float types, as
// ParseLenient says, and returns the conversions, which are to stand before it.
func Widen(in *Instruction) []*Instruction {
	to := widest(in)
	if to == shape.Invalid {
		return nil
	}
	var made []*Instruction
	for i, o := range in.Operands {
		if o.Shape.Type == to {
			continue
		}
		in.Operands[i] = &Instruction{Name: fmt.Sprintf("%s.wide.%d", in.Name, i), Op: Convert,
			Shape: o.Shape.WithType(to), Operands: []*Instruction{o}, Pos: in.Pos}
		made = append(made, in.Operands[i])
	}
	return made
}

// widest is the type that the operands of in are converted to, Invalid if they are fine or beyond help.
func widest(in *Instruction) shape.ElementType {
	to, mixed := shape.Invalid, false
	if in.Op.Info().Scalar == nil && in.Op != Compare {
		return to
	}
	for _, o := range in.Operands {
		t := o.Shape.Type
		if !t.IsFloat() {
			return shape.Invalid
		}
		mixed = mixed || to != shape.Invalid && t != to
		if to == shape.Invalid || t.Bits() > to.Bits() {
			to = t
		}
	}
	if !mixed {
		return shape.Invalid
	}
	return to
}
