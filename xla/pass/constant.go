package pass

import (
	"bytes"
	"math"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// literalOf returns the value of a constant, nil for other instructions.
func literalOf(in *hlo.Instruction) *literal.Literal {
	if a, ok := in.Attrs.(*hlo.ConstantAttrs); ok {
		return a.Literal
	}
	return nil
}

// splatOf returns the one value that all elements of in have, as a scalar, if that is known: in is a constant of one
// element or a broadcast of one. It returns nil for others.
func splatOf(in *hlo.Instruction) *literal.Literal {
	for in.Op == hlo.Broadcast || in.Op == hlo.Reshape {
		in = in.Operands[0]
	}
	l := literalOf(in)
	if l == nil || !l.Shape().IsArray() || l.Shape().IsDynamic() {
		return nil
	}
	if n, ok := l.Shape().CheckedSize(); !ok || n != 1 {
		return nil
	}
	l, err := l.RowMajor().WithShape(shape.Array(l.Shape().Type))
	if err != nil {
		return nil // packed elements
	}
	return l
}

// isNumber reports whether all elements of in are known to be v, zeros of v's sign. Complex numbers are never.
func isNumber(in *hlo.Instruction, v float64) bool {
	l := splatOf(in)
	if l == nil {
		return false
	}
	got, ok := number(l)
	return ok && math.Float64bits(got) == math.Float64bits(v)
}

// number returns a scalar's value if it is real and a float64 has it.
func number(l *literal.Literal) (float64, bool) {
	w := l.Wide()
	switch w.Class {
	case shape.PredClass:
		if w.B[0] {
			return 1, true
		}
		return 0, true
	case shape.SignedClass:
		return float64(w.I[0]), int64(float64(w.I[0])) == w.I[0] && w.I[0] != math.MaxInt64
	case shape.UnsignedClass:
		return float64(w.U[0]), w.U[0] < 1<<53
	case shape.FloatClass:
		return w.F[0], true
	}
	return 0, false
}

// integer returns a scalar constant's value if it is an integer that an int64 holds.
func integer(in *hlo.Instruction) (int64, bool) {
	l := splatOf(in)
	if l == nil {
		return 0, false
	}
	w := l.Wide()
	switch w.Class {
	case shape.SignedClass:
		return w.I[0], true
	case shape.UnsignedClass:
		return int64(w.U[0]), w.U[0] <= math.MaxInt64
	}
	return 0, false
}

// isAllOnes reports whether all bits of all elements of in are known to be set.
func isAllOnes(in *hlo.Instruction) bool {
	l := splatOf(in)
	if l == nil {
		return false
	}
	switch w := l.Wide(); w.Class {
	case shape.PredClass:
		return w.B[0]
	case shape.SignedClass:
		return w.I[0] == -1
	case shape.UnsignedClass:
		return w.U[0] == math.MaxUint64>>(64-l.Shape().Type.Bits())
	}
	return false
}

// isIntegral reports whether in's elements are integers or predicates.
func isIntegral(in *hlo.Instruction) bool {
	t := in.Shape.Type
	return t.IsInteger() || t == shape.Pred
}

// uniform returns the first element of an array of several that are all equal in their bits, nil for others.
func uniform(l *literal.Literal) *literal.Literal {
	s, b := l.Shape(), l.Bytes()
	n, ok := s.CheckedSize()
	if !s.IsArray() || s.IsDynamic() || !ok || n < 2 || !s.Layout.IsDefault() || int64(len(b))%n != 0 {
		return nil
	}
	w := len(b) / int(n)
	if !bytes.Equal(b[w:], b[:len(b)-w]) {
		return nil
	}
	one, err := literal.FromBytes(shape.Array(s.Type), b[:w:w])
	if err != nil {
		return nil
	}
	return one
}

// plain reports whether s is an array of static sizes.
func plain(s shape.Shape) bool { return s.IsArray() && !s.IsDynamic() }

// sameSizes reports whether two arrays have the same element type and sizes.
func sameSizes(a, b *hlo.Instruction) bool { return a.Shape.Compatible(b.Shape) }

// elements returns the number of elements of an array, or 0 if it is none or too large.
func elements(s shape.Shape) int64 {
	n, _ := s.CheckedSize()
	return n
}
