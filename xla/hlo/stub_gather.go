package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferDynamicGather(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalDynamicGather(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferGather(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalGather(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferScatter(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalScatter(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
