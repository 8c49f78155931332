package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferDot(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferRaggedDot(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalRaggedDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferScaledDot(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalScaledDot(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
