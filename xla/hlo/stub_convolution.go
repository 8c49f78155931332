package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferConvolution(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalConvolution(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferDynamicConvolution(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalDynamicConvolution(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
