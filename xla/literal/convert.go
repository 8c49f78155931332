package literal

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// Convert returns the array l with its elements converted to t, in l's layout order but without a layout.
//
// Integers and floats become floats rounded once to nearest even. Floats become integers by dropping the fraction,
// then the nearest value of t; NaN becomes 0. Integers keep their low bits. Anything but 0 becomes the predicate
// true. Complex numbers lose the imaginary part; other numbers get one of 0. Law: row 71. It fails for tuples and
// tokens.
func Convert(l *Literal, t shape.ElementType) (*Literal, error) {
	if !l.shape.IsArray() || !t.IsArray() {
		return nil, fmt.Errorf("convert %s to %s: want arrays", l.shape, t)
	}
	if l.shape.Type == t {
		return l, nil
	}
	s := l.shape.WithType(t)
	out := FromWide(s, ConvertWide(l.Wide(), l.shape.Type, t))
	out.sizes = l.sizes
	return out, nil
}

// ConvertWide converts elements of the type from to the class of the type to, as Convert does; FromWide then finishes
// the conversion with the only rounding. It may return w itself.
func ConvertWide(w Wide, from, to shape.ElementType) Wide {
	if w.Class == to.Class() {
		return w
	}
	if w.Class == shape.ComplexClass {
		return ConvertWide(Wide{Class: shape.FloatClass, F: reals(w.C)}, from.Component(), to)
	}
	switch to.Class() {
	case shape.PredClass:
		return toPred(w)
	case shape.SignedClass:
		return toSigned(w, to)
	case shape.UnsignedClass:
		return toUnsigned(w, to)
	case shape.FloatClass:
		return toFloat(w, to)
	}
	f := w
	if w.Class != shape.FloatClass {
		f = toFloat(w, to.Component())
	}
	o := MakeWide(shape.ComplexClass, len(f.F))
	for i, v := range f.F {
		o.C[i] = complex(v, 0)
	}
	return o
}

func reals(c []complex128) []float64 {
	o := make([]float64, len(c))
	for i, v := range c {
		o[i] = real(v)
	}
	return o
}

func toPred(w Wide) Wide {
	o := MakeWide(shape.PredClass, w.Len())
	for i, v := range w.I {
		o.B[i] = v != 0
	}
	for i, v := range w.U {
		o.B[i] = v != 0
	}
	for i, v := range w.F {
		o.B[i] = v != 0
	}
	return o
}

func toSigned(w Wide, to shape.ElementType) Wide {
	o := MakeWide(shape.SignedClass, w.Len())
	for i, v := range w.B {
		o.I[i] = int64(b2u(v))
	}
	for i, v := range w.U {
		o.I[i] = int64(v)
	}
	for i, v := range w.F {
		o.I[i] = SaturateSigned(v, to.Bits())
	}
	return o
}

func toUnsigned(w Wide, to shape.ElementType) Wide {
	o := MakeWide(shape.UnsignedClass, w.Len())
	for i, v := range w.B {
		o.U[i] = b2u(v)
	}
	for i, v := range w.I {
		o.U[i] = uint64(v)
	}
	for i, v := range w.F {
		o.U[i] = SaturateUnsigned(v, to.Bits())
	}
	return o
}

func toFloat(w Wide, to shape.ElementType) Wide {
	o := MakeWide(shape.FloatClass, w.Len())
	for i, v := range w.B {
		o.F[i] = float64(b2u(v))
	}
	if to == shape.F64 {
		for i, v := range w.I {
			o.F[i] = float64(v)
		}
		for i, v := range w.U {
			o.F[i] = float64(v)
		}
		return o
	}
	for i, v := range w.I {
		o.F[i] = shape.OddFloatSigned(v)
	}
	for i, v := range w.U {
		o.F[i] = shape.OddFloat(v)
	}
	return o
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// SaturateSigned drops the fraction of v and returns the nearest signed integer of the given bits; 0 for NaN.
func SaturateSigned(v float64, bits int) int64 {
	limit := math.Ldexp(1, bits-1)
	switch {
	case v != v:
		return 0
	case v >= limit:
		return int64(1<<(bits-1) - 1)
	case v <= -limit:
		return -1 << (bits - 1)
	}
	return int64(v)
}

// SaturateUnsigned drops the fraction of v and returns the nearest unsigned integer of the given bits; 0 for NaN.
func SaturateUnsigned(v float64, bits int) uint64 {
	switch {
	case v != v || v <= 0:
		return 0
	case v >= math.Ldexp(1, bits):
		return 1<<bits - 1
	}
	return uint64(v)
}

// ScalarOf returns v as a scalar of type t: rounded, wrapped or saturated as Convert does.
func ScalarOf(t shape.ElementType, v float64) *Literal { return mustConvert(Scalar(v), t) }

// ScalarOfInt returns v as a scalar of type t.
func ScalarOfInt(t shape.ElementType, v int64) *Literal { return mustConvert(Scalar(v), t) }

func mustConvert(l *Literal, t shape.ElementType) *Literal {
	out, err := Convert(l, t)
	if err != nil {
		panic("literal: bug: " + err.Error())
	}
	return out
}

// Zero returns the scalar 0 of type t, which for F8E8M0FNU, without a 0, is NaN.
func Zero(t shape.ElementType) *Literal { return ScalarOfInt(t, 0) }

// One returns the scalar 1 of type t, which for S1 is -1.
func One(t shape.ElementType) *Literal { return ScalarOfInt(t, 1) }

// MinValue returns the lowest scalar of type t: minus infinity if t has it, false for Pred. It panics for complex
// types.
func MinValue(t shape.ElementType) *Literal { return extreme(t, -1) }

// MaxValue returns the highest scalar of type t: infinity if t has it, true for Pred. It panics for complex types.
func MaxValue(t shape.ElementType) *Literal { return extreme(t, 1) }

func extreme(t shape.ElementType, sign int) *Literal {
	w := MakeWide(t.Class(), 1)
	switch t.Class() {
	case shape.PredClass:
		w.B[0] = sign > 0
	case shape.SignedClass:
		w.I[0] = SaturateSigned(math.Inf(sign), t.Bits())
	case shape.UnsignedClass:
		w.U[0] = SaturateUnsigned(math.Inf(sign), t.Bits())
	case shape.FloatClass:
		w.F[0] = t.MaxFloat64()
		if sign < 0 {
			w.F[0] = t.LowestFloat64()
		}
	default:
		panic("literal: bug: least or greatest value of " + t.String())
	}
	return FromWide(shape.Array(t), w)
}
