package literal

import (
	"fmt"
	"math"

	"github.com/halo-xla/halo/xla/shape"
)

// Wide is the elements of an array in the wide type of their class, in row-major order. Exactly the slice of Class is
// set.
type Wide struct {
	Class shape.Class
	B     []bool
	I     []int64
	U     []uint64
	F     []float64
	C     []complex128
}

// MakeWide returns n zeros of class c.
func MakeWide(c shape.Class, n int) Wide {
	w := Wide{Class: c}
	switch c {
	case shape.PredClass:
		w.B = make([]bool, n)
	case shape.SignedClass:
		w.I = make([]int64, n)
	case shape.UnsignedClass:
		w.U = make([]uint64, n)
	case shape.FloatClass:
		w.F = make([]float64, n)
	case shape.ComplexClass:
		w.C = make([]complex128, n)
	default:
		panic("literal: bug: wide elements of " + c.String())
	}
	return w
}

// Len returns the number of elements.
func (w Wide) Len() int { return len(w.B) + len(w.I) + len(w.U) + len(w.F) + len(w.C) }

// Wide returns the elements of an array widened, in row-major order. Widening is exact.
func (l *Literal) Wide() Wide {
	f := widen[l.shape.Type]
	if f == nil {
		panic("literal: bug: wide elements of " + l.shape.String())
	}
	w := f(l.RowMajor().data)
	w.Class = l.shape.Type.Class()
	return w
}

// FromWide returns an array of shape s with the elements of w, which is in row-major order: floats are rounded once,
// integers lose their upper bits. The class of w must be that of s's element type.
func FromWide(s shape.Shape, w Wide) *Literal {
	if n, ok := s.CheckedSize(); !ok || w.Class != s.Type.Class() || n != int64(w.Len()) {
		panic(fmt.Sprintf("literal: bug: %d elements (%s) for %s", w.Len(), w.Class, s))
	}
	dense := s
	dense.Layout = nil
	l := &Literal{shape: dense, data: narrow[s.Type](w)}
	if s.Layout == nil {
		return l
	}
	out, err := l.Relayout(s.Layout)
	if err != nil {
		panic("literal: bug: " + err.Error())
	}
	return out
}

// widen has for each element type the function that widens dense elements.
var widen = [shape.NumElementTypes]func([]byte) Wide{
	shape.Pred:          widenPred,
	shape.S1:            widenNarrowInts(1),
	shape.S2:            widenNarrowInts(2),
	shape.S4:            widenNarrowInts(4),
	shape.S8:            widenInts[int8],
	shape.S16:           widenInts[int16],
	shape.S32:           widenInts[int32],
	shape.S64:           widenInts[int64],
	shape.U1:            widenNarrowUints(1),
	shape.U2:            widenNarrowUints(2),
	shape.U4:            widenNarrowUints(4),
	shape.U8:            widenUints[uint8],
	shape.U16:           widenUints[uint16],
	shape.U32:           widenUints[uint32],
	shape.U64:           widenUints[uint64],
	shape.F32:           widenFloats[float32],
	shape.F64:           widenFloats[float64],
	shape.F16:           widenF16,
	shape.BF16:          widenBF16,
	shape.F8E5M2:        widenSmall(shape.F8E5M2),
	shape.F8E4M3FN:      widenSmall(shape.F8E4M3FN),
	shape.F8E4M3B11FNUZ: widenSmall(shape.F8E4M3B11FNUZ),
	shape.F8E5M2FNUZ:    widenSmall(shape.F8E5M2FNUZ),
	shape.F8E4M3FNUZ:    widenSmall(shape.F8E4M3FNUZ),
	shape.F8E4M3:        widenSmall(shape.F8E4M3),
	shape.F8E3M4:        widenSmall(shape.F8E3M4),
	shape.F8E8M0FNU:     widenSmall(shape.F8E8M0FNU),
	shape.F4E2M1FN:      widenSmall(shape.F4E2M1FN),
	shape.F6E3M2FN:      widenSmall(shape.F6E3M2FN),
	shape.F6E2M3FN:      widenSmall(shape.F6E2M3FN),
	shape.C64:           widenComplex[complex64],
	shape.C128:          widenComplex[complex128],
}

