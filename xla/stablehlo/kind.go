package stablehlo

import (
	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/shape"
)

// opKind is what ops of one name with the same attributes have in common. The reader of bytecode gives one to each op,
// as programs are thousands of ops of few kinds, and the importer notes at the first op what is so of all.
type opKind struct {
	name  string
	attrs []NamedAttr
	row   importFunc // how its ops are imported; nil until one was
	bare  bool       // no attribute is one that any instruction may have; valid with row
	code  hlo.Opcode // of made
	made  hlo.Attrs  // what attrs are as attributes of an instruction; nil until they were made
}

// shared returns what o has in common with others of its kind; nil if nobody said, or a copy of an op was changed.
func (o *Op) shared() *opKind {
	k := o.kind
	if k == nil || k.name != o.Name || len(k.attrs) != len(o.Attrs) || len(k.attrs) > 0 && &k.attrs[0] != &o.Attrs[0] {
		return nil
	}
	return k
}

// attrsOf returns the attributes of an instruction for an op, which follow from the op's attributes alone: those that
// build makes, or those that it made for an earlier op of the same kind, as attributes are never changed.
func attrsOf(op *Op, code hlo.Opcode, build func(*Op, hlo.Opcode) (hlo.Attrs, error)) (
	hlo.Attrs, error) {
	k := op.shared()
	if k != nil && k.made != nil && k.code == code {
		return k.made, nil
	}
	a, err := build(op, code)
	if k != nil && err == nil {
		k.made, k.code = a, code
	}
	return a, err
}

// typeShape is the shape of a type, noted by the importer. A copy of the type still names the one it was noted for.
type typeShape struct {
	of    *TensorType
	shape shape.Shape
}

// tupleShape is the shape of a tuple's type, noted by the importer for the elements that it has.
type tupleShape struct {
	of    []Type
	shape shape.Shape
}

func newTuple(elems []Type) TupleType { return TupleType{elems, &tupleShape{}} }

// shape is shapeOf for a tuple, as types come again and again.
func (t TupleType) shape() (shape.Shape, error) {
	if t.known != nil && oneList(t.known.of, t.Elems) {
		return t.known.shape, nil
	}
	elems, err := shapesOf(t.Elems)
	s := shape.TupleOf(elems...)
	if err == nil && t.known != nil {
		*t.known = tupleShape{t.Elems, s}
	}
	return s, err
}

// oneList reports whether two lists are one, which is not empty.
func oneList(a, b []Type) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// declaredShape is shapeOf for a tensor, as types come again and again.
func (t *TensorType) declaredShape() (shape.Shape, error) {
	if t.known != nil && t.known.of == t {
		return t.known.shape, nil
	}
	s, err := tensorShape(t)
	if err == nil {
		t.known = &typeShape{t, s}
	}
	return s, err
}
