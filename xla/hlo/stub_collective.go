package hlo

import (
	"errors"

	"github.com/halo-xla/halo/xla/literal"
	"github.com/halo-xla/halo/xla/shape"
)

func inferAllGather(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAllGather(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferAllGatherStart(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalAllGatherStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferAllReduce(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAllReduce(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferAllReduceStart(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalAllReduceStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferAllToAll(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalAllToAll(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferCollectiveBroadcast(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalCollectiveBroadcast(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferCollectivePermute(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalCollectivePermute(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferCollectivePermuteStart(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalCollectivePermuteStart(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferPartitionID(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalPartitionID(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferRaggedAllToAll(in *Instruction) (shape.Shape, error) {
	return in.Shape, errors.ErrUnsupported
}
func evalRaggedAllToAll(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferReduceScatter(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalReduceScatter(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
func inferReplicaID(in *Instruction) (shape.Shape, error) { return in.Shape, errors.ErrUnsupported }
func evalReplicaID(e *Evaluator, in *Instruction, args []*literal.Literal) (*literal.Literal, error) {
	return nil, errors.ErrUnsupported
}
