package stablehlo

import (
	"errors"
	"fmt"

	"github.com/halo-xla/halo/xla/shape"
)

// typeError says of a type that is right that HLO does not have it.
type typeError string

func (e typeError) Error() string { return string(e) }

// Unwrap returns errors.ErrUnsupported.
func (typeError) Unwrap() error { return errors.ErrUnsupported }

// shapeOf returns the shape that a type means. A quantised tensor has the shape of what it stores. It fails for
// types that HLO does not have.
func shapeOf(t Type) (shape.Shape, error) {
	switch t := t.(type) {
	case *TensorType:
		return t.declaredShape()
	case TokenType:
		return shape.TokenShape(), nil
	case TupleType:
		return t.shape()
	case IntType, FloatType, ComplexType, IndexType:
		return shape.Shape{}, fmt.Errorf("type %s, want a tensor", t)
	}
	return shape.Shape{}, typeError(fmt.Sprintf("type %s has no HLO shape", t))
}

func shapesOf(types []Type) ([]shape.Shape, error) {
	shapes := make([]shape.Shape, len(types))
	for i, t := range types {
		var err error
		if shapes[i], err = shapeOf(t); err != nil {
			return nil, err
		}
	}
	return shapes, nil
}

func tensorShape(t *TensorType) (shape.Shape, error) {
	elem, ok := elementType(t.Elem)
	if !ok {
		return shape.Shape{}, typeError(fmt.Sprintf("element type %s of %s is not supported", t.Elem, t))
	}
	if q, ok := t.Elem.(*QuantType); ok && t.Unranked && len(q.Axes) > 0 {
		return shape.Shape{}, fmt.Errorf("type %s is quantised along a dimension and has none", t)
	}
	if t.Unranked {
		return shape.Shape{}, typeError(fmt.Sprintf("type %s has no rank", t))
	}
	if len(t.Dims) > shape.MaxRank {
		return shape.Shape{}, fmt.Errorf("type has %d dimensions, want at most %d", len(t.Dims), shape.MaxRank)
	}
	s := shape.Array(elem, make([]int64, len(t.Dims))...)
	for i, d := range t.Dims {
		s.Dims[i] = d
		if d != Dynamic {
			continue
		}
		if s.Dynamic == nil {
			s.Dynamic = make([]bool, len(t.Dims))
		}
		s.Dims[i], s.Dynamic[i] = shape.Unbounded, true
		if t.Bounds != nil && t.Bounds[i] != Dynamic {
			s.Dims[i] = t.Bounds[i]
		}
	}
	if _, ok := s.CheckedSize(); !ok && !s.HasUnbounded() {
		return shape.Shape{}, fmt.Errorf("type %s has too many elements", t)
	}
	return s, nil
}

// elementType returns the element type of a tensor, of a quantised one that of its storage.
func elementType(t Type) (shape.ElementType, bool) {
	switch t := t.(type) {
	case *QuantType:
		return elementType(t.Storage)
	case IndexType:
		return shape.S64, true
	case IntType:
		if t.Sign == Signed {
			t.Sign = Signless
		}
		return shape.TypeByMLIR(t.String())
	}
	e, ok := shape.TypeByMLIR(t.String())
	return e, ok && e.IsArray() // a token is no element
}

// quantised reports whether a type holds a quantised element.
func quantised(t Type) bool {
	tensor, ok := t.(*TensorType)
	if !ok {
		return false
	}
	_, ok = tensor.Elem.(*QuantType)
	return ok
}

// rankOf returns the number of a value's dimensions, 0 for what is no tensor.
func rankOf(v *Value) int {
	if t, ok := v.Type.(*TensorType); ok {
		return len(t.Dims)
	}
	return 0
}