// narrow has for each element type the function that makes dense elements of wide ones.
var narrow = [shape.NumElementTypes]func(Wide) []byte{
	shape.Pred:          narrowPred,
	shape.S1:            narrowNarrowInts(1),
	shape.S2:            narrowNarrowInts(2),
	shape.S4:            narrowNarrowInts(4),
	shape.S8:            narrowInts[int8],
	shape.S16:           narrowInts[int16],
	shape.S32:           narrowInts[int32],
	shape.S64:           narrowInts[int64],
	shape.U1:            narrowNarrowUints(1),
	shape.U2:            narrowNarrowUints(2),
	shape.U4:            narrowNarrowUints(4),
	shape.U8:            narrowUints[uint8],
	shape.U16:           narrowUints[uint16],
	shape.U32:           narrowUints[uint32],
	shape.U64:           narrowUints[uint64],
	shape.F32:           narrowFloats[float32],
	shape.F64:           narrowFloats[float64],
	shape.F16:           narrow16(shape.F16, 10, 15),
	shape.BF16:          narrow16(shape.BF16, 7, 127),
	shape.F8E5M2:        narrowSmall(shape.F8E5M2),
	shape.F8E4M3FN:      narrowSmall(shape.F8E4M3FN),
	shape.F8E4M3B11FNUZ: narrowSmall(shape.F8E4M3B11FNUZ),
	shape.F8E5M2FNUZ:    narrowSmall(shape.F8E5M2FNUZ),
	shape.F8E4M3FNUZ:    narrowSmall(shape.F8E4M3FNUZ),
	shape.F8E4M3:        narrowSmall(shape.F8E4M3),
	shape.F8E3M4:        narrowSmall(shape.F8E3M4),
	shape.F8E8M0FNU:     narrowSmall(shape.F8E8M0FNU),
	shape.F4E2M1FN:      narrowSmall(shape.F4E2M1FN),
	shape.F6E3M2FN:      narrowSmall(shape.F6E3M2FN),
	shape.F6E2M3FN:      narrowSmall(shape.F6E2M3FN),
	shape.C64:           narrowComplex[complex64],
	shape.C128:          narrowComplex[complex128],
}

func widenPred(b []byte) Wide {
	o := make([]bool, len(b))
	for i, v := range b {
		o[i] = v != 0
	}
	return Wide{B: o}
}

func widenInts[T int8 | int16 | int32 | int64](b []byte) Wide {
	s := cast[T](b)
	o := make([]int64, len(s))
	for i, v := range s {
		o[i] = int64(v)
	}
	return Wide{I: o}
}

func widenNarrowInts(bits int) func([]byte) Wide {
	up := 64 - bits
	return func(b []byte) Wide {
		o := make([]int64, len(b))
		for i, v := range b {
			o[i] = int64(v) << up >> up
		}
		return Wide{I: o}
	}
}

func widenUints[T uint8 | uint16 | uint32 | uint64](b []byte) Wide {
	s := cast[T](b)
	o := make([]uint64, len(s))
	for i, v := range s {
		o[i] = uint64(v)
	}
	return Wide{U: o}
}

func widenNarrowUints(bits int) func([]byte) Wide {
	mask := byte(1<<bits - 1)
	return func(b []byte) Wide {
		o := make([]uint64, len(b))
		for i, v := range b {
			o[i] = uint64(v & mask)
		}
		return Wide{U: o}
	}
}

func widenFloats[T float32 | float64](b []byte) Wide {
	s := cast[T](b)
	o := make([]float64, len(s))
	for i, v := range s {
		o[i] = float64(v)
	}
	return Wide{F: o}
}

