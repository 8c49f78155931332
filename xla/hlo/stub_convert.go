package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferBitcast(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalBitcast(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferBitcastConvert(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalBitcastConvert(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferConvert(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalConvert(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferReducePrecision(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalReducePrecision(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferStochasticConvert(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalStochasticConvert(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
