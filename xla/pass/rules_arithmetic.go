package pass

import (
	"math"
	"math/bits"

	"github.com/halo-xla/halo/xla/hlo"
	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

// arithmeticRules hold for floats bit by bit: x+0 is not x, because x may be -0, but x+(-0) is.
var arithmeticRules = map[hlo.Opcode][]rule{
	hlo.Add:             {addNothing, addNegated, joinConstants},
	hlo.Subtract:        {subtractNothing, subtractSelf, subtractNegated},
	hlo.Multiply:        {multiplyByOne, multiplyByZero, multiplyByMinusOne, joinConstants},
	hlo.Divide:          {divideByOne, divideByPowerOfTwo, shiftForDivide},
	hlo.Remainder:       {maskForRemainder},
	hlo.Power:           {powerOfConstant},
	hlo.Negate:          {undo(hlo.Negate)},
	hlo.Abs:             {absOfSign},
	hlo.Maximum:         {sameTwice, limit(-1), joinConstants},
	hlo.Minimum:         {sameTwice, limit(1), joinConstants},
	hlo.Copy:            {itsOperand},
	hlo.Domain:          {itsOperand},
	hlo.Real:            {partOfComplex(0)},
	hlo.Imag:            {partOfComplex(1)},
	hlo.Complex:         {complexOfParts},
	hlo.Convert:         {convertToSame, convertTwice},
	hlo.BitcastConvert:  {bitsTwice},
	hlo.Floor:           {roundTwice},
	hlo.Ceil:            {roundTwice},
	hlo.RoundNearestAfz: {roundTwice},
}

// either tries f on the operands of a commutative op both ways.
func either(in *hlo.Instruction, f func(x, y *hlo.Instruction) *hlo.Instruction) *hlo.Instruction {
	if r := f(in.Operands[0], in.Operands[1]); r != nil {
		return r
	}
	return f(in.Operands[1], in.Operands[0])
}

// addNothing: x+(-0) = x for floats, x+0 = x for integers; predicates add by "or".
func addNothing(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	zero := 0.0
	if !isIntegral(in) {
		zero = math.Copysign(0, -1)
	}
	return either(in, func(x, y *hlo.Instruction) *hlo.Instruction {
		if isNumber(y, zero) {
			return x
		}
		return nil
	})
}

// addNegated: x+(-y) = x-y.
func addNegated(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	return either(in, func(x, y *hlo.Instruction) *hlo.Instruction {
		if y.Op == hlo.Negate && y.Shape.Type != shape.Pred {
			return s.plainOp(hlo.Subtract, x, y.Operands[0])
		}
		return nil
	})
}

// subtractNothing: x-0 = x; 0-x = -x for integers, -0-x = -x for floats.
func subtractNothing(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, y := in.Operands[0], in.Operands[1]
	switch {
	case in.Shape.Type == shape.Pred:
	case isNumber(y, 0):
		return x
	case isIntegral(in) && isNumber(x, 0), !isIntegral(in) && isNumber(x, math.Copysign(0, -1)):
		return s.plainOp(hlo.Negate, y)
	}
	return nil
}

// subtractSelf: x-x = 0 for integers; a float may be NaN or infinite.
func subtractSelf(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Operands[0] == in.Operands[1] && in.Shape.Type.IsInteger() {
		return s.zeros(in)
	}
	return nil
}

// subtractNegated: x-(-y) = x+y.
func subtractNegated(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if y := in.Operands[1]; y.Op == hlo.Negate && in.Shape.Type != shape.Pred {
		return s.plainOp(hlo.Add, in.Operands[0], y.Operands[0])
	}
	return nil
}

// multiplyByOne: x*1 = x.
func multiplyByOne(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	return either(in, func(x, y *hlo.Instruction) *hlo.Instruction {
		if isNumber(y, 1) {
			return x
		}
		return nil
	})
}

// multiplyByZero: x*0 = 0 for integers.
func multiplyByZero(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !isIntegral(in) {
		return nil
	}
	return either(in, func(_, y *hlo.Instruction) *hlo.Instruction {
		if isNumber(y, 0) {
			return y
		}
		return nil
	})
}

// multiplyByMinusOne: x*(-1) = -x.
func multiplyByMinusOne(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	return either(in, func(x, y *hlo.Instruction) *hlo.Instruction {
		if isNumber(y, -1) && hasNegativeZero(in.Shape.Type) {
			return s.plainOp(hlo.Negate, x)
		}
		return nil
	})
}

// hasNegativeZero leaves out the float types in which a sign is not always there to flip.
func hasNegativeZero(t shape.ElementType) bool {
	switch t {
	case shape.F16, shape.BF16, shape.F32, shape.F64:
		return true
	}
	return t.IsSigned()
}

// joinConstants: (x op c) op d = x op (c op d) where op is associative: not for the sums and products of floats.
func joinConstants(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if !isIntegral(in) && in.Op != hlo.Maximum && in.Op != hlo.Minimum {
		return nil
	}
	return either(in, func(x, d *hlo.Instruction) *hlo.Instruction {
		if x.Op != in.Op || splatOf(d) == nil || splatOf(x) != nil {
			return nil
		}
		return either(x, func(y, c *hlo.Instruction) *hlo.Instruction {
			if splatOf(c) == nil {
				return nil
			}
			return s.plainOp(in.Op, y, s.plainOp(in.Op, c, d))
		})
	})
}

// divideByOne: x/1 = x.
func divideByOne(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if isNumber(in.Operands[1], 1) && in.Shape.Type != shape.Pred {
		return in.Operands[0]
	}
	return nil
}

// divideByPowerOfTwo: x/c = x*(1/c) where 1/c is exact, so that both are rounded once from the same number.
func divideByPowerOfTwo(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	l := splatOf(in.Operands[1])
	if l == nil || !hasNegativeZero(in.Shape.Type) || !in.Shape.Type.IsFloat() {
		return nil
	}
	c, _ := number(l)
	if frac, _ := math.Frexp(c); math.Abs(frac) != 0.5 || math.IsInf(c, 0) {
		return nil
	}
	inverse := literal.ScalarOf(in.Shape.Type, 1/c)
	if back, _ := number(inverse); back != 1/c {
		return nil
	}
	return s.plainOp(hlo.Multiply, in.Operands[0], s.filled(inverse, in.Shape))
}

// powerOfTwo returns the k of 2^k if an operand is that, without a sign.
func powerOfTwo(in *hlo.Instruction) (k int64, ok bool) {
	n, known := integer(in)
	if !known || !in.Shape.Type.IsUnsigned() || bits.OnesCount64(uint64(n)) != 1 {
		return 0, false
	}
	return int64(bits.TrailingZeros64(uint64(n))), true
}

// shiftForDivide: x / 2^k = x >> k without a sign.
func shiftForDivide(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	k, ok := powerOfTwo(in.Operands[1])
	if !ok {
		return nil
	}
	by := s.filled(literal.ScalarOfInt(in.Shape.Type, k), in.Shape)
	return s.plainOp(hlo.ShiftRightLogical, in.Operands[0], by)
}

// maskForRemainder: x % 2^k = x & (2^k - 1) without a sign.
func maskForRemainder(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	k, ok := powerOfTwo(in.Operands[1])
	if !ok {
		return nil
	}
	mask := s.filled(literal.ScalarOfInt(in.Shape.Type, 1<<k-1), in.Shape)
	return s.plainOp(hlo.And, in.Operands[0], mask)
}

// powerOfConstant: small integer powers by multiplication, within the 3 units that power may be off: each product
// rounds by half a unit, and where one overflows or vanishes, so does the power. 1/x for -1. Integers have no power -1.
func powerOfConstant(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	x, l := in.Operands[0], splatOf(in.Operands[1])
	if l == nil || in.Shape.Type.IsComplex() || in.Shape.Type == shape.Pred {
		return nil
	}
	n, ok := number(l)
	float := in.Shape.Type.IsFloat()
	switch {
	case !ok || float && in.Shape.Type.Bits() < 16:
		return nil
	case n == 0:
		return s.ones(in)
	case n == 1:
		return x
	case n == 2:
		return s.plainOp(hlo.Multiply, x, x)
	case n == 3:
		return s.plainOp(hlo.Multiply, s.plainOp(hlo.Multiply, x, x), x)
	case n == 4:
		square := s.plainOp(hlo.Multiply, x, x)
		return s.plainOp(hlo.Multiply, square, square)
	case n == -1 && float:
		return s.plainOp(hlo.Divide, s.ones(in), x)
	}
	return nil
}

// undo: op(op(x)) = x.
func undo(op hlo.Opcode) rule {
	return func(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
		if o := in.Operands[0]; o.Op == op {
			return o.Operands[0]
		}
		return nil
	}
}

// absOfSign: |(|x|)| = |x|, |-x| = |x|.
func absOfSign(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	switch {
	case in.Shape.Type.IsComplex() || o.Shape.Type.IsComplex():
	case o.Op == hlo.Abs:
		return o
	case o.Op == hlo.Negate:
		return s.plainOp(hlo.Abs, o.Operands[0])
	}
	return nil
}

// sameTwice: max(x, x) = x, x and x = x, and the like.
func sameTwice(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if in.Operands[0] == in.Operands[1] {
		return in.Operands[0]
	}
	return nil
}

// limit: max(x, -inf) = x, min(x, inf) = x, and for integers their extremes. sign is that of the limit.
func limit(sign float64) rule {
	return func(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
		return either(in, func(x, y *hlo.Instruction) *hlo.Instruction {
			l := splatOf(y)
			if l == nil || in.Shape.Type.IsComplex() {
				return nil
			}
			extreme := literal.MaxValue(in.Shape.Type)
			if sign < 0 {
				extreme = literal.MinValue(in.Shape.Type)
			}
			if v, _ := number(l); sameLiteral(l, extreme) && (isIntegral(in) || math.IsInf(v, int(sign))) {
				return x
			}
			return nil
		})
	}
}

// itsOperand: the op is its operand.
func itsOperand(_ *simplifier, in *hlo.Instruction) *hlo.Instruction { return in.Operands[0] }

func partOfComplex(i int) rule {
	return func(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
		if o := in.Operands[0]; o.Op == hlo.Complex {
			return o.Operands[i]
		}
		return nil
	}
}

// complexOfParts: complex(real(x), imag(x)) = x.
func complexOfParts(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	re, im := in.Operands[0], in.Operands[1]
	if re.Op == hlo.Real && im.Op == hlo.Imag && re.Operands[0] == im.Operands[0] && sameSizes(re.Operands[0], in) {
		return re.Operands[0]
	}
	return nil
}

func convertToSame(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	if sameSizes(in, in.Operands[0]) {
		return in.Operands[0]
	}
	return nil
}

// convertTwice: a conversion through a type that holds every value of the first is one conversion.
func convertTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	if o.Op != hlo.Convert || !holdsAll(o.Shape.Type, o.Operands[0].Shape.Type) {
		return nil
	}
	from, through, to := o.Operands[0].Shape.Type, o.Shape.Type, in.Shape.Type
	if from.IsInteger() && through.IsFloat() && to.IsInteger() && !holdsAll(to, from) {
		return nil // floats saturate where integers wrap
	}
	return s.op(hlo.Convert, nil, in.Shape, o.Operands[0])
}

