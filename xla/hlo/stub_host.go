package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferAddDependency(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAddDependency(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferAfterAll(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAfterAll(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferInfeed(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalInfeed(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferOutfeed(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalOutfeed(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferRecv(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalRecv(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferRecvDone(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalRecvDone(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferSend(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalSend(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferSendDone(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalSendDone(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
