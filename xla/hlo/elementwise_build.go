package hlo

import (
	"fmt"
	"strconv"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// ResultAccuracy is how exact a function's result is wished: a Mode, "default" or "highest", or tolerances. The
// reference computes as exactly as it can whatever is wished.
type ResultAccuracy struct {
	Mode       string
	Atol, Rtol float64
	ULPs       int64
}

// text is the attribute in HLO text.
func (a ResultAccuracy) text() Raw {
	if a.Mode != "" {
		return Raw("{mode=" + a.Mode + "}")
	}
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return Raw(fmt.Sprintf("{tolerance={atol=%s,rtol=%s,ulps=%d}}", float(a.Atol), float(a.Rtol), a.ULPs))
}

func (b *Builder) unary(op Opcode, operand *Instruction) *Instruction {
	return b.add(op, nil, shape.Shape{}, operand)
}

// accurate is unary for the functions that take a ResultAccuracy.
func (b *Builder) accurate(op Opcode, operand *Instruction, accuracy []ResultAccuracy) *Instruction {
	in := b.unary(op, operand)
	if len(accuracy) > 0 {
		c := Common{}
		if in.Common != nil {
			c = *in.Common
		}
		c.ResultAccuracy = accuracy[0].text()
		in.Common = &c
	}
	return in
}

// Abs is |x|; of complex numbers it has the type of their parts. The least integer stays itself.
//
//	operand T[D...]   result T[D...], of the parts for complex T
//
// It fails unless operand is an array of signed integers, floats or complex numbers. Law: row 1.
func (b *Builder) Abs(operand *Instruction) *Instruction { return b.unary(Abs, operand) }

// Ceil rounds floats up.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats. Law: row 2.
func (b *Builder) Ceil(operand *Instruction) *Instruction { return b.unary(Ceil, operand) }

// Cos is the cosine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 3.
func (b *Builder) Cos(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Cos, operand, accuracy)
}

// Exp is e to the power of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 4.
func (b *Builder) Exp(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Exp, operand, accuracy)
}

// Floor rounds floats down.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats. Law: row 5.
func (b *Builder) Floor(operand *Instruction) *Instruction { return b.unary(Floor, operand) }

// IsFinite says of each float whether it is neither infinite nor NaN.
//
//	operand T[D...]   result pred[D...]
//
// It fails unless operand is an array of floats. Law: row 6.
func (b *Builder) IsFinite(operand *Instruction) *Instruction { return b.unary(IsFinite, operand) }

// Log is the natural logarithm of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 7.
func (b *Builder) Log(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Log, operand, accuracy)
}

// Not negates predicates and complements integers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of predicates or integers. Law: row 8.
func (b *Builder) Not(operand *Instruction) *Instruction { return b.unary(Not, operand) }

// LogicalNot is the name that Not had until 2021.
//
//	operand T[D...]   result T[D...]
//
// It fails as Not does. Law: row 8.
func (b *Builder) LogicalNot(operand *Instruction) *Instruction { return b.Not(operand) }

// Neg is -x of integers, which wrap, floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of numbers. Law: row 9.
func (b *Builder) Neg(operand *Instruction) *Instruction { return b.unary(Negate, operand) }

// Sign is -1, 0 or 1, zeros and NaN themselves, and z/|z| of complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of signed integers, floats or complex numbers. Law: row 10.
func (b *Builder) Sign(operand *Instruction) *Instruction { return b.unary(Sign, operand) }

// Tanh is the hyperbolic tangent of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 11.
func (b *Builder) Tanh(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Tanh, operand, accuracy)
}

// Imag is the imaginary part, 0 of floats.
//
//	operand T[D...]   result T[D...], of the parts for complex T
//
// It fails unless operand is an array of floats or complex numbers. Law: row 12.
func (b *Builder) Imag(operand *Instruction) *Instruction { return b.unary(Imag, operand) }

// Real is the real part, of floats themselves.
//
//	operand T[D...]   result T[D...], of the parts for complex T
//
// It fails unless operand is an array of floats or complex numbers. Law: row 13.
func (b *Builder) Real(operand *Instruction) *Instruction { return b.unary(Real, operand) }

// Logistic is 1/(1+exp(-x)) of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 14.
func (b *Builder) Logistic(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Logistic, operand, accuracy)
}

// PopulationCount counts the ones in the bits of integers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of integers. Law: row 15.
func (b *Builder) PopulationCount(operand *Instruction) *Instruction {
	return b.unary(PopulationCount, operand)
}

// Rsqrt is 1/sqrt(x) of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 16.
func (b *Builder) Rsqrt(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Rsqrt, operand, accuracy)
}

// Sqrt is the square root of floats and the principal one of complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 17.
func (b *Builder) Sqrt(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Sqrt, operand, accuracy)
}

// Cbrt is the third root of floats, the principal one of complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 18.
func (b *Builder) Cbrt(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Cbrt, operand, accuracy)
}

// Clz counts the zeros above the highest one in the bits of integers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of integers. Law: row 19.
func (b *Builder) Clz(operand *Instruction) *Instruction { return b.unary(Clz, operand) }

