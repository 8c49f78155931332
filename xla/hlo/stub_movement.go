package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferBroadcast(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalBroadcast(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferConcatenate(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalConcatenate(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferIota(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalIota(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferPad(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalPad(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferReshape(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalReshape(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferReverse(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalReverse(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferTranspose(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalTranspose(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
