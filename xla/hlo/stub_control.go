package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferCall(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalCall(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferConditional(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalConditional(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferFusion(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalFusion(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferWhile(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalWhile(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
