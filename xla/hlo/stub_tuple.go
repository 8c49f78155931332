package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferConstant(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalConstant(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferCopy(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalCopy(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferGetTupleElement(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalGetTupleElement(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferParameter(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalParameter(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferTuple(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalTuple(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
