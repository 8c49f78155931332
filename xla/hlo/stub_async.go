package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferAsyncDone(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAsyncDone(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferAsyncStart(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAsyncStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferAsyncUpdate(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAsyncUpdate(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferCopyDone(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalCopyDone(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferCopyStart(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalCopyStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferStartDone(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalStartDone(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
