package hlo

import "github.com/halo-xla/halo/xla/shape"

// ConvertElementType converts elements to type t: rounded to nearest even; toward 0 to integers, which saturate and
// take NaN as 0; to predicates by whether they differ from 0.
//
//	operand T[D...]   result U[D...]
//
// It fails unless operand is an array and t a type of elements. Law: row 71.
func (b *Builder) ConvertElementType(operand *Instruction, t shape.ElementType) *Instruction {
	b.present(Convert, &operand)
	return b.add(Convert, nil, operand.Shape.WithType(t), operand)
}

// BitcastConvertType reads the bits of the elements as type t: wider elements become a new last dimension of narrower
// ones, the lowest bits first, and a last dimension of narrower ones that fill a wider one becomes it.
//
//	operand T[D...]   result U[D...], U[D..., bits(T)/bits(U)] or, of T[D..., bits(U)/bits(T)], U[D...]
//
// It fails if the last dimension does not fit or only one of the types is complex. Law: row 72.
func (b *Builder) BitcastConvertType(operand *Instruction, t shape.ElementType) *Instruction {
	b.present(BitcastConvert, &operand)
	told := shape.Array(t)
	if s := operand.Shape; s.IsArray() && t.IsArray() {
		if out, err := bitcastShape(s, t, s.Type.Bits(), t.Bits()); err == nil {
			told = out
		}
	}
	return b.add(BitcastConvert, nil, told, operand)
}

// ReducePrecision rounds floats to a format of fewer exponent and mantissa bits, without subnormals.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats, exponentBits at least 1 and mantissaBits at least 0. Law: row 103.
func (b *Builder) ReducePrecision(operand *Instruction, exponentBits, mantissaBits int64) *Instruction {
	return b.add(ReducePrecision, &ReducePrecisionAttrs{exponentBits, mantissaBits}, shape.Shape{}, operand)
}

// StochasticConvertType rounds floats to type t up or down, by random bits in proportion to the distances.
//
//	operand T[D...]   random unsigned[D...]   result U[D...]
//
// It fails unless random has unsigned integers as wide as operand's floats. Law: HLO stochastic-convert.
func (b *Builder) StochasticConvertType(operand, random *Instruction, t shape.ElementType) *Instruction {
	b.present(StochasticConvert, &operand)
	return b.add(StochasticConvert, nil, operand.Shape.WithType(t), operand, random)
}