// Erf is the error function of floats.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats. Law: row 20.
func (b *Builder) Erf(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Erf, operand, accuracy)
}

// Expm1 is exp(x)-1, exact near 0, of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 21.
func (b *Builder) Expm1(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Expm1, operand, accuracy)
}

// Log1p is log(1+x), exact near 0, of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 22.
func (b *Builder) Log1p(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Log1p, operand, accuracy)
}

// Round rounds floats to the nearest whole number, halves away from 0.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats. Law: row 23.
func (b *Builder) Round(operand *Instruction) *Instruction { return b.unary(RoundNearestAfz, operand) }

// RoundNearestAfz is another name of Round.
//
//	operand T[D...]   result T[D...]
//
// It fails as Round does. Law: row 23.
func (b *Builder) RoundNearestAfz(operand *Instruction) *Instruction { return b.Round(operand) }

// RoundNearestEven rounds floats to the nearest whole number, halves to the even one.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats. Law: row 24.
func (b *Builder) RoundNearestEven(operand *Instruction) *Instruction {
	return b.unary(RoundNearestEven, operand)
}

// Sin is the sine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 25.
func (b *Builder) Sin(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Sin, operand, accuracy)
}

// Tan is the tangent of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: row 26.
func (b *Builder) Tan(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Tan, operand, accuracy)
}

// Acos is the inverse cosine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO acos.
func (b *Builder) Acos(operand *Instruction) *Instruction { return b.unary(Acos, operand) }

// Acosh is the inverse hyperbolic cosine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO acosh.
func (b *Builder) Acosh(operand *Instruction) *Instruction { return b.unary(Acosh, operand) }

// Asin is the inverse sine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO asin.
func (b *Builder) Asin(operand *Instruction) *Instruction { return b.unary(Asin, operand) }

// Asinh is the inverse hyperbolic sine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO asinh.
func (b *Builder) Asinh(operand *Instruction) *Instruction { return b.unary(Asinh, operand) }

// Atan is the inverse tangent of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO atan.
func (b *Builder) Atan(operand *Instruction) *Instruction { return b.unary(Atan, operand) }

// Atanh is the inverse hyperbolic tangent of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO atanh.
func (b *Builder) Atanh(operand *Instruction) *Instruction { return b.unary(Atanh, operand) }

// Cosh is the hyperbolic cosine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO cosh.
func (b *Builder) Cosh(operand *Instruction, accuracy ...ResultAccuracy) *Instruction {
	return b.accurate(Cosh, operand, accuracy)
}

// Sinh is the hyperbolic sine of floats and complex numbers.
//
//	operand T[D...]   result T[D...]
//
// It fails unless operand is an array of floats or complex numbers. Law: CHLO sinh.
func (b *Builder) Sinh(operand *Instruction) *Instruction { return b.unary(Sinh, operand) }

// Conj is the complex conjugate, of floats the complex number without imaginary part.
//
//	operand T[D...]   result complex[D...]
//
// It fails unless operand is an array of c64, c128, f32 or f64. Law: XLA's builder.
func (b *Builder) Conj(operand *Instruction) *Instruction {
	return b.Complex(b.Real(operand), b.Neg(b.Imag(operand)))
}

// Square is x*x.
//
//	operand T[D...]   result T[D...]
//
// It fails as Mul does. Law: XLA's arithmetic library.
func (b *Builder) Square(operand *Instruction) *Instruction { return b.Mul(operand, operand) }

// Reciprocal is 1/x.
//
//	operand T[D...]   result T[D...]
//
// It fails as Div does. Law: XLA's arithmetic library.
func (b *Builder) Reciprocal(operand *Instruction) *Instruction {
	b.present(Divide, &operand)
	if !operand.Shape.IsArray() {
		return b.fail(Divide, "reciprocal of %v, want an array", operand.Shape)
	}
	return b.Div(b.ConstantLiteral(literal.One(operand.Shape.Type)), operand)
}

// SqrtF32 is x to the power of 0.5, the square root of 2017: of -infinity it is infinity.
//
//	operand f32[D...]   result f32[D...]
//
// It fails for other elements. Law: row 17.
func (b *Builder) SqrtF32(operand *Instruction) *Instruction { return b.powF32(operand, 0.5) }

// SquareF32 is x to the power of 2.
//
//	operand f32[D...]   result f32[D...]
//
// It fails for other elements. Law: the builder of 2017.
func (b *Builder) SquareF32(operand *Instruction) *Instruction { return b.powF32(operand, 2) }

// ReciprocalF32 is x to the power of -1.
//
//	operand f32[D...]   result f32[D...]
//
// It fails for other elements. Law: the builder of 2017.
func (b *Builder) ReciprocalF32(operand *Instruction) *Instruction { return b.powF32(operand, -1) }

func (b *Builder) powF32(operand *Instruction, exponent float32) *Instruction {
	b.present(Power, &operand)
	if operand.Shape.Type != shape.F32 {
		return b.fail(Power, "got %v, want f32 elements", operand.Shape)
	}
	return b.Pow(operand, b.ConstantLiteral(literal.Scalar(exponent)))
}
