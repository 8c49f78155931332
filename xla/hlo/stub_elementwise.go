package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferAbs(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAbs(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferClamp(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalClamp(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferCompare(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalCompare(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferComplex(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalComplex(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferImag(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalImag(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferIsFinite(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalIsFinite(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferReal(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalReal(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferSelect(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalSelect(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferElementwise(in *Instruction) (shape.Shape, error) {
	return in.Operands[0].Shape, errors.ErrUnsupported
}
func evalElementwise(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}

var (
	scalarAcos                 Scalar
	scalarAcosh                Scalar
	scalarAdd                  Scalar
	scalarAnd                  Scalar
	scalarAsin                 Scalar
	scalarAsinh                Scalar
	scalarAtan                 Scalar
	scalarAtan2                Scalar
	scalarAtanh                Scalar
	scalarCbrt                 Scalar
	scalarCeil                 Scalar
	scalarCosh                 Scalar
	scalarCos                  Scalar
	scalarClz                  Scalar
	scalarDivide               Scalar
	scalarErf                  Scalar
	scalarExp                  Scalar
	scalarExpm1                Scalar
	scalarFloor                Scalar
	scalarLog                  Scalar
	scalarLog1p                Scalar
	scalarLogistic             Scalar
	scalarMaximum              Scalar
	scalarMinimum              Scalar
	scalarMulhi                Scalar
	scalarMultiply             Scalar
	scalarNegate               Scalar
	scalarNot                  Scalar
	scalarOr                   Scalar
	scalarPopulationCount      Scalar
	scalarPower                Scalar
	scalarRemainder            Scalar
	scalarRoundNearestAfz      Scalar
	scalarRoundNearestEven     Scalar
	scalarRsqrt                Scalar
	scalarShiftLeft            Scalar
	scalarShiftRightArithmetic Scalar
	scalarShiftRightLogical    Scalar
	scalarSign                 Scalar
	scalarSin                  Scalar
	scalarSinh                 Scalar
	scalarSqrt                 Scalar
	scalarSubtract             Scalar
	scalarTan                  Scalar
	scalarTanh                 Scalar
	scalarXor                  Scalar
)
