package hlo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// defines lists the classes on which s is defined.
func (s *Scalar) defines(c shape.Class) bool {
	switch c {
	case shape.PredClass:
		return s.Pred != nil
	case shape.SignedClass:
		return s.Signed != nil
	case shape.UnsignedClass:
		return s.Unsigned != nil
	case shape.FloatClass:
		return s.Float != nil
	case shape.ComplexClass:
		return s.Complex != nil
	}
	return false
}

// inferElementwise is the rule of all ops that are defined by their Scalar: operands of one type and the same sizes
// give a result like them. Sections 3.1 and 3.2: the table says which classes an op takes.
func inferElementwise(in *Instruction) (shape.Shape, error) {
	if s := plainShape(in); s != nil && in.Op.Info().Scalar.defines(s.Type.Class()) { // most of the time
		return shape.Shape{Type: s.Type, Dims: slices.Clip(s.Dims)}, nil
	}
	if err := sameTypes(in); err != nil { // C1
		return poison, err
	}
	t := in.Operands[0].Shape.Type
	if s := in.Op.Info().Scalar; !s.defines(t.Class()) {
		var want []string
		for c := shape.PredClass; c <= shape.ComplexClass; c++ {
			if s.defines(c) {
				want = append(want, c.String())
			}
		}
		return poison, fmt.Errorf("element type %v is not supported, want %s", t, strings.Join(want, ", "))
	}
	return sameDims(in)
}

// plainShape returns the shape of in's operands if they are arrays of one type and the same known sizes; else nil.
func plainShape(in *Instruction) *shape.Shape {
	s := &in.Operands[0].Shape
	if !s.IsArray() || s.Dynamic != nil || slices.Contains(s.Dims, shape.Unbounded) {
		return nil
	}
	for _, o := range in.Operands[1:] {
		if t := &o.Shape; t.Type != s.Type || t.Dynamic != nil || !slices.Equal(s.Dims, t.Dims) {
			return nil
		}
	}
	return s
}

// checkClass fails unless operand i of in is an array of one of the classes.
func checkClass(in *Instruction, i int, classes ...shape.Class) error {
	s, want := in.Operands[i].Shape, make([]string, len(classes))
	for k, c := range classes {
		if s.Type.Class() == c && c != shape.NoClass {
			return nil
		}
		want[k] = c.String()
	}
	return fmt.Errorf("%s: got %v, want elements that are %s", operandName(in, i), s, strings.Join(want, " or "))
}

// inferAbs: row 1.
func inferAbs(in *Instruction) (shape.Shape, error) {
	s := in.Operands[0].Shape.WithoutLayout()
	if err := checkClass(in, 0, shape.SignedClass, shape.FloatClass, shape.ComplexClass); err != nil {
		return poison, err
	}
	return s.WithType(s.Type.Component()), nil // C1, C2
}

// inferReal: rows 12 and 13.
func inferReal(in *Instruction) (shape.Shape, error) {
	s := in.Operands[0].Shape.WithoutLayout()
	if err := checkClass(in, 0, shape.ComplexClass, shape.FloatClass); err != nil {
		return poison, err
	}
	return s.WithType(s.Type.Component()), nil // C1, C2
}

func inferImag(in *Instruction) (shape.Shape, error) { return inferReal(in) }

// inferIsFinite: row 6.
func inferIsFinite(in *Instruction) (shape.Shape, error) {
	if err := checkClass(in, 0, shape.FloatClass); err != nil {
		return poison, err
	}
	return in.Operands[0].Shape.WithType(shape.Pred), nil // C1
}

// inferComplex: row 42.
func inferComplex(in *Instruction) (shape.Shape, error) {
	if err := checkClass(in, 0, shape.FloatClass); err != nil {
		return poison, err
	}
	s, err := sameArrays(in) // C1
	if err != nil {
		return poison, err
	}
	switch s.Type { // C2, C3
	case shape.F32:
		return s.WithType(shape.C64), nil
	case shape.F64:
		return s.WithType(shape.C128), nil
	}
	return poison, fmt.Errorf("complex numbers of %v parts are not supported, want f32 or f64", s.Type)
}

// inferSelect: row 66.
func inferSelect(in *Instruction) (shape.Shape, error) {
	if err := checkArrays(in); err != nil {
		return poison, err
	}
	pred, t, f := in.Operands[0].Shape, in.Operands[1].Shape, in.Operands[2].Shape
	if pred.Type != shape.Pred {
		return poison, fmt.Errorf("pred: got %v, want pred elements", pred)
	}
	if t.Type != f.Type { // C2
		return poison, fmt.Errorf("element types differ: on_true is %v, on_false is %v", t.Type, f.Type)
	}
	out, ok := joinDims(t, f)
	if !ok { // C2
		return poison, fmt.Errorf("sizes differ: on_true is %v, on_false is %v", t, f)
	}
	if pred.IsScalar() { // C1
		return out, nil
	}
	if !compatibleDims(pred, out) {
		return poison, fmt.Errorf("pred is %v, want a scalar or the sizes of on_true, %v", pred, t)
	}
	return out, nil
}

// inferClamp: row 67.
func inferClamp(in *Instruction) (shape.Shape, error) {
	if err := sameTypes(in); err != nil { // C3
		return poison, err
	}
	out := in.Operands[1].Shape.WithoutLayout()
	if out.Type.IsComplex() {
		return poison, fmt.Errorf("element type %v is not supported, complex numbers have no order", out.Type)
	}
	for _, i := range []int{0, 2} { // C1, C2
		bound := in.Operands[i].Shape
		if bound.IsScalar() {
			continue
		}
		joined, ok := joinDims(out, bound)
		if !ok {
			return poison, fmt.Errorf("%s is %v, want a scalar or the sizes of operand, %v",
				operandName(in, i), bound, in.Operands[1].Shape)
		}
		out = joined
	}
	return out, nil
}

// inferCompare: rows 43 to 54.
func inferCompare(in *Instruction) (shape.Shape, error) {
	s, err := sameArrays(in) // C1, C2
	if err != nil {
		return poison, err
	}
	a := in.Attrs.(*CompareAttrs)
	if int(a.Direction) >= len(directionNames) || int(a.Type) >= len(comparisonNames) {
		return poison, fmt.Errorf("unknown direction %d or type %d", a.Direction, a.Type)
	}
	if s.Type.IsComplex() && a.Direction != Eq && a.Direction != Ne {
		return poison, fmt.Errorf("direction %s of %v: complex numbers have no order, want EQ or NE",
			directionNames[a.Direction], s.Type)
	}
	if !a.Type.suits(s.Type) { // C3
		return poison, fmt.Errorf("type %s does not suit elements that are %v", comparisonNames[a.Type], s.Type)
	}
	return s.WithType(shape.Pred), nil
}

// suits reports whether elements of type t can be compared by the order c. Row 49: the total order of integers is the
// plain one.
func (c ComparisonType) suits(t shape.ElementType) bool {
	switch c {
	case FloatComparison:
		return t.IsFloat() || t.IsComplex()
	case TotalOrder:
		return !t.IsComplex()
	case SignedComparison:
		return t.IsSigned()
	case UnsignedComparison:
		return t.IsUnsigned() || t == shape.Pred
	}
	return true
}
