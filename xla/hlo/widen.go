package hlo

import (
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// ParseLenient is Parse, but elementwise ops may have operands of several float types, as XLA tolerates: the narrower
// are converted to the type with most bits, the first among equals. Section 3.2.
func ParseLenient(src []byte, file string) (*Module, error) { return parse(src, file, true) }

// widen appends the conversions that in needs, and lets it use them.
func (b *body) widen(in *Instruction) error {
	to := widest(in)
	for i, o := range in.Operands {
		if to == shape.Invalid || o.Shape.Type == to {
			continue
		}
		w := &Instruction{Name: fmt.Sprintf("%s.wide.%d", in.Name, i), Op: Convert, Shape: o.Shape.WithType(to),
			Operands: []*Instruction{o}, Pos: in.Pos}
		w, err := b.add(w)
		if err != nil {
			return err
		}
		in.Operands[i] = w
	}
	return nil
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
