package hlo

import (
	"math"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// compareStep is compare on two registers; rows 43 to 54.
func compareStep(in *Instruction, d int32, x [3]int32) step {
	a := in.Attrs.(*CompareAttrs)
	t := in.Operands[0].Shape.Type
	p, q, dir := x[0], x[1], a.Direction
	switch class := t.Class(); {
	case class == shape.FloatClass && a.Type == TotalOrder:
		return func(r []Cell) {
			r[d] = boolCell(holds(dir, totalOrderKey(r[p].F), totalOrderKey(r[q].F)))
		}
	case class == shape.FloatClass:
		return compareFloats(dir, d, p, q)
	case class == shape.UnsignedClass:
		return func(r []Cell) { r[d] = boolCell(holds(dir, uint64(r[p].I), uint64(r[q].I))) }
	case class == shape.ComplexClass:
		return func(r []Cell) {
			r[d] = boolCell((r[p].F == r[q].F && r[p].Im == r[q].Im) == (dir == Eq))
		}
	}
	return compareInts(dir, d, p, q)
}

// holds reports whether a and b stand in the relation dir.
func holds[T int64 | uint64 | float64](dir Direction, a, b T) bool {
	switch dir {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Ge:
		return a >= b
	case Gt:
		return a > b
	case Le:
		return a <= b
	}
	return a < b
}

// totalOrderKey orders floats as row 49 says: -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN. Widening a narrower
// float keeps the order of the bits.
func totalOrderKey(v float64) int64 {
	s := int64(math.Float64bits(v))
	return s ^ int64(uint64(s>>63)>>1)
}

// convertStep is convert on a register; row 71.
func convertStep(in *Instruction, d int32, x [3]int32) step {
	from, to, a := in.Operands[0].Shape.Type, in.Shape.Type, x[0]
	if from == to {
		return func(r []Cell) { r[d] = r[a] }
	}
	s := convertClassStep(from, to, d, a)
	if s == nil {
		return nil
	}
	return rounded(s, d, to)
}

// convertClassStep converts between wide classes; the rounding to the type comes after it.
func convertClassStep(from, to shape.ElementType, d, a int32) step {
	bits := to.Bits()
	floating := from.IsFloat() || from.IsComplex()
	switch {
	case to == shape.Pred && floating:
		return func(r []Cell) { r[d] = boolCell(r[a].F != 0) } // of complex numbers the real part
	case to == shape.Pred:
		return func(r []Cell) { r[d] = boolCell(r[a].I != 0) }
	case to.IsSigned() && floating:
		return func(r []Cell) { r[d].I = literal.SaturateSigned(r[a].F, bits) }
	case to.IsUnsigned() && floating:
		return func(r []Cell) { r[d].I = int64(literal.SaturateUnsigned(r[a].F, bits)) }
	case to.IsInteger():
		return func(r []Cell) { r[d].I = r[a].I }
	case to.IsFloat() && floating:
		return func(r []Cell) { r[d].F = r[a].F }
	case floating:
		return func(r []Cell) { r[d].F, r[d].Im = r[a].F, r[a].Im }
	}
	return intToFloatStep(from, to.Component(), d, a)
}

func intToFloatStep(from, to shape.ElementType, d, a int32) step {
	switch {
	case to == shape.F64 && from.IsUnsigned():
		return func(r []Cell) { r[d].F = float64(uint64(r[a].I)) }
	case to == shape.F64:
		return func(r []Cell) { r[d].F = float64(r[a].I) }
	case from.IsUnsigned():
		return func(r []Cell) { r[d].F = shape.OddFloat(uint64(r[a].I)) }
	}
	return func(r []Cell) { r[d].F = shape.OddFloatSigned(r[a].I) }
}

// bitcastConvertStep reinterprets bits between types of one width; row 72.
func bitcastConvertStep(in *Instruction, d int32, x [3]int32) step {
	from, to, a := in.Operands[0].Shape.Type, in.Shape.Type, x[0]
	if from == to {
		return func(r []Cell) { r[d] = r[a] }
	}
	if from.Bits() != to.Bits() || from.IsComplex() || to.IsComplex() || to == shape.Pred || from == shape.Pred {
		return nil
	}
	read, write := rounder(from), rounder(to)
	switch {
	case from.IsFloat() && to.IsFloat():
		return func(r []Cell) { r[d].F = to.ToFloat64(from.FromFloat64(r[a].F)) }
	case from.IsFloat():
		return rounded(func(r []Cell) { r[d].I = int64(from.FromFloat64(r[a].F)) }, d, to)
	case to.IsFloat():
		return func(r []Cell) { r[d].F = to.ToFloat64(uint64(r[a].I) << (64 - to.Bits()) >> (64 - to.Bits())) }
	case read == nil && write == nil:
		return func(r []Cell) { r[d].I = r[a].I }
	}
	return rounded(func(r []Cell) { r[d].I = r[a].I }, d, to)
}

// reducePrecisionStep is row 103 on a register.
func reducePrecisionStep(in *Instruction, d int32, x [3]int32) step {
	a, t, f := x[0], in.Shape.Type, in.Attrs.(*ReducePrecisionAttrs)
	m, ok := mantissaBits(t)
	if !ok {
		return nil
	}
	return func(r []Cell) {
		bits := reducePrecision(t.FromFloat64(r[a].F), t.Bits(), m, int(f.ExponentBits), int(f.MantissaBits))
		r[d].F = t.ToFloat64(bits)
	}
}

// mantissaBits returns the stored mantissa bits of the IEEE-like types that reduce-precision takes.
func mantissaBits(t shape.ElementType) (int, bool) {
	switch t {
	case shape.F16:
		return 10, true
	case shape.BF16:
		return 7, true
	case shape.F32:
		return 23, true
	case shape.F64:
		return 52, true
	case shape.F8E5M2:
		return 2, true
	case shape.F8E4M3:
		return 3, true
	case shape.F8E3M4:
		return 4, true
	}
	return 0, false
}

// reducePrecision rounds the pattern bits of a float of the given width with man mantissa bits to the exponent and
// mantissa widths exp2 and man2: to nearest even, beyond the range to infinity, below the normal numbers to zero. Law:
// row 103.
func reducePrecision(bits uint64, width, man, exp2, man2 int) uint64 {
	expBits := width - 1 - man
	sign := bits >> (width - 1) << (width - 1)
	abs := bits &^ (1 << (width - 1))
	inf := (uint64(1)<<expBits - 1) << man
	if abs > inf {
		return bits
	}
	if drop := man - man2; drop > 0 {
		abs += abs>>drop&1 + uint64(1)<<(drop-1) - 1
		abs = abs >> drop << drop
	}
	if exp2 >= expBits {
		return sign | abs
	}
	bias, bias2 := uint64(1)<<(expBits-1)-1, uint64(1)<<(exp2-1)-1
	switch e := abs >> man; {
	case e > bias+bias2:
		return sign | inf
	case e <= bias-bias2:
		return sign
	}
	return sign | abs
}