func widenF16(b []byte) Wide {
	s := cast[uint16](b)
	o := make([]float64, len(s))
	for i, v := range s {
		o[i] = float64(shape.F16ToFloat32(v))
	}
	return Wide{F: o}
}

func widenBF16(b []byte) Wide {
	s := cast[uint16](b)
	o := make([]float64, len(s))
	for i, v := range s {
		o[i] = float64(math.Float32frombits(uint32(v) << 16))
	}
	return Wide{F: o}
}

func widenSmall(t shape.ElementType) func([]byte) Wide {
	var table [256]float64
	for i := range table {
		table[i] = t.ToFloat64(uint64(i))
	}
	return func(b []byte) Wide {
		o := make([]float64, len(b))
		for i, v := range b {
			o[i] = table[v]
		}
		return Wide{F: o}
	}
}

func widenComplex[T complex64 | complex128](b []byte) Wide {
	s := cast[T](b)
	o := make([]complex128, len(s))
	for i, v := range s {
		o[i] = complex128(v)
	}
	return Wide{C: o}
}

func narrowPred(w Wide) []byte {
	o := make([]byte, len(w.B))
	for i, v := range w.B {
		if v {
			o[i] = 1
		}
	}
	return o
}

func narrowInts[T int8 | int16 | int32 | int64](w Wide) []byte {
	o := make([]T, len(w.I))
	for i, v := range w.I {
		o[i] = T(v)
	}
	return asBytes(o)
}

// narrowNarrowInts keeps the low bits and extends the sign over the byte, so that a view as int8 has the values.
func narrowNarrowInts(bits int) func(Wide) []byte {
	up := 64 - bits
	return func(w Wide) []byte {
		o := make([]byte, len(w.I))
		for i, v := range w.I {
			o[i] = byte(v << up >> up)
		}
		return o
	}
}

func narrowUints[T uint8 | uint16 | uint32 | uint64](w Wide) []byte {
	o := make([]T, len(w.U))
	for i, v := range w.U {
		o[i] = T(v)
	}
	return asBytes(o)
}

func narrowNarrowUints(bits int) func(Wide) []byte {
	mask := uint64(1<<bits - 1)
	return func(w Wide) []byte {
		o := make([]byte, len(w.U))
		for i, v := range w.U {
			o[i] = byte(v & mask)
		}
		return o
	}
}

func narrowFloats[T float32 | float64](w Wide) []byte {
	o := make([]T, len(w.F))
	for i, v := range w.F {
		o[i] = T(v)
	}
	return asBytes(o)
}

// narrow16 rounds what stays a normal number on the spot: in the bits of a float64, rounding to the upper ones
// carries into the exponent as it should. Everything else goes the general way.
func narrow16(t shape.ElementType, man, bias uint64) func(Wide) []byte {
	drop := 52 - man
	rebase, low, span := (1023-bias)<<man, (1024-bias)<<52, (2*bias-1)<<52
	half := uint64(1)<<(drop-1) - 1
	return func(w Wide) []byte {
		o := make([]uint16, len(w.F))
		for i, v := range w.F {
			b := math.Float64bits(v)
			if abs := b &^ (1 << 63); abs-low < span {
				mag := (abs+half+abs>>(drop&63)&1)>>(drop&63) - rebase
				o[i] = uint16(b>>48&0x8000 | mag)
			} else {
				o[i] = uint16(t.FromFloat64(v))
			}
		}
		return asBytes(o)
	}
}

func narrowSmall(t shape.ElementType) func(Wide) []byte {
	return func(w Wide) []byte {
		o := make([]byte, len(w.F))
		for i, v := range w.F {
			o[i] = byte(t.FromFloat64(v))
		}
		return o
	}
}

func narrowComplex[T complex64 | complex128](w Wide) []byte {
	o := make([]T, len(w.C))
	for i, v := range w.C {
		o[i] = T(v)
	}
	return asBytes(o)
}
