package stablehlo

import (
	"slices"
	"strings"

	"github.com/halo-xla/halo/xla/shape"
)

// settled returns an attribute with its numbers written as bytecode gives them back, so that a dictionary that is kept
// as text has one text, wherever it was read. What is no number of its type stays as it is.
func settled(a Attr) Attr {
	switch a := a.(type) {
	case IntAttr:
		return settledInt(a)
	case FloatAttr:
		if e, f, ok := floatOf(a.Type); ok {
			if bits, wrong := floatBits(e, a.Text); wrong == "" {
				return floatAttr(e, f, bits)
			}
		}
	case ArrayAttr:
		a = slices.Clone(a)
		for i := range a {
			a[i] = settled(a[i])
		}
		return a
	case DictAttr:
		a = slices.Clone(a)
		for i := range a {
			a[i].Value = settled(a[i].Value)
		}
		return a
	case DenseArrayAttr:
		return settledArray(a)
	case *DenseAttr:
		return settledDense(a)
	}
	return a
}

// settledDense writes elements as denseText does. One that stands for all is read once: nobody wants the others here.
func settledDense(a *DenseAttr) Attr {
	s, err := shapeOf(a.Type)
	if err != nil || a.Kind == DenseResource || a.Kind == DenseBytes {
		return a
	}
	read := *a
	digit := a.Kind == DenseHex && len(a.Text) == 2*s.Type.Bytes() // no bits of booleans: those are of few elements
	if n, ok := s.CheckedSize(); ok && n > 8 && !s.HasUnbounded() && (digit || a.Kind == DenseSplat) {
		read.Type = &TensorType{Elem: a.Type.Elem}
	}
	l, err := read.Literal()
	if err != nil {
		return a
	}
	return denseText(l, a.Type)
}

// floatOf returns the element type of a float type.
func floatOf(t Type) (shape.ElementType, FloatType, bool) {
	f, ok := t.(FloatType)
	e, known := shape.TypeByMLIR(f.Name)
	return e, f, ok && known && e.IsFloat()
}

// settledInt writes a whole number in decimal within its type, and the bits of a float as the float.
func settledInt(a IntAttr) Attr {
	if e, f, ok := floatOf(a.Type); ok {
		if bits, wrong := floatBits(e, a.Text); wrong == "" {
			return floatAttr(e, f, bits)
		}
		return a
	}
	if e, ok := elementType(a.Type); ok && e != shape.Pred {
		if text, ok := settledElement(e, a.Text); ok {
			return IntAttr{text, a.Type}
		}
	}
	return a
}

// settledArray writes each number of a list as settledElement does.
func settledArray(a DenseArrayAttr) Attr {
	e, ok := elementType(a.Elem)
	if !ok || e.IsComplex() {
		return a
	}
	elems := slices.Clone(a.Elems)
	for i := range elems {
		if elems[i], ok = settledElement(e, elems[i]); !ok {
			return a
		}
	}
	return DenseArrayAttr{Elem: a.Elem, Elems: elems}
}

// settledElement writes an element of a list in the one way.
func settledElement(e shape.ElementType, text string) (string, bool) {
	if text = strings.ReplaceAll(text, " ", ""); text == "" {
		return "", false
	}
	data, wrong := appendElement(nil, e, text)
	if wrong != "" {
		return "", false
	}
	return elementText(e, data), true
}