// holdsAll reports whether type to holds every value of type from, and converting gives it.
func holdsAll(to, from shape.ElementType) bool {
	switch {
	case from.IsFloat() && to.IsFloat():
		return from.Bits() <= 16 && (to == shape.F32 || to == shape.F64) || from == shape.F32 && to == shape.F64
	case from == shape.Pred:
		return to.IsInteger() || to == shape.F32 || to == shape.F64
	case from.IsInteger() && to == shape.F32:
		return from.Bits() <= 16
	case from.IsInteger() && to == shape.F64:
		return from.Bits() <= 32
	case from.IsInteger() && to.IsInteger():
		return from.Bits() < to.Bits() && (to.IsSigned() || from.IsUnsigned()) ||
			from.Bits() <= to.Bits() && from.IsSigned() == to.IsSigned()
	}
	return false
}

// bitsTwice: reading the bits of x as another type and back gives x.
func bitsTwice(s *simplifier, in *hlo.Instruction) *hlo.Instruction {
	o := in.Operands[0]
	switch {
	case sameSizes(in, o):
		return o
	case o.Op == hlo.BitcastConvert && sameSizes(o.Operands[0], in) && in.Shape.Type != shape.Pred:
		return o.Operands[0]
	}
	return nil
}

// roundTwice: what has been rounded to integers is one.
func roundTwice(_ *simplifier, in *hlo.Instruction) *hlo.Instruction {
	switch o := in.Operands[0]; o.Op {
	case hlo.Floor, hlo.Ceil, hlo.RoundNearestAfz, hlo.RoundNearestEven:
		return o
	}
	return nil
}
