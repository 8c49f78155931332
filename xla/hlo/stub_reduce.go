package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferMap(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalMap(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferReduce(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalReduce(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferScan(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalScan(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
