package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferDynamicSlice(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalDynamicSlice(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferDynamicUpdateSlice(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalDynamicUpdateSlice(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferSlice(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalSlice(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
